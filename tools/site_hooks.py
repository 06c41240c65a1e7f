"""What mkdocs does before and after it builds the site.

Before: the pages that lie beside the source (how it is built, how to contribute, security) become pages of the site.
After: what could be loaded from elsewhere is taken out. The theme's script can fetch a diagram library and a polyfill
from a public server; no page needs either, and so that none ever asks, their addresses go, and with them the source
maps, which only debugging needs.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

ROOT = Path(__file__).resolve().parents[1]
BESIDE_THE_SOURCE = {
    "ARCHITECTURE.md": "explanation/architecture.md",
    "CONTRIBUTING.md": "contributing.md",
    "SECURITY.md": "security.md",
}
FETCHED = re.compile(r"https://unpkg\.com/[\w./@-]*")
MAPPED = re.compile(r"(//# sourceMappingURL=\S+|/\*# sourceMappingURL=\S+ ?\*/)\s*$")


def on_files(files: Files, config: Any) -> Files:
    """Called by mkdocs when it has found the pages."""
    for name, page in BESIDE_THE_SOURCE.items():
        files.append(File.generated(config, page, content=_relinked((ROOT / name).read_text(encoding="utf-8"), page)))
    return files


def _relinked(text: str, page: str) -> str:
    """Links from the root of the source, as links of a page of the site."""
    up = "../" * page.count("/")
    for name, target in BESIDE_THE_SOURCE.items():
        text = text.replace(f"]({name})", f"]({up}{target})")
    return text.replace("](docs/", f"]({up}")


def on_post_build(config: Any, **_: Any) -> None:
    """Called by mkdocs when all files are written."""
    site = Path(config["site_dir"])
    for path in site.rglob("*.map"):
        path.unlink()
    for path in (*site.rglob("*.js"), *site.rglob("*.css")):
        text = path.read_text(encoding="utf-8")
        cleaned = MAPPED.sub("", FETCHED.sub("about:blank", text))
        if cleaned != text:
            path.write_text(cleaned, encoding="utf-8")
