"""The cells in the order in which training visits them: blocks of words × blocks of contexts, in short groups.

The words are split into a fixed number of blocks with about equal numbers of cells. A stratum is a set of block pairs
(word block, context block) that share no word block and no context block, so its members touch no parameter in
common (condition vectors aside) and can run at the same time, in any order, on any number of threads, with the same
result. Within a block pair the cells of one (word, condition) form groups, so that the word's side stays in registers.
"""

from __future__ import annotations

from typing import NamedTuple

import numba
import numpy as np
from numpy.typing import NDArray

from chronotope.config import ConditionedSettings
from chronotope.cooccurrence import Counts, scale_of_conditions, targets, weights

BLOCKS = 8
# Longer groups make the summed step of the word's side too coarse.
CELLS_IN_A_GROUP = 32


class Layout(NamedTuple):
    """The cells of a corpus, both directions, ready for training."""

    pair_word: NDArray[np.int32]  # (P,)
    pair_condition: NDArray[np.int32]  # (P,)
    block_start: NDArray[np.int64]  # (B·B + 1,) the groups of block pair (a, b) begin at block_start[a·B + b]
    group_start: NDArray[np.int64]  # (G + 1,) the cells of a group
    group_pair: NDArray[np.int32]  # (G,) the (word, condition) of a group
    context_pair: NDArray[np.int32]  # (N,) the (context, condition) of a cell
    target: NDArray[np.float32]  # (N,)
    weight: NDArray[np.float32]  # (N,)
    pair_cells: NDArray[np.int64]  # (P,) how many cells a pair has; the matrix is symmetric, so on either side
    condition_cells: NDArray[np.int64]  # (C,) how many cells a condition has


def make_layout(counts: Counts, settings: ConditionedSettings, blocks: int = BLOCKS) -> Layout:
    """The cells of all conditions, scaled, with targets and weights, in training order."""
    support = counts.vocabulary.support
    conditions = len(counts.conditions)
    words = len(counts.vocabulary)
    word_cells = np.zeros(words, dtype=np.int64)
    for condition in range(conditions):
        cells = counts.cells(condition)
        word_cells += np.bincount(cells.word, minlength=words) + np.bincount(cells.context, minlength=words)
    block_of_word = balanced_blocks(word_cells, blocks)

    in_block = np.zeros((len(support.word), blocks), dtype=np.int64)
    for condition in range(conditions):
        cells = counts.cells(condition)
        _count_blocks(
            cells.word, cells.context, support.words_in(condition), support.start[condition], block_of_word, in_block
        )
    pair_cells = in_block.sum(axis=1)
    size = int(pair_cells.sum())
    cursor, block_start, group_start, group_pair = _groups(in_block, block_of_word[support.word], CELLS_IN_A_GROUP)
    context_pair = np.empty(size, dtype=np.int32)
    target = np.empty(size, dtype=np.float32)
    weight = np.empty(size, dtype=np.float32)
    scale = scale_of_conditions(counts, settings.scaling)
    for condition in range(conditions):
        cells = counts.cells(condition)
        scaled = cells.count * scale[condition]
        _scatter(
            cells.word, cells.context,
            targets(scaled, settings.target), weights(scaled, settings.weight_cap, settings.weight_power),
            support.words_in(condition), support.start[condition], block_of_word,
            cursor, context_pair, target, weight,
        )  # fmt: skip
    return Layout(
        pair_word=support.word,
        pair_condition=support.condition,
        block_start=block_start,
        group_start=group_start,
        group_pair=group_pair,
        context_pair=context_pair,
        target=target,
        weight=weight,
        pair_cells=pair_cells,
        condition_cells=np.add.reduceat(np.append(pair_cells, 0), support.start[:-1]) * (np.diff(support.start) > 0),
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


def strata(blocks: int) -> list[list[int]]:
    """Sets of block pairs that share neither a word block nor a context block; together all of them.

    Examples
    --------
    >>> strata(2)
    [[0, 3], [1, 2]]
    """
    return [[a * blocks + (a + shift) % blocks for a in range(blocks)] for shift in range(blocks)]


@numba.njit(cache=True)
def _positions(words, present):  # type: ignore[no-untyped-def]
    """(W,) where each word stands among those present in a condition."""
    position = np.full(words, -1, dtype=np.int64)
    for number in range(len(present)):
        position[present[number]] = number
    return position


@numba.njit(cache=True)
def _count_blocks(word, context, present, first, block_of_word, in_block):  # type: ignore[no-untyped-def]
    position = _positions(len(block_of_word), present)
    for cell in range(len(word)):
        i, j = word[cell], context[cell]
        in_block[first + position[i], block_of_word[j]] += 1
        if i != j:
            in_block[first + position[j], block_of_word[i]] += 1


@numba.njit(cache=True)
def _groups(in_block, block_of_pair, longest):  # type: ignore[no-untyped-def]
    """Where the cells of each (pair, context block) begin, and the groups that they are cut into."""
    pairs, blocks = in_block.shape
    groups = 0
    for pair in range(pairs):
        for block in range(blocks):
            groups += (in_block[pair, block] + longest - 1) // longest
    cursor = np.empty((pairs, blocks), dtype=np.int64)
    block_start = np.empty(blocks * blocks + 1, dtype=np.int64)
    group_start = np.empty(groups + 1, dtype=np.int64)
    group_pair = np.empty(groups, dtype=np.int32)
    group = 0
    cell = 0
    for a in range(blocks):
        for b in range(blocks):
            block_start[a * blocks + b] = group
            for pair in range(pairs):
                if block_of_pair[pair] != a:
                    continue
                cursor[pair, b] = cell
                left = in_block[pair, b]
                while left > 0:
                    group_start[group] = cell
                    group_pair[group] = pair
                    group += 1
                    cell += min(left, longest)
                    left -= longest
    block_start[blocks * blocks] = group
    group_start[groups] = cell
    return cursor, block_start, group_start, group_pair


@numba.njit(cache=True)
def _scatter(word, context, targets, weights, present, first, block_of_word, cursor, context_pair, target, weight):  # type: ignore[no-untyped-def]
    position = _positions(len(block_of_word), present)
    for cell in range(len(word)):
        i, j = word[cell], context[cell]
        for _direction in range(1 if i == j else 2):
            row = first + position[i]
            block = block_of_word[j]
            place = cursor[row, block]
            cursor[row, block] += 1
            context_pair[place] = first + position[j]
            target[place] = targets[cell]
            weight[place] = weights[cell]
            i, j = j, i
