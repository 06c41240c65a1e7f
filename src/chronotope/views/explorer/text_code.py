"""Numbers as text that can stand between quotes in a script: seven bits a character.

A page that is opened from disk may load scripts and nothing else, so numbers must come as text. Base64 carries six bits
in a byte. Here every character of ASCII stands for seven; four of them (the quote, the backslash and the two line
ends) are written with a backslash, which costs one byte more. `engine/numbers.js` reads it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

BITS = 7
_ESCAPED = {ord("\n"): b"\\n", ord("\r"): b"\\r", ord('"'): b'\\"', ord("\\"): b"\\\\"}


def quoted(codes: NDArray[np.uint8]) -> bytes:
    """Numbers below 128 as a quoted text of JavaScript.

    Examples
    --------
    >>> quoted(np.array([72, 105, 10, 34], np.uint8))
    b'"Hi\\\\n\\\\""'
    """
    raw = codes.tobytes()
    # The backslash first: the others bring backslashes of their own.
    for code in (ord("\\"), ord("\n"), ord("\r"), ord('"')):
        raw = raw.replace(bytes([code]), _ESCAPED[code])
    return b'"' + raw + b'"'


def packed(values: NDArray[np.int64] | NDArray[np.int8], bits: int) -> bytes:
    """Signed numbers of so many bits, one after the other, as quoted text; the last character is filled with zeros.

    Examples
    --------
    >>> packed(np.array([-1, 0, 1]), 7)
    b'"\\x7f\\x00\\x01"'
    """
    unsigned = values.astype(np.int64) & ((1 << bits) - 1)
    stream = np.unpackbits(unsigned.astype(">u4").view(np.uint8).reshape(-1, 4), axis=1)[:, 32 - bits :].ravel()
    short = -len(stream) % BITS
    groups = np.append(stream, np.zeros(short, np.uint8)).reshape(-1, BITS)
    codes = np.packbits(groups, axis=1).ravel() >> (8 - BITS)
    return quoted(codes.astype(np.uint8))


def counted(values: NDArray[np.int64]) -> bytes:
    """Numbers from 0 on, small ones short: six bits a character, the seventh says that more follow.

    Examples
    --------
    >>> counted(np.array([1, 64]))
    b'"\\x01@\\x01"'
    """
    values = np.asarray(values, dtype=np.int64)
    if not len(values):
        return b'""'
    digits = np.maximum(1, -(-np.ceil(np.log2(values + 1.0)).astype(np.int64) // 6))
    first = np.cumsum(digits) - digits
    codes = np.zeros(int(digits.sum()), np.uint8)
    rest = values.copy()
    for step in range(int(digits.max())):
        here = digits > step
        more = (digits > step + 1)[here]
        codes[first[here] + step] = (rest[here] & 63) | (more << 6)
        rest >>= 6
    return quoted(codes)
