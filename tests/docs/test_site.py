"""The site builds without a warning, its links lead somewhere, and it loads nothing from elsewhere."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LOADED = re.compile(
    r"""(?:<(?:script|img|iframe|source|video|audio|embed)\b[^>]*\bsrc|<link\b[^>]*\bhref)=["']?([^"'\s>]+)"""
)


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
