"""The page tells the truth: what is hidden is said, one value everywhere, no silent replacement, faint is rare."""

from __future__ import annotations

import json
import re
import urllib.request
from pathlib import Path

import pytest
from playwright.sync_api import expect

import chronotope as ct
from browser.conftest import started
from browser.pages import LONG, PHONE, VIEWS, go, marks, opened

BANK = "#/word/bank?at=1997&place=arlen"


def asked(site: str, question: str):
    """An answer of the API."""
    with urllib.request.urlopen(f"{site}api/{question}") as response:
        return json.load(response)


def test_hidden_columns_are_said_and_never_joined_as_if_adjacent(visit, site):
    """On a phone most years have no room: the change of 1995 keeps its column, and the caption says why others lack."""
    page = visit(site + BANK, viewport=PHONE)
    opened(page)
    expect(page.locator(".company .head.kept")).to_have_text("1995")
    shown = [int(year) for year in page.locator(".company .head:not(.leave)").all_text_contents()]
    assert {1990, 1995, 1997, 1999} <= set(shown) < set(range(1990, 2000))
    caption = page.locator(".company .caption")
    expect(caption).to_contain_text("Not drawn because the page is too narrow: 1991")
    expect(caption).to_contain_text("Left out, since bank occurs fewer than 5 times: 1994")
    adjacent = {year for year in shown if year + 1 in shown}
    assert page.locator(".company .link:not(.far, .leave)").count() == 0 or adjacent
    assert page.locator(".company .link.far:not(.leave)").count() > 0


def test_a_word_has_one_similarity_with_itself_in_every_chart(visit, site):
    """Series without and with its band, heat map and compare agree, and name the same reference."""
    page = visit(site + BANK)
    opened(page)
    lead = page.locator(".series .lead")
    expect(lead).to_contain_text("its use in 1990 · arlen")
    before = marks(page, ".series")
    page.wait_for_selector(".series .area")
    assert marks(page, ".series") == before
    expect(lead).to_contain_text("its use in 1990 · arlen")
    value = next(mark for mark in before if mark.startswith("1997")).split(": ")[1]
    assert f"1990 and 1997: {value}" in marks(page, ".matrix") or f"1997 and 1990: {value}" in marks(page, ".matrix")
    go(page, f"{site}#/compare/bank/river?place=arlen")
    assert f"bank, 1997: {value}" in marks(page, ".compare-page .wide")
    expect(page.locator(".compare-page .wide .lead")).to_contain_text("1990 · arlen")


@pytest.mark.parametrize("view", ["word", "parts"])
def test_an_unknown_time_or_place_is_answered_with_those_that_exist(visit, site, view):
    page = visit(f"{site}#/{view}/bank?at=1980-1989&place=arlen")
    alert = page.get_by_role("alert")
    expect(alert).to_contain_text("There is no time “1980-1989” in this model.")
    assert alert.locator("a.word").all_text_contents() == [str(year) for year in range(1990, 2000)]
    alert.get_by_role("link", name="1993").click()
    page.wait_for_function("location.hash.includes('at=1993')")
    expect(page.locator("#place")).to_have_value("arlen")
    page.goto(f"{site}#/{view}/bank?place=atlantis")
    expect(alert).to_contain_text("Places: arlen, borva.")


def test_compare_keeps_colors_names_typos_and_words_beyond_the_limit(visit, site):
    page = visit(f"{site}#/compare/bank/monney/river/money/loan/credit/debt?place=arlen")
    opened(page)
    notices = page.locator(".notice")
    expect(notices.first).to_contain_text("“monney” is not a word of this model. Did you mean money?")
    expect(notices.last).to_have_text("Five words at most. Not shown: debt.")
    colors = {}
    for name in page.locator(".compare-page .name:not(.leave)").all():
        colors.setdefault(name.text_content(), set()).add(re.search(r"color-\d", name.get_attribute("class")).group())
    assert set(colors) == {"bank", "river", "money", "loan", "credit"}
    assert all(len(found) == 1 for found in colors.values())
    page.locator(".compare-page select").last.select_option("river")
    expect(page.locator(".compare-page .name.color-0:not(.leave)", has_text="bank")).to_have_count(3)
    visit.complaints.clear()  # The browser itself reports the answer of 404.


def test_marks_under_five_occurrences_are_faint_and_bins_left_out_are_said(visit, site):
    page = visit(site + BANK)
    opened(page)
    few = [row for row in asked(site, "series?word=bank&place=arlen")["rows"] if row["count"] < 5]
    assert [row["condition"] for row in few] == ["1994/arlen"]
    expect(page.locator(".frequency .point.faint")).to_have_attribute("aria-label", re.compile("^1994"))
    expect(page.locator(".frequency .caption")).to_contain_text("Faint: fewer than five occurrences.")
    for chart in (".series", ".matrix", ".trajectory"):
        assert not any(re.match("1994(:| and| · arlen)", mark) for mark in marks(page, chart))
        expect(page.locator(f"{chart} .caption")).to_contain_text("bank occurs fewer than 5 times: 1994/arlen")


def test_the_start_page_ranks_as_drift_does_and_time_starts_at_the_last_full_bin(visit, site):
    page = visit(site)
    opened(page)
    rows = asked(site, "drift")["rows"]
    assert page.locator(".changed .word").all_text_contents() == [row["word"] for row in rows[:12]]
    for row, item in zip(rows, page.locator(".changed li").all(), strict=False):
        expect(item).to_contain_text(f"{row['documents']:,} documents")
    about = {**asked(site, "about"), "default_time": "1996"}
    page.route("**/api/about", lambda route: route.fulfill(json=about))
    page.reload()
    page.goto(f"{site}#/word/bank?place=borva")
    expect(page.locator(".nearest h2")).to_have_text("Its nearest words in 1996 · borva")


def test_time_and_place_have_a_map_with_all_names(visit, site):
    page = visit(site + BANK)
    opened(page)
    expect(page.locator(".map .dot")).to_have_count(2)
    expect(page.locator(".map .label")).to_have_text(["arlen", "borva"])
    page.locator(".map .dot", has=page.locator("xpath=self::*[contains(@aria-label, 'borva')]")).click()
    expect(page.locator("#place")).to_have_value("borva")


def test_charts_of_places_keep_all_names_and_long_words_wrap(visit, hostile_site):
    page = visit(f"{hostile_site}#/word/{LONG}", viewport=PHONE)
    opened(page)
    assert page.locator(".series .item").count() == page.locator(".company .head").count() == 4
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]


def test_the_nearest_point_is_told_and_chosen(visit, site):
    page = visit(site + BANK)
    opened(page)
    page.locator(".series svg").scroll_into_view_if_needed()
    box = page.locator(".series .point", has=page.locator("circle")).nth(2).bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2 + 10, box["y"] + box["height"] / 2 + 30, steps=3)
    expect(page.locator("#tip")).to_contain_text("1992")
    page.mouse.click(box["x"] + box["width"] / 2 + 10, box["y"] + box["height"] / 2 + 30)
    expect(page.locator(".nearest h2")).to_have_text("Its nearest words in 1992 · arlen")


def test_the_slider_is_there_only_where_it_acts(visit, site):
    page = visit(site)
    acts = {"word": (True, True), "parts": (True, True), "compare": (False, True), "axis": (False, True)}
    for view, address in VIEWS.items():
        go(page, site + address)
        assert (page.locator("#time").is_visible(), page.locator("#place").is_visible()) == acts.get(
            view, (False, False)
        )


def test_every_chart_links_its_rows_and_its_python(visit, site, run):
    """The JSON has the rows of the table, and the call gives the same rows in Python."""
    page = visit(site + BANK)
    opened(page)
    model = ct.load(run)
    for panel in ("nearest", "company", "series", "frequency", "matrix", "changepoints", "map", "grid", "trajectory"):
        section = page.locator(f".panel.{panel}")
        if panel == "series":  # its interval comes later, with another link
            expect(section.locator("a[data-save=json]")).to_have_attribute("href", re.compile("bootstrap"))
        link = section.locator("a[data-save=json]").get_attribute("href")
        with urllib.request.urlopen(site + link) as response:
            answer = json.load(response)
        section.locator("[data-save=python]").click()
        call = page.get_by_role("dialog").locator("textarea").input_value()
        assert call.startswith(f'ct.{answer["title"] and link.split("/")[1].split("?")[0]}(model, "bank"')
        if panel in ("nearest", "series"):
            found = eval(call, {"ct": ct, "model": model})
            assert found.to_dict()["rows"] == answer["rows"]
        page.get_by_role("button", name="Close").click()


def test_sentences_have_their_source_and_are_filtered(visit, site):
    page = visit(site + BANK)
    opened(page)
    rows = page.locator(".sentences li")
    expect(rows).to_have_count(8)
    sources = page.locator("#sentences .source")
    assert all(re.fullmatch(r"1997 · arlen · records\.jsonl:\d+", text) for text in sources.all_inner_texts())
    document = sources.first.inner_text().split(" · ")[2]
    page.locator("#source").select_option(document)
    expect(sources).to_have_text([f"1997 · arlen · {document}"])
    page.locator("#source").select_option("")
    page.locator("#from").select_option("1991/borva")
    expect(sources.first).to_contain_text("1991 · borva")
    page.locator("#from").select_option("all")
    expect(page.locator("#sentences .lead")).to_contain_text("in all times and places")
    chip = page.locator("#sentences .chip").first
    neighbor = chip.inner_text()
    chip.click()
    expect(page.locator(".sentences mark.near").first).to_have_text(re.compile(f"^{neighbor}$", re.IGNORECASE))
    assert f"near={neighbor}" in page.url
    page.get_by_role("button", name="More sentences").click()
    page.wait_for_function("() => document.querySelectorAll('.sentences li:not(.leave)').length > 8")


def test_the_first_sentences_are_from_all_documents(visit, site):
    """Rows are in order of time: the first of them would be those of the first documents alone."""
    page = visit(f"{site}#/word/river?at=1997&place=arlen")
    opened(page)
    sources = page.locator("#sentences .source")
    expect(sources).to_have_count(8)
    rows = asked(site, "evidence?word=river&at=1997/arlen&top=50")["rows"]
    place = [row["document"] for row in rows].index(sources.last.inner_text().split(" · ")[2])
    assert len(rows) > 16
    assert place >= len(rows) * 3 / 4


def test_every_pair_of_words_has_its_own_line(visit, site):
    """Two pairs with the same second word are two lines, with the values of the table."""
    page = visit(f"{site}#/ask/similarity?word=bank,river,money&place=arlen")
    expect(page.locator(".answer .name:not(.leave)")).to_have_text(["bank · river", "bank · money", "river · money"])
    rows = asked(site, "similarity?word=bank&word=river&word=money&place=arlen")["rows"]
    known = [row for row in rows if row["similarity"] is not None]
    drawn = marks(page, ".answer")
    assert len(drawn) == len(known)
    row = next(row for row in known if (row["word"], row["condition"]) == ("bank", "1997/arlen"))
    assert f"bank · {row['other']}, 1997: {row['similarity']:.2f}" in drawn


def test_two_times_stand_side_by_side(visit, site):
    page = visit(site + BANK)
    page.get_by_role("link", name="Two times side by side").click()
    headings = page.locator(".sides-page .nearest h2")
    expect(headings).to_have_text(["Its nearest words in 1997 · arlen", "Its nearest words in 1990 · arlen"])
    expect(page.locator(".deck")).to_contain_text("no nearest word is the same")
    page.locator(".sides-page select").last.select_option("1999/arlen")
    expect(headings.last).to_have_text("Its nearest words in 1999 · arlen")
    expect(page.locator(".deck")).to_contain_text("nearest words are the same")
    assert "to=1999" in page.url


def test_every_question_has_a_page_without_a_line_of_javascript(visit, site):
    """Its links, forms and charts are made from what the server says of the questions."""
    page = visit(site)
    page.get_by_role("link", name="All questions").click()
    expect(page.locator("h1")).to_have_text("All questions")
    names = [question["name"] for question in asked(site, "questions")]
    assert {link.replace(" ", "_") for link in page.locator(".facts a").all_text_contents()} == set(names)
    page.get_by_role("link", name="collocate changes").click()
    expect(page.locator(".state").first).to_have_text("Needed: word, from and to.")
    for name, value in (("word", "bank"), ("from", "1991"), ("to", "1998")):
        page.locator(".asking .field", has=page.get_by_text(name, exact=True)).locator("input").fill(value)
    page.get_by_role("button", name="Ask").click()
    expect(page.locator(".answer svg .row").first).to_be_visible()
    assert "from=1991" in page.url
    for name in names:
        page.goto(f"{site}#/ask/{name}")
        expect(page.locator("h1")).to_have_text(name.replace("_", " "))


def test_a_question_about_all_places_names_the_place_of_every_row(visit, site):
    page = visit(f"{site}#/ask/collocates?word=bank")
    labels = page.locator(".answer .part .label")
    expect(labels.first).to_be_visible()
    assert all(re.fullmatch(r"\d{4} · (arlen|borva)", label) for label in labels.all_text_contents())


@pytest.fixture
def site_with_entropy(run, tmp_path):
    """The server with the worked example of CONTRIBUTING.md in the folder of the questions."""
    page = (Path(__file__).parents[2] / "CONTRIBUTING.md").read_text(encoding="utf-8")
    (tmp_path / "entropy.py").write_text(re.search(r"```python\n(.*?)```", page, re.DOTALL)[1], encoding="utf-8")
    added = f"import chronotope.analysis\nchronotope.analysis.__path__.append({str(tmp_path)!r})\n"
    yield from started(run, "A world with a new question", before=added)


def test_a_new_question_is_a_form_and_a_chart_without_a_line_of_javascript(visit, site_with_entropy):
    page = visit(f"{site_with_entropy}#/about")
    page.goto(f"{site_with_entropy}#/ask")
    page.get_by_role("link", name="entropy", exact=True).click()
    expect(page.locator("h1")).to_have_text("entropy")
    page.locator(".asking .field", has=page.get_by_text("word", exact=True)).locator("input").fill("bank")
    page.get_by_role("button", name="Ask").click()
    expect(page.locator(".answer .point").first).to_be_visible()
    expect(page.locator(".answer .caption")).to_contain_text(
        "Left out, since bank occurs fewer than 5 times: 1994/arlen"
    )
    page.locator(".answer summary").click()
    expect(page.locator(".answer th[scope=col]")).to_contain_text(["word", "condition", "count", "entropy"])
