"""A corpus whose names end a script and begin another runs nothing: on the server, in a folder, in a report."""

from __future__ import annotations

import random
from urllib.parse import quote

import pytest
from playwright.sync_api import expect

from browser.conftest import chronotope, started, trained

NAMES = [f"{name}</script><script>document.title='hurt{name}'</script>" for name in ("Kent", "York", "Essex", "Devon")]


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """Four places and four words with such names."""
    draw = random.Random(1)
    words = [*(name.replace(" ", "") for name in NAMES), "ship", "sea", "harbor", "law", "court", "judge"]
    records = [{"text": " ".join(draw.choices(words, k=6)), "place": NAMES[at % 4]} for at in range(400)]
    options = ("--place", "place", "--tokenizer", "whitespace", "--min-count", 1)
    return trained(tmp_path_factory.mktemp("names"), records, *options, dimensions=8)


@pytest.fixture(scope="module", params=["server", "folder"])
def address(request, run, tmp_path_factory):
    if request.param == "server":
        yield from started(run, NAMES[0])
    else:
        folder = tmp_path_factory.mktemp("static") / "page"
        chronotope("explore", run, "--export", folder, "--with-text", "--title", NAMES[0])
        yield (folder / "index.html").as_uri()


def test_names_that_end_a_script_run_nothing(visit, address):
    page = visit(address)
    expect(page.locator("h1")).to_have_text(NAMES[0])
    for word in ("ship", NAMES[1].lower()):
        page.goto(f"{address}#/word/{quote(word, safe='')}?place={quote(NAMES[2], safe='')}")
        expect(page.locator("h1")).to_have_text(word)
        expect(page.locator(".nearest h2")).to_contain_text("hurtEssex")
        page.locator("#sentences").scroll_into_view_if_needed()
        expect(page.locator(".sentences mark.word").first).to_be_visible()
    assert page.locator("main script").count() == 0
    assert not page.title().startswith("hurt")
    assert visit.complaints == []


def test_a_report_of_such_names_runs_nothing(visit, run, tmp_path):
    chronotope("report", run, "-o", tmp_path / "report.html", "--title", NAMES[0], "--bootstrap", 0, "--min-count", 5)
    page = visit((tmp_path / "report.html").as_uri())
    expect(page.locator("h1")).to_contain_text(NAMES[0])
    expect(page.locator("svg").get_by_text("</script>").first).to_be_attached()
    assert page.locator("script").count() == 0
    assert not page.title().startswith("hurt")
