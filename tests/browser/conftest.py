"""A real browser on real pages: invented worlds, the server as a user starts it, the folder as a user exports it."""

from __future__ import annotations

import json
import os
import random
import re
import subprocess
import sys
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect, sync_playwright
from tools.browser import find

import worlds
from browser.pages import LONG, ODD, ODD_PLACES, TITLE, WIDE
from chronotope.cli import main
from chronotope.datasets.invented import TOPICS, Change, invented_world

# In milliseconds: a machine that does much else at the same time is slow, and no reason to fail.
PATIENCE = 120_000
expect.set_options(timeout=PATIENCE)
COMMAND = "from chronotope.cli import main; main()"


def chronotope(*arguments: object) -> None:
    """A command, in this process."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", ["chronotope", *map(str, arguments)])
        with pytest.raises(SystemExit) as left:
            main()
    assert not left.value.code


def trained(folder: Path, records: list[dict[str, str]], *options: object, dimensions: int = 30) -> Path:
    """A run with its model."""
    with open(folder / "records.jsonl", "w", encoding="utf-8") as file:
        file.writelines(json.dumps(record) + "\n" for record in records)
    chronotope("prepare", folder / "records.jsonl", "-o", folder / "run", *options)
    chronotope("train", folder / "run", "--dimensions", dimensions)
    return folder / "run"


@pytest.fixture(scope="session")
def run(tmp_path_factory) -> Path:
    """Ten years in two places: 'bank' goes from rivers to money in 1995, and 'chips' are computers in borva alone."""
    changes = (
        Change("bank", worlds.RIVER, worlds.MONEY, time="1995", share=0.02),
        Change("chips", TOPICS["kitchen"], TOPICS["technology"], place="borva", share=0.02),
    )
    world = invented_world(years=worlds.YEARS, places=("arlen", "borva"), documents=1400, seed=1, changes=changes)
    path = tmp_path_factory.mktemp("world")
    return trained(path, world.records, "--time", "time", "--place", "place", "--min-count", 5)


@pytest.fixture(scope="session")
def hostile_run(tmp_path_factory) -> Path:
    """Four places and words that look like markup, addresses and names of JavaScript, one of them very long."""
    draw = random.Random(1)
    words = (*ODD, LONG, "ship", "sea", "harbor", "law", "court", "judge")
    records = [{"text": " ".join(draw.choices(words, k=6)), "place": ODD_PLACES[at % 4]} for at in range(400)]
    options = ("--place", "place", "--tokenizer", "whitespace", "--min-count", 1)
    return trained(tmp_path_factory.mktemp("hostile"), records, *options, dimensions=8)


def started(run: Path, title: str, *options: object, before: str = ""):
    """The server as a user starts it; its address, then its end."""
    command = [sys.executable, "-c", before + COMMAND, "explore", run, "--port", "0", "--no-open", "--title", title]
    server = subprocess.Popen(
        [*command, *options],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env={**os.environ, "COLUMNS": "200"},
    )
    assert server.stdout is not None
    said = ""
    for line in server.stdout:
        said += line
        found = re.search(r"http://127\.0\.0\.1:\d+/", said)
        if found:
            yield found.group()
            break
    else:
        pytest.fail(f"the explorer did not start: {said}")
    server.terminate()
    server.wait(10)
    server.stdout.close()


@pytest.fixture(scope="session")
def site(run):
    coordinates = run.parent / "coordinates.csv"
    coordinates.write_text("place,lat,lon\narlen,50,3\nborva,45,9\n")
    yield from started(run, "An invented world", "--coordinates", coordinates)


@pytest.fixture(scope="session")
def hostile_site(hostile_run):
    yield from started(hostile_run, TITLE)


@pytest.fixture(scope="session")
def hostile_folder(hostile_run, tmp_path_factory) -> str:
    path = tmp_path_factory.mktemp("static") / "hostile"
    chronotope("explore", hostile_run, "--export", path, "--with-text", "--title", TITLE)
    return (path / "index.html").as_uri()


@pytest.fixture(scope="session")
def folder(run, tmp_path_factory) -> str:
    """The page as a folder on disk."""
    path = tmp_path_factory.mktemp("static") / "page"
    chronotope("explore", run, "--export", path, "--with-text", "--title", "An invented world")
    return (path / "index.html").as_uri()


@pytest.fixture(scope="session")
def browser():
    path = find()
    if path is None:
        missing = pytest.fail if os.environ.get("DEMAND_BROWSER") else pytest.skip
        missing("no Chromium; `python tools/browser.py` tries to fetch it")
    with sync_playwright() as playwright:
        # Inside a container Chromium cannot make a sandbox of its own for root.
        sandbox = [] if hasattr(os, "geteuid") and os.geteuid() else ["--no-sandbox"]
        chromium = playwright.chromium.launch(executable_path=path, args=[*sandbox, "--disable-gpu"])
        yield chromium
        chromium.close()


class Visit:
    """Pages for one test, each with its own memory; what they complained about is kept."""

    def __init__(self, browser) -> None:
        self._browser = browser
        self._contexts = []
        self.complaints: list[str] = []
        self.asked: list[str] = []

    def __call__(self, address: str, *, viewport=WIDE, hint=False, **settings) -> Page:
        context = self._browser.new_context(viewport=viewport, **settings)
        self._contexts.append(context)
        context.set_default_timeout(PATIENCE)
        if not hint:
            context.add_init_script("localStorage.setItem('chronotope-hint-seen', 'yes')")
        page = context.new_page()
        page.on("console", lambda message: message.type == "error" and self.complaints.append(message.text))
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("dialog", lambda dialog: (self.complaints.append(f"dialog: {dialog.message}"), dialog.dismiss()))
        page.on("request", lambda request: self.asked.append(request.url))
        page.goto(address)
        return page

    def close(self) -> None:
        for context in self._contexts:
            context.close()


@pytest.fixture
def visit(browser):
    """Opens pages; the test fails if any of them complains in its console."""
    visits = Visit(browser)
    yield visits
    visits.close()
    assert visits.complaints == []
