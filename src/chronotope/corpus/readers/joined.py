"""Metadata: a table of dates, places and other fields, joined to files by their names or to records by a field."""

import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import polars as pl

from chronotope.corpus.problems import NO_METADATA, NO_TIME, BadRow
from chronotope.corpus.readers.folders import TextFiles
from chronotope.corpus.readers.pieces import Batch, Fields, Fingerprint, Piece, Reader
from chronotope.errors import InputError, SettingsError, did_you_mean, number_of, some_of


@dataclass(frozen=True)
class Metadata:
    """A table of strings, and the row of each value of its column `key`."""

    table: pl.DataFrame
    key: str
    rows: dict[str, int]
    fingerprint: list[Fingerprint]

    @property
    def fields(self) -> list[str]:
        """The fields that it adds."""
        return [name for name in self.table.columns if name != self.key]

    def unmatched(self, matched: set[int]) -> list[str]:
        """Return a note on the rows that matched no text, or an empty list."""
        rest = [key for key, row in self.rows.items() if row not in matched]
        of = f"of {len(self.rows):,} in {self.fingerprint[0]['name']}"
        return [f"{number_of(len(rest), 'rows')} {of} matched no text: {some_of(rest)}"] if rest else []


def read_metadata(readers: Sequence[Reader], key: str | None) -> Metadata:
    """Read a table of metadata; several tables, a missing column, and a key that occurs twice raise InputError."""
    reader, *others = readers
    if others:
        raise InputError(f"the metadata must be one table, not {some_of([one.names[0] for one in readers])}")
    columns, name = reader.columns() or [], reader.names[0]
    if key not in columns:
        asked = f"has no column '{key}'" if key else "needs a column with the names of the files or texts (--key)"
        listed = f"its columns are: {', '.join(columns)}{did_you_mean(key or '', columns)}"
        raise (InputError if key else SettingsError)(f"the metadata {name} {asked}; {listed}")
    fields = Fields(key, (key, *(column for column in dict.fromkeys(columns) if column != key)))
    batches = [batch for piece in reader.pieces(fields, 0) for batch in piece.parse()]
    if bad := [row for batch in batches for row in batch.bad if row.line]:
        raise InputError(f"{name}:{bad[0].line}: {bad[0].kind}")
    table = pl.concat([batch.frame for batch in batches])
    lines = np.concatenate([batch.line for batch in batches]).tolist()
    rows: dict[str, int] = {}
    for row, value in enumerate(table[key]):
        if (known := rows.setdefault(_normalize_key(value), row)) != row and value:
            raise InputError(f"{name} has '{value}' twice in column '{key}', in rows {lines[known]} and {lines[row]}")
    rows.pop("", None)
    return Metadata(table, key, rows, reader.fingerprint(fields))


@dataclass(frozen=True)
class Joined:
    """A reader whose rows get the fields of their metadata; a row without metadata is a bad row."""

    reader: Any
    metadata: Metadata

    @property
    def names(self) -> list[str]:
        """The names of the files of the text."""
        return list(self.reader.names)

    @property
    def size(self) -> int:
        """The size of the text."""
        return int(self.reader.size)

    @property
    def path(self) -> Any:
        """The path of a single file; AttributeError for other readers."""
        return self.reader.path

    def columns(self) -> list[str] | None:
        """Return the fields of the reader and of the metadata."""
        own = self.reader.columns()
        if own and not isinstance(self.reader, TextFiles) and self.metadata.key not in own:
            raise InputError(
                f"{self.reader.names[0]} has no column '{self.metadata.key}' to join the metadata by; its columns are: "
                f"{some_of(own)}"
            )
        return list(dict.fromkeys([*own, *self.metadata.fields])) if own else own

    def fingerprint(self, fields: Fields) -> list[Fingerprint]:
        """Return the fingerprint of the text, without the metadata."""
        return list(self.reader.fingerprint(self._own(fields)))

    def pieces(self, fields: Fields, first: int) -> Iterator[Piece]:
        """Join each piece when it is parsed."""
        for piece in self.reader.pieces(self._own(fields), first):
            yield piece._replace(parse=partial(self._parse, piece, fields))

    def _own(self, fields: Fields) -> Fields:
        """Return the fields that the reader must return."""
        keys = ("path", "name") if isinstance(self.reader, TextFiles) else (self.metadata.key,)
        own = (name for name in fields.names if name not in self.metadata.fields)
        return Fields(fields.text, tuple(dict.fromkeys([fields.text, *own, *keys])))

    def _parse(self, piece: Piece, fields: Fields) -> list[Batch]:
        return [self._join(batch, fields) for batch in piece.parse()]

    def _join(self, batch: Batch, fields: Fields) -> Batch:
        rows, frame = self.metadata.rows, batch.frame
        if isinstance(self.reader, TextFiles):
            keys = [[path, path.rsplit("/")[-1], name] for path, name in frame.select("path", "name").iter_rows()]
        else:
            keys = [[value] for value in frame[self.metadata.key]]
        found = [next((rows[key] for key in map(_normalize_key, names) if key in rows), -1) for names in keys]
        known = np.array([row >= 0 for row in found], bool)
        matched = [row for row in found if row >= 0]
        added = [name for name in fields.names if name in self.metadata.fields]
        bad = [
            BadRow(NO_METADATA, int(batch.source[row]), int(batch.line[row]), keys[row][0] or "")
            for row in np.flatnonzero(~known)
        ]
        own = frame.filter(pl.Series(known, dtype=pl.Boolean))
        return batch._replace(
            frame=own.with_columns(self.metadata.table[matched].select(added)).select(fields.names),
            source=batch.source[known],
            line=batch.line[known],
            bad=(*batch.bad, *bad),
            undated=NO_TIME,
            matched=tuple(sorted(set(matched))),
        )


def _normalize_key(key: str | None) -> str:
    """Normalize a key for comparison: compose accents, which macOS decomposes in file names, and write 7.0 as 7."""
    key = unicodedata.normalize("NFC", key or "").strip()
    return key[:-2] if key.endswith(".0") and key[:-2].isdigit() else key
