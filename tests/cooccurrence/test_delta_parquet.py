"""Whole numbers as Parquet: what others read is what was written."""

from __future__ import annotations

import io

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chronotope.cooccurrence import cells_file, delta_parquet
from chronotope.cooccurrence.cells_file import SCHEMA, CellsFile, write_cells
from chronotope.cooccurrence.counting import CellArrays
from chronotope.cooccurrence.delta_parquet import DeltaParquet
from chronotope.provenance import checksum

COLUMNS = {"small": np.dtype("int32"), "large": np.dtype("int64")}
ROWS = st.tuples(st.integers(0, 2**31 - 1), st.integers(-(2**63), 2**63 - 1))
FEW_BITS = st.tuples(st.integers(0, 9), st.integers(-3, 3))


def written(*groups):
    file = io.BytesIO()
    with DeltaParquet(file, COLUMNS, with_range=("small",)) as table:
        for group in groups:
            table.write(group)
    return file.getvalue()


def as_columns(rows):
    small, large = zip(*rows, strict=True)
    return [np.array(small, np.int32), np.array(large, np.int64)]


@settings(deadline=None)
@given(st.lists(st.lists(st.one_of(ROWS, FEW_BITS), min_size=1, max_size=300), max_size=3))
def test_others_read_what_was_written(groups):
    """Numbers that need all their bits among others that need few; any number of row groups, none included."""
    data = written(*map(as_columns, groups))
    expected = [row for group in groups for row in group]
    assert list(map(tuple, pl.read_parquet(data, use_pyarrow=False).iter_rows())) == expected
    table = pq.read_table(io.BytesIO(data))
    assert table.schema.types == [pa.int32(), pa.int64()]
    assert list(zip(*(column.to_pylist() for column in table.columns), strict=True)) == expected


@pytest.mark.parametrize("rows", [1, 2, 32, 33, 128, 129, 130, 256, 257, 258, 1000])
@pytest.mark.parametrize("bits", [0, 1, 15, 16, 17, 31])
def test_blocks_of_every_fill_and_width(rows, bits):
    random = np.random.default_rng(rows + bits)
    small = random.integers(0, 1 << bits, rows).astype(np.int32)
    large = random.integers(0, 1 << 2 * bits, rows)
    table = pl.read_parquet(written([small, large]), use_pyarrow=False)
    assert table["small"].to_list() == small.tolist()
    assert table["large"].to_list() == large.tolist()


def test_a_row_group_of_many_pages(monkeypatch):
    monkeypatch.setattr(delta_parquet, "ROWS_IN_A_PAGE", 1000)
    small = np.arange(5_500, dtype=np.int32)
    data = written([small, -small.astype(np.int64)], [small[:3], small[:3].astype(np.int64)])
    table = pq.read_table(io.BytesIO(data))
    assert table["small"].to_pylist() == [*range(5_500), 0, 1, 2]
    assert table["large"].to_pylist() == [*range(0, -5_500, -1), 0, 1, 2]


def test_readers_are_told_the_range_of_each_group():
    data = written(as_columns([(3, 1), (7, 2)]), as_columns([(8, 1)]))
    about = pq.ParquetFile(io.BytesIO(data)).metadata
    ranges = [about.row_group(group).column(0).statistics for group in range(2)]
    assert [(found.min, found.max, found.null_count) for found in ranges] == [(3, 7, 0), (8, 8, 0)]
    assert about.row_group(0).column(1).statistics is None


def test_cells_that_are_all_alike_are_not_taken_for_a_bomb(tmp_path):
    """A file that claims too many rows for its bytes is refused; none of ours is one."""
    size = 300_000
    same = CellArrays(*(np.full(size, 1, kind) for kind in (np.int32, np.int32, np.int64, np.int64)))
    sizes, own = write_cells(tmp_path / "cells.parquet", [[same], [], [same.part(0, 5)]])
    assert sizes == [size, 0, 5]
    assert own == checksum(tmp_path / "cells.parquet")
    assert (tmp_path / "cells.parquet").stat().st_size * cells_file.MOST_ROWS_A_BYTE > 10 * size
    file = CellsFile(tmp_path / "cells.parquet", sizes, 2)
    assert [len(file.read(condition).word) for condition in range(3)] == [size, 0, 5]


def test_the_file_does_not_depend_on_how_cells_come(tmp_path, monkeypatch):
    monkeypatch.setattr(cells_file, "ROWS_IN_A_GROUP", 1000)
    random = np.random.default_rng(1)
    cells = CellArrays(
        np.sort(random.integers(0, 50, 4_321)).astype(np.int32),
        random.integers(50, 99, 4_321).astype(np.int32),
        random.integers(9, 1 << 40, 4_321),
        random.integers(0, 9, 4_321),
    )
    write_cells(tmp_path / "whole", [[cells]])
    write_cells(tmp_path / "parts", [(cells.part(first, first + 777) for first in range(0, 4_321, 777))])
    assert (tmp_path / "whole").read_bytes() == (tmp_path / "parts").read_bytes()


def test_cells_of_other_writers_open(tmp_path):
    """Earlier versions wrote other encodings, compressed, with other pages."""
    columns = {"condition": [0, 0, 1], "word": [0, 1, 0], "context": [1, 1, 2], "count": [9, 4, 1], "after": [3, 2, 0]}
    pq.write_table(pa.table(columns, schema=SCHEMA), tmp_path / "cells.parquet", compression="lz4", row_group_size=2)
    file = CellsFile(tmp_path / "cells.parquet", [2, 1], 3)
    assert [column.tolist() for column in file.read(0)] == [[0, 1], [1, 1], [9, 4], [3, 2]]
    assert [column.tolist() for column in file.read(1)] == [[0], [2], [1], [0]]
