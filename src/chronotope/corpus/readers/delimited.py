"""CSV and TSV: a regular expression finds the records, so that line numbers are exact; polars parses the fields."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from itertools import chain
from typing import NamedTuple

import numpy as np
import polars as pl

from chronotope.corpus.problems import ENCODING, BadRow
from chronotope.corpus.readers.pieces import Batch, Fields, FileReader, Piece, remarks
from chronotope.errors import InputError
from chronotope.io.streaming import read_blocks, read_head

WRONG_NUMBER = "wrong number of fields"
OPEN_QUOTE = "a quote that never closes"
_SEPARATOR_LINE = re.compile(r'^"?sep=([!#-/:-@\[-^`{-~]|\t)"?$', re.IGNORECASE)
# A quote is stray if at least this many lines of its field, and this share of them, look like rows.
_STRAY_ROWS, _STRAY_SHARE = 5, 0.8


class Header(NamedTuple):
    """The header of a file; `lines` is the number of lines before the first row."""

    separator: str
    names: list[str]
    lines: int
    line_end: bytes


@dataclass(frozen=True)
class Delimited(FileReader):
    """A file with a line of column names and one record per line; a quoted field may contain line ends.

    A record of more than `longest_record` bytes counts as one with a quote that never closes.
    """

    separator: str = ","
    longest_record: int = 64 << 20

    def columns(self) -> list[str] | None:
        """Return the column names; None for an empty file."""
        return self._header().names or None

    def _header(self) -> Header:
        """Read the column names, after the line `sep=;` that Excel may write.

        A CSV file may be separated by semicolons, tabs or bars instead of commas.
        """
        head = read_head(self.path, line_ends=(b"\n", b"\r"), longest_line=self.longest_record)
        # Line ends in quoted fields do not count.
        found = re.search(rb"\r\n|\n|\r", re.sub(rb'"[^"]*"', b"", head))
        line_end = found[0] if found else b"\n"
        head = (head.replace(b"\r", b"\n") if line_end == b"\r" else head) + b"\n"
        pattern, records, end = record_pattern(self.separator), list[tuple[str, int]](), 0
        while len(records) < 2 and (record := pattern.match(head, end)):
            end = record.end()
            if not record["blank"]:
                records.append((record[0].decode("utf-8", "replace").rstrip("\r\n"), end))
        if head.strip() and not records and b'"' in head:
            raise InputError(f"{self.path.name}: the line of column names has {OPEN_QUOTE}")
        named = _SEPARATOR_LINE.match(records[0][0]) if records else None
        if len(records) < (2 if named else 1):
            return Header(self.separator, [], 0, line_end)
        text, size = records[1 if named else 0]
        candidates = named[1] if named else f"{self.separator};\t|"
        splits = [(separator, split_record(text, separator)) for separator in candidates]
        separator, names = next((split for split in splits if len(split[1]) > 1), splits[0])
        return Header(separator, [name.strip() for name in names], head.count(b"\n", 0, size), line_end)

    def pieces(self, fields: Fields, first: int) -> Iterator[Piece]:
        """Cut the file into blocks of records."""
        header = self._header()
        pattern = record_pattern(header.separator, len(header.names))
        line, skip, data = header.lines + 1, header.lines, b""
        blocks = read_blocks(self.path, self.block_bytes, self.longest_record, header.line_end)
        for block in chain(blocks, [None]):
            data += block.data if block else b"\n"
            if skip and data.count(b"\n") < skip:
                continue
            data, skip, end = data.split(b"\n", skip)[skip], 0, 0
            rows: list[tuple[int, bytes]] = []
            bad = remarks(block, first)
            while end < len(data):
                record = pattern.match(data, end)
                if not record and block and len(data) - end <= self.longest_record:
                    break  # the rest of the record is in the next block
                lines = record[0].count(b"\n") if record else 1
                if not record or (lines > 1 and _has_stray_quote(record[0], header)):
                    bad.append(BadRow(OPEN_QUOTE, first, line))
                    lines, end = 1, data.index(b"\n", end) + 1
                else:
                    if record["complete"]:
                        rows.append((line, record[0]))
                    elif not record["blank"]:
                        bad.append(BadRow(WRONG_NUMBER, first, line))
                    end = record.end()
                line += lines
            data = data[end:]
            if rows or bad:
                yield Piece(partial(_parse, rows, bad, header, fields, first), block.done if block else self.size)


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
        return [Batch.of(frame.select(fields.names), source, lines, bad=bad)]
    parsed, broken = [], []
    for line, record in rows:
        try:
            values = split_record(record.decode("utf-8").rstrip("\r\n"), header.separator)
            parsed.append((line, dict(zip(header.names, values, strict=True))))
        except UnicodeDecodeError:
            broken.append(BadRow(ENCODING, source, line))
    return Batch.of_rows(parsed, fields, source, [*bad, *broken])


def _has_stray_quote(record: bytes, header: Header) -> bool:
    """Return whether a stray quote joined several rows to one record.

    Then text follows the closing quote, or most lines of the field look like rows; one such line is enough in TSV.
    """
    sign = header.separator.encode()
    quoted = rb'(?:^|%b)"([^"]*(?:""[^"]*)*)"([^%b\n]*)' % (re.escape(sign), re.escape(sign))
    least = 1 if sign == b"\t" else _STRAY_ROWS
    for text, after in re.findall(quoted, record):
        inside = text.split(b"\n")[1:-1] if len(header.names) > 1 else []
        alike = sum(line.count(sign) == len(header.names) - 1 for line in inside)
        if (b"\n" in text and after.strip()) or alike >= max(least, _STRAY_SHARE * len(inside)):
            return True
    return False


def split_record(text: str, separator: str) -> list[str]:
    """Return the fields of one record."""
    sign = re.escape(separator)
    # With a separator before the first field, one pattern matches all fields.
    fields = re.findall(rf'{sign}(?:"([^"]*(?:""[^"]*)*)")?([^{sign}]*)', separator + text)
    return [quoted.replace('""', '"') + plain for quoted, plain in fields]


def record_pattern(separator: str, fields: int | None = None) -> re.Pattern[bytes]:
    """Return a pattern for whole records: `blank` ones, `complete` ones with `fields` fields, or others.

    A quote opens only at the start of a field, and a doubled quote does not close (RFC 4180).

    >>> [record.lastgroup for record in record_pattern(",", 2).finditer(b'a,b\\n\\n"x\\ny",2\\n1\\n')]
    ['complete', 'blank', 'complete', None]
    """
    sign = re.escape(separator).encode()
    blank = b"[ \\r]*+" if separator == "\t" else b"[ \\t\\r]*+"
    field = b'(?:"[^"]*+(?:""[^"]*+)*+"|(?!"))[^' + sign + b"\\n]*+"
    more = b"(?:" + sign + field + b")"
    count = b"*+" if fields is None else b"{%d}" % (fields - 1)
    any_record = field + more + b"*+\\n"
    return re.compile(b"(?P<blank>" + blank + b"\\n)|(?P<complete>" + field + more + count + b"\\n)|" + any_record)
