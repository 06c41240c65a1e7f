"""How long a reader waits for the explorer's page, in a real browser: `python benchmarks/explorer_page.py`.

A server in its own process opens an invented model, or that of `--model`; Chromium opens its page. With `--folder` the
page is an exported folder, which answers in the browser. Measured, each until the browser has painted it: the first
visit; a new word (its name and its neighbors) on a page at rest, and in haste, while the charts of the previous word
are still loading; all charts of a word; and a step of the slider. Each row has a ratio to a bare request (the icon) in
the same run.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from statistics import median
from typing import Any

from harness import record
from invented import invented_embeddings
from playwright.sync_api import Page, sync_playwright
from soak import server

from chronotope.embeddings import ConditionedEmbeddings, load
from chronotope.views.explorer.explored import Explored
from chronotope.views.explorer.export import export

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
# Milliseconds between a word and the next one, as with people and search fields.
HASTE = (0, 20, 50, 100, 150, 200, 300, 400)
AT_REST = 1_500


# Each measure ends when the browser has painted the result.
MEASURES = """
window.measured = {
  async until(there) {
    while (!there()) await new Promise((next) => setTimeout(next, 1));
    await new Promise((painted) => requestAnimationFrame(() => setTimeout(painted)));
  },
  async bare() {
    const begin = performance.now();
    await (await fetch('icon.svg', { cache: 'no-store' })).text();
    return performance.now() - begin;
  },
  async word(word) {
    const begin = performance.now();
    location.hash = '#/word/' + encodeURIComponent(word);
    await this.until(() => document.querySelector('h1')?.textContent === word
      && document.querySelector('.nearest .row:not(.leave)'));
    return performance.now() - begin;
  },
  async charts(word) {
    const begin = performance.now();
    const first = await this.word(word);
    const about = (chart) => (chart.getAttribute('aria-label') || '').includes(` ${word} `);
    await this.until(() => [...document.querySelectorAll('.company .chart, .trajectory .chart')].every(about));
    return [first, performance.now() - begin];
  },
  async step(number) {
    const slider = document.getElementById('time');
    const title = () => document.querySelector('.nearest h2').textContent;
    const [before, begin] = [title(), performance.now()];
    slider.value = String(number);
    slider.dispatchEvent(new Event('input', { bubbles: true }));
    await this.until(() => title() !== before);
    return performance.now() - begin;
  },
};
"""
FIRST_PAINT = "() => performance.getEntriesByName('first-contentful-paint')[0].startTime"


def measure(page: Page, address: str, words: list[str], conditions: int, about: dict[str, Any]) -> None:
    """Measure, and append rows.

    Parameters
    ----------
    page
        A fresh page of a browser.
    address
        The URL of the explorer.
    words
        The words to open, a third of them on a page at rest, the others in haste.
    conditions
        The number of steps of the slider.
    about
        The sizes of the model, for every row.
    """
    page.add_init_script(MEASURES)
    page.goto(address)
    page.wait_for_selector("h1")
    paint = page.evaluate(FIRST_PAINT)
    page.wait_for_timeout(AT_REST)
    bare = median(page.evaluate("() => measured.bare()") for _ in range(20))

    def row(name: str, taken: list[float], **more: Any) -> None:
        """Record times in milliseconds."""
        times = {"seconds": median(taken) / 1e3, "slowest_seconds": max(taken) / 1e3, "bare_seconds": bare / 1e3}
        record(f"explorer page, {name}", **about, **times, ratio=median(taken) / bare, times=len(taken), **more)

    row("first paint", [paint])
    at_rest, in_haste = words[: len(words) // 3], words[len(words) // 3 :]
    page.evaluate("(word) => measured.word(word)", words[-1])  # the page of words is made once
    shown, drawn = [], []
    for word in at_rest:
        page.wait_for_timeout(AT_REST)
        first, whole = page.evaluate("(word) => measured.charts(word)", word)
        shown.append(first)
        drawn.append(whole)
    row("a new word at rest", shown)
    row("a new word with all charts", drawn)
    hasty = []
    for number, word in enumerate(in_haste[:-1]):
        page.wait_for_timeout(HASTE[number % len(HASTE)])
        hasty.append(page.evaluate("(word) => measured.word(word)", word))
    row("a new word in haste", hasty)
    page.wait_for_timeout(AT_REST)
    steps = [page.evaluate("(number) => measured.step(number)", at) for at in range(min(conditions - 1, 20))]
    row("a step of the slider", steps)


@contextmanager
def folder_of(embeddings: ConditionedEmbeddings, where: Path) -> Iterator[str]:
    """Export the page as a folder and serve it by a plain web server; yield its address."""
    missing = dict.fromkeys(("counts", "text", "coordinates"), "it is not there")
    export(Explored(embeddings, "A folder", missing=missing), where)
    handler = partial(Quiet, directory=str(where))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as files:
        threading.Thread(target=files.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{files.server_address[1]}/"
        files.shutdown()


class Quiet(SimpleHTTPRequestHandler):
    """Serves files without logging."""

    def log_message(self, *_: object) -> None:
        """Log nothing."""


@contextmanager
def served(model: Path) -> Iterator[str]:
    """Serve the page by the explorer; yield its address."""
    with server(model) as (host, port, _):
        yield f"http://{host}:{port}/"


def main() -> None:
    """Measure, and append rows."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", type=Path, help="A model with times; without one, a small one is invented.")
    parser.add_argument("--opened", type=int, default=30, help="Number of words to open.")
    parser.add_argument("--folder", action="store_true", help="The page as a folder instead of from the server.")
    given = parser.parse_args()
    browser_path = next(filter(None, map(shutil.which, BROWSERS)), None)
    if browser_path is None:
        raise SystemExit("this needs Chromium: apt-get install chromium (or your system's package of it)")
    with tempfile.TemporaryDirectory(prefix="chronotope-") as folder, sync_playwright() as playwright:
        model = given.model
        if model is None:
            model = Path(folder) / "invented.ct"
            invented_embeddings(2_000, 12, 50).save(model)
        embeddings = load(model)
        sizes = {
            "words": len(embeddings),
            "conditions": len(embeddings.conditions),
            "dimensions": embeddings.dimensions,
            "page": "folder" if given.folder else "server",
        }
        words = random.Random(1).sample(embeddings.words[: len(embeddings) // 2], given.opened)
        # Chromium has no sandbox for root.
        sandbox = [] if hasattr(os, "geteuid") and os.geteuid() else ["--no-sandbox"]
        with folder_of(embeddings, Path(folder) / "page") if given.folder else served(model) as address:
            browser = playwright.chromium.launch(executable_path=browser_path, args=[*sandbox, "--disable-gpu"])
            page = browser.new_page(viewport={"width": 1400, "height": 950})
            measure(page, address, words, len(embeddings.conditions), sizes)
            browser.close()


if __name__ == "__main__":
    main()
