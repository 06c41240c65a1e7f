"""The data of a folder without a server: scripts that hand over text and numbers (read by `engine/parts.js`).

A page that is opened from disk may load scripts and nothing else, so numbers come as text: compressed, in base64.
"""

from __future__ import annotations

import zlib
from base64 import b64encode
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chronotope.embeddings.nearest import Floats
from chronotope.io.embed import embed_json


def write_part(folder: Path, name: str, data: Any) -> None:
    """Write plain data as a script that calls `chronotope.part` with its name and the data."""
    (folder / f"{name}.js").write_text(f'chronotope.part("{name}",{embed_json(data)});\n', encoding="utf-8", newline="")


def packed(values: NDArray[np.integer[Any]], kind: type[np.integer[Any]] = np.int32) -> str:
    """Return numbers of a kind as text: little-endian, compressed, in base64."""
    data = np.ascontiguousarray(values, dtype=np.dtype(kind).newbyteorder("<")).tobytes()
    return b64encode(zlib.compress(data, level=6)).decode("ascii")


def quantize(rows: Floats, kind: type[np.integer[Any]]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Round rows to signed integers of a kind; also return the size of one step in each row.

    >>> quantize(np.array([[0.6, 0.8], [0, 0]], np.float32), np.int8)[0].tolist()
    [[95, 127], [0, 0]]
    """
    unit = np.abs(rows).max(axis=1, keepdims=True, initial=0).astype(np.float64) / np.iinfo(kind).max
    return np.rint(rows / np.where(unit == 0, 1, unit)).astype(np.int64), unit[:, 0]
