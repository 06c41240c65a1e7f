"""What a reader does: find a word, follow its neighbors, move through time and place, go back."""

from __future__ import annotations

import re

from playwright.sync_api import Page, expect

import worlds
from browser.pages import nearest
from chronotope.datasets.invented import TOPICS

DRAGGED = """() => {
  const slider = document.getElementById("time");
  for (const step of ["2", "3", "4"]) {
    slider.value = step;
    slider.dispatchEvent(new Event("input", { bubbles: true }));
  }
}"""
MONEY, RIVER = set(worlds.MONEY), set(worlds.RIVER)


def settled(page: Page, word: str, where: str) -> None:
    expect(page.locator("h1")).to_have_text(word)
    expect(page.locator(".nearest h2")).to_have_text(f"Its nearest words in {where}")


def slide(page: Page, year: int) -> None:
    page.locator("#time").fill(str(year - 1990))


def test_a_word_is_found_and_its_neighbors_followed(visit, site):
    page = visit(site)
    expect(page.locator("h1")).to_have_text("An invented world")
    field = page.get_by_role("combobox", name="Find a word").locator("visible=true")
    field.type("ban")
    option = page.get_by_role("option", name=re.compile("^bank"))
    expect(option).to_contain_text("in 20 of 20")
    option.click()
    settled(page, "bank", "1999 · arlen")
    assert "#/word/bank" in page.url
    assert set(nearest(page)[:5]) <= MONEY
    first = nearest(page)[0]
    page.locator(".nearest .row").first.click()
    settled(page, first, "1999 · arlen")
    page.go_back()
    settled(page, "bank", "1999 · arlen")
    page.go_back()
    expect(page.locator("h1")).to_have_text("An invented world")


# Goes through words faster than their charts come.
HURRIED = """async (words) => {
  for (const word of words) {
    location.hash = `#/word/${word}`;
    await new Promise((next) => setTimeout(next, 25));
  }
}"""


def test_a_hurried_reader_sees_the_last_word_alone(visit, site):
    """What was asked about the words passed by is given up; coming back to one of them shows it whole."""
    page = visit(f"{site}#/word/bank?at=1999&place=arlen")
    settled(page, "bank", "1999 · arlen")
    for words in (["river", "money", "bank"], ["bank", "river"], ["bank", "river", "bank"]):
        page.evaluate(HURRIED, words)
        settled(page, words[-1], "1999 · arlen")
        for panel in ("company", "series", "trajectory"):
            label = re.compile(rf"\b{words[-1]}\b")
            expect(page.locator(f".{panel} svg.chart")).to_have_attribute("aria-label", label)
        expect(page.locator(".deck")).to_contain_text("It occurs")
    assert set(nearest(page)[:5]) <= MONEY


def test_time_and_place_move_every_chart_at_once(visit, site):
    page = visit(f"{site}#/word/bank?at=1997&place=borva")
    settled(page, "bank", "1997 · borva")
    assert set(nearest(page)[:5]) <= MONEY
    stays = page.locator(".nearest .row").first.element_handle()
    page.wait_for_selector(".matrix .frame.now")
    frame = page.locator(".matrix .frame.now").element_handle()
    before = frame.get_attribute("transform")
    slide(page, 1996)
    settled(page, "bank", "1996 · borva")
    assert "at=1996" in page.url
    # Object constancy: what is still there is the same element, moved.
    assert stays.is_visible()
    assert frame.is_visible()
    # It glides: a busy machine may not have drawn the first step yet.
    page.wait_for_function("([frame, before]) => frame.getAttribute('transform') !== before", arg=[frame, before])
    slide(page, 1991)
    settled(page, "bank", "1991 · borva")
    assert set(nearest(page)[:5]) <= RIVER
    expect(page.locator(".company .head.now")).to_have_text("1991")
    expect(page.locator(".series .label.now")).to_have_text("1991")
    expect(page.locator(".frequency .label.now")).to_have_text("1991")
    page.locator("#place").select_option("arlen")
    settled(page, "bank", "1991 · arlen")
    assert "place=arlen" in page.url
    # A drag over several years is one step of Back.
    page.go_back()
    settled(page, "bank", "1991 · borva")
    page.evaluate(DRAGGED)
    settled(page, "bank", "1994 · borva")
    page.go_back()
    settled(page, "bank", "1991 · borva")


def test_the_page_says_when_and_where_a_word_changed(visit, site):
    page = visit(f"{site}#/word/bank?place=arlen")
    deck = page.locator(".opening .deck")
    expect(deck).to_contain_text("Its use changed in 1995")
    named = set(deck.locator("a").all_inner_texts())
    assert named <= MONEY | RIVER
    assert len(named) == 6
    expect(page.locator(".series .change text")).to_have_text("change: 1995")
    # On the tiles of time × place a frame stands around the first year after the change.
    expect(page.locator(".grid .frame.found")).to_have_count(2)
    page.locator(".series select").select_option("previous")
    expect(page.locator(".series .lead")).to_contain_text("the time before")
    page.locator(".changepoints summary").click()
    expect(page.locator(".changepoints tbody tr")).to_have_text(re.compile("1995 · arlen"))


def test_equivalents_are_found_everywhere(visit, site):
    page = visit(f"{site}#/word/chips?at=1995&place=borva")
    page.get_by_role("link", name="Its equivalents elsewhere").click()
    expect(page.locator("h1")).to_have_text("Equivalents of chips")
    row = page.locator(".part", has_text="1995 · arlen")
    # In arlen no word stands for it alone: the nearest is named, and is no match.
    expect(row.locator("text.none")).to_have_text(re.compile(f"nearest: ({'|'.join(TOPICS['technology'])})"))
    # The other years of borva, and the same year in arlen; the caption says that there are more.
    expect(page.locator(".part")).to_have_count(10)
    expect(page.locator(".caption")).to_contain_text("Conditions that share neither time nor place are not shown (9).")
    page.goto(f"{site}#/ask/equivalents?word=chips&at=1995/borva&to=1995/arlen")
    expect(page.locator(".caption")).to_contain_text("Pale: no match")


def test_an_answer_without_a_chart_shows_its_table(visit, site):
    page = visit(f"{site}#/ask/evidence?word=bank")
    expect(page.locator(".answer tbody tr").first).to_be_visible()
    expect(page.locator(".answer [data-save=svg]")).to_be_hidden()
    expect(page.locator(".answer [data-save=csv]")).to_be_visible()


def test_words_are_added_and_removed(visit, site):
    page = visit(f"{site}#/compare")
    expect(page.locator(".deck")).to_have_text("Choose two to five words.")
    field = page.get_by_role("combobox", name="Add a word")
    for word in ("bank", "river", "money"):
        field.type(word)
        page.get_by_role("option", name=re.compile(f"^{word}")).first.click()
        expect(page.get_by_role("button", name=f"Remove {word}")).to_be_visible()
    assert "#/compare/bank/river/money" in page.url
    page.get_by_role("button", name="Remove river").click()
    expect(page.get_by_role("button", name="Remove river")).to_have_count(0)
    expect(page.locator(".deck")).to_contain_text("“bank” and “money”")
    expect(page.locator(".compare-page .name:not(.leave)", has_text="river")).to_have_count(0)


def test_an_axis_is_drawn_from_a_formula(visit, site):
    page = visit(f"{site}#/axis/bank")
    formula = page.get_by_label("The axis: words")
    formula.fill("(money + loan + credit) - (river + water + shore)")
    formula.press("Enter")
    expect(page.locator(".panel .lead")).to_contain_text("Above zero a word is nearer to money, loan and credit, ")
    page.get_by_text("Show as a table").click()
    expect(page.locator("tbody tr")).to_have_count(10)
    values = {
        row[0]: float(row[2].replace("−", "-"))
        for row in (line.locator("td").all_inner_texts() for line in page.locator("tbody tr").all())
        if row[2] != "–"
    }
    assert values["1991 · arlen"] < 0 < values["1998 · arlen"]
    formula.fill("(money - river")
    formula.press("Enter")
    expect(page.locator(".axis-page > .state")).to_contain_text("parenthesis")
    visit.complaints.clear()  # The browser itself reports an answer of 422.


def test_mistakes_are_told_in_plain_words(visit, site):
    page = visit(f"{site}#/word/rivver")
    expect(page.get_by_role("alert")).to_contain_text("Did you mean river")
    page.get_by_role("link", name="river", exact=True).click()
    expect(page.locator("h1")).to_have_text("river")
    field = page.get_by_role("combobox", name="Find a word").locator("visible=true")
    field.type("harbbor")
    expect(page.locator(".meant").locator("visible=true")).to_contain_text("Did you mean")
    expect(page.get_by_role("option").first).to_contain_text("harbor")
    field.press("Enter")
    expect(page.locator("h1")).to_have_text("harbor")
    page.goto(f"{site}#/nowhere")
    expect(page.get_by_role("alert")).to_contain_text("There is no page “nowhere”")
    visit.complaints.clear()  # The browser itself reports the answer of 404.
