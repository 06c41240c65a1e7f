"""Parts of a folder's data: scripts that hand their data over when a page loads them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any


def write_part(folder: Path, name: str, script: bytes) -> None:
    """Write a part: a script that calls `chronotope.part` with its name and its data."""
    (folder / f"{name}.js").write_bytes(b'chronotope.part("' + name.encode() + b'",' + script + b");\n")


def as_script(data: Any) -> bytes:
    """Plain data as JavaScript: JSON in ASCII, so that no encoding and no line separator can be misread.

    Examples
    --------
    >>> as_script({"word": "caf\\u00e9"})
    b'{"word":"caf\\\\u00e9"}'
    """
    return json.dumps(data, ensure_ascii=True, allow_nan=False, separators=(",", ":")).encode()


def as_object(fields: Mapping[str, bytes]) -> bytes:
    """Fields that are scripts already as one object.

    Examples
    --------
    >>> as_object({"size": b"2", "word": b'"ab"'})
    b'{size:2,word:"ab"}'
    """
    return b"{" + b",".join(name.encode() + b":" + value for name, value in fields.items()) + b"}"
