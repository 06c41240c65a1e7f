"""What holds on every page: files, citation, keyboard, small screens, themes, accessibility, slow and lost servers."""

from __future__ import annotations

import csv
import io
import re
from xml.etree import ElementTree

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from browser.pages import PHONE, VIEWS, opened

PANELS = ("nearest", "company", "series", "frequency", "matrix", "changepoints", "map", "grid", "trajectory")


def test_every_chart_is_saved_as_svg_png_and_csv(visit, site):
    page = visit(f"{site}#/word/bank?at=1997&place=arlen", color_scheme="dark")
    opened(page)
    for panel in PANELS:
        section = page.locator(f".panel.{panel}")
        assert section.locator("svg.chart *").count() > 8, panel
        content = {}
        for kind in ("svg", "png", "csv"):
            button = section.locator(f"[data-save={kind}]")
            button.scroll_into_view_if_needed()
            with page.expect_download() as download:
                button.click()
            assert download.value.suggested_filename.endswith(f".{kind}")
            content[kind] = download.value.path().read_bytes()
        assert content["png"].startswith(b"\x89PNG")
        assert len(content["png"]) > 3000
        text = content["svg"].decode()
        root = ElementTree.fromstring(text)
        # The file stands alone, on white although the page is dark, and says how it was made.
        assert "var(" not in text
        assert root.find("{*}rect").get("fill") == "#ffffff"
        said = " ".join(root.itertext())
        assert "Source: An invented world · chronotope" in said
        assert "|510 words|" in said
        rows = list(csv.reader(io.StringIO(content["csv"].decode("utf-8-sig"))))
        assert len({len(row) for row in rows}) == 1
        assert len(rows) > 1


def test_a_citation_names_the_model_and_the_view(visit, site):
    page = visit(f"{site}#/word/bank?at=1997&place=arlen")
    opened(page)
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.get_by_role("button", name="Cite").click()
    page.get_by_role("button", name="Copy").click()
    expect(page.get_by_role("dialog").get_by_role("status")).to_have_text("Copied.")
    text = page.evaluate("navigator.clipboard.readText()")
    assert "“bank” in 1997 · arlen" in text
    assert "|30 dimensions|" in text
    assert "#/word/bank?at=1997&place=arlen" in text


def test_everything_can_be_reached_by_keyboard(visit, site):
    page = visit(site)
    expect(page.locator(".changed li").first).to_be_visible()
    press = page.keyboard.press
    page.keyboard.press("/")
    page.keyboard.type("bank")
    expect(page.get_by_role("option").first).to_be_visible()
    press("ArrowDown")
    expect(page.get_by_role("option", selected=True)).to_have_text(re.compile("^bank"))
    press("Enter")
    expect(page.locator("h1")).to_have_text("bank")
    opened(page)

    def tab_to(wanted: str, key: str = "Tab", most: int = 60) -> None:
        for _ in range(most):
            press(key)
            if page.evaluate("(wanted) => document.activeElement.matches(wanted)", wanted):
                return
        pytest.fail(f"Tab never reaches {wanted}")

    # The focus is at the start of the page; the slider stands right before it.
    tab_to("#time", "Shift+Tab", most=2)
    press("ArrowLeft")
    expect(page.locator(".nearest h2")).to_have_text("Its nearest words in 1998 · arlen")
    tab_to(".nearest .row")
    first = page.evaluate("document.activeElement.querySelector('.item').textContent")
    expect(page.locator("#tip")).to_contain_text(first)
    press("ArrowDown")
    second = page.evaluate("document.activeElement.querySelector('.item').textContent")
    assert second != first
    press("Enter")
    expect(page.locator("h1")).to_have_text(second)
    opened(page)
    # A chart is one stop of Tab, however many marks it has.
    assert page.locator(".matrix [tabindex='0']").count() == 2  # a mark, and nothing but the closed table's region
    tab_to(".matrix .tile")
    press("Enter")
    expect(page.locator(".nearest h2")).to_contain_text("Its nearest words in")


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_no_barrier_on_any_view(visit, site, theme):
    """Axe finds nothing, and a phone never scrolls sideways."""
    page = visit(site, viewport=PHONE, color_scheme=theme, hint=True, reduced_motion="reduce")
    assert page.evaluate("document.documentElement.dataset.theme") == theme
    for name, address in VIEWS.items():
        page.goto(site + address)
        page.wait_for_selector(f"body[data-view={name}]")
        opened(page)
        page.evaluate("() => document.querySelectorAll('details').forEach((one) => (one.open = true))")
        page.wait_for_function("() => !document.querySelector('.panel:not(.without) .table:empty')")
        wide = page.evaluate("document.documentElement.scrollWidth")
        assert wide <= PHONE["width"], f"{name} is {wide} pixels wide"
        found = Axe().run(page).response["violations"]
        assert not found, f"{name}: " + "; ".join(f"{one['id']}: {one['nodes'][0]['html'][:200]}" for one in found)


def test_theme_and_hint_are_remembered(visit, site):
    page = visit(site, color_scheme="light", hint=True)
    hint = page.get_by_role("complementary", name="How to read these pages")
    hint.get_by_role("button", name="Got it").click()
    page.get_by_role("button", name="Switch to dark colors").click()
    page.reload()
    expect(page.locator("h1")).to_be_visible()
    expect(hint).to_have_count(0)
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"
    assert page.evaluate("getComputedStyle(document.body.parentElement).backgroundColor") == "rgb(19, 21, 25)"


def test_motion_stops_for_those_who_want_none(visit, site):
    page = visit(f"{site}#/word/bank", reduced_motion="reduce")
    opened(page)
    lasting = (
        "[...new Set([...document.querySelectorAll('svg *')].map((one) => getComputedStyle(one).transitionDuration))]"
    )
    assert page.evaluate(lasting) == ["0s"]


def test_old_content_stays_while_a_slow_answer_is_on_its_way(visit, site):
    page = visit(f"{site}#/word/bank?at=1997&place=arlen")
    opened(page)
    held, released = [], []
    page.route("**/api/**", lambda route: route.continue_() if released else held.append(route))
    page.evaluate("location.hash = '#/word/river'")
    expect(page.locator("#progress")).to_be_visible()
    expect(page.locator("h1")).to_have_text("bank")
    expect(page.locator(".nearest .row").first).to_be_visible()
    released.append(True)
    for route in held:
        route.continue_()
    expect(page.locator("h1")).to_have_text("river")
    opened(page)


def test_no_view_of_the_menu_is_current_on_a_page_that_does_not_exist(visit, site):
    page = visit(f"{site}#/about")
    current = page.locator("nav [aria-current]")
    expect(current).to_have_text("About")
    page.goto(f"{site}#/nowhere")
    expect(page.get_by_role("alert")).to_be_visible()
    expect(current).to_have_count(0)


def test_a_lost_server_is_told_and_can_be_tried_again(visit, site):
    page = visit(f"{site}#/word/bank")
    opened(page)
    page.route("**/api/**", lambda route: route.abort())
    page.evaluate("location.hash = '#/word/river'")
    expect(page.get_by_role("alert")).to_contain_text("That did not work")
    page.unroute("**/api/**")
    page.get_by_role("button", name="Try again").click()
    expect(page.locator("h1")).to_have_text("river")
    visit.complaints.clear()  # The browser itself reports lost connections.
