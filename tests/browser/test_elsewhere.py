"""The page without its server, the page of a hostile corpus, and what its files may not contain."""

from __future__ import annotations

import random
import re
from pathlib import Path
from urllib.parse import quote

import pytest
from playwright.sync_api import expect

import chronotope.views.explorer as explorer
import worlds
from browser.conftest import chronotope, trained
from browser.pages import IMAGE, ODD, ODD_PLACES, SCRIPT, TITLE, nearest, opened

PAGE = Path(explorer.__file__).parent / "page"


def test_the_folder_from_disk_does_what_the_server_does(visit, site, folder):
    """Opened by file://: the same neighbors, sentences, slider, files; and nothing is asked of any network."""
    served = visit(f"{site}#/word/bank?at=1992&place=borva")
    opened(served)
    wanted = nearest(served)
    served.context.close()
    visit.asked.clear()
    page = visit(folder)
    opened(page)
    field = page.get_by_role("combobox", name="Find a word").locator("visible=true")
    field.type("bank")
    page.get_by_role("option").first.click()
    expect(page.locator("h1")).to_have_text("bank")
    page.locator("#place").select_option("borva")
    expect(page.locator(".nearest h2")).to_have_text("Its nearest words in 1999 · borva")
    page.locator("#time").fill("2")
    expect(page.locator(".nearest h2")).to_have_text("Its nearest words in 1992 · borva")
    assert set(nearest(page)[:5]) == set(wanted[:5])
    expect(page.locator(".series .caption")).to_contain_text("No interval: a folder without a server")
    page.locator("#sentences").scroll_into_view_if_needed()
    expect(page.locator(".sentences mark.word").first).to_have_text(re.compile("bank", re.IGNORECASE))
    with page.expect_download() as download:
        page.locator(".company [data-save=png]").click()
    assert download.value.path().read_bytes().startswith(b"\x89PNG")
    page.go_back()
    expect(page.locator(".nearest h2")).to_contain_text("borva")
    assert {url.split(":")[0] for url in visit.asked} <= {"file", "blob", "data"}


def test_a_folder_of_one_time_opens(visit, tmp_path):
    records = [{**record, "time": "1990"} for record in worlds.planted_drift(documents=300).records]
    run = trained(tmp_path, records, "--time", "time", "--min-count", 5)
    chronotope("explore", run, "--export", tmp_path / "page")
    page = visit((tmp_path / "page" / "index.html").as_uri())
    expect(page.locator(".deck")).to_contain_text("words were used in 1990. ")
    expect(page.locator(".start .state").first).to_contain_text("1990")
    page.goto(f"{(tmp_path / 'page' / 'index.html').as_uri()}#/word/bank")
    expect(page.locator(".nearest h2")).to_have_text("Its nearest words in 1990")
    assert len(nearest(page)) == 10


@pytest.mark.parametrize("where", ["hostile_site", "hostile_folder"])
def test_words_of_the_corpus_are_text_and_never_markup(visit, request, where):
    address = request.getfixturevalue(where)
    page = visit(address)
    expect(page.locator("h1")).to_have_text(TITLE)
    for at, word in enumerate(ODD):
        page.goto(f"{address}#/word/{quote(word, safe='')}?place={quote(ODD_PLACES[1 + at % 2], safe='')}")
        expect(page.locator("h1")).to_have_text(word)
        opened(page)
        assert set(nearest(page)) & set(ODD)
        assert page.locator("main img, main script, main iframe").count() == 0
        page.locator("#sentences").scroll_into_view_if_needed()
        expect(page.locator(".sentences mark.word").first).to_have_text(word)
    # Without coordinates places are rows to choose from; their names are text, too.
    assert set(page.locator(".map .item").all_text_contents()) <= set(ODD_PLACES)
    page.locator(".map .row", has_text="north").click()
    expect(page.locator(".nearest h2")).to_have_text("Its nearest words in north")


def test_a_hostile_corpus_is_searched_compared_and_saved(visit, hostile_site):
    page = visit(hostile_site)
    field = page.get_by_role("combobox", name="Find a word").locator("visible=true")
    field.type("<scr")
    page.get_by_role("option", name=SCRIPT).click()
    expect(page.locator("h1")).to_have_text(SCRIPT)
    opened(page)
    with page.expect_download() as download:
        page.locator(".company [data-save=svg]").click()
    text = download.value.path().read_text()
    assert "<script" not in text
    assert "&gt;&lt;img/src=x/onerror=alert(2)&gt;" in text
    page.locator(".company summary").click()
    expect(page.locator(".company tbody")).to_contain_text("alert(")
    page.goto(f"{hostile_site}#/compare/{quote(SCRIPT, safe='')}/{quote(IMAGE, safe='')}")
    opened(page)
    expect(page.get_by_role("button", name=f"Remove {SCRIPT}")).to_be_visible()


def test_the_page_never_writes_markup():
    """No way for text to become markup or code, nothing inline, nothing from elsewhere."""
    banned = "innerHTML|outerHTML|insertAdjacentHTML|createContextualFragment|DOMParser|srcdoc"
    banned += r"|document\.write|\beval\b|new Function"
    for file in PAGE.parent.rglob("*.js"):
        text = file.read_text(encoding="utf-8")
        assert not re.search(banned, text), file.name
    page = (PAGE / "index.html").read_text(encoding="utf-8")
    assert not re.search(r"<script(?![^>]*\bsrc=)|<style|\sstyle=|\son\w+=", page)
    for address in re.findall(r'(?:src|href)="([^"#]+)"', page):
        assert (PAGE / address).is_file(), address
    for file in [*PAGE.rglob("*.css"), *PAGE.rglob("*.html")]:
        assert not re.search(r"https?:|@import|url\(", file.read_text(encoding="utf-8")), file.name


def test_a_model_without_counts_shows_none(visit, tmp_path):
    """Vectors of other programs say nothing of how often words occur; the number that stands in for it is not shown."""
    draw = random.Random(1)
    for year in ("1990", "2000"):
        rows = (f"word{at} {' '.join(str(draw.gauss(0, 1)) for _ in range(5))}\n" for at in range(30))
        (tmp_path / f"{year}.txt").write_text("".join(rows))
    chronotope("align", tmp_path / "1990.txt", tmp_path / "2000.txt", "-o", tmp_path / "model.ct")
    chronotope("explore", tmp_path / "model.ct", "--export", tmp_path / "page")
    address = (tmp_path / "page" / "index.html").as_uri()
    page = visit(f"{address}#/word/word7")
    for view in ("#/word/word7", "#/compare/word7/word8", "#/about", "#/"):
        page.goto(address + view)
        opened(page)
        assert not re.search(r"100|\d×", page.locator("main").inner_text()), view
    page.goto(f"{address}#/word/word7")
    opened(page)
    expect(page.locator(".panel.frequency")).to_have_count(0)
    page.locator(".nearest summary").click()
    expect(page.locator(".nearest th[scope=col]")).to_have_text(
        ["word", "condition", "rank", "neighbor", "similarity", "score", "fallback"]
    )
