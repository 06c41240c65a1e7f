"""Cells on disk: one Parquet file, sorted by condition, whose row groups never mix conditions.

Numbers that ascend are stored as their differences, and so are counts: that is small, and both written and read in a
fraction of the time of a general compression.

Columns: condition, word, context (int32; the numbers of the run's conditions and vocabulary), count and after (int64,
in units of the run; see `CellArrays`). DuckDB, Spark, pandas and Polars can read it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pyarrow as pa

from chronotope.cooccurrence.cells import CellArrays, total_pairs
from chronotope.cooccurrence.delta_packing import ROWS_IN_A_PAGE, Packed, joined, packed, packed_constant
from chronotope.cooccurrence.delta_parquet import DeltaParquet
from chronotope.errors import DamagedFile
from chronotope.io.provenance import quick_checksum

if TYPE_CHECKING:
    import pyarrow.parquet as pq

# Cells that are all alike take a sixth of a byte, and no version wrote larger groups; a bomb takes next to nothing.
MOST_ROWS_A_BYTE, MOST_IN_A_GROUP = 100, 1 << 22
SCHEMA = pa.schema(
    [
        pa.field("condition", pa.int32(), nullable=False),
        pa.field("word", pa.int32(), nullable=False),
        pa.field("context", pa.int32(), nullable=False),
        pa.field("count", pa.int64(), nullable=False),
        pa.field("after", pa.int64(), nullable=False),
    ]
)
# What is written, and can be read, at a time: some 30 MB.
ROWS_IN_A_GROUP = 1 << 20
MOST_ROWS_IN_A_GROUP = 4_000_000  # as earlier versions wrote them


class Group(NamedTuple):
    """A row group that is ready to be written.

    Attributes
    ----------
    size
        How many cells it has.
    pairs
        The sum of both triangles.
    columns
        All but the condition.
    """

    size: int
    pairs: int
    columns: list[Packed]


class Written(NamedTuple):
    """What was written: (C,) how many cells each condition has, and pairs; and the checksum of the file."""

    sizes: list[int]
    pairs: list[int]
    checksum: str


def write_cells(path: Path, conditions: Iterable[Iterable[Group]]) -> Written:
    """Write the cells of each condition in turn, as `groups_of` them."""
    sizes, pairs = [], []
    columns = {field.name: np.dtype(field.type.to_pandas_dtype()) for field in SCHEMA}
    with open(path, "wb") as file, DeltaParquet(file, columns) as table:
        for number, groups in enumerate(conditions):
            sizes.append(0)
            pairs.append(0)
            for group in groups:
                sizes[-1] += group.size
                pairs[-1] += group.pairs
                table.write([packed_constant(number, group.size), *group.columns])
    return Written(sizes, pairs, quick_checksum(path))


def groups_of(blocks: Iterable[CellArrays], pool: ThreadPoolExecutor | None = None) -> Iterator[Group]:
    """The cells of a condition, in one or more blocks, as row groups.

    They are packed when they are asked for; or before, by the threads of a pool.
    """
    pages = pool.map(_packed, _pages(blocks)) if pool else map(_packed, _pages(blocks))
    while some := list(islice(pages, ROWS_IN_A_GROUP // ROWS_IN_A_PAGE)):
        yield _group(some)


def _packed(page: CellArrays) -> Group:
    """A page of cells."""
    page = page.widened()
    return Group(len(page.word), total_pairs(page), [packed(column, column is page.word) for column in page])


def _pages(blocks: Iterable[CellArrays]) -> Iterator[CellArrays]:
    """Cells a page at a time, however they were cut."""
    held: list[CellArrays] = []
    size = 0
    for block in blocks:
        first = 0
        while first < len(block.word):
            last = min(first + ROWS_IN_A_PAGE - size, len(block.word))
            held.append(block.part(first, last))
            size += last - first
            first = last
            if size == ROWS_IN_A_PAGE:
                yield _joined(held)
                held, size = [], 0
    if size:
        yield _joined(held)


def _group(pages: list[Group]) -> Group:
    """Pages as one row group."""
    size, pairs = sum(page.size for page in pages), sum(page.pairs for page in pages)
    return Group(size, pairs, [joined(list(parts)) for parts in zip(*(page.columns for page in pages), strict=True)])


def _joined(parts: list[CellArrays]) -> CellArrays:
    return parts[0] if len(parts) == 1 else CellArrays(*map(np.concatenate, zip(*parts, strict=True)))


class CellsFile:
    """The cells of any one condition, read when they are asked for, and looked at before compiled code trusts them.

    Parameters
    ----------
    path
        The file.
    sizes
        How many cells each condition has.
    words
        The size of the vocabulary.
    """

    def __init__(self, path: Path, sizes: list[int], words: int) -> None:
        self.path = path
        self.sizes = sizes
        self.words = words

    @cached_property
    def _about(self) -> pq.FileMetaData:
        import pyarrow.parquet as pq  # only who reads needs it

        return pq.read_metadata(self.path)

    @cached_property
    def _first_group(self) -> list[int]:
        """(C + 1,) the row groups of each condition."""
        rows = [self._about.row_group(group).num_rows for group in range(self._about.num_row_groups)]
        if max(rows, default=0) > MOST_ROWS_IN_A_GROUP or sum(rows) > MOST_ROWS_A_BYTE * self.path.stat().st_size:
            raise DamagedFile(f"{self.path} claims more cells than it can hold; it is not read")
        found: list[int] = np.searchsorted(np.cumsum([0, *rows])[:-1], np.cumsum([0, *self.sizes])).tolist()
        return found

    def read(self, condition: int) -> CellArrays:
        """The cells of a condition."""
        parts = list(self.parts(condition))
        return _joined(parts) if parts else CellArrays.empty(0)

    def parts(self, condition: int) -> Iterator[CellArrays]:
        """The cells of a condition in order, a row group at a time."""
        import pyarrow.parquet as pq

        found = 0
        try:
            file = pq.ParquetFile(self.path, metadata=self._about)
            for group in range(self._first_group[condition], self._first_group[condition + 1]):
                table = file.read_row_group(group, columns=list(CellArrays._fields))
                found += len(table)
                yield self._checked(table)
        except (OSError, ValueError, pa.ArrowException) as error:
            reason = (str(error).splitlines() or ["damaged"])[0]
            raise DamagedFile(f"{self.path} cannot be read ({reason}); prepare the run again") from None
        if found != self.sizes[condition]:
            raise DamagedFile(f"{self.path} does not hold what its run says; prepare the run again")

    def _checked(self, table: pa.Table) -> CellArrays:
        """The columns of a table as cells, if they can be."""
        fields = [SCHEMA.field(name) for name in CellArrays._fields]
        if table.schema.types != [field.type for field in fields] or any(column.null_count for column in table.columns):
            raise DamagedFile(f"{self.path} does not hold the columns of a run; prepare the run again")
        cells = CellArrays(*(table[name].to_numpy() for name in CellArrays._fields))
        if len(table) and (
            cells.word.min() < 0
            or cells.context.max() >= self.words
            or (cells.word > cells.context).any()
            or cells.after.min() < 0
            or (cells.after > cells.count).any()
        ):
            raise DamagedFile(f"{self.path} was altered: it holds impossible counts; prepare the run again")
        return cells
