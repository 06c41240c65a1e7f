"""The mutual information of all conditions, in memory or on disk, a stretch of rows at a time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from chronotope.cooccurrence import Association, Counts, PairMatrix, positive_pmi
from chronotope.cooccurrence.association import rows_by_condition
from chronotope.methods.stretches import InFile

CELLS_AT_ONCE = 1 << 20  # are read from disk, 8 bytes each

Block = tuple[int, int]  # rows, from the first to before the last


@dataclass(frozen=True)
class MatrixOnDisk:
    """A `PairMatrix` whose cells are read when they are needed."""

    start: NDArray[np.int64]  # (P + 1,)
    context: InFile
    value: InFile
    contexts: int


def mutual_information(
    counts: Counts, association: Association, *, marginals: str, threads: int, folder: Path | None
) -> PairMatrix | MatrixOnDisk:
    """One sparse row for each (word, condition), in memory or, with a `folder`, on disk."""
    if folder is None:
        return positive_pmi(counts, association, marginals=marginals, threads=threads)
    context, value = InFile((), np.int32, folder), InFile((), np.float32, folder)
    lengths, end = [np.zeros(1, dtype=np.int64)], 0
    for rows in rows_by_condition(counts, association, marginals=marginals, threads=1):
        context.put(end, rows.context)
        value.put(end, rows.value)
        lengths.append(rows.length)
        end += len(rows.value)
    return MatrixOnDisk(
        np.cumsum(np.concatenate(lengths)), context, value, len(counts.vocabulary) * (1 + association.sides)
    )


def pieces(matrix: PairMatrix | MatrixOnDisk, block: Block) -> Iterator[tuple[slice, PairMatrix]]:
    """Which rows, and the matrix of these, until the block is through; a piece is good until the next is asked for."""
    start = matrix.start
    if isinstance(matrix, PairMatrix):
        own = slice(start[block[0]], start[block[1]])
        cut = PairMatrix(_from_zero(start, block), matrix.context[own], matrix.value[own], matrix.contexts)
        yield slice(*block), cut
        return
    limits = [block[0]]
    while limits[-1] < block[1]:
        last = int(np.searchsorted(start, start[limits[-1]] + CELLS_AT_ONCE, side="right")) - 1
        limits.append(min(max(last, limits[-1] + 1), block[1]))
    stretches = [(int(start[first]), int(start[last])) for first, last in pairwise(limits)]
    cells = zip(matrix.context.stream(stretches), matrix.value.stream(stretches), strict=True)
    for rows, (context, value) in zip(pairwise(limits), cells, strict=True):
        yield slice(*rows), PairMatrix(_from_zero(start, rows), context, value, matrix.contexts)


def _from_zero(start: NDArray[np.int64], rows: Block) -> NDArray[np.int64]:
    return np.asarray(start[rows[0] : rows[1] + 1] - start[rows[0]])
