"""Writing packed columns of whole numbers as Parquet: every column required, none compressed any further.

A general writer needs six times as long to pack the same columns, almost as long as the counting itself. This one knows
a single encoding, which whatever reads Parquet can read.
"""

from __future__ import annotations

import struct
from types import TracebackType
from typing import Any, Protocol

import numpy as np

from chronotope.cooccurrence.delta_packing import Packed, varint

MAGIC = b"PAR1"
# What the format calls its types, encodings and kinds of page.
INT32, INT64, REQUIRED, DELTA_BINARY_PACKED, RLE, DATA_PAGE, UNCOMPRESSED = 1, 2, 0, 5, 3, 0, 0
# And the Thrift protocol, in which it describes itself, its own.
I32, I64, BINARY, LIST, STRUCT = 5, 6, 8, 9, 12
Fields = list[tuple[int, int, Any]]


class Writable(Protocol):
    """A file, as far as it is one here."""

    def write(self, data: bytes, /) -> int:
        """Append to it."""


class DeltaParquet:
    """A Parquet file that is written a row group at a time.

    Parameters
    ----------
    file
        Where it goes.
    columns
        The names of the columns, each with the kind of its numbers: int32 or int64.

    Examples
    --------
    >>> import io, pyarrow.parquet
    >>> from chronotope.cooccurrence.delta_packing import packed
    >>> file = io.BytesIO()
    >>> with DeltaParquet(file, {"year": np.dtype("int32"), "count": np.dtype("int64")}) as table:
    ...     table.write([packed(np.array([1990, 1991], np.int32)), packed(np.array([7, 1 << 40]))])
    >>> pyarrow.parquet.read_table(file).to_pydict()
    {'year': [1990, 1991], 'count': [7, 1099511627776]}
    """

    def __init__(self, file: Writable, columns: dict[str, np.dtype[Any]]) -> None:
        self._file = file
        self._columns = columns
        self._groups: list[Fields] = []
        self._rows = self._at = 0
        self._put(MAGIC)

    def write(self, columns: list[Packed]) -> None:
        """Write a row group: all columns, of the same length."""
        rows, begin = columns[0].size, self._at
        chunks = [self._chunk(name, column) for name, column in zip(self._columns, columns, strict=True)]
        self._groups.append([(1, LIST, (STRUCT, chunks)), (2, I64, self._at - begin), (3, I64, rows)])
        self._rows += rows

    def _chunk(self, name: str, column: Packed) -> Fields:
        """Write a column of a row group; return how the format describes it."""
        begin = self._at
        for rows, data in column.pages:
            page: Fields = [(1, I32, rows), (2, I32, DELTA_BINARY_PACKED), (3, I32, RLE), (4, I32, RLE)]
            self._put(_struct([(1, I32, DATA_PAGE), (2, I32, len(data)), (3, I32, len(data)), (5, STRUCT, page)]))
            self._put(data)
        total = self._at - begin
        about: Fields = [
            (1, I32, _type(column.kind)),
            (2, LIST, (I32, [DELTA_BINARY_PACKED])),
            (3, LIST, (BINARY, [name.encode()])),
            (4, I32, UNCOMPRESSED),
            (5, I64, column.size),
            (6, I64, total),
            (7, I64, total),
            (9, I64, begin),
        ]
        if column.span:
            # Readers can pass over the group.
            least, greatest = (number.to_bytes(column.kind.itemsize, "little", signed=True) for number in column.span)
            about.append((12, STRUCT, [(3, I64, 0), (5, BINARY, greatest), (6, BINARY, least)]))
        return [(2, I64, begin), (3, STRUCT, about)]

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
        self._put(footer + struct.pack("<I", len(footer)) + MAGIC)

    def _put(self, data: bytes) -> None:
        self._file.write(data)
        self._at += len(data)

    def __enter__(self) -> DeltaParquet:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            self.close()


def _type(kind: np.dtype[Any]) -> int:
    return INT32 if kind.itemsize == 4 else INT64


def _struct(fields: Fields) -> bytes:
    """Fields (number, kind, value) in the compact protocol of Thrift."""
    written, before = bytearray(), 0
    for number, kind, value in fields:
        written.append((number - before) << 4 | kind)
        written += _value(kind, value)
        before = number
    written.append(0)
    return bytes(written)


def _value(kind: int, value: Any) -> bytes:
    if kind == STRUCT:
        return _struct(value)
    if kind == BINARY:
        return varint(len(value)) + bytes(value)
    if kind == LIST:
        of, values = value
        size = bytes([len(values) << 4 | of]) if len(values) < 15 else bytes([0xF0 | of]) + varint(len(values))
        return size + b"".join(_value(of, item) for item in values)
    return varint(2 * value)  # no number is negative here
