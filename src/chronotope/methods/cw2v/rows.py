"""The cells row by row, as a GPU visits them: those of one (word, condition) in short groups, spread over strata.

A pass over a stratum moves its rows of one side while the other side stands still, so the rows are independent of
each other and need no order among themselves. Since co-occurrence is symmetric, the same rows serve for the words and
for the contexts. Everything here runs on NumPy arrays or, just as well, on CuPy's.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

Array = Any  # of NumPy or CuPy

STRATA = 8
CELLS_IN_A_GROUP = 32


class RowCells(NamedTuple):
    """The cells of a corpus, both directions: by stratum, word, group. The order within is random, and fixed."""

    pair_word: Array  # (P,)
    pair_condition: Array  # (P,)
    pair_cells: Array  # (P,) how many cells a pair has
    word_start: Array  # (S, W + 1) the groups of word i in stratum s begin at word_start[s, i]
    group_start: Array  # (G + 1,) the cells of a group
    group_pair: Array  # (G,) the (word, condition) of a group
    context_pair: Array  # (N,) the (context, condition) of a cell
    target: Array  # (N,)
    weight: Array  # (N,)


def make_rows(
    xp: Any,
    conditions: Iterable[tuple[Array, Array, Array, Array]],
    start: Array,
    pair_word: Array,
    words: int,
    seed: int,
    strata: int = STRATA,
    longest: int = CELLS_IN_A_GROUP,
) -> RowCells:
    """The cells of all conditions in the order of training.

    Parameters
    ----------
    xp
        numpy or cupy: where the work is done and the result lies.
    conditions
        For each condition the word, context, target and weight of its cells, each pair of words in one direction.
    start, pair_word
        The pairs of condition c are start[c] … start[c + 1]; the word of each pair.
    """
    pair_word = xp.asarray(pair_word)
    pair_condition = xp.empty(len(pair_word), dtype=xp.int32)
    parts: list[tuple[Array, Array, Array]] = []
    pair_cells = xp.zeros(len(pair_word), dtype=xp.int64)
    position = xp.zeros(words, dtype=xp.int64)
    for condition, cells in enumerate(conditions):
        first, last = int(start[condition]), int(start[condition + 1])
        pair_condition[first:last] = condition
        position[pair_word[first:last]] = xp.arange(first, last)
        word, context, target, weight = (xp.asarray(array) for array in cells)
        back = xp.flatnonzero(word != context)
        own = position[xp.concatenate([word, context[back]])]
        other = position[xp.concatenate([context, word[back]])]
        order = xp.argsort((own << 31) | scrambled(xp, other, seed), kind="stable")
        pair_cells[first:last] = xp.bincount(own - first, minlength=last - first)
        parts.append(
            (
                other[order].astype(xp.int32),
                xp.concatenate([target, target[back]])[order],
                xp.concatenate([weight, weight[back]])[order],
            )
        )
    columns = [xp.concatenate(column) for column in zip(*parts, strict=True)]
    del parts

    # Groups of even length; the last of a row would otherwise often hold a cell or two.
    in_pair = -(-pair_cells // longest)
    group_last = xp.cumsum(in_pair)
    groups = int(group_last[-1])
    pair = xp.searchsorted(group_last, xp.arange(groups), side="right")
    number = xp.arange(groups) - (group_last - in_pair)[pair]
    share, rest = pair_cells // xp.maximum(in_pair, 1), pair_cells % xp.maximum(in_pair, 1)
    length = share[pair] + (number < rest[pair])
    first_cell = (xp.cumsum(pair_cells) - pair_cells)[pair] + number * share[pair] + xp.minimum(number, rest[pair])

    # The groups of each word in random order. A stratum has an eighth of the words, as on the CPU; but a word with more
    # groups than an eighth of the longest word's would keep the others waiting: its groups are dealt out to all strata.
    word_of_group = pair_word[pair].astype(xp.int64)
    order = xp.argsort((word_of_group << 31) | scrambled(xp, xp.arange(groups), seed + 1), kind="stable")
    word_of_group = word_of_group[order]
    in_word = xp.bincount(word_of_group, minlength=words)
    turn = xp.empty(words, dtype=xp.int64)
    turn[xp.argsort(-in_word, kind="stable")] = xp.arange(words)
    rank = xp.arange(groups) - xp.searchsorted(word_of_group, word_of_group)
    dealt = (in_word * strata > in_word.max())[word_of_group]
    stratum = (turn[word_of_group] + xp.where(dealt, rank, 0)) % strata

    word_start = xp.empty((strata, words + 1), dtype=xp.int64)
    group_start = xp.zeros(groups + 1, dtype=xp.int64)
    group_pair = xp.empty(groups, dtype=xp.int32)
    arranged = [xp.empty_like(column) for column in columns]
    group, cell = 0, 0
    for number_of_stratum in range(strata):
        members = xp.flatnonzero(stratum == number_of_stratum)
        chosen = order[members]
        word_start[number_of_stratum] = group + xp.searchsorted(word_of_group[members], xp.arange(words + 1))
        ends = xp.cumsum(length[chosen])
        size = int(ends[-1]) if len(members) else 0
        of_cell = xp.searchsorted(ends, xp.arange(size), side="right")
        source = (first_cell[chosen] - (ends - length[chosen]))[of_cell] + xp.arange(size)
        for column, into in zip(columns, arranged, strict=True):
            into[cell : cell + size] = column[source]
        group_pair[group : group + len(members)] = pair[chosen]
        group_start[group + 1 : group + 1 + len(members)] = cell + ends
        group, cell = group + len(members), cell + size
    return RowCells(pair_word, pair_condition, pair_cells, word_start, group_start, group_pair, *arranged)


def scrambled(xp: Any, numbers: Array, seed: int) -> Array:
    """(n,) 31 random bits for each number, the same on every machine (the finalizer of splitmix64).

    Examples
    --------
    >>> import numpy as np
    >>> scrambled(np, np.arange(3), seed=1).tolist()
    [926699317, 1601554128, 1608786696]
    """
    mixed = numbers.astype(xp.uint64) + xp.uint64((seed + 1) * 0x9E3779B97F4A7C15 % 2**64)
    mixed = (mixed ^ (mixed >> xp.uint64(30))) * xp.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> xp.uint64(27))) * xp.uint64(0x94D049BB133111EB)
    return ((mixed ^ (mixed >> xp.uint64(31))) >> xp.uint64(33)).astype(xp.int64)
