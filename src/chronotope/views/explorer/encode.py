"""The data of a folder without a server: scripts that hand over text and numbers (read by `engine/parts.js`).

A page that is opened from disk may load scripts and nothing else, so numbers must come as text. Base64 carries six bits
in a byte. Here every ASCII character stands for seven; four of them (the quote, the backslash and the two line ends)
are written with a backslash.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chronotope.embeddings.nearest import Floats
from chronotope.io.embed import embed_json

CHARACTER_BITS = 7
_ESCAPED = ((b"\\", b"\\\\"), (b"\n", b"\\n"), (b"\r", b"\\r"), (b'"', b'\\"'))


def write_part(folder: Path, name: str, script: bytes) -> None:
    """Write a script that calls `chronotope.part` with its name and its data."""
    (folder / f"{name}.js").write_bytes(b'chronotope.part("' + name.encode() + b'",' + script + b");\n")


def as_script(data: Any) -> bytes:
    """Return plain data as JavaScript.

    >>> as_script({"place": "</script>"})
    b'{"place":"\\\\u003c/script\\\\u003e"}'
    """
    return embed_json(data).encode()


def as_object(fields: Mapping[str, bytes]) -> bytes:
    """Return fields that are scripts already as one object."""
    return b"{" + b",".join(name.encode() + b":" + value for name, value in fields.items()) + b"}"


def quantize(rows: Floats, bits: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Round rows to signed integers of `bits` bits; also return the size of one step in each row.

    >>> quantize(np.array([[0.6, 0.8], [0, 0]], np.float32), bits=4)[0].tolist()
    [[5, 7], [0, 0]]
    """
    most = (1 << (bits - 1)) - 1
    unit = np.abs(rows).max(axis=1, keepdims=True, initial=0).astype(np.float64) / most
    return np.rint(rows / np.where(unit == 0, 1, unit)).astype(np.int64), unit[:, 0]


def packed(values: NDArray[np.int64], bits: int) -> bytes:
    """Pack signed integers of `bits` bits each into a quoted string.

    >>> packed(np.array([-1, 0, 1]), 7)
    b'"\\x7f\\x00\\x01"'
    """
    unsigned = values.ravel() & ((1 << bits) - 1)
    stream = np.unpackbits(unsigned.astype(">u4").view(np.uint8).reshape(-1, 4), axis=1)[:, 32 - bits :].ravel()
    padding = np.zeros(-len(stream) % CHARACTER_BITS, np.uint8)
    groups = np.append(stream, padding).reshape(-1, CHARACTER_BITS)
    return _quoted(np.packbits(groups, axis=1).ravel() >> (8 - CHARACTER_BITS))


def varint(values: NDArray[np.integer[Any]]) -> bytes:
    """Return numbers from 0 on as a quoted text: six bits a character, the seventh bit says that more follow.

    >>> varint(np.array([1, 64]))
    b'"\\x01@\\x01"'
    """
    rest = np.asarray(values, dtype=np.int64).copy()
    if not len(rest):
        return b'""'
    digits = np.maximum(1, -(-np.ceil(np.log2(rest + 1.0)).astype(np.int64) // 6))
    first = np.cumsum(digits) - digits
    codes = np.zeros(int(digits.sum()), np.uint8)
    for step in range(int(digits.max())):
        here = digits > step
        more = (digits > step + 1)[here]
        codes[first[here] + step] = (rest[here] & 63) | (more << 6)
        rest >>= 6
    return _quoted(codes)


def _quoted(codes: NDArray[np.integer[Any]]) -> bytes:
    """Return numbers below 128 as a quoted text of JavaScript."""
    raw = codes.astype(np.uint8).tobytes()
    # The backslash first: the others bring backslashes of their own.
    for plain, escaped in _ESCAPED:
        raw = raw.replace(plain, escaped)
    return b'"' + raw + b'"'
