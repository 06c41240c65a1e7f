"""Tables and records: Parquet files, data frames, and iterables of mappings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sized
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property, partial
from itertools import chain, islice
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
import pyarrow as pa
from numpy.typing import NDArray

from chronotope.corpus.readers.pieces import (
    TOKEN_SEPARATOR,
    Batch,
    Fields,
    FileReader,
    Fingerprint,
    Piece,
    content_fingerprint,
    to_string,
)
from chronotope.errors import InputError, first_line, import_extra, some_of
from chronotope.io.stores import RemotePath
from chronotope.io.streaming import BLOCK_BYTES

if TYPE_CHECKING:
    import pyarrow.parquet as pq

RECORDS_IN_PIECE = 1024
RECORDS_IN_HEAD = 100
PANDAS_ROWS = 4096
SHEET_ROWS = 1024


class Parquet(FileReader):
    """A Parquet file."""

    def _open(self) -> pq.ParquetFile:
        import pyarrow.parquet as pq  # slow to import, and most text is in other files

        if not self.size:
            raise InputError(f"{self.path.name} is empty")
        try:
            return pq.ParquetFile(self.path.open() if isinstance(self.path, RemotePath) else self.path)
        except (OSError, ValueError, pa.ArrowException) as error:
            raise InputError(f"cannot read {self.path} as Parquet: {first_line(error)}") from None

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
                    lines = np.arange(line, line + frame.height)
                    yield Piece(partial(_parse, frame, lines, fields, first), done)
                    line += frame.height
        except (OSError, ValueError, pa.ArrowException) as error:
            raise InputError(f"cannot read {self.path.name}: {first_line(error)}") from None


class Spreadsheet(FileReader):
    """The first sheet of an Excel or OpenDocument file, whose first row names the columns."""

    @cached_property
    def _sheet(self) -> tuple[pl.DataFrame, list[str]]:
        """The rows of the first sheet, as strings, and the names of all sheets."""
        fastexcel = import_extra("fastexcel", "reading spreadsheets", "documents")
        try:
            with self.path.open("rb") as file:
                book = fastexcel.read_excel(file.read())
            return book.load_sheet(0, dtypes="string").to_polars(), book.sheet_names
        except fastexcel.FastExcelError as error:
            raise InputError(f"cannot read {self.path.name}: {first_line(error)}") from None

    @property
    def notes(self) -> list[str]:
        """What is left out: all sheets but the first."""
        first, *others = self._sheet[1]
        return [f"only the sheet '{first}' of {self.path.name} was read, not {some_of(others)}"] if others else []

    def columns(self) -> list[str] | None:
        """Return the column names; None for an empty sheet."""
        return self._sheet[0].columns or None

    def pieces(self, fields: Fields, first: int) -> Iterator[Piece]:
        """Cut the sheet into slices, without blank rows."""
        frame = self._sheet[0].select(fields.names)
        filled = np.flatnonzero(~frame.select(pl.all_horizontal(pl.all().is_null())).to_series().to_numpy())
        for start in range(0, len(filled), SHEET_ROWS):
            rows = filled[start : start + SHEET_ROWS]
            yield Piece(partial(_parse, frame[rows], rows + 2, fields, first), self.size)


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
                lines = np.arange(line, line + part.height)
                line += part.height
                yield Piece(partial(_parse, part, lines, fields, first), line - 1)

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
            raise InputError("the records came from a generator that was used already; give a list, or a new generator")
        self._used = True
        rows = enumerate(chain(self._head or [], self.records) if self._once else self.records, 1)
        done = 0
        while part := list(islice(rows, RECORDS_IN_PIECE)):
            done += len(part)
            yield Piece(partial(_parse_records, part, fields, first), done)


def records_of(columns: Mapping[Any, Any]) -> list[dict[str, Any]]:
    """Return the rows of a mapping of names to lists."""
    if not all(
        isinstance(values, Sized) and not isinstance(values, str | bytes | Mapping) for values in columns.values()
    ):
        raise InputError("cannot read one mapping as a corpus; give lists: {'text': ['…', '…'], 'year': [1998, 1999]}")
    if any(hasattr(values, "column_names") for values in columns.values()):
        raise InputError(f"choose one part of the data: {', '.join(map(str, columns))}")
    sizes = {str(name): len(values) for name, values in columns.items()}
    if len(set(sizes.values())) > 1:
        raise InputError(f"the lists differ in length: {', '.join(f'{name} {size:,}' for name, size in sizes.items())}")
    return [dict(zip(sizes, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def _check_mappings(rows: Iterable[tuple[int, Any]]) -> None:
    for number, record in rows:
        if not isinstance(record, Mapping):
            shown = " ".join(repr(record).split())
            raise InputError(f"records:{number} is not a mapping of field names to values but {shown:.60}")


def _parse_records(rows: list[tuple[int, Mapping[str, Any]]], fields: Fields, source: int) -> list[Batch]:
    _check_mappings(rows)
    return Batch.of_rows(rows, fields, source)


def _from_pandas(column: Any) -> pl.Series:
    """Convert a pandas column; values of mixed types become strings."""
    with suppress(pa.ArrowException, pl.exceptions.PolarsError, TypeError, ValueError):
        converted = pl.Series(pl.from_pandas(column.reset_index(drop=True)))
        # polars would convert times to one zone, perhaps to another day, and it has no periods.
        if not (column.dtype == object and converted.dtype.is_temporal()) and column.dtype.name[:6] != "period":
            return converted
    return pl.Series(column.tolist(), dtype=pl.Object)


def _rows_in_block(rows: int, table_bytes: int, block_bytes: int) -> int:
    """Return the number of rows in a block."""
    return int(np.clip(rows * block_bytes // max(table_bytes, 1), 1, 1 << 20))


def _parse(frame: pl.DataFrame, lines: NDArray[np.int64], fields: Fields, source: int) -> list[Batch]:
    """Convert every column of a slice to strings."""
    if pl.Object in frame.dtypes:
        return Batch.of_rows(zip(lines.tolist(), frame.iter_rows(named=True), strict=True), fields, source)
    tokenized = isinstance(frame.schema[fields.text], pl.List | pl.Array)
    columns = []
    for name in fields.names:
        try:
            columns.append(_to_strings(frame[name], tokenized and name == fields.text))
        except (pl.exceptions.PolarsError, TypeError):
            raise InputError(f"column '{name}' holds {frame[name].dtype}, which cannot be read as text") from None
    return [Batch.of(pl.DataFrame(columns), source, lines, tokenized)]


def _to_strings(column: pl.Series, tokenized: bool) -> pl.Series:
    """Convert a column to strings: dates in ISO form, lists of tokens joined."""
    kind = column.dtype
    if tokenized and column.dtype.inner.is_nested():  # type: ignore[attr-defined]
        raise pl.exceptions.PolarsError
    if tokenized:
        return column.cast(pl.List(pl.String)).list.join(TOKEN_SEPARATOR, ignore_nulls=True)
    if kind == pl.Binary:
        return pl.Series(column.name, [to_string(item) for item in column], dtype=pl.String)
    if isinstance(kind, pl.Datetime):
        return column.dt.strftime("%Y-%m-%dT%H:%M:%S")
    return (column.fill_nan(None) if kind.is_float() else column).cast(pl.String)
