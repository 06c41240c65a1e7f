"""What every reader delivers: pieces of input that can be parsed apart, each into batches of rows."""

from __future__ import annotations

import datetime
import json
import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import groupby
from typing import Any, NamedTuple, Protocol

import numpy as np
import polars as pl
from numpy.typing import NDArray

from chronotope.corpus.problems import BadRow

# Between the tokens of a text that came as a list; it occurs in no text that people write.
TOKEN_SEPARATOR = "\x1f"


class Batch(NamedTuple):
    """Rows that were read.

    Attributes
    ----------
    frame
        The named fields, all as strings; null where a row has no such field.
    source, line
        (N,) where each row stands: the number of its file, and the line in it from 1.
    tokenized
        Whether the text came as a list of tokens; they are then joined by TOKEN_SEPARATOR.
    bad
        The rows that could not be read at all.
    """

    frame: pl.DataFrame
    source: NDArray[np.int32]
    line: NDArray[np.int64]
    tokenized: bool = False
    bad: tuple[BadRow, ...] = ()


class Piece(NamedTuple):
    """A part of the input, not parsed yet.

    Attributes
    ----------
    parse
        Returns the batches of this piece, in order; may run in any thread.
    done
        How many bytes (or rows) of the input lie before the end of this piece.
    """

    parse: Callable[[], list[Batch]]
    done: int


class Fields(NamedTuple):
    """The fields to read: the one with the text, and all of them (the text among them)."""

    text: str
    names: tuple[str, ...]


class Reader(Protocol):
    """One input: a file, a folder of texts, a frame, or records."""

    @property
    def names(self) -> list[str]:
        """The base name of each file; they are numbered from the reader's first number on."""

    @property
    def size(self) -> int:
        """The number of bytes (or rows)."""

    def columns(self) -> list[str] | None:
        """The fields that are there; None where the input is empty, no name where they cannot be told yet."""

    def fingerprint(self, fields: Fields) -> list[dict[str, Any]]:
        """What tells each file, or the fields that are read of anything else, from others: name, bytes, checksum."""

    def pieces(self, fields: Fields, first: int) -> Iterator[Piece]:
        """The input in pieces; `first` is the number of the first file."""


def batches_of_rows(
    rows: Iterable[tuple[int, Mapping[str, Any]]], fields: Fields, source: int, bad: Iterable[BadRow] = ()
) -> list[Batch]:
    """Batches from (line, record) pairs: one for each run of rows whose text is a string, or a list of tokens."""
    batches: list[Batch] = []
    left = tuple(bad)
    for tokenized, run in groupby(rows, key=lambda row: isinstance(row[1].get(fields.text), list | tuple | np.ndarray)):
        lines, records = zip(*run, strict=True)
        columns = {name: [written(record.get(name)) for record in records] for name in fields.names}
        if tokenized:
            columns[fields.text] = [joined(record[fields.text]) for record in records]
        frame = pl.DataFrame(columns, schema=dict.fromkeys(fields.names, pl.String))
        batches.append(Batch(frame, np.full(len(lines), source, np.int32), np.array(lines, np.int64), tokenized, left))
        left = ()
    if left:
        nothing = pl.DataFrame(schema=dict.fromkeys(fields.names, pl.String))
        batches.append(Batch(nothing, np.empty(0, np.int32), np.empty(0, np.int64), False, left))
    return batches


def written(value: Any) -> str | None:
    """A value as it would stand in a JSON or CSV file; None for what is missing."""
    if value is None or isinstance(value, str):
        return value if value is None or value.isascii() else value.encode("utf-8", "replace").decode("utf-8")
    if isinstance(value, float) and math.isnan(value):
        return None
    if isinstance(value, bool | int | float | list | tuple | dict):
        return json.dumps(value, ensure_ascii=False, default=str)
    if isinstance(value, datetime.date):  # a datetime is one, too
        return value.isoformat()
    return str(value)


def joined(tokens: Iterable[Any]) -> str:
    """The tokens of a text that came as a list, as one string."""
    return TOKEN_SEPARATOR.join(text for token in tokens if (text := written(token)) is not None)
