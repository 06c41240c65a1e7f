"""CSV and TSV: records are found by a scan of the bytes, so that line numbers are exact; polars parses the fields."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numba
import numpy as np
import polars as pl
from numpy.typing import NDArray

from chronotope.corpus.problems import BadRow
from chronotope.corpus.readers.jsonl import ENCODING
from chronotope.corpus.readers.pieces import BLOCK_BYTES, Batch, Fields, Piece, batches_of_rows
from chronotope.corpus.readers.streams import opened, read_head, without_mark

WRONG_NUMBER = "wrong number of fields"
OPEN_QUOTE = "a quote that never closes"
# A quoted field longer than this is taken for a quote that was never closed.
LONGEST_RECORD = 4 * BLOCK_BYTES


class Records(NamedTuple):
    """The records in some bytes.

    Attributes
    ----------
    start
        (R + 1,) the records are data[start[r] : start[r + 1]], line ends included.
    line
        (R,) the line each begins on, from 0.
    fields
        (R,) how many fields it has; 0 for a blank line.
    """

    start: NDArray[np.int64]
    line: NDArray[np.int64]
    fields: NDArray[np.int32]


@dataclass(frozen=True)
class Delimited:
    """A file with a line of column names and one record a line; fields may be quoted, and then hold line ends."""

    path: Path
    separator: str

    @property
    def names(self) -> list[str]:
        """The name of the file."""
        return [self.path.name]

    @property
    def size(self) -> int:
        """The bytes on disk."""
        return self.path.stat().st_size

    def columns(self) -> list[str] | None:
        """The column names; None for an empty file."""
        head = read_head(self.path)
        return self._header(head)[1] if head.strip() else None

    def _header(self, head: bytes) -> tuple[str, list[str]]:
        """The separator and the column names; a CSV file may be separated by semicolons or tabs instead."""
        records = find_records(head, self.separator)
        first = next((r for r in range(len(records.fields)) if records.fields[r]), None)
        if first is None:
            return self.separator, []
        text = head[records.start[first] : records.start[first + 1]].decode("utf-8", "replace").rstrip("\r\n")
        for separator in (self.separator, ";", "\t"):
            names = split_record(text, separator)
            if len(names) > 1:
                return separator, [name.strip() for name in names]
        return self.separator, [name.strip() for name in split_record(text, self.separator)]

    def pieces(self, fields: Fields, first: int) -> Iterator[Piece]:
        """Blocks of records."""
        separator, names = self._header(read_head(self.path))
        table = _Table(separator, names, fields, first)
        with opened(self.path) as stream:
            rest, line, started = b"", 0, False
            while True:
                data = stream.read(BLOCK_BYTES)
                if not started:
                    data = without_mark(self.path, data)
                data, at_end = rest + data, not data
                records = find_records(data, separator, at_end)
                end = int(records.start[-1])
                skip = 0
                if len(records.line) and not started:
                    skip = int(np.argmax(records.fields > 0)) + 1 if records.fields.any() else len(records.line)
                    started = bool(records.fields.any())
                if len(records.line) > skip:
                    records = Records(records.start[skip:], records.line[skip:] + line + 1, records.fields[skip:])
                    yield Piece(partial(table.parse, data, records), stream.done)
                line += data.count(b"\n", 0, end)
                rest = data[end:]
                if len(rest) > LONGEST_RECORD or (at_end and rest):
                    end = rest.find(b"\n") + 1 or len(rest)
                    bad = [BadRow(OPEN_QUOTE, first, line + 1)]
                    yield Piece(partial(batches_of_rows, (), fields, first, bad), stream.done)
                    rest, line = rest[end:], line + 1
                    if rest:
                        continue
                if at_end:
                    return


class _Table(NamedTuple):
    """How the records of a file are parsed."""

    separator: str
    names: list[str]
    fields: Fields
    source: int

    def parse(self, data: bytes, records: Records) -> list[Batch]:
        """The rows of some records; one with another number of fields than the header is a bad row."""
        good = records.fields == len(self.names)
        bad = [BadRow(WRONG_NUMBER, self.source, int(line)) for line in records.line[~good & (records.fields > 0)]]
        lines = records.line[good]
        if good.all():
            chosen = data[records.start[0] : records.start[-1]]
        else:
            chosen = b"".join(data[records.start[r] : records.start[r + 1]] for r in np.flatnonzero(good))
        wanted = [self.names.index(name) for name in self.fields.names]
        try:
            frame = pl.read_csv(
                chosen,
                has_header=False,
                separator=self.separator,
                new_columns=[self.fields.names[wanted.index(i)] for i in sorted(wanted)],
                columns=sorted(wanted),
                infer_schema=False,
            )
        except (pl.exceptions.PolarsError, ValueError):
            frame = pl.DataFrame()
        if frame.height != len(lines) or not len(lines):
            return self._parse_records(data, records, bad)
        frame = frame.select(self.fields.names)
        return [Batch(frame, np.full(len(lines), self.source, np.int32), lines, False, tuple(bad))]

    def _parse_records(self, data: bytes, records: Records, bad: list[BadRow]) -> list[Batch]:
        """The same, record by record."""
        rows = []
        for r in np.flatnonzero(records.fields == len(self.names)):
            line = int(records.line[r])
            try:
                text = data[records.start[r] : records.start[r + 1]].decode("utf-8").rstrip("\r\n")
            except UnicodeDecodeError:
                bad.append(BadRow(ENCODING, self.source, line))
                continue
            values = split_record(text, self.separator)
            if len(values) == len(self.names):
                rows.append((line, dict(zip(self.names, values, strict=True))))
            else:
                bad.append(BadRow(WRONG_NUMBER, self.source, line))
        return batches_of_rows(rows, self.fields, self.source, bad)


def split_record(text: str, separator: str) -> list[str]:
    """The fields of one record.

    Examples
    --------
    >>> split_record('"a, b",5" pipe,', ",")
    ['a, b', '5" pipe', '']
    """
    field = re.compile(rf'(?:"([^"]*(?:""[^"]*)*)")?([^{separator}]*)({separator}|$)')
    fields, position = [], 0
    while match := field.match(text, position):
        fields.append((match[1] or "").replace('""', '"') + match[2])
        position = match.end()
        if not match[3]:
            break
    return fields


def find_records(data: bytes, separator: str, at_end: bool = False) -> Records:
    """The complete records in some bytes.

    Examples
    --------
    >>> find_records(b'a,b\\n"x\\ny",2\\n3,', ",").start.tolist()
    [0, 4, 12]
    """
    lines = data.count(b"\n") + 1
    start, line, fields = np.empty(lines + 1, np.int64), np.empty(lines, np.int64), np.empty(lines, np.int32)
    count = _scan(np.frombuffer(data, np.uint8), ord(separator), at_end, start, line, fields)
    return Records(start[: count + 1], line[:count], fields[:count])


@numba.njit(nogil=True, cache=True)
def _scan(data, separator, at_end, start, line, fields):  # type: ignore[no-untyped-def]
    """Fill in the records and return their number; a quote opens only at the start of a field (RFC 4180)."""
    count, newlines, field_count = 0, 0, 0
    quoted, field_start, blank = False, True, True
    was_quoted = False
    start[0] = 0
    line[0] = 0
    size = len(data)
    for i in range(size):
        byte = data[i]
        if quoted:
            if byte == 34:
                quoted = False
                field_start = False
            elif byte == 10:
                newlines += 1
        elif byte == 10:
            newlines += 1
            fields[count] = 0 if blank else field_count + 1
            count += 1
            start[count] = i + 1
            if count < len(line):
                line[count] = newlines
            field_count, field_start, blank, was_quoted = 0, True, True, False
        elif byte == separator:
            field_count += 1
            field_start, blank, was_quoted = True, False, False
        elif byte == 34:
            # A quote that follows a closing one is an escaped quote: the field goes on.
            if field_start or (was_quoted and data[i - 1] == 34):
                quoted, was_quoted = True, True
            field_start, blank = False, False
        elif byte != 13:
            field_start = False
            if byte != 32 and byte != 9:
                blank = False
    if at_end and not quoted and start[count] < size:
        fields[count] = 0 if blank else field_count + 1
        count += 1
        start[count] = size
    return count
