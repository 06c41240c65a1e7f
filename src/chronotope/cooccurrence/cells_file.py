"""Cells on disk: one Parquet file, sorted by condition, word and context; no row group mixes conditions.

Columns: the ids condition, word and context (int32), and the columns of `CellArrays` in units of the run (int64). The
cells of a run and temporary parts have this format.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
import pyarrow as pa

from chronotope.cooccurrence.cells import CellArrays
from chronotope.errors import DamagedFileError, first_line
from chronotope.io.stores import reading

if TYPE_CHECKING:
    import pyarrow.parquet as pq  # slow to import, and most commands read no cells

_IDS, _SUMS = ("condition", "word", "context"), ("count", "after")
SCHEMA = pa.schema(
    [pa.field(name, pa.int32() if name in _IDS else pa.int64(), nullable=False) for name in (*_IDS, *_SUMS)]
)
# About 30 MB of cells.
ROWS_IN_A_GROUP = 1 << 20
# Far more than in our files; a file that claims more is refused before it is read.
MAX_ROWS_A_BYTE = 100


def write_cells(
    where: Any, conditions: Iterable[Iterable[CellArrays]], rows: int = ROWS_IN_A_GROUP
) -> tuple[list[int], list[int]]:
    """Write the cells of each condition, given in sorted blocks of any size, to a path or a file.

    Return the number of cells, and the sum of all counts, of each condition.
    """
    import pyarrow.parquet as pq

    sizes, pairs = [], []
    encoding = dict.fromkeys(SCHEMA.names, "DELTA_BINARY_PACKED")
    with pq.ParquetWriter(
        where,
        SCHEMA,
        use_dictionary=False,
        column_encoding=encoding,
        compression="none",
        write_statistics=["condition", "word"],
        store_schema=False,
    ) as writer:
        for condition, blocks in enumerate(conditions):
            sizes.append(0)
            pairs.append(0)
            for cells in _regroup(blocks, rows):
                columns = {"condition": np.full(len(cells.word), condition, np.int32)} | cells._asdict()
                # Through polars: Arrow would import pandas for NumPy arrays, which is slow.
                writer.write_table(pl.DataFrame(columns).to_arrow().cast(SCHEMA))
                sizes[-1] += len(cells.word)
                pairs[-1] += cells.total()
    return sizes, pairs


def _regroup(blocks: Iterable[CellArrays], rows: int) -> Iterator[CellArrays]:
    """Cut blocks of any size into row groups of `rows`, so that the bytes do not depend on the blocks."""
    held: list[CellArrays] = []
    size = 0
    for block in blocks:
        held.append(block)
        size += len(block.word)
        if size >= rows:
            cells = CellArrays.concatenate(held)
            whole = size // rows * rows
            yield from cells.part(0, whole).blocks(rows)
            held, size = [cells.part(whole, size)], size - whole
    if size:
        yield CellArrays.concatenate(held)


class CellsFile:
    """Read the cells of one condition at a time; check them before compiled code trusts them.

    `sizes` is the number of cells of each condition, `words` the size of the vocabulary.
    """

    def __init__(self, path: str | Path, sizes: list[int], words: int) -> None:
        self.path, self.sizes, self.words = path, sizes, words

    @cached_property
    def _groups(self) -> tuple[pq.FileMetaData, list[int]]:
        """The metadata of the file, and the first row group of each condition, (C + 1,)."""
        import pyarrow.parquet as pq

        with reading(str(self.path)) as file:
            about = pq.read_metadata(file)
            rows = [about.row_group(group).num_rows for group in range(about.num_row_groups)]
            if max(rows, default=0) > ROWS_IN_A_GROUP or sum(rows) > MAX_ROWS_A_BYTE * file.seek(0, 2):
                raise DamagedFileError(f"{self.path} claims more cells than it can hold; it is not read")
        return about, np.searchsorted(np.cumsum([0, *rows])[:-1], np.cumsum([0, *self.sizes])).tolist()

    def read(self, condition: int) -> CellArrays:
        """Return the cells of a condition."""
        return CellArrays.concatenate(list(self.parts(condition)))

    def parts(self, condition: int) -> Iterator[CellArrays]:
        """Yield the cells of a condition in order, a row group at a time."""
        import pyarrow.parquet as pq

        rows = 0
        try:
            about, first = self._groups
            for group in range(first[condition], first[condition + 1]):
                with reading(str(self.path)) as file:
                    table = pq.ParquetFile(file, metadata=about).read_row_group(group, list(CellArrays._fields))
                rows += len(table)
                yield self._check(table)
        except MemoryError:
            raise
        except (OSError, ValueError, pa.ArrowException) as error:
            raise DamagedFileError(f"{self.path} cannot be read ({first_line(error)}); prepare the run again") from None
        if rows != self.sizes[condition]:
            raise DamagedFileError(f"{self.path} does not fit the description of its run; prepare the run again")

    def _check(self, table: pa.Table) -> CellArrays:
        """Return the columns of a table as cells, or refuse them."""
        fields = [SCHEMA.field(name) for name in CellArrays._fields]
        if table.schema.types != [field.type for field in fields] or any(column.null_count for column in table.columns):
            raise DamagedFileError(f"{self.path} does not hold the columns of a run; prepare the run again")
        # Through polars, since Arrow's `to_numpy` imports pandas.
        cells = CellArrays(*(column.to_numpy() for column in pl.DataFrame(table)))
        if len(table) and (
            cells.word.min() < 0
            or cells.context.max() >= self.words
            or (cells.word > cells.context).any()
            or cells.after.min() < 0
            or (cells.after > cells.count).any()
        ):
            raise DamagedFileError(f"{self.path} was altered: it holds impossible counts; prepare the run again")
        return cells
