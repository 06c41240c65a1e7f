"""CSV and TSV: a regular expression finds the records, so that line numbers are exact; polars parses the fields."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import NamedTuple

import numpy as np
import polars as pl

from chronotope.corpus.problems import ENCODING, BadRow
from chronotope.corpus.readers.pieces import Batch, Fields, FileReader, Piece, batches_of_rows, make_batch
from chronotope.errors import InputError
from chronotope.io.streaming import Stream, check_line, read_head, strip_mark

WRONG_NUMBER = "wrong number of fields"
OPEN_QUOTE = "a quote that never closes"
_SEPARATOR_LINE = re.compile(r'^"?sep=([!#-/:-@\[-^`{-~]|\t)"?$', re.IGNORECASE)
_MARK_BYTES = 3


class Header(NamedTuple):
    """The header of a file; `size` and `lines` are its bytes and lines, up to the first row."""

    separator: str
    names: list[str]
    size: int
    lines: int
    line_end: bytes


@dataclass(frozen=True)
class Delimited(FileReader):
    """A file with a line of column names and one record per line; a quoted field may contain line ends.

    A record of more than `longest_record` bytes is taken for one whose quote was never closed.
    """

    separator: str = ","
    longest_record: int = 64 << 20

    def columns(self) -> list[str] | None:
        """Return the column names; None for an empty file."""
        return self._header().names or None

    def _header(self) -> Header:
        """Read the column names, and the line `sep=;` that Excel may write before them.

        A CSV file may be separated by semicolons, tabs or bars instead of commas.
        """
        head = read_head(self.path, line_ends=(b"\n", b"\r"), longest_line=self.longest_record)
        line_end = _line_end(head)
        head = _convert(head, line_end) + b"\n"
        filled = (record for record in find_records(head, self.separator) if not record["blank"])
        records = [(record[0].decode("utf-8", "replace").rstrip("\r\n"), record.end()) for record in islice(filled, 2)]
        if head.strip() and not records and b'"' in head:
            raise InputError(f"{self.path.name}: the line of column names has {OPEN_QUOTE}")
        named = _SEPARATOR_LINE.match(records[0][0]) if records else None
        if len(records) < (2 if named else 1):
            return Header(self.separator, [], 0, 0, line_end)
        text, size = records[1 if named else 0]
        candidates = named[1] if named else f"{self.separator};\t|"
        splits = [(separator, split_record(text, separator)) for separator in candidates]
        separator, names = next((split for split in splits if len(split[1]) > 1), splits[0])
        return Header(separator, [name.strip() for name in names], size, head.count(b"\n", 0, size), line_end)

    def pieces(self, fields: Fields, first: int) -> Iterator[Piece]:
        """Cut the file into blocks of records."""
        header = self._header()
        line, at_end = header.lines + 1, False
        with Stream(self.path) as stream:
            data = strip_mark(self.path, stream.read(header.size + _MARK_BYTES))[header.size :]
            while data or not at_end:
                if not at_end and len(data) <= self.longest_record:
                    block = stream.read(self.block_bytes)
                    at_end = not block
                    data = _convert(data + (block or b"\n"), header.line_end)
                rows: list[tuple[int, bytes]] = []
                bad: list[BadRow] = []
                end = 0
                for record in find_records(data, header.separator, len(header.names)):
                    if record["complete"]:
                        rows.append((line, record[0]))
                    elif not record["blank"]:
                        bad.append(BadRow(WRONG_NUMBER, first, line))
                    line += record[0].count(b"\n")
                    end = record.end()
                data = data[end:]
                if data and (at_end or len(data) > self.longest_record):
                    skipped, line_feed, data = data.partition(b"\n")
                    if not line_feed:
                        check_line(self.path, line, len(skipped), self.longest_record)
                    bad.append(BadRow(OPEN_QUOTE, first, line))
                    line += 1
                if rows or bad:
                    yield Piece(partial(_parse, rows, bad, header, fields, first), stream.done)


def _parse(
    rows: list[tuple[int, bytes]], bad: list[BadRow], header: Header, fields: Fields, source: int
) -> list[Batch]:
    """Parse (line, record) pairs with polars, or one by one if polars refuses them."""
    wanted = sorted(header.names.index(name) for name in fields.names)
    try:
        frame = pl.read_csv(
            b"".join(record for _, record in rows),
            has_header=False,
            separator=header.separator,
            columns=wanted,
            infer_schema=False,
            empty_string_is_null=False,
        )
        frame.columns = [header.names[column] for column in wanted]
    except (pl.exceptions.PolarsError, ValueError):
        frame = pl.DataFrame()
    if rows and frame.height == len(rows):
        lines = np.array([line for line, _ in rows])
        return [make_batch(frame.select(fields.names), source, lines, bad=bad)]
    parsed, broken = [], []
    for line, record in rows:
        try:
            values = split_record(record.decode("utf-8").rstrip("\r\n"), header.separator)
            parsed.append((line, dict(zip(header.names, values, strict=True))))
        except UnicodeDecodeError:
            broken.append(BadRow(ENCODING, source, line))
    return batches_of_rows(parsed, fields, source, [*bad, *broken])


def _line_end(head: bytes) -> bytes:
    """Return the end of the first line; line ends in quoted fields do not count."""
    found = re.search(rb"\r\n|\n|\r", re.sub(rb'"[^"]*"', b"", head))
    return found[0] if found else b"\n"


def _convert(data: bytes, line_end: bytes) -> bytes:
    """Return data whose lines end with a line feed."""
    return data.replace(b"\r", b"\n") if line_end == b"\r" else data


def split_record(text: str, separator: str) -> list[str]:
    """Return the fields of one record."""
    sign = re.escape(separator)
    # A separator in front of the first field makes all fields alike.
    fields = re.findall(rf'{sign}(?:"([^"]*(?:""[^"]*)*)")?([^{sign}]*)', separator + text)
    return [quoted.replace('""', '"') + plain for quoted, plain in fields]


def find_records(data: bytes, separator: str, fields: int | None = None) -> Iterator[re.Match[bytes]]:
    """Find the complete records from the start of `data`: `blank` ones, `complete` ones with `fields` fields, others.

    A quote opens only at the start of a field, and a doubled quote does not close (RFC 4180).

    Examples
    --------
    >>> [(record[0], record.lastgroup) for record in find_records(b'a,b\\n\\n"x\\ny",2\\n1\\n3,', ",", 2)]
    [(b'a,b\\n', 'complete'), (b'\\n', 'blank'), (b'"x\\ny",2\\n', 'complete'), (b'1\\n', None)]
    """
    sign = re.escape(separator).encode()
    blank = b"[ \\r]*+" if separator == "\t" else b"[ \\t\\r]*+"
    field = b'(?:"[^"]*+(?:""[^"]*+)*+"|(?!"))[^' + sign + b"\\n]*+"
    more = b"(?:" + sign + field + b")"
    count = b"*+" if fields is None else b"{%d}" % (fields - 1)
    any_record = field + more + b"*+\\n"
    pattern = re.compile(b"(?P<blank>" + blank + b"\\n)|(?P<complete>" + field + more + count + b"\\n)|" + any_record)
    end = 0
    while record := pattern.match(data, end):
        yield record
        end = record.end()
