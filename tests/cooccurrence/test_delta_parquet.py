"""Packed columns are read back by others as they were."""

import io

import numpy as np
import polars as pl
import pyarrow.parquet as pq
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

from chronotope.cooccurrence.delta_packing import ROWS_IN_A_PAGE, packed, packed_constant
from chronotope.cooccurrence.delta_parquet import DeltaParquet


def read_back(columns, groups):
    """What Arrow and Polars read of some row groups."""
    file = io.BytesIO()
    with DeltaParquet(file, columns) as table:
        for group in groups:
            table.write(group)
    file.seek(0)
    by_arrow = pq.ParquetFile(file)
    file.seek(0)
    assert pl.read_parquet(file).equals(pl.from_arrow(by_arrow.read()))
    return by_arrow


@settings(deadline=None)
@given(
    npst.arrays(np.int32, st.integers(1, 700), elements=st.integers(0, 2**31 - 1)),
    npst.arrays(np.int64, st.integers(1, 700), elements=st.integers(0, 2**62) | st.integers(0, 3)),
)
@example(np.array([0, 2**31 - 1, 0] * 90, np.int32), np.array([0, 2**63 - 1, 0, 5] * 80, np.int64))
def test_any_numbers_from_zero_on_come_back(small, large):
    size = min(len(small), len(large))
    small, large = small[:size], large[:size]
    group = [packed_constant(7, size), packed(small, with_span=True), packed(large, with_span=True)]
    columns = {"same": np.dtype("int32"), "small": np.dtype("int32"), "large": np.dtype("int64")}
    found = read_back(columns, [group, group])
    for number in range(2):
        table = found.read_row_group(number)
        assert table["same"].to_pylist() == [7] * size
        assert table["small"].to_pylist() == small.tolist()
        assert table["large"].to_pylist() == large.tolist()
        ranges = [found.metadata.row_group(number).column(k).statistics for k in (1, 2)]
        assert [(r.min, r.max) for r in ranges] == [(small.min(), small.max()), (large.min(), large.max())]


@pytest.mark.parametrize("size", [1, 128, 129, 257, ROWS_IN_A_PAGE - 1, ROWS_IN_A_PAGE, 2 * ROWS_IN_A_PAGE + 1])
def test_blocks_and_pages_may_end_anywhere(size):
    values = np.random.default_rng(size).geometric(0.01, size) * 42
    found = read_back({"value": np.dtype("int64")}, [[packed(values)]]).read()
    assert found["value"].to_numpy().tolist() == values.tolist()
    assert packed_constant(3, size) == packed(np.full(size, 3, np.int32), with_span=True)


def test_small_differences_take_few_bits():
    ascending = packed(np.arange(100_000, dtype=np.int32) * 3)
    assert sum(len(data) for _, data in ascending.pages) < 100_000 // 20
