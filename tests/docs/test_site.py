"""The site builds without a warning, its links lead somewhere, and it loads nothing from elsewhere."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from urllib.parse import unquote

import pytest

ROOT = Path(__file__).parents[2]
LOADED = re.compile(
    r"""(?:<(?:script|img|iframe|source|video|audio|embed)\b[^>]*\bsrc|<link\b[^>]*\bhref)=["']?([^"'\s>]+)"""
)
LINKED = re.compile(r"""<a\b[^>]*\bhref="([^"]+)\"""")


@pytest.fixture(scope="module")
def site(tmp_path_factory) -> Path:
    pytest.importorskip("material", reason="the site needs the extra `docs`")
    pytest.importorskip("mkdocstrings")
    folder = tmp_path_factory.mktemp("site")
    call = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", folder]
    done = subprocess.run(
        call, cwd=ROOT, capture_output=True, text=True, env={**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    )
    assert done.returncode == 0, done.stderr
    return folder


def test_nothing_is_loaded_from_elsewhere(site):
    for page in site.rglob("*.html"):
        for address in LOADED.findall(page.read_text(encoding="utf-8")):
            assert not address.startswith(("http:", "https:", "//")), (page, address)
    for path in (*site.rglob("*.css"), *site.rglob("*.js")):
        text = path.read_text(encoding="utf-8")
        assert not re.search(r"""@import|url\(["']?(?:https?:)?//""", text), path
        assert not re.search(r"unpkg|jsdelivr|cdnjs|googleapis|gstatic|polyfill\.io", text), path


def test_every_link_within_the_site_leads_to_a_page_and_a_place_on_it(site):
    pages = {page: page.read_text(encoding="utf-8") for page in site.rglob("*.html")}
    ids = {page: set(re.findall(r'\bid="([^"]+)"', text)) for page, text in pages.items()}
    checked = 0
    for page, text in pages.items():
        if page.name == "404.html":
            continue  # its links start at the root of a server
        for link in LINKED.findall(text):
            if re.match(r"[a-z]+:", link):
                continue
            name, _, place = unquote(link).partition("#")
            target = (page.parent / name).resolve() if name else page
            target = target / "index.html" if target.is_dir() else target
            assert target.exists(), (page, link)
            assert not place or target not in ids or place in ids[target] or place == "__toc", (page, link)
            checked += 1
    assert checked > 1000


def test_every_page_is_in_the_navigation(site):
    first = (site / "index.html").read_text(encoding="utf-8")
    for page in (ROOT / "docs").rglob("*.md"):
        address = page.relative_to(ROOT / "docs").with_suffix(".html").as_posix()
        assert f'href="{address}"' in first or address == "index.html", address
