"""Columns of whole numbers as their differences, in few bits: the encoding that Parquet calls DELTA_BINARY_PACKED.

128 differences (256 of numbers of 64 bits) make a block, whose least is taken off all of them; within a quarter of a
block all take as many bits as the greatest needs.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from chronotope.runtime.kernels import kernel

PARTS = 4
# A page is unpacked at once, into a megabyte: it stays in the cache.
ROWS_IN_A_PAGE = 1 << 17


class Packed(NamedTuple):
    """A column.

    Attributes
    ----------
    kind
        Of its numbers: int32 or int64.
    span
        The least and the greatest of them, if that is known.
    pages
        How many rows each page has, and its bytes.
    """

    kind: np.dtype[Any]
    span: tuple[int, int] | None
    pages: list[tuple[int, bytes]]

    @property
    def size(self) -> int:
        """How many numbers there are."""
        return sum(rows for rows, _ in self.pages)


def packed(values: NDArray[Any], with_span: bool = False) -> Packed:
    """Numbers of 32 or 64 bits, at least one.

    Examples
    --------
    >>> packed(np.array([7, 7, 8, 9], np.int32)).pages[0][1].hex(" ")
    '80 01 04 04 0e 00 01 00 00 00 06 00 00 00'
    """
    # Room for a page of numbers that take all their bits, what stands before each block, and what is overwritten.
    room = np.empty(9 * min(len(values), ROWS_IN_A_PAGE) + 4096, np.uint8)
    wide = np.ndarray((len(room) - 7,), np.uint64, room, strides=(1,))
    pages = []
    for first in range(0, len(values), ROWS_IN_A_PAGE):
        some = np.ascontiguousarray(values[first : first + ROWS_IN_A_PAGE])
        pages.append((len(some), room[: _pack(some, room, wide)].tobytes()))
    return Packed(values.dtype, (int(values.min()), int(values.max())) if with_span else None, pages)


def joined(parts: list[Packed]) -> Packed:
    """Columns that follow each other as one, of pages as they are.

    Examples
    --------
    >>> one, other = packed(np.array([1, 5]), with_span=True), packed(np.array([7]), with_span=True)
    >>> joined([one, other]).span
    (1, 7)
    """
    spans = [part.span for part in parts if part.span]
    span = (min(least for least, _ in spans), max(most for _, most in spans)) if len(spans) == len(parts) else None
    return Packed(parts[0].kind, span, [page for part in parts for page in part.pages])


def packed_constant(number: int, size: int) -> Packed:
    """The same number of 32 bits again and again.

    Examples
    --------
    >>> packed_constant(5, 1000) == packed(np.full(1000, 5, np.int32), with_span=True)
    True
    """
    kind = np.dtype(np.int32)
    pages = []
    for first in range(0, size, ROWS_IN_A_PAGE):
        rows = min(size - first, ROWS_IN_A_PAGE)
        start = packed(np.array([number], kind)).pages[0][1]
        # Blocks of no bits; the third number at the start says how many rows there are.
        blocks = -(-(rows - 1) // (32 * kind.itemsize)) * bytes(1 + PARTS)
        pages.append((rows, start[:3] + varint(rows) + start[4:] + blocks))
    return Packed(kind, (number, number), pages)


def varint(number: int) -> bytes:
    """A number in groups of seven bits.

    Examples
    --------
    >>> varint(300).hex()
    'ac02'
    """
    groups = bytearray()
    while number >= 128:
        groups.append(number & 127 | 128)
        number >>= 7
    groups.append(number)
    return bytes(groups)


@kernel()
def _pack(values, room, wide):  # type: ignore[no-untyped-def]
    """Fill in a page; return its bytes. `wide` are the bytes of `room` from each place on, eight at a time."""
    block = 32 * values.itemsize
    part = block // PARTS
    at = 0
    for number in (block, PARTS, len(values)):
        at = _put(np.uint64(number), room, at)
    at = _put(_folded(np.int64(values[0])), room, at)
    width = np.uint64(0)
    # The same numbers without and with their signs. Of parts of it none are taken: that counts who refers to it.
    bits = np.zeros(block, np.uint64)
    step = bits.view(np.int64)
    for begin in range(1, len(values), block):
        here, before = values[begin : begin + block], values[begin - 1 : begin - 1 + block]
        least = np.int64(here[0]) - np.int64(before[0])
        for k in range(len(here)):
            step[k] = np.int64(here[k]) - np.int64(before[k])
        for k in range(len(here)):
            least = min(least, step[k])
        at = _put(_folded(least), room, at)
        for k in range(len(here)):
            step[k] -= least
        step[len(here) :] = 0
        widths = at
        at += PARTS
        for number in range(PARTS):
            start = np.uint64(part * number)
            all_bits = np.uint64(0)
            for k in range(start, start + np.uint64(part)):
                all_bits |= bits[k]
            # The number of bits is about that of the numbers before.
            while width < 64 and all_bits >> width:
                width += np.uint64(1)
            while width > 0 and not all_bits >> (width - np.uint64(1)):
                width -= np.uint64(1)
            # A part behind the last number has no bits, whatever is said of it.
            room[widths + number] = width
            if width:
                _write(bits, start, part, width, wide, at)
                at += np.int64(width) * part // 8
    return at


@kernel()
def _write(step, start, count, width, wide, at):  # type: ignore[no-untyped-def]
    """Write numbers of so many bits, from the lowest bit on; up to eight bytes behind them are overwritten."""
    many = np.uint64(count)
    if width <= 16:
        # Four numbers make one, so that the loop that cannot run ahead of itself is short.
        many //= np.uint64(4)
        for k in range(many):
            four = start + np.uint64(4) * k
            step[start + k] = (
                step[four]
                | (step[four + np.uint64(1)] << width)
                | (step[four + np.uint64(2)] << (np.uint64(2) * width))
                | (step[four + np.uint64(3)] << (np.uint64(3) * width))
            )
        width *= np.uint64(4)
    held = filled = np.uint64(0)
    place = np.uint64(at)
    for k in range(start, start + many):
        held |= step[k] << filled
        filled += width
        if filled >= np.uint64(64):
            wide[place] = held
            place += np.uint64(8)
            filled -= np.uint64(64)
            # In two steps: a shift by all 64 bits is none.
            held = (step[k] >> (width - filled - np.uint64(1))) >> np.uint64(1)
    wide[place] = held


@kernel(inline="always")
def _folded(number):  # type: ignore[no-untyped-def]
    """0, 1, 2, … for 0, -1, 1, …"""
    return np.uint64(number << 1) ^ np.uint64(number >> 63)


@kernel()
def _put(number, room, at):  # type: ignore[no-untyped-def]
    """Write a number in groups of seven bits; return where it ends."""
    while number >= np.uint64(128):
        room[at] = (number & np.uint64(127)) | np.uint64(128)
        number >>= np.uint64(7)
        at += 1
    room[at] = number
    return at + 1
