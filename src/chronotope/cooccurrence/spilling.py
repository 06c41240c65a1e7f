"""Sorted cells on disk, more than memory holds: written in runs, merged as streams.

A run is a stretch of row groups in a Parquet file (word, context, count, after), sorted, with no pair twice. Runs of
the same condition are added by going through all of them at once, a row group of each in memory. A file lies on this
machine, or in any store that fsspec can open (s3://…, memory://…).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from chronotope.cooccurrence.cells import AT_ONCE, CellArrays, sum_of
from chronotope.io.stores import reading, writing
from chronotope.runtime.kernels import kernel

SCHEMA = pa.schema(
    [
        pa.field("word", pa.int32(), nullable=False),
        pa.field("context", pa.int32(), nullable=False),
        pa.field("count", pa.int64(), nullable=False),
        pa.field("after", pa.int64(), nullable=False),
    ]
)
# As much as is held of each run that is merged, 24 bytes a row.
ROWS_IN_A_GROUP = 1 << 15
# So many runs are merged at a time; more are merged in a tree.
MOST_AT_ONCE = AT_ONCE
BYTES_OF_A_CELL = 24
# What is held while so many runs are merged: a row group of each, its sum with the others, and what is written.
BYTES_OF_A_MERGE = 4 * MOST_AT_ONCE * ROWS_IN_A_GROUP * BYTES_OF_A_CELL


class Run(NamedTuple):
    """Sorted cells of one condition in a file.

    Attributes
    ----------
    path
        The file.
    first, last
        Its row groups are first … last - 1.
    cells
        How many cells they hold.
    """

    path: str
    first: int
    last: int
    cells: int


def write_runs(path: str, parts: Iterable[Iterable[CellArrays]]) -> list[Run]:
    """Write the cells of one or more conditions, each in one or more blocks; return where those of each are."""
    import pyarrow.parquet as pq  # most runs fit into memory

    runs, groups = [], 0
    with (
        writing(path) as file,
        pq.ParquetWriter(file, SCHEMA, compression="lz4", use_dictionary=False, write_statistics=False) as writer,
    ):
        for blocks in parts:
            first, cells = groups, 0
            for block in blocks:
                table = pa.Table.from_arrays([as_column(column) for column in block.widened()], schema=SCHEMA)
                if len(table):
                    writer.write_table(table, row_group_size=ROWS_IN_A_GROUP)
                groups += -(-len(table) // ROWS_IN_A_GROUP)
                cells += len(table)
            runs.append(Run(path, first, groups, cells))
    return runs


def as_column(values: NDArray[Any]) -> pa.Array[Any]:
    """Numbers as Arrow has them, not copied; `pa.array` would import pandas to ask whether they are its own."""
    kind = pa.from_numpy_dtype(values.dtype)
    return pa.Array.from_buffers(kind, len(values), [None, pa.py_buffer(np.ascontiguousarray(values).data)])


def read_run(run: Run) -> Iterator[CellArrays]:
    """The cells of a run, a row group at a time."""
    import pyarrow.parquet as pq

    if run.first == run.last:
        return
    with reading(run.path) as file:
        table = pq.ParquetFile(file)
        for group in range(run.first, run.last):
            cells = table.read_row_group(group, use_threads=False)
            # Copies: what Arrow hands out cannot be written to, and the kernels are compiled for arrays that can.
            yield CellArrays(*(cells[name].to_numpy().copy() for name in CellArrays._fields))


def merged(streams: list[Iterator[CellArrays]]) -> Iterator[CellArrays]:
    """The sum of sorted streams of cells, as a stream.

    All cells up to the first that some stream has not delivered yet are complete, and go out.

    Examples
    --------
    >>> one, two = CellArrays.of([0, 0], [1, 2], [5, 7], [5, 0]), CellArrays.of([0, 3], [2, 3], [1, 2], [1, 1])
    >>> [block.count.tolist() for block in merged([iter([one]), iter([two])])]
    [[5, 8], [2]]
    """
    held: list[tuple[CellArrays, Iterator[CellArrays]]] = []
    for stream in streams:
        if (block := _next(stream)) is not None:
            held.append((block, stream))
    while len(held) > 1:
        complete = min((int(block.word[-1]), int(block.context[-1])) for block, _ in held)
        parts, left = [], []
        for block, stream in held:
            cut = _up_to(block.word, block.context, *complete)
            parts.append(block.part(0, cut))
            rest: CellArrays | None = block.part(cut, len(block.word))
            if cut == len(block.word):
                rest = _next(stream)
            if rest is not None:
                left.append((rest, stream))
        held = left
        yield sum_of(parts)
    for block, stream in held:
        yield block
        yield from stream


def _next(stream: Iterator[CellArrays]) -> CellArrays | None:
    """The next block that holds any cells."""
    return next((block for block in stream if len(block.word)), None)


@kernel()
def _up_to(words, contexts, word, context):  # type: ignore[no-untyped-def]
    """How many of the sorted cells are not beyond (word, context)."""
    low, high = 0, len(words)
    while low < high:
        middle = (low + high) // 2
        if words[middle] < word or (words[middle] == word and contexts[middle] <= context):
            low = middle + 1
        else:
            high = middle
    return low
