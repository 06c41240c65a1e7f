"""The cells of a corpus in the order of training: by stratum, condition, part and row.

All cells of one (word, condition) pair form a row. A stratum holds the rows of an eighth of the words, a part those of
a sixteenth of these words. Rows of different words are independent while the other side is fixed, so parts run in
parallel with the same result on any number of threads. Cells are stored in the order of training, so that they can be
read from disk.
"""

import heapq
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from chronotope.config import ConditionedSettings
from chronotope.cooccurrence import Counts, scale_of_conditions
from chronotope.cooccurrence.association import targets, weights
from chronotope.methods.base import empty_array
from chronotope.runtime.kernels import kernel

STRATA = 8
PARTS = 16  # upper limit of useful threads


class Cells(NamedTuple):
    """All cells in both directions. P pairs (word, condition), C conditions, N cells, V values."""

    pair_start: NDArray[np.int64]  # (C + 1,) first pair of each condition
    pair_word: NDArray[np.int32]  # (P,)
    pair_condition: NDArray[np.int32]  # (P,)
    pair_cells: NDArray[np.int64]  # (P,) number of cells; counts are symmetric, so the same on both sides
    rows: NDArray[np.int64]  # (P,) pairs in training order
    row_start: NDArray[np.int64]  # (STRATA * C * PARTS + 1,) first row of each stratum, condition and part
    cell_start: NDArray[np.int64]  # (P + 1,) first cell of each row
    context: NDArray[np.int32]  # (N,) pair of the context; random order within a row
    value: NDArray[np.int32]  # (N,) index into `values`
    values: NDArray[np.float32]  # (V, 2) target and weight
    weight: float  # of all cells


def arrange_cells(
    counts: Counts, settings: ConditionedSettings, pool: ThreadPoolExecutor, folder: Path | None = None
) -> Cells:
    """Return the cells of all conditions in training order, in memory or mapped to files in `folder`."""
    support, scale = counts.vocabulary.support, scale_of_conditions(counts, settings.scaling)
    conditions = range(len(counts.conditions))
    # With a memory limit one condition is loaded at a time.
    over_conditions = map if folder else pool.map

    def survey(condition: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        cells, words = counts.cells(condition), len(counts.vocabulary)
        back = cells.context[cells.word != cells.context]
        size = np.bincount(cells.word, minlength=words) + np.bincount(back, minlength=words)
        return size[support.words_in(condition)], np.unique(cells.count)

    sizes, different = zip(*over_conditions(survey, conditions), strict=True)
    pair_cells = np.concatenate(sizes)
    rows, row_start = _training_order(counts, pair_cells)
    cell_start = np.append(0, np.cumsum(pair_cells[rows]))
    cursor = np.empty(len(rows), dtype=np.int64)
    cursor[rows] = cell_start[:-1]
    scaled = [own * scale[condition] for condition, own in enumerate(different)]
    values = np.column_stack(
        [
            np.concatenate([targets(own, settings.target) for own in scaled]),
            np.concatenate([weights(own, settings.weight_cap, settings.weight_power) for own in scaled]),
        ]
    )
    first_value = np.append(0, np.cumsum([len(own) for own in different]))
    context, value = (empty_array((int(cell_start[-1]),), np.int32, folder) for _ in range(2))

    def arrange(condition: int) -> float:
        """Write the cells of a condition in training order; return their weight."""
        cells = counts.cells(condition)
        pair = np.empty(len(counts.vocabulary), dtype=np.int32)
        pair[support.words_in(condition)] = np.arange(support.start[condition], support.start[condition + 1])
        own = np.searchsorted(different[condition], cells.count).astype(np.int32)
        own += np.int32(first_value[condition])
        random = np.random.Generator(np.random.PCG64([settings.seed, 1, condition]))
        order = random.permutation(np.arange(len(own), dtype=np.int32))
        words, contexts = pair[cells.word], pair[cells.context]
        return float(place_cells(order, words, contexts, own, values, cursor, context, value))

    weight = sum(over_conditions(arrange, conditions))
    return Cells(
        support.start, support.word, support.condition, pair_cells, rows, row_start, cell_start,
        context, value, values, weight,
    )  # fmt: skip


def _training_order(counts: Counts, pair_cells: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the order of the rows in training, and where each part begins (`rows`, `row_start` of `Cells`)."""
    support, conditions = counts.vocabulary.support, len(counts.conditions)
    load = np.bincount(support.word, pair_cells, len(counts.vocabulary)).astype(np.int64)
    stratum, part = np.divmod(balanced_parts(load, STRATA * PARTS)[support.word], PARTS)
    place = (stratum * conditions + support.condition) * PARTS + part
    row_start = np.append(0, np.cumsum(np.bincount(place, minlength=STRATA * conditions * PARTS)))
    return np.argsort(place, kind="stable"), row_start


def balanced_parts(load: NDArray[np.int64], parts: int) -> NDArray[np.int64]:
    """(W,) the part of each word, of about equal load: each word, the heaviest first, goes to the lightest part."""
    part = np.empty(len(load), dtype=np.int64)
    lightest = [(0, number) for number in range(parts)]
    for word in np.argsort(-load, kind="stable").tolist():
        total, part[word] = lightest[0]
        heapq.heapreplace(lightest, (total + int(load[word]), int(part[word])))
    return part


@kernel()
def place_cells(order, words, contexts, own, values, cursor, context, value):  # type: ignore[no-untyped-def]
    """Append each cell to the rows of its word and its context, which end at `cursor`; return the sum of weights."""
    weight = 0.0
    for cell in order:
        i, j = words[cell], contexts[cell]
        for _direction in range(1 if i == j else 2):
            context[cursor[i]] = j
            value[cursor[i]] = own[cell]
            weight += values[own[cell], 1]
            cursor[i] += 1
            i, j = j, i
    return weight
