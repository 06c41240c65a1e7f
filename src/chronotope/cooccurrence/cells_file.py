"""Cells on disk: one Parquet file, sorted by condition, whose row groups never mix conditions.

Columns: condition, word, context (int32; the numbers of the run's conditions and vocabulary), count and after (int64,
in units of the run; see `CellArrays`). DuckDB, Spark, pandas and Polars can read it.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from chronotope.cooccurrence.counting import CellArrays
from chronotope.errors import DamagedFile
from chronotope.provenance import HashedWriter

SCHEMA = pa.schema(
    [
        pa.field("condition", pa.int32(), nullable=False),
        pa.field("word", pa.int32(), nullable=False),
        pa.field("context", pa.int32(), nullable=False),
        pa.field("count", pa.int64(), nullable=False),
        pa.field("after", pa.int64(), nullable=False),
    ]
)
ROWS_IN_A_GROUP = 4_000_000
# Numbers that ascend are stored as their differences, and counts by the few different ones that there are. That is
# smaller than a general compression of the plain numbers, and both written and read in a fraction of the time.
ENCODING = dict.fromkeys(("condition", "word", "context"), "DELTA_BINARY_PACKED")


def write_cells(path: Path, conditions: Iterable[CellArrays]) -> tuple[list[int], str]:
    """Write the cells of each condition in turn; return how many each has, and the checksum of the file."""
    sizes = []
    with (
        HashedWriter(path) as file,
        pq.ParquetWriter(
            file,
            SCHEMA,
            compression="none",
            use_dictionary=["count", "after"],  # type: ignore[arg-type]  # the stubs know only yes and no
            column_encoding=ENCODING,
            write_statistics=["condition", "word"],
        ) as writer,
    ):
        for number, cells in enumerate(conditions):
            sizes.append(len(cells.word))
            columns: dict[str, Any] = {"condition": np.full(len(cells.word), number, dtype=np.int32), **cells._asdict()}
            table = pa.Table.from_arrays([pa.array(columns[name]) for name in SCHEMA.names], schema=SCHEMA)
            if len(table):
                writer.write_table(table, row_group_size=ROWS_IN_A_GROUP)
    return sizes, file.checksum


class CellsFile:
    """The cells of any one condition, read when they are asked for."""

    def __init__(self, path: Path, sizes: list[int]) -> None:
        self.path = path
        self.sizes = sizes
        groups = [-(-size // ROWS_IN_A_GROUP) for size in sizes]
        self._first_group = np.concatenate([[0], np.cumsum(groups)]).tolist()

    def read(self, condition: int) -> CellArrays:
        """The cells of a condition."""
        groups = list(range(self._first_group[condition], self._first_group[condition + 1]))
        try:
            table = pq.ParquetFile(self.path).read_row_groups(groups, columns=list(CellArrays._fields))
        except (OSError, pa.ArrowException) as error:
            raise DamagedFile(f"{self.path} cannot be read ({error}); prepare the run again") from None
        if len(table) != self.sizes[condition]:
            raise DamagedFile(f"{self.path} does not hold what its run says; prepare the run again")
        return CellArrays(*(table[name].to_numpy() for name in CellArrays._fields))
