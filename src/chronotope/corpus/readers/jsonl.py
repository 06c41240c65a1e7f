"""JSON lines: polars parses blocks of lines; a block that it refuses is parsed line by line."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from chronotope.corpus.problems import ENCODING, BadRow
from chronotope.corpus.readers.pieces import (
    TOKEN_SEPARATOR,
    Batch,
    Fields,
    FileReader,
    Piece,
    batches_of_rows,
    make_batch,
)
from chronotope.io.streaming import Block, read_blocks, read_head

BROKEN = "broken JSON"
# The first of two equal keys wins, and 1990.0 is read as "1990".
_AS_POLARS: dict[str, Any] = {
    "object_pairs_hook": lambda pairs: dict(reversed(dict(reversed(pairs)).items())),
    "parse_float": lambda digits: np.format_float_positional(float(digits), trim="-"),
}


class JsonLines(FileReader):
    """A file with one JSON object per line."""

    def columns(self) -> list[str] | None:
        """Return the fields of the objects in the first megabyte; None for an empty file."""
        head = read_head(self.path)
        names = list(dict.fromkeys(name for record in _records(head) for name in record))
        return names if names or head.strip() else None

    def pieces(self, fields: Fields, first: int) -> Iterator[Piece]:
        """Cut the file into blocks of lines."""
        tokenized = any(isinstance(record.get(fields.text), list) for record in _records(read_head(self.path)))
        for block in read_blocks(self.path, self.block_bytes):
            yield Piece(partial(_parse, block, fields, first, tokenized), block.done)


def _parse(block: Block, fields: Fields, source: int, tokenized: bool) -> list[Batch]:
    """Parse a block; `tokenized`: its texts are probably lists of tokens."""
    schema: dict[str, Any] = dict.fromkeys(fields.names, pl.String)
    if tokenized:
        schema[fields.text] = pl.List(pl.String)
    try:
        frame = pl.read_ndjson(block.data, schema=schema)
    except (pl.exceptions.PolarsError, ValueError):
        return _parse_lines(block, fields, source)
    lines = _line_numbers(block, frame.height)
    text = pl.col(fields.text)
    # With a schema of strings, polars returns a list of tokens as its JSON text.
    if lines is None or (not tokenized and frame.select(text.str.contains(r'^\[(?:"|\])').any()).item()):
        return _parse_lines(block, fields, source)
    if tokenized:
        frame = frame.with_columns(text.list.join(TOKEN_SEPARATOR, ignore_nulls=True))
    return [make_batch(frame, source, lines, tokenized)]


def _line_numbers(block: Block, rows: int) -> NDArray[np.int64] | None:
    """Return the line of each row, given that polars skips blank lines; None if lines and rows do not agree."""
    if block.lines == rows:
        return np.arange(block.line, block.line + rows)
    filled = [number for number, line in enumerate(block.data.split(b"\n"), block.line) if line.strip()]
    return np.array(filled, np.int64) if len(filled) == rows else None


def _parse_lines(block: Block, fields: Fields, source: int) -> list[Batch]:
    """Parse a block line by line; a line that cannot be read becomes a bad row."""
    rows, bad = [], []
    for number, line in enumerate(block.data.split(b"\n"), block.line):
        record, kind = _read_line(line)
        if record is not None:
            rows.append((number, record))
        elif kind:
            bad.append(BadRow(kind, source, number))
    return batches_of_rows(rows, fields, source, bad)


def _records(head: bytes) -> Iterator[dict[str, Any]]:
    """Parse the readable lines among the first lines of a file."""
    return (record for line in head.split(b"\n") if (record := _read_line(line)[0]) is not None)


def _read_line(line: bytes) -> tuple[dict[str, Any] | None, str]:
    """Return the object on a line, or the kind of its fault; neither for a blank line."""
    if not line.strip():
        return None, ""
    try:
        record = json.loads(line.decode("utf-8"), strict=False, **_AS_POLARS)
    except UnicodeDecodeError:
        return None, ENCODING
    except (ValueError, RecursionError):
        return None, BROKEN
    return (record, "") if isinstance(record, dict) else (None, BROKEN)
