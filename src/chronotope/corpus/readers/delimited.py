"""CSV and TSV: records are found by a scan of the bytes, so that line numbers are exact; polars parses the fields."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from chronotope.corpus.problems import ENCODING, BadRow
from chronotope.corpus.readers.fingerprints import Fingerprint, file_fingerprint
from chronotope.corpus.readers.pieces import Batch, Fields, Piece, batches_of_rows
from chronotope.corpus.readers.remote import RemotePath
from chronotope.corpus.readers.streams import opened, read_head, without_mark
from chronotope.errors import InputError
from chronotope.io.streaming import BLOCK_BYTES
from chronotope.runtime.kernels import kernel

WRONG_NUMBER = "wrong number of fields"
OPEN_QUOTE = "a quote that never closes"
# A quoted field longer than this is taken for a quote that was never closed.
LONGEST_RECORD = 64 << 20
_SEPARATOR_LINE = re.compile(r'^"?sep=([^"\w\s]|\t)"?$', re.IGNORECASE)


class Header(NamedTuple):
    """What the first lines of a file say.

    Attributes
    ----------
    separator, names
        The separator and the column names; no name for an empty file.
    skipped
        How many lines that are not blank stand before the column names: Excel writes `sep=;`.
    line_end
        How lines end; a lone CR in old files of the Macintosh.
    """

    separator: str
    names: list[str]
    skipped: int
    line_end: bytes


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

    path: Path | RemotePath
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
        return self._header().names or None

    def _header(self) -> Header:
        """What the first lines say; a CSV file may be separated by semicolons, tabs or bars instead."""
        head = read_head(self.path, line_ends=(b"\n", b"\r"))
        line_end = _line_end(head)
        head = head.replace(b"\r", b"\n") if line_end == b"\r" else head
        records = find_records(head, self.separator, at_end=True)
        filled = np.flatnonzero(records.fields > 0).tolist()
        if head.strip() and not filled and b'"' in head:
            raise InputError(f"{self.path.name}: the line of column names has {OPEN_QUOTE}")
        lines = [
            head[records.start[r] : records.start[r + 1]].decode("utf-8", "replace").rstrip("\r\n") for r in filled[:2]
        ]
        told = _SEPARATOR_LINE.match(lines[0]) if lines else None
        skipped = 1 if told else 0
        if len(lines) <= skipped:
            return Header(self.separator, [], skipped, line_end)
        candidates = (told[1],) if told else (self.separator, ";", "\t", "|")
        splits = [(separator, split_record(lines[skipped], separator)) for separator in candidates]
        separator, names = next((split for split in splits if len(split[1]) > 1), splits[0])
        return Header(separator, [name.strip() for name in names], skipped, line_end)

    def fingerprint(self, fields: Fields) -> list[Fingerprint]:  # noqa: ARG002
        """The name, bytes and checksum of the file."""
        return [file_fingerprint(self.path)]

    def pieces(self, fields: Fields, first: int) -> Iterator[Piece]:
        """Blocks of records."""
        separator, names, skipped, line_end = self._header()
        table = _Table(separator, names, fields, first)
        with opened(self.path, whole=True) as stream:
            rest, line, before_rows = b"", 0, skipped + 1
            block = without_mark(self.path, stream.read(BLOCK_BYTES))
            while True:
                at_end = not block
                data = rest + (block.replace(b"\r", b"\n") if line_end == b"\r" else block)
                records = find_records(data, separator, at_end)
                end = int(records.start[-1])
                skip = 0
                if before_rows:
                    filled = np.flatnonzero(records.fields > 0)[:before_rows]
                    before_rows -= len(filled)
                    skip = len(records.line) if before_rows else int(filled[-1]) + 1
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
                if at_end and not rest:
                    return
                block = stream.read(BLOCK_BYTES)


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
                columns=sorted(wanted),
                infer_schema=False,
            ).fill_null("")
            frame.columns = [self.names[i] for i in sorted(wanted)]
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


def _line_end(head: bytes) -> bytes:
    """How the first line ends; line ends in quoted fields do not count."""
    found = re.search(rb"\r\n|\n|\r", re.sub(rb'"[^"]*"', b"", head))
    return found[0] if found else b"\n"


def split_record(text: str, separator: str) -> list[str]:
    """The fields of one record.

    Examples
    --------
    >>> split_record('"a, b",5" pipe,', ",")
    ['a, b', '5" pipe', '']
    """
    sign = re.escape(separator)
    field = re.compile(rf'(?:"([^"]*(?:""[^"]*)*)")?([^{sign}]*)({sign}|$)')
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


@kernel()
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
