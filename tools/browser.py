"""Find Chromium for the tests of the explorer, and fetch it where there is none.

    python tools/browser.py     prints where it is, or why there is none

With DEMAND_BROWSER set, a missing browser is an error instead of a reason to skip tests.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
FETCHES = (
    (sys.executable, "-m", "playwright", "install", "chromium"),
    ("sh", "-c", "apt-get update -qq && apt-get install -qq -y chromium"),
)


def find() -> str | None:
    """Return the path of the system's Chromium, else of Playwright's own, else None."""
    for path in filter(None, map(shutil.which, NAMES)):
        return path
    with sync_playwright() as playwright:
        path = playwright.chromium.executable_path
    return path if Path(path).exists() else None


def fetch() -> None:
    """Try Playwright's download, then, as root, the system's package."""
    is_root = hasattr(os, "geteuid") and os.geteuid() == 0
    for command in FETCHES if is_root and shutil.which("apt-get") else FETCHES[:1]:
        subprocess.run(command, stdout=subprocess.DEVNULL, check=False)
        if find():
            return


if __name__ == "__main__":
    if not find():
        fetch()
    path = find()
    print(f"browser: {path or 'no Chromium was found, and none could be fetched'}", file=sys.stderr)
    sys.exit(1 if path is None and os.environ.get("DEMAND_BROWSER") else 0)
