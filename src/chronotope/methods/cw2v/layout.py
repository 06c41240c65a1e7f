"""The cells in the order in which a CPU visits them: stratum after stratum, condition after condition, row by row.

All cells of one (word, condition) are a row. A stratum is an eighth of the words, with all their rows; a part is some
of these words. Rows of different words have nothing in common while the other side stands still, so parts run at the
same time, in any order, on any number of threads, with the same result. The rows of one condition follow each other, so
that the vectors they are compared with stay in the cache; and since the cells lie in the order of their visits, they
can as well be read from a file while training goes on.

A cell is two small numbers: where its context stands among the words of its condition, and which of the different
counts of the condition it has. Targets and weights are kept once for each different count.
"""

from __future__ import annotations

import heapq
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from chronotope.config import ConditionedSettings
from chronotope.cooccurrence import Counts, scale_of_conditions, targets, weights
from chronotope.methods.cw2v.rows import STRATA
from chronotope.methods.stretches import InFile, InMemory, Stretches
from chronotope.runtime.kernels import kernel

PARTS = 16  # of a stratum; as many threads are of use


class Layout(NamedTuple):
    """The cells of a corpus, both directions, ready for training. S strata, C conditions, P pairs, N cells."""

    pair_start: NDArray[np.int64]  # (C + 1,) the pairs (word, condition) of a condition
    pair_word: NDArray[np.int32]  # (P,)
    pair_condition: NDArray[np.int32]  # (P,)
    pair_cells: NDArray[np.int64]  # (P,) how many cells a pair has; the matrix is symmetric, so on either side
    order: NDArray[np.int64]  # (S, C) the order of the conditions in each stratum
    rows: NDArray[np.int32]  # (P,) the pairs in the order of visits: by stratum, condition, part and word
    row_start: NDArray[np.int64]  # (S, C, PARTS + 1) the rows of each part, by stratum and place in its order
    cell_start: NDArray[np.int64]  # (P + 1,) the cells of each row; their order is random, and fixed
    value_start: NDArray[np.int64]  # (C + 1,) the values of each condition
    values: NDArray[np.float32]  # (V, 2) target and weight
    cells: Stretches  # (N, 2) context, by its place among the words of the condition, and value, among those there
    weight: float  # of all cells

    @property
    def condition_cells(self) -> NDArray[np.int64]:
        """(C,) how many cells a condition has."""
        return np.bincount(self.pair_condition, self.pair_cells, self.order.shape[1]).astype(np.int64)


def make_layout(
    counts: Counts,
    settings: ConditionedSettings,
    strata: int = STRATA,
    threads: int = 1,
    folder: Path | None = None,
) -> Layout:
    """The cells of all conditions, scaled, with targets and weights, in training order.

    Parameters
    ----------
    threads
        How many conditions are arranged at a time.
    folder
        Where the cells are to lie; None: in memory.
    """
    support, scale = counts.vocabulary.support, scale_of_conditions(counts, settings.scaling)
    words, conditions, condition_of = len(counts.vocabulary), len(counts.conditions), support.condition

    def look(condition: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        length = np.zeros(len(support.words_in(condition)), dtype=np.int64)
        different = np.empty(0, dtype=np.int64)
        for cells in counts.cells_in_parts(condition):
            _count(cells, words, support.words_in(condition), length)
            different = np.union1d(different, cells.count)
        return length, different

    with ThreadPoolExecutor(threads) as pool:
        lengths, different = zip(*pool.map(look, range(conditions)), strict=True)
        pair_cells = np.concatenate(lengths)
        order, rows, row_start = _visits(
            support.word, condition_of, pair_cells, words, conditions, strata, settings.seed
        )
        cell_start = np.concatenate([[0], np.cumsum(pair_cells[rows])])
        value_start = np.concatenate([[0], np.cumsum([len(own) for own in different])])
        values = np.empty((value_start[-1], 2), dtype=np.float32)
        for condition, (first, last) in enumerate(pairwise(value_start)):
            scaled = different[condition] * scale[condition]
            values[first:last, 0] = targets(scaled, settings.target)
            values[first:last, 1] = weights(scaled, settings.weight_cap, settings.weight_power)
        largest = max(np.diff(support.start).max(), np.diff(value_start).max())
        small = np.uint16 if largest <= 1 << 16 else np.uint32
        kept: Stretches = InFile((2,), small, folder) if folder else InMemory((int(cell_start[-1]), 2), small)
        turn = np.argsort(order, axis=1)

        def arrange(condition: int) -> float:
            """Put the cells of a condition where they are visited; return their weight."""
            limits = row_start[np.arange(strata), turn[:, condition]][:, [0, -1]]
            own = np.concatenate([rows[first:last] for first, last in limits])
            ends = np.cumsum(pair_cells[own])
            cells = np.empty((ends[-1] if len(ends) else 0, 2), dtype=small)
            cursor = np.empty(len(own), dtype=np.int64)
            cursor[own - support.start[condition]] = ends - pair_cells[own]
            for part in counts.cells_in_parts(condition):
                _arrange(part, words, support.words_in(condition), different[condition], cursor, cells)
            _shuffle(own, pair_cells, np.uint64(settings.seed), cells)
            done = 0
            for first, last in cell_start[limits]:
                kept.put(int(first), cells[done : done + last - first])
                done += last - first
            here = values[value_start[condition] : value_start[condition + 1], 1]
            return float(np.bincount(cells[:, 1], minlength=len(here)) @ here.astype(np.float64))

        weight = sum(pool.map(arrange, range(conditions)))
    return Layout(
        support.start, support.word, condition_of, pair_cells, order, rows, row_start, cell_start,
        value_start, values, kept, weight,
    )  # fmt: skip


def _visits(
    word: NDArray[np.int32],
    condition: NDArray[np.int32],
    pair_cells: NDArray[np.int64],
    words: int,
    conditions: int,
    strata: int,
    seed: int,
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int64]]:
    """`order`, `rows` and `row_start` of a `Layout`."""
    random = np.random.Generator(np.random.PCG64([seed, 1]))
    order = np.stack([random.permutation(conditions) for _ in range(strata)])
    load = np.bincount(word, pair_cells, words).astype(np.int64)
    part = balanced_blocks(load, strata * PARTS)[word].astype(np.int64)
    stratum, turn = part // PARTS, np.argsort(order, axis=1)
    # The pairs are sorted by condition and word already.
    place = (stratum * conditions + turn[stratum, condition]) * PARTS + part % PARTS
    rows = np.argsort(place, kind="stable").astype(np.int32)
    first = np.concatenate([[0], np.cumsum(np.bincount(place, minlength=strata * conditions * PARTS))])
    places = np.arange(strata * conditions)[:, None] * PARTS + np.arange(PARTS + 1)
    return order, rows, first[places].reshape(strata, conditions, PARTS + 1)


def balanced_blocks(load: NDArray[np.int64], blocks: int) -> NDArray[np.int32]:
    """(W,) a block for each word, so that the blocks carry about the same load: the heaviest words first.

    Examples
    --------
    >>> balanced_blocks(np.array([9, 5, 4, 1]), 2).tolist()
    [0, 1, 1, 0]
    """
    block = np.empty(len(load), dtype=np.int32)
    carried = [(0, number) for number in range(blocks)]
    for word in np.argsort(-load, kind="stable").tolist():
        lightest, number = carried[0]
        block[word] = number
        heapq.heapreplace(carried, (lightest + int(load[word]), number))
    return block


@kernel()
def _positions(words, present):  # type: ignore[no-untyped-def]
    """(W,) where each word stands among those present in a condition."""
    position = np.full(words, -1, dtype=np.int64)
    for number in range(len(present)):
        position[present[number]] = number
    return position


@kernel()
def _count(cells, words, present, length):  # type: ignore[no-untyped-def]
    """Add to `length` how many cells each pair of a condition has, in both directions."""
    position = _positions(words, present)
    for cell in range(len(cells.word)):
        i, j = cells.word[cell], cells.context[cell]
        length[position[i]] += 1
        if i != j:
            length[position[j]] += 1


@kernel()
def _arrange(cells, words, present, different, cursor, into):  # type: ignore[no-untyped-def]
    """Put cells of a condition into their rows, in both directions; `cursor` is where each row goes on."""
    position = _positions(words, present)
    for cell in range(len(cells.word)):
        i, j = position[cells.word[cell]], position[cells.context[cell]]
        value = np.searchsorted(different, cells.count[cell])
        for _direction in range(1 if i == j else 2):
            place = cursor[i]
            cursor[i] += 1
            into[place, 0] = j
            into[place, 1] = value
            i, j = j, i


@kernel()
def _shuffle(pairs, pair_cells, seed, cells):  # type: ignore[no-untyped-def]
    """Shuffle every row (Fisher and Yates), with random numbers made from the seed, the pair and the place."""
    first = 0
    for pair in pairs:
        for last in range(pair_cells[pair] - 1, 0, -1):
            mixed = (np.uint64(pair) << np.uint64(32)) + np.uint64(last) + seed * np.uint64(0x9E3779B97F4A7C15)
            mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
            mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
            mixed = (mixed ^ (mixed >> np.uint64(31))) & np.uint64(0xFFFFFFFF)
            # The upper half of a product of 32 bits with the number of choices is an even choice among them.
            a, b = first + last, first + np.int64((mixed * np.uint64(last + 1)) >> np.uint64(32))
            for column in range(2):
                cells[a, column], cells[b, column] = cells[b, column], cells[a, column]
        first += pair_cells[pair]
