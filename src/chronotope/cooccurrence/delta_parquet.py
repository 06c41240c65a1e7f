"""Writing whole numbers as Parquet: every column required, not compressed, as differences in few bits.

A general writer of Parquet needs three times as long for the same columns, almost as long as the counting itself. This
one knows a single encoding, DELTA_BINARY_PACKED: 128 differences (256 of numbers of 64 bits) make a block, whose least
is taken off all of them; and within a quarter of a block all take as many bits as the greatest needs. Whatever reads
Parquet reads it.
"""

from __future__ import annotations

import struct
from functools import lru_cache
from types import TracebackType
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from chronotope.compiling import kernel

MAGIC = b"PAR1"
PARTS = 4
# A page is unpacked at once, into a megabyte: it stays in the cache.
ROWS_IN_A_PAGE = 1 << 17
# What the format calls its types, encodings and kinds of page.
INT32, INT64, REQUIRED, DELTA_BINARY_PACKED, RLE, DATA_PAGE, UNCOMPRESSED = 1, 2, 0, 5, 3, 0, 0
# And the Thrift protocol, in which it describes itself, its own.
I32, I64, BINARY, LIST, STRUCT = 5, 6, 8, 9, 12
Fields = list[tuple[int, int, Any]]


class DeltaParquet:
    """A Parquet file that is written a row group at a time.

    Parameters
    ----------
    file
        Where it goes.
    columns
        The names of the columns, each with the kind of its numbers: int32 or int64.
    with_range
        The columns whose least and greatest number in each row group is told, so that readers can pass over groups.

    Examples
    --------
    >>> import io, pyarrow.parquet
    >>> file = io.BytesIO()
    >>> with DeltaParquet(file, {"year": np.dtype("int32"), "count": np.dtype("int64")}) as table:
    ...     table.write([np.array([1990, 1991], np.int32), np.array([7, 1 << 40])])
    >>> pyarrow.parquet.read_table(file).to_pydict()
    {'year': [1990, 1991], 'count': [7, 1099511627776]}
    """

    def __init__(self, file: BinaryIO, columns: dict[str, np.dtype[Any]], with_range: tuple[str, ...] = ()) -> None:
        self._file = file
        self._columns = columns
        self._with_range = with_range
        self._groups: list[Fields] = []
        self._rows = 0
        # For a page of numbers that take all their bits, what stands before each block, and what is overwritten.
        self._room = np.empty(9 * ROWS_IN_A_PAGE + 4096, np.uint8)
        # The eight bytes from each place on, as one number.
        self._wide = np.ndarray((len(self._room) - 7,), np.uint64, self._room, strides=(1,))
        self._at = len(MAGIC)
        file.write(MAGIC)

    def write(self, columns: list[NDArray[Any]]) -> None:
        """Write a row group: one array a column, all of the same length, which is not 0."""
        rows, begin = len(columns[0]), self._at
        chunks = [
            self._chunk(name, values.astype(kind, copy=False))
            for (name, kind), values in zip(self._columns.items(), columns, strict=True)
        ]
        self._groups.append([(1, LIST, (STRUCT, chunks)), (2, I64, self._at - begin), (3, I64, rows)])
        self._rows += rows

    def _chunk(self, name: str, values: NDArray[Any]) -> Fields:
        """Write a column of a row group; return how the format describes it."""
        begin = self._at
        for first in range(0, len(values), ROWS_IN_A_PAGE):
            self._page(np.ascontiguousarray(values[first : first + ROWS_IN_A_PAGE]))
        total = self._at - begin
        about: Fields = [
            (1, I32, _type(values.dtype)),
            (2, LIST, (I32, [DELTA_BINARY_PACKED])),
            (3, LIST, (BINARY, [name.encode()])),
            (4, I32, UNCOMPRESSED),
            (5, I64, len(values)),
            (6, I64, total),
            (7, I64, total),
            (9, I64, begin),
        ]
        if name in self._with_range:
            least, greatest = (number.astype(values.dtype.newbyteorder("<")).tobytes() for number in _range(values))
            about.append((12, STRUCT, [(3, I64, 0), (5, BINARY, greatest), (6, BINARY, least)]))
        return [(2, I64, begin), (3, STRUCT, about)]

    def _page(self, values: NDArray[Any]) -> None:
        size = _packed(values, self._room, self._wide)
        page: Fields = [(1, I32, len(values)), (2, I32, DELTA_BINARY_PACKED), (3, I32, RLE), (4, I32, RLE)]
        header = _struct([(1, I32, DATA_PAGE), (2, I32, size), (3, I32, size), (5, STRUCT, page)])
        self._file.write(header)
        self._file.write(self._room[:size].data)
        self._at += len(header) + size

    def close(self) -> None:
        """Write what the file says of itself; without it, it is none."""
        root: Fields = [(4, BINARY, b"schema"), (5, I32, len(self._columns))]
        leaves: list[Fields] = [
            [(1, I32, _type(kind)), (3, I32, REQUIRED), (4, BINARY, name.encode())]
            for name, kind in self._columns.items()
        ]
        footer = _struct(
            [
                (1, I32, 2),
                (2, LIST, (STRUCT, [root, *leaves])),
                (3, I64, self._rows),
                (4, LIST, (STRUCT, self._groups)),
                (6, BINARY, b"chronotope"),
                # Numbers are in their own order.
                (7, LIST, (STRUCT, [[(1, STRUCT, [])]] * len(self._columns))),
            ]
        )
        self._file.write(footer + struct.pack("<I", len(footer)) + MAGIC)

    def __enter__(self) -> DeltaParquet:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            self.close()


def _type(kind: np.dtype[Any]) -> int:
    return INT32 if kind.itemsize == 4 else INT64


def _range(values: NDArray[Any]) -> tuple[Any, Any]:
    return values.min(), values.max()


def _struct(fields: Fields) -> bytes:
    """Fields (number, kind, value) in the compact protocol of Thrift."""
    written, before = bytearray(), 0
    for number, kind, value in fields:
        written.append((number - before) << 4 | kind)
        written += _varint(2 * value) if kind in (I32, I64) else _value(kind, value)
        before = number
    written.append(0)
    return bytes(written)


def _value(kind: int, value: Any) -> bytes:
    if kind == STRUCT:
        return _struct(value)
    if kind == BINARY:
        return _varint(len(value)) + bytes(value)
    if kind == LIST:
        of, values = value
        size = bytes([len(values) << 4 | of]) if len(values) < 15 else bytes([0xF0 | of]) + _varint(len(values))
        return size + b"".join(_value(of, item) for item in values)
    return _varint(2 * value)  # no number is negative here


@lru_cache(1 << 12)
def _varint(number: int) -> bytes:
    """A number in groups of seven bits.

    Examples
    --------
    >>> _varint(300).hex()
    'ac02'
    """
    groups = bytearray()
    while number >= 128:
        groups.append(number & 127 | 128)
        number >>= 7
    groups.append(number)
    return bytes(groups)


@kernel()
def _packed(values, room, wide):  # type: ignore[no-untyped-def]
    """Fill in a column; return its bytes. `wide` are the bytes of `room` from each place on, eight at a time."""
    block = 32 * values.itemsize
    part = block // PARTS
    at = 0
    for number in (block, PARTS, len(values)):
        at = _put(np.uint64(number), room, at)
    at = _put(_folded(np.int64(values[0])), room, at)
    width = np.uint64(0)
    step = np.zeros(block, np.int64)
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
            some = step[part * number : part * number + part]
            all_bits = np.int64(0)
            for k in range(part):
                all_bits |= some[k]
            # The number of bits is about that of the numbers before.
            while width < 64 and np.uint64(all_bits) >> width:
                width += np.uint64(1)
            while width > 0 and not np.uint64(all_bits) >> (width - np.uint64(1)):
                width -= np.uint64(1)
            room[widths + number] = width
            if width:
                _pack(some.view(np.uint64), width, wide, at)
                at += np.int64(width) * part // 8
    return at


@kernel(inline="always")
def _pack(step, width, wide, at):  # type: ignore[no-untyped-def]
    """Write numbers of so many bits, from the lowest bit on; up to eight bytes behind them are overwritten."""
    count = len(step)
    if width <= 16:
        # Four numbers make one, so that the loop that cannot run ahead of itself is short.
        count = len(step) // 4
        for k in range(count):
            step[k] = (
                step[4 * k]
                | (step[4 * k + 1] << width)
                | (step[4 * k + 2] << (np.uint64(2) * width))
                | (step[4 * k + 3] << (np.uint64(3) * width))
            )
        width *= np.uint64(4)
    held = filled = np.uint64(0)
    place = np.uint64(at)
    for k in range(count):
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


@kernel(inline="always")
def _put(number, room, at):  # type: ignore[no-untyped-def]
    """Write a number in groups of seven bits; return where it ends."""
    while number >= np.uint64(128):
        room[at] = (number & np.uint64(127)) | np.uint64(128)
        number >>= np.uint64(7)
        at += 1
    room[at] = number
    return at + 1
