"""Tables and records: Parquet files, data frames, and iterables of mappings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sized
from dataclasses import dataclass, field
from functools import partial
from itertools import chain, islice
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
import pyarrow as pa

from chronotope.corpus.readers.pieces import (
    TOKEN_SEPARATOR,
    Batch,
    Fields,
    FileReader,
    Fingerprint,
    Piece,
    batches_of_rows,
    content_fingerprint,
    join_tokens,
    make_batch,
    to_string,
)
from chronotope.errors import InputError
from chronotope.io.stores import RemotePath
from chronotope.io.streaming import BLOCK_BYTES

if TYPE_CHECKING:
    import pyarrow.parquet as pq

RECORDS_IN_PIECE = 1024
RECORDS_IN_HEAD = 100
PANDAS_ROWS = 4096


class Parquet(FileReader):
    """A Parquet file."""

    def _open(self) -> pq.ParquetFile:
        import pyarrow.parquet as pq  # slow to import, and most text is in other files

        if not self.size:
            raise InputError(f"{self.path.name} is empty")
        try:
            return pq.ParquetFile(self.path.open() if isinstance(self.path, RemotePath) else self.path)
        except (OSError, ValueError, pa.ArrowException) as error:
            raise InputError(f"cannot read {self.path} as Parquet: {str(error).splitlines()[0]}") from None

    def columns(self) -> list[str] | None:
        """Return the column names; None for an empty file."""
        if not self.size:
            return None
        with self._open() as file:
            return list(file.schema_arrow.names)

    def pieces(self, fields: Fields, first: int) -> Iterator[Piece]:
        """Cut the file into slices of rows."""
        line = 1
        try:
            with self._open() as file:
                about = file.metadata
                table_bytes = sum(about.row_group(group).total_byte_size for group in range(about.num_row_groups))
                rows = _rows_in_block(about.num_rows, table_bytes, self.block_bytes)
                for batch in file.iter_batches(batch_size=rows, columns=list(fields.names)):
                    batch.validate(full=True)  # refuses text that is not UTF-8
                    # Without the metadata of the columns, which need not be UTF-8 either.
                    frame = pl.DataFrame(pa.Table.from_arrays(batch.columns, names=batch.schema.names))
                    done = self.size * (line - 1 + frame.height) // max(about.num_rows, 1)
                    yield Piece(partial(_parse, frame, line, fields, first), done)
                    line += frame.height
        except (OSError, ValueError, pa.ArrowException) as error:
            raise InputError(f"cannot read {self.path.name}: {str(error).splitlines()[0]}") from None


@dataclass(frozen=True)
class Frame:
    """A polars (also lazy) or pandas data frame."""

    frame: Any
    names: list[str] = field(default_factory=lambda: ["frame"])
    block_bytes: int = BLOCK_BYTES

    @property
    def size(self) -> int:
        """The number of rows; 0 for a lazy frame."""
        return 0 if isinstance(self.frame, pl.LazyFrame) else len(self.frame)

    def columns(self) -> list[str] | None:
        """Return the column names."""
        if isinstance(self.frame, pl.LazyFrame):
            return self.frame.collect_schema().names()
        return [str(name) for name in self.frame.columns]

    def fingerprint(self, fields: Fields) -> list[Fingerprint]:
        """Return the checksum of the requested columns."""
        return [content_fingerprint(self.names[0], self.pieces(fields, 0), fields)]

    def pieces(self, fields: Fields, first: int) -> Iterator[Piece]:
        """Cut the frame into slices of rows."""
        line = 1
        for frame in self._slices(list(fields.names)):
            rows = _rows_in_block(frame.height, int(frame.estimated_size()), self.block_bytes)
            for part in frame.iter_slices(rows):
                yield Piece(partial(_parse, part, line, fields, first), line - 1 + part.height)
                line += part.height

    def _slices(self, names: list[str]) -> Iterator[pl.DataFrame]:
        if isinstance(self.frame, pl.DataFrame):
            yield self.frame.select(names)
        elif isinstance(self.frame, pl.LazyFrame):
            yield from self.frame.select(names).collect_batches(maintain_order=True)
        else:
            # By position: the name of a pandas column need not be a string.
            position = {str(name): number for number, name in enumerate(self.frame.columns)}
            for start in range(0, self.size, PANDAS_ROWS):
                part = self.frame.iloc[start : start + PANDAS_ROWS]
                yield pl.DataFrame({name: _from_pandas(part.iloc[:, position[name]]) for name in names})


@dataclass
class Records:
    """An iterable of mappings, for instance the rows of a database cursor; a generator can be read only once."""

    records: Iterable[Mapping[str, Any]]
    names: list[str] = field(default_factory=lambda: ["records"])
    _head: list[Mapping[str, Any]] | None = None
    _used: bool = False

    def __post_init__(self) -> None:
        self._once = iter(self.records) is self.records

    @property
    def size(self) -> int:
        """The number of records; 0 if unknown."""
        return len(self.records) if isinstance(self.records, Sized) else 0

    def columns(self) -> list[str] | None:
        """Return the fields of the first records; None if there are no records."""
        if self._head is None:
            self._head = list(islice(iter(self.records), RECORDS_IN_HEAD))
        _check_mappings(enumerate(self._head, 1))
        return list(dict.fromkeys(str(name) for record in self._head for name in record)) or None

    def fingerprint(self, fields: Fields) -> list[Fingerprint]:
        """Return the checksum of the requested fields; None for a generator."""
        again = not self._once and isinstance(self.records, Sized)
        return [content_fingerprint(self.names[0], self.pieces(fields, 0) if again else None, fields)]

    def pieces(self, fields: Fields, first: int) -> Iterator[Piece]:
        """Cut the records into pieces."""
        if self._once and self._used:
            raise InputError("the records came from a generator and were read already; give a list, or read them anew")
        self._used = True
        rows = enumerate(chain(self._head or [], self.records) if self._once else self.records, 1)
        done = 0
        while part := list(islice(rows, RECORDS_IN_PIECE)):
            done += len(part)
            yield Piece(partial(_parse_records, part, fields, first), done)


def _check_mappings(rows: Iterable[tuple[int, Any]]) -> None:
    for number, record in rows:
        if not isinstance(record, Mapping):
            raise InputError(f"records:{number} is not a mapping of field names to values but {record!r:.60}")


def _parse_records(rows: list[tuple[int, Mapping[str, Any]]], fields: Fields, source: int) -> list[Batch]:
    _check_mappings(rows)
    return batches_of_rows(rows, fields, source)


def _from_pandas(column: Any) -> pl.Series:
    """Convert a pandas column; values of mixed types become strings."""
    try:
        return pl.Series(pl.from_pandas(column.reset_index(drop=True)))
    except (pa.ArrowException, pl.exceptions.PolarsError, TypeError, ValueError):
        values = zip(column, column.isna(), strict=True)
        return pl.Series([None if missing else to_string(value) for value, missing in values], dtype=pl.String)


def _rows_in_block(rows: int, table_bytes: int, block_bytes: int) -> int:
    """Return the number of rows in a block."""
    return int(np.clip(rows * block_bytes // max(table_bytes, 1), 1, 1 << 20))


def _parse(frame: pl.DataFrame, line: int, fields: Fields, source: int) -> list[Batch]:
    """Convert every column of a slice to strings."""
    tokenized = isinstance(frame.schema[fields.text], pl.List | pl.Array)
    columns = []
    for name in fields.names:
        try:
            columns.append(_to_strings(frame[name], tokenized and name == fields.text))
        except pl.exceptions.PolarsError:
            raise InputError(f"column '{name}' holds {frame[name].dtype}, which cannot be read as text") from None
    return [make_batch(pl.DataFrame(columns), source, np.arange(line, line + frame.height), tokenized)]


def _to_strings(column: pl.Series, tokenized: bool) -> pl.Series:
    """Convert a column to strings: dates in ISO form, lists of tokens joined."""
    kind = column.dtype
    if tokenized:
        return column.cast(pl.List(pl.String)).list.join(TOKEN_SEPARATOR, ignore_nulls=True)
    if kind == pl.Object:
        texts = [join_tokens(item) if isinstance(item, list | tuple) else to_string(item) for item in column]
        return pl.Series(column.name, texts, dtype=pl.String)
    if kind == pl.Binary:
        texts = [None if item is None else item.decode("utf-8", "replace") for item in column]
        return pl.Series(column.name, texts, dtype=pl.String)
    if isinstance(kind, pl.Datetime):
        return column.dt.strftime("%Y-%m-%dT%H:%M:%S")
    return (column.fill_nan(None) if kind.is_float() else column).cast(pl.String)
