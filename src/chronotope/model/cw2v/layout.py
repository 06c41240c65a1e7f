"""The cells in the order in which a CPU visits them: row by row, and the rows by stratum, part and condition.

All cells of one (word, condition) are a row. A stratum is an eighth of the words, with all their rows; a part is some
of these words. Rows of different words have nothing in common while the other side stands still, so parts run at the
same time, in any order, on any number of threads, with the same result. Within a part the rows of one condition follow
each other, so that the vectors they are compared with stay in the cache.
"""

from __future__ import annotations

from typing import NamedTuple

import numba
import numpy as np
from numpy.typing import NDArray

from chronotope.config import ConditionedSettings
from chronotope.cooccurrence import Counts, scale_of_conditions, targets, weights
from chronotope.model.cw2v.rows import STRATA

PARTS = 16  # of a stratum; as many threads are of use


class Layout(NamedTuple):
    """The cells of a corpus, both directions, ready for training."""

    pair_word: NDArray[np.int32]  # (P,)
    pair_condition: NDArray[np.int32]  # (P,)
    start: NDArray[np.int64]  # (P + 1,) the cells of pair p begin at start[p]; their order is random, and fixed
    context_pair: NDArray[np.int32]  # (N,) the (context, condition) of a cell
    target: NDArray[np.float32]  # (N,)
    weight: NDArray[np.float32]  # (N,)
    rows: NDArray[np.int32]  # (P,) the pairs by stratum, part, condition and word
    row_start: NDArray[np.int64]  # (S, PARTS, C + 1) where those of a condition begin
    order: NDArray[np.int64]  # (S, C) the order of the conditions in each stratum

    @property
    def pair_cells(self) -> NDArray[np.int64]:
        """(P,) how many cells a pair has; the matrix is symmetric, so on either side."""
        return np.diff(self.start)

    @property
    def condition_cells(self) -> NDArray[np.int64]:
        """(C,) how many cells a condition has."""
        return np.bincount(self.pair_condition, self.pair_cells, self.order.shape[1]).astype(np.int64)


def make_layout(counts: Counts, settings: ConditionedSettings, strata: int = STRATA) -> Layout:
    """The cells of all conditions, scaled, with targets and weights, in training order."""
    support = counts.vocabulary.support
    words, conditions, pairs = len(counts.vocabulary), len(counts.conditions), len(support.word)
    pair_cells = np.zeros(pairs, dtype=np.int64)
    for condition in range(conditions):
        cells = counts.cells(condition)
        _count(cells.word, cells.context, words, support.words_in(condition), support.start[condition], pair_cells)
    start = np.concatenate([[0], np.cumsum(pair_cells)])
    context_pair = np.empty(start[-1], dtype=np.int32)
    target = np.empty(start[-1], dtype=np.float32)
    weight = np.empty(start[-1], dtype=np.float32)
    cursor = start[:-1].copy()
    scale = scale_of_conditions(counts, settings.scaling)
    for condition in range(conditions):
        cells = counts.cells(condition)
        scaled = cells.count * scale[condition]
        _scatter(
            cells.word, cells.context,
            targets(scaled, settings.target), weights(scaled, settings.weight_cap, settings.weight_power),
            words, support.words_in(condition), support.start[condition], cursor, context_pair, target, weight,
        )  # fmt: skip
    _shuffle(start, np.uint64(settings.seed), context_pair, target, weight)

    load = np.bincount(support.word, pair_cells, words).astype(np.int64)
    part = balanced_blocks(load, strata * PARTS)[support.word].astype(np.int64)
    # The pairs are sorted by condition and word already.
    place = part * conditions + support.condition
    rows = np.argsort(place, kind="stable").astype(np.int32)
    first = np.concatenate([[0], np.cumsum(np.bincount(place, minlength=strata * PARTS * conditions))])
    places = np.arange(strata * PARTS)[:, None] * conditions + np.arange(conditions + 1)
    random = np.random.Generator(np.random.PCG64([settings.seed, 1]))
    return Layout(
        pair_word=support.word,
        pair_condition=support.condition,
        start=start,
        context_pair=context_pair,
        target=target,
        weight=weight,
        rows=rows,
        row_start=first[places].reshape(strata, PARTS, conditions + 1),
        order=np.stack([random.permutation(conditions) for _ in range(strata)]),
    )


def balanced_blocks(load: NDArray[np.int64], blocks: int) -> NDArray[np.int32]:
    """(W,) a block for each word, so that the blocks carry about the same load: the heaviest words first.

    Examples
    --------
    >>> balanced_blocks(np.array([9, 5, 4, 1]), 2).tolist()
    [0, 1, 1, 0]
    """
    block = np.empty(len(load), dtype=np.int32)
    carried = np.zeros(blocks, dtype=np.int64)
    for word in np.argsort(-load, kind="stable"):
        block[word] = lightest = int(carried.argmin())
        carried[lightest] += load[word]
    return block


@numba.njit(cache=True)
def _positions(words, present):  # type: ignore[no-untyped-def]
    """(W,) where each word stands among those present in a condition."""
    position = np.full(words, -1, dtype=np.int64)
    for number in range(len(present)):
        position[present[number]] = number
    return position


@numba.njit(cache=True)
def _count(word, context, words, present, first, pair_cells):  # type: ignore[no-untyped-def]
    """Count the cells of each pair of a condition, in both directions."""
    position = _positions(words, present)
    for cell in range(len(word)):
        i, j = word[cell], context[cell]
        pair_cells[first + position[i]] += 1
        if i != j:
            pair_cells[first + position[j]] += 1


@numba.njit(cache=True)
def _scatter(word, context, targets, weights, words, present, first, cursor, context_pair, target, weight):  # type: ignore[no-untyped-def]
    """Put the cells of a condition into their rows, in both directions."""
    position = _positions(words, present)
    for cell in range(len(word)):
        i, j = first + position[word[cell]], first + position[context[cell]]
        for _direction in range(1 if i == j else 2):
            place = cursor[i]
            cursor[i] += 1
            context_pair[place] = j
            target[place] = targets[cell]
            weight[place] = weights[cell]
            i, j = j, i


@numba.njit(cache=True)
def _shuffle(start, seed, context_pair, target, weight):  # type: ignore[no-untyped-def]
    """Shuffle every row (Fisher and Yates), with random numbers made from the seed and the place of the cell."""
    for row in range(len(start) - 1):
        for last in range(start[row + 1] - 1, start[row], -1):
            mixed = (np.uint64(last) + seed * np.uint64(0x9E3779B97F4A7C15)) * np.uint64(0xBF58476D1CE4E5B9)
            mixed = (mixed ^ (mixed >> np.uint64(29))) * np.uint64(0x94D049BB133111EB)
            mixed = (mixed ^ (mixed >> np.uint64(32))) & np.uint64(0xFFFFFFFF)
            # The upper half of a product of 32 bits with the number of choices is an even choice among them.
            choice = start[row] + np.int64((mixed * np.uint64(last - start[row] + 1)) >> np.uint64(32))
            context_pair[last], context_pair[choice] = context_pair[choice], context_pair[last]
            target[last], target[choice] = target[choice], target[last]
            weight[last], weight[choice] = weight[choice], weight[last]
