"""What mkdocs does after it has built the site: take out what could be loaded from elsewhere.

The theme's script can fetch a diagram library and a polyfill from a public server. No page needs either; so that none
ever asks, their addresses are taken out, and the source maps, which only debugging needs, go with them.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

FETCHED = re.compile(r"https://unpkg\.com/[\w./@-]*")


def on_post_build(config: Any, **_: Any) -> None:
    """Called by mkdocs when all files are written."""
    site = Path(config["site_dir"])
    for path in site.rglob("*.map"):
        path.unlink()
    for path in (*site.rglob("*.js"), *site.rglob("*.css")):
        text = path.read_text(encoding="utf-8")
        cleaned = re.sub(r"(//# sourceMappingURL=\S+|/\*# sourceMappingURL=\S+ ?\*/)\s*$", "", FETCHED.sub("about:blank", text))
        if cleaned != text:
            path.write_text(cleaned, encoding="utf-8")
