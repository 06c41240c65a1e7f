"""What the tests of the page share: its views, when one is ready, sizes of screens, and words of a hostile corpus."""

from __future__ import annotations

import re

from playwright.sync_api import Page, expect

WIDE, PHONE = {"width": 1400, "height": 950}, {"width": 390, "height": 844}

# What a careless page would run, follow, or trip over.
SCRIPT = "<script>alert(1)</script>"
IMAGE = '"><img/src=x/onerror=alert(2)>'
ENDS = "kent</script><script>alert(5)</script>"
TITLE = ENDS + IMAGE
ODD = (SCRIPT, IMAGE, ENDS, "javascript:alert(3)", "a/b?c=d&e#f", "%zz", "__proto__", "constructor", "=1+1")

LONG = "donaudampfschifffahrts" * 4

ODD_PLACES = ("north", "<img src=x onerror=alert(4)>", f'south"west {ENDS}', "o'east & co")

VIEWS = {
    "start": "#/",
    "word": "#/word/bank?at=1997&place=arlen",
    "parts": "#/parts/bank?at=1997&place=arlen",
    "compare": "#/compare/bank/river/money",
    "axis": "#/axis/bank?formula=money%20-%20river",
    "sides": "#/sides/bank?at=1991&place=arlen&to=1997/arlen",
    "ask": "#/ask/collocates?word=bank",
    "about": "#/about",
    "failed": "#/nowhere",
}


def opened(page: Page) -> None:
    """Waits until the view is there and every panel of it has its answer."""
    expect(page.locator("h1")).to_be_visible()
    expect(page.locator("#progress")).to_be_hidden()
    page.wait_for_function(
        """() => [...document.querySelectorAll('.panel .plot')].filter((plot) => plot.offsetParent)
                 .every((plot) => plot.querySelector('svg').childElementCount > 0)
             && !document.querySelector('.start .words:empty')"""
    )


def go(page: Page, address: str) -> None:
    """Follows an address and waits for its view."""
    page.goto(address)
    view = re.match("[a-z]*", address.partition("#/")[2]).group() or "start"
    page.wait_for_selector(f"body[data-view={view if view in VIEWS else 'failed'}]")
    opened(page)


def nearest(page: Page) -> list[str]:
    """The nearest words that are shown, in order."""
    return page.locator(".nearest .row:not(.leave) .item").all_text_contents()


def marks(page: Page, chart: str) -> list[str]:
    """What the marks of a chart tell: the first line of each tip."""
    found = page.locator(f"{chart} .mark:not(.leave, .leave *)").all()
    return [(mark.get_attribute("aria-label") or "").split(";")[0] for mark in found]
