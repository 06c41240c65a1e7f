"""The interface of all readers: an input is cut into pieces, and each piece is parsed separately into batches."""

import datetime
import hashlib
import json
import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby
from numbers import Number
from operator import itemgetter
from pathlib import Path
from typing import Any, NamedTuple, Protocol, Self

import numpy as np
import polars as pl
import xxhash
from numpy.typing import NDArray

from chronotope.corpus.problems import NO_TIME, NOT_TEXT, READ_AS, BadRow
from chronotope.io.provenance import canonical_json
from chronotope.io.stores import RemotePath
from chronotope.io.streaming import BLOCK_BYTES, Block, to_utf8

# Joins the tokens of a text that is a list: a control character that texts do not contain.
TOKEN_SEPARATOR = "\x1f"

_MISSING = ("NAType", "NaTType")

Fingerprint = dict[str, Any]


class Fields(NamedTuple):
    """The name of the text field, and the names of all fields to read, including the text."""

    text: str
    names: tuple[str, ...]


class Batch(NamedTuple):
    """Rows that were read."""

    frame: pl.DataFrame  # (N, fields) the requested fields as strings; null where a row lacks the field
    source: NDArray[np.int32]  # (N,) the number of the file of each row
    line: NDArray[np.int64]  # (N,) its line in that file, from 1
    tokenized: bool = False  # the texts were lists of tokens; TOKEN_SEPARATOR joins them
    bad: tuple[BadRow, ...] = ()  # the rows that could not be read
    undated: str = NO_TIME  # the problem of a row without time
    matched: tuple[int, ...] = ()  # the rows of the metadata that belong to these rows

    @classmethod
    def of(
        cls,
        frame: pl.DataFrame,
        source: int,
        line: NDArray[np.int64],
        tokenized: bool = False,
        bad: Iterable[BadRow] = (),
    ) -> Self:
        """Make a batch of rows that all come from one file."""
        return cls(frame, np.full(frame.height, source, np.int32), line, tokenized, tuple(bad))

    @classmethod
    def of_rows(
        cls, rows: Iterable[tuple[int, Mapping[str, Any]]], fields: Fields, source: int, bad: Iterable[BadRow] = ()
    ) -> list[Self]:
        """Make batches of (line, record) pairs; a new one starts where texts change from strings to tokens or back."""
        schema = dict.fromkeys(fields.names, pl.String)
        good, bad = [], list(bad)
        for line, record in rows:
            value = record.get(fields.text)
            try:
                good.append((isinstance(value, list | tuple | np.ndarray), line, record, to_text(value)))
            except TypeError:
                bad.append(BadRow(NOT_TEXT, source, line, type(value).__name__))
        batches = [cls.of(pl.DataFrame(schema=schema), source, np.empty(0, np.int64), bad=bad)]
        for tokenized, run in groupby(good, key=itemgetter(0)):
            _, lines, records, texts = zip(*run, strict=True)
            columns = {name: [to_string(record.get(name)) for record in records] for name in fields.names}
            columns[fields.text] = list(texts)
            batches.append(cls.of(pl.DataFrame(columns, schema=schema), source, np.array(lines, np.int64), tokenized))
        return batches if bad else batches[1:]


class Piece(NamedTuple):
    """A part of the input: `parse` returns its batches, in any thread; `done` counts the bytes (or rows) up to it."""

    parse: Callable[[], list[Batch]]
    done: int


class Reader(Protocol):
    """One input: a file, a folder of text files, a data frame, or records."""

    @property
    def names(self) -> list[str]:
        """The base name of each file."""

    @property
    def size(self) -> int:
        """The number of bytes (or rows); 0 if unknown."""

    def columns(self) -> list[str] | None:
        """Return the field names: None for an empty input, an empty list if they are not known yet."""

    def fingerprint(self, fields: Fields) -> list[Fingerprint]:
        """Return the name, bytes and checksum of each file; without files, the checksum of the requested fields."""

    def pieces(self, fields: Fields, first: int) -> Iterator[Piece]:
        """Cut the input into pieces; `first` is the number of its first file."""


@dataclass(frozen=True)
class FileReader:
    """The part of `Reader` that all readers of a single file share."""

    path: Path | RemotePath
    block_bytes: int = BLOCK_BYTES

    @property
    def names(self) -> list[str]:
        """The name of the file."""
        return [self.path.name]

    @property
    def size(self) -> int:
        """The size on disk, in bytes."""
        return int(self.path.stat().st_size)

    def fingerprint(self, fields: Fields) -> list[Fingerprint]:  # noqa: ARG002
        """Return the name, bytes and checksum of the file."""
        return [file_fingerprint(self.path)]


def remarks(block: Block | None, source: int) -> list[BadRow]:
    """Return the remark on a block that is not UTF-8."""
    return [BadRow(READ_AS + block.read_as, source, 0)] if block and block.read_as else []


def to_string(value: Any) -> str | None:
    """Format a value as in a JSON or CSV file; None for a missing value."""
    if isinstance(value, str):
        return value if value.isascii() else value.encode("utf-8", "replace").decode("utf-8")
    if isinstance(value, bytes):
        return to_utf8(value).decode("utf-8", "replace")
    # Recognize the missing values of pandas by class name, since pandas is optional.
    if value is None or (isinstance(value, float) and math.isnan(value)) or type(value).__name__ in _MISSING:
        return None
    if isinstance(value, bool | int | float | list | tuple | dict):
        return json.dumps(value, ensure_ascii=False, default=str)
    return value.isoformat() if isinstance(value, datetime.date) else str(value)


def to_text(value: Any) -> str | None:
    """Return a text, or its tokens joined; raise TypeError for an object that is neither."""
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, list | tuple):
        # A list of sentences, each a list of tokens, is a list of tokens.
        return TOKEN_SEPARATOR.join(text for item in value if (text := to_text(item)) is not None)
    if isinstance(value, str | bytes | Number | None) or type(value).__name__ in _MISSING:
        return to_string(value)
    raise TypeError


def file_fingerprint(path: Path | RemotePath, name: str | None = None) -> Fingerprint:
    """Return the name (by default the base name), bytes and checksum of a file."""
    with path.open("rb") as file:
        checksum = hashlib.file_digest(file, _digest).hexdigest()
    return {"name": name or path.name, "bytes": path.stat().st_size, "checksum": checksum}


def content_fingerprint(name: str, pieces: Iterable[Piece] | None, fields: Fields) -> Fingerprint:
    """Return the fingerprint of an input without files: a checksum of all values, however the rows are cut into pieces.

    Without pieces, for an input that can be read only once, the checksum is None.
    """
    digest = _digest()
    for batch in (batch for piece in pieces or () for batch in piece.parse()):
        for row in batch.frame.select(fields.names).iter_rows():
            digest.update(canonical_json([batch.tokenized, *row]).encode())
    return {"name": name, "bytes": None, "checksum": None if pieces is None else digest.hexdigest()}


def text_hashes(texts: pl.Series) -> NDArray[np.uint64]:
    """Hash each text; unlike `Series.hash`, give the same values in every version of polars."""
    return np.fromiter(map(xxhash.xxh3_64_intdigest, texts.cast(pl.Binary)), np.uint64, len(texts))


def _digest() -> Any:
    return hashlib.blake2b(digest_size=16)
