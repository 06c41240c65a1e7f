"""Tables with typed columns: Parquet files and data frames, read in slices of a bounded size."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
import pyarrow as pa

from chronotope.corpus.readers.fingerprints import Fingerprint, content_fingerprint, file_fingerprint
from chronotope.corpus.readers.pieces import TOKEN_SEPARATOR, Batch, Fields, Piece, joined, written
from chronotope.corpus.readers.remote import RemotePath
from chronotope.errors import InputError
from chronotope.io.streaming import BLOCK_BYTES

if TYPE_CHECKING:
    import pyarrow.parquet as pq


@dataclass(frozen=True)
class Parquet:
    """A Parquet file."""

    path: Path | RemotePath

    @property
    def names(self) -> list[str]:
        """The name of the file."""
        return [self.path.name]

    @property
    def size(self) -> int:
        """The bytes on disk."""
        return self.path.stat().st_size

    @cached_property
    def _file(self) -> pq.ParquetFile:
        import pyarrow.parquet as pq  # most text is in other files

        if not self.size:
            raise InputError(f"{self.path.name} is empty")
        try:
            return pq.ParquetFile(self.path.open() if isinstance(self.path, RemotePath) else self.path)
        except (OSError, ValueError, pa.ArrowException) as error:
            raise InputError(f"cannot read {self.path} as Parquet: {str(error).splitlines()[0]}") from None

    def columns(self) -> list[str] | None:
        """The column names; None for an empty file."""
        return list(self._file.schema_arrow.names) if self.size else None

    def fingerprint(self, fields: Fields) -> list[Fingerprint]:  # noqa: ARG002
        """The name, bytes and checksum of the file."""
        return [file_fingerprint(self.path)]

    def pieces(self, fields: Fields, first: int) -> Iterator[Piece]:
        """Slices of the rows."""
        about = self._file.metadata
        bytes_of_rows = sum(about.row_group(group).total_byte_size for group in range(about.num_row_groups))
        rows = rows_in_block(about.num_rows, bytes_of_rows)
        line = 1
        try:
            for batch in self._file.iter_batches(batch_size=rows, columns=list(fields.names)):
                batch.validate(full=True)  # text that is not UTF-8 must not reach the compiled code
                line += batch.num_rows
                done = self.size * (line - 1) // max(about.num_rows, 1)
                # Without what else the file says of its columns, which need not be UTF-8, either.
                frame = pl.DataFrame(pa.Table.from_arrays(batch.columns, names=batch.schema.names))
                yield Piece(partial(_parse, frame, line - batch.num_rows, fields, first), done)
        except (OSError, ValueError, pa.ArrowException) as error:
            raise InputError(f"cannot read {self.path.name}: {str(error).splitlines()[0]}") from None


@dataclass(frozen=True)
class Frame:
    """A data frame of polars (also a lazy one) or pandas."""

    frame: Any
    names: list[str] = field(default_factory=lambda: ["frame"])

    @cached_property
    def size(self) -> int:
        """The number of rows; 0 where it is not known before the frame is computed."""
        return 0 if isinstance(self.frame, pl.LazyFrame) else len(self.frame)

    def columns(self) -> list[str] | None:
        """The column names."""
        if isinstance(self.frame, pl.LazyFrame):
            return self.frame.collect_schema().names()
        return [str(name) for name in self.frame.columns]

    def fingerprint(self, fields: Fields) -> list[Fingerprint]:
        """The checksum of the columns that are read."""
        return [content_fingerprint(self.names[0], self.pieces(fields, 0), fields)]

    def pieces(self, fields: Fields, first: int) -> Iterator[Piece]:
        """Slices of the rows."""
        line = 1
        for frame in self._slices(list(fields.names)):
            for part in frame.iter_slices(rows_in_block(frame.height, int(frame.estimated_size()))):
                line += part.height
                yield Piece(partial(_parse, part, line - part.height, fields, first), line - 1)

    def _slices(self, names: list[str]) -> Iterator[pl.DataFrame]:
        if isinstance(self.frame, pl.DataFrame):
            yield self.frame.select(names)
        elif isinstance(self.frame, pl.LazyFrame):
            yield from self.frame.select(names).collect_batches(maintain_order=True)
        else:
            # By position: the name of a column of pandas need not be a string.
            position = {str(name): number for number, name in enumerate(self.frame.columns)}
            for start in range(0, self.size, 4096):
                part = self.frame.iloc[start : start + 4096]
                yield pl.DataFrame({name: _series(part.iloc[:, position[name]]) for name in names})


def _series(column: Any) -> pl.Series:
    """A column of pandas; where its values are of several kinds, as they are written."""
    try:
        return pl.Series(pl.from_pandas(column.reset_index(drop=True)))
    except (pa.ArrowException, pl.exceptions.PolarsError, TypeError, ValueError):
        values = zip(column, column.isna(), strict=True)
        return pl.Series([None if missing else written(value) for value, missing in values], dtype=pl.String)


def rows_in_block(rows: int, size: int) -> int:
    """How many rows of a table make a block."""
    return int(np.clip(rows * BLOCK_BYTES // max(size, 1), 1, 1 << 20))


def _parse(frame: pl.DataFrame, line: int, fields: Fields, source: int) -> list[Batch]:
    """The rows of a slice: every column as strings."""
    tokenized = isinstance(frame.schema[fields.text], pl.List | pl.Array)
    columns = []
    for name in fields.names:
        try:
            columns.append(as_text(frame[name], tokenized and name == fields.text))
        except pl.exceptions.PolarsError:
            raise InputError(f"column '{name}' holds {frame[name].dtype}, which cannot be read as text") from None
    lines = np.arange(line, line + frame.height)
    return [Batch(pl.DataFrame(columns), np.full(frame.height, source, np.int32), lines, tokenized)]


def as_text(column: pl.Series, tokenized: bool = False) -> pl.Series:
    """A column as strings: dates in ISO form, lists of tokens joined."""
    kind = column.dtype
    if tokenized:
        tokens = pl.col(column.name).cast(pl.List(pl.String)).list.join(TOKEN_SEPARATOR, ignore_nulls=True)
        return column.to_frame().select(tokens).to_series()
    if kind == pl.String:
        return column
    if kind == pl.Object:
        values = [joined(value) if isinstance(value, list | tuple) else written(value) for value in column]
        return pl.Series(column.name, values, dtype=pl.String)
    if kind == pl.Binary:
        texts = [None if value is None else value.decode("utf-8", "replace") for value in column]
        return pl.Series(column.name, texts, dtype=pl.String)
    if isinstance(kind, pl.Datetime):
        return column.dt.strftime("%Y-%m-%dT%H:%M:%S")
    if kind.is_float():
        column = column.fill_nan(None)
    if kind == pl.Boolean:
        return pl.Series(column.name, [value if value is None else str(value).lower() for value in column], pl.String)
    return column.cast(pl.String)
