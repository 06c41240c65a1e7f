"""JSON lines: polars parses blocks of lines; a block that it refuses is parsed line by line."""

import json
from collections.abc import Iterator
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from chronotope.corpus.problems import ENCODING, BadRow
from chronotope.corpus.readers.pieces import TOKEN_SEPARATOR, Batch, Fields, FileReader, Piece, remarks
from chronotope.errors import InputError
from chronotope.io.stores import RemotePath
from chronotope.io.streaming import Block, read_blocks, read_head

BROKEN = "broken JSON"
MOST_JSON_BYTES = 1 << 30
OBJECTS_IN_PIECE = 1024
_MAYBE_NESTED = r'(?:^|\x1f)(?:\[(?:["\[{\]-]|\d)|\{["}])'
# As in polars, the first of two equal keys wins, and 1990.0 is read as "1990".
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


class JsonFile(FileReader):
    """A JSON file with an array of objects, or with one object; it is read into memory."""

    @cached_property
    def _objects(self) -> list[Any]:
        data = b"".join(block.data for block in read_blocks(self.path, longest_line=MOST_JSON_BYTES))
        try:
            found = json.loads(data.decode("utf-8"), strict=False, **_AS_POLARS)
        except json.JSONDecodeError as error:
            raise InputError(f"{self.path.name}:{error.lineno}: {BROKEN}") from None
        except (ValueError, RecursionError):
            raise InputError(f"{self.path.name}: {BROKEN}, or not UTF-8") from None
        return found if isinstance(found, list) else [found]

    def columns(self) -> list[str] | None:
        """Return the fields of all objects; None for an empty array."""
        names = dict.fromkeys(name for record in self._objects if isinstance(record, dict) for name in record)
        if self._objects and not names:
            raise InputError(f'{self.path.name} holds no objects with fields, such as [{{"text": …, "date": …}}, …]')
        return list(names) or None

    def pieces(self, fields: Fields, first: int) -> Iterator[Piece]:
        """Cut the array into pieces; the line of an object is its number."""
        rows = list(enumerate(self._objects, 1))
        for start in range(0, len(rows), OBJECTS_IN_PIECE):
            yield Piece(partial(_parse_objects, rows[start : start + OBJECTS_IN_PIECE], fields, first), self.size)


def json_reader(path: Path | RemotePath) -> JsonFile | JsonLines:
    """Return the reader of a .json file, which may hold lines of JSON."""
    first, _, rest = read_head(path).lstrip().partition(b"\n")
    return JsonLines(path) if _read_line(first)[0] is not None and rest.strip() else JsonFile(path)


def _parse_objects(rows: list[tuple[int, Any]], fields: Fields, source: int) -> list[Batch]:
    bad = [BadRow(BROKEN, source, number) for number, record in rows if not isinstance(record, dict)]
    return Batch.of_rows([row for row in rows if isinstance(row[1], dict)], fields, source, bad)


def _parse(block: Block, fields: Fields, source: int, tokenized: bool) -> list[Batch]:
    """Parse a block; `tokenized`: its texts are probably lists of tokens."""
    schema: dict[str, Any] = dict.fromkeys(fields.names, pl.String)
    if tokenized:
        schema[fields.text] = pl.List(pl.String)
    try:
        frame = pl.read_ndjson(block.data, schema=schema)
    except (pl.exceptions.PolarsError, ValueError):
        return _parse_lines(block, fields, source)
    lines = np.arange(block.line, block.line + block.lines)
    if block.lines != frame.height:  # polars skips blank lines
        lines = lines[[bool(line.strip()) for line in block.data.split(b"\n")[: block.lines]]]
    text = pl.col(fields.text)
    if tokenized:
        frame = frame.with_columns(text.list.join(TOKEN_SEPARATOR, ignore_nulls=True))
    # Where a schema has strings, polars returns a list or an object as its JSON text.
    if len(lines) != frame.height or frame.select(text.str.contains(_MAYBE_NESTED).any()).item():
        return _parse_lines(block, fields, source)
    return [Batch.of(frame, source, lines, tokenized, remarks(block, source))]


def _parse_lines(block: Block, fields: Fields, source: int) -> list[Batch]:
    """Parse a block line by line; a line that cannot be read becomes a bad row."""
    rows: list[tuple[int, dict[str, Any]]] = []
    bad = remarks(block, source)
    for number, line in enumerate(block.data.split(b"\n"), block.line):
        record, kind = _read_line(line)
        if record is not None:
            rows.append((number, record))
        elif kind:
            bad.append(BadRow(kind, source, number))
    return Batch.of_rows(rows, fields, source, bad)


def _records(head: bytes) -> Iterator[dict[str, Any]]:
    """Parse the readable lines among the first lines of a file."""
    return (record for line in head.split(b"\n") if (record := _read_line(line)[0]) is not None)


def _read_line(line: bytes) -> tuple[dict[str, Any] | None, str]:
    """Return the object on a line, or its problem; neither for a blank line."""
    if not line.strip():
        return None, ""
    try:
        record = json.loads(line.decode("utf-8"), strict=False, **_AS_POLARS)
    except UnicodeDecodeError:
        return None, ENCODING
    except (ValueError, RecursionError):
        return None, BROKEN
    return (record, "") if isinstance(record, dict) else (None, BROKEN)
