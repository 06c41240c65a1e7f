"""JSON lines: blocks of plain ones in one pass, others by polars; a block with a broken line is read line by line."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from chronotope.corpus.problems import ENCODING, BadRow
from chronotope.corpus.readers.fingerprints import Fingerprint, file_fingerprint
from chronotope.corpus.readers.pieces import TOKEN_SEPARATOR, Batch, Fields, Piece, batches_of_rows
from chronotope.corpus.readers.plain_json import plain_rows
from chronotope.corpus.readers.remote import RemotePath
from chronotope.corpus.readers.streams import Block, read_blocks, read_head

BROKEN = "broken JSON"


@dataclass(frozen=True)
class JsonLines:
    """A file with one JSON object a line."""

    path: Path | RemotePath

    @property
    def names(self) -> list[str]:
        """The name of the file."""
        return [self.path.name]

    @property
    def size(self) -> int:
        """The bytes on disk."""
        return self.path.stat().st_size

    def columns(self) -> list[str] | None:
        """The fields of the objects in the first megabyte; None for an empty file."""
        found: dict[str, None] = {}
        for record in self._first_records():
            found.update(dict.fromkeys(record))
        return list(found) if found or read_head(self.path).strip() else None

    def fingerprint(self, fields: Fields) -> list[Fingerprint]:  # noqa: ARG002
        """The name, bytes and checksum of the file."""
        return [file_fingerprint(self.path)]

    def pieces(self, fields: Fields, first: int) -> Iterator[Piece]:
        """Blocks of lines."""
        tokenized = any(isinstance(record.get(fields.text), list) for record in self._first_records())
        for block in read_blocks(self.path):
            yield Piece(partial(_parse, block, fields, first, tokenized), block.done)

    def _first_records(self) -> Iterator[dict[str, Any]]:
        for line in read_head(self.path).split(b"\n"):
            record, _ = _read_line(line)
            if record is not None:
                yield record


def _parse(block: Block, fields: Fields, source: int, tokenized: bool) -> list[Batch]:
    """The rows of a block: at once if all is well, else line by line."""
    if not tokenized and (plain := plain_rows(block.signs.data, fields.names, block.lines)) is not None:
        line = np.arange(block.line, block.line + block.lines)
        return [Batch(plain, np.full(block.lines, source, np.int32), line, tokenized)]
    data = block.data
    schema: dict[str, Any] = dict.fromkeys(fields.names, pl.String)
    if tokenized:
        schema[fields.text] = pl.List(pl.String)
    try:
        frame = pl.read_ndjson(data, schema=schema)
    except (pl.exceptions.PolarsError, ValueError):
        return _parse_lines(data, block.line, fields, source)
    lines = _lines_of_rows(data, block, frame.height)
    text = pl.col(fields.text)
    # A list among strings arrives as its JSON text: only a closer look can tell it from a text that starts so.
    if lines is None or (not tokenized and frame.select(text.str.contains(r'^\[(?:"|\])').any()).item()):
        return _parse_lines(data, block.line, fields, source)
    if tokenized:
        frame = frame.with_columns(text.list.join(TOKEN_SEPARATOR, ignore_nulls=True))
    return [Batch(frame, np.full(frame.height, source, np.int32), lines, tokenized)]


def _lines_of_rows(data: bytes, block: Block, rows: int) -> NDArray[np.int64] | None:
    """The line of each row (polars passes over blank lines); None if lines and rows do not agree."""
    if block.lines == rows:
        return np.arange(block.line, block.line + rows)
    filled = [number for number, line in enumerate(data.split(b"\n"), block.line) if line.strip()]
    return np.array(filled, np.int64) if len(filled) == rows else None


def _parse_lines(data: bytes, first: int, fields: Fields, source: int) -> list[Batch]:
    """The rows of lines from number `first` on, one by one; what cannot be read is a bad row with its exact line."""
    rows, bad = [], []
    for number, line in enumerate(data.split(b"\n"), first):
        record, kind = _read_line(line)
        if record is not None:
            rows.append((number, record))
        elif kind:
            bad.append(BadRow(kind, source, number))
    return batches_of_rows(rows, fields, source, bad)


def _read_line(line: bytes) -> tuple[dict[str, Any] | None, str]:
    """The object on a line, or what is wrong with it; neither for a blank line."""
    if not line.strip():
        return None, ""
    try:
        # The first of two equal keys wins, as in polars.
        record = json.loads(line.decode("utf-8"), strict=False, object_pairs_hook=lambda pairs: dict(reversed(pairs)))
    except UnicodeDecodeError:
        return None, ENCODING
    except (ValueError, RecursionError):
        return None, BROKEN
    return (record, "") if isinstance(record, dict) else (None, BROKEN)
