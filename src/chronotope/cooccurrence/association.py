"""Positive pointwise mutual information: how much more often two words meet than chance would have it.

A context may be told apart by its side: the words before and after a word are then different contexts, which brings
together words that can stand in each other's place (two surnames) rather than beside each other (a first name and a
surname).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from chronotope.cooccurrence.cells import CellArrays
from chronotope.cooccurrence.dataset import Counts
from chronotope.cooccurrence.weighting import scale_of_conditions
from chronotope.runtime.kernels import kernel


class PairMatrix(NamedTuple):
    """One sparse row for each (word, condition) that occurs, over all contexts: the matrices of all conditions."""

    start: NDArray[np.int64]  # (P + 1,)
    context: NDArray[np.int32]  # (N,)
    value: NDArray[np.float32]  # (N,)
    contexts: int  # how many contexts there are: as many as words, or twice as many


class Association(NamedTuple):
    """How counts become mutual information.

    Attributes
    ----------
    context_power
        Context frequencies are raised to this power, which keeps rare contexts from looking too telling.
    emphasis
        The mutual information is raised to this power, so that the most telling contexts count more.
    sides
        Whether a word before and the same word after are two contexts: context j after a word is column 2j, before it
        2j + 1.
    """

    context_power: float = 0.75
    emphasis: float = 1.0
    sides: bool = False


class ConditionRows(NamedTuple):
    """The rows of one condition."""

    length: NDArray[np.int64]  # (W,)
    context: NDArray[np.int32]  # (N,)
    value: NDArray[np.float32]  # (N,)


def positive_pmi(counts: Counts, association: Association, *, marginals: str = "own", threads: int = 1) -> PairMatrix:
    """Positive pointwise mutual information in each condition.

    Parameters
    ----------
    marginals
        Against which frequencies of contexts: the condition's 'own', or those of all conditions 'pooled'.
    """
    rows = rows_by_condition(counts, association, marginals=marginals, threads=threads)
    return joined(rows, len(counts.vocabulary), association)


def rows_by_condition(
    counts: Counts, association: Association, *, marginals: str = "own", threads: int = 1
) -> Iterator[ConditionRows]:
    """The rows of the words that occur, condition after condition; on one thread no more than one is held."""
    words, support = len(counts.vocabulary), counts.vocabulary.support
    pooled = None
    if marginals == "pooled":
        scale = scale_of_conditions(counts)
        parts = (context_totals(counts.cells(number), words, association.sides) for number in range(len(scale)))
        pooled = sum((scale[number] * part for number, part in enumerate(parts)), np.zeros(1))

    def rows(condition: int) -> ConditionRows:
        found = rows_of(counts.cells(condition), words, association, pooled)
        return found._replace(length=found.length[support.words_in(condition)])

    if threads == 1:
        yield from map(rows, range(len(counts.conditions)))
        return
    with ThreadPoolExecutor(threads) as pool:
        yield from pool.map(rows, range(len(counts.conditions)))


def joined(conditions: Iterable[ConditionRows], words: int, association: Association) -> PairMatrix:
    """The rows of the words that occur, condition after condition, as one matrix."""
    parts = list(conditions)
    start = np.concatenate([[0], np.cumsum(np.concatenate([part.length for part in parts]))]).astype(np.int64)
    context = np.concatenate([part.context for part in parts])
    value = np.concatenate([part.value for part in parts])
    return PairMatrix(start, context, value, words * (1 + association.sides))


def rows_of(
    cells: CellArrays, words: int, association: Association, expected: NDArray[np.float64] | None = None
) -> ConditionRows:
    """The rows of all words in one condition.

    Parameters
    ----------
    expected
        How often each context occurs, if not as often as in these cells.
    """
    sides = association.sides
    row_total = np.bincount(cells.word, cells.count, words)
    row_total += np.bincount(cells.context, np.where(cells.word == cells.context, 0, cells.count), words)
    share = (context_totals(cells, words, sides) if expected is None else expected) ** association.context_power
    share /= max(share.sum(), 1)
    with np.errstate(divide="ignore"):
        log_row, log_share = np.log(row_total), np.log(share)
    value = np.empty((4 if sides else 2, len(cells.word)), dtype=np.float32)
    length = _values(cells, sides, log_row, log_share, association.emphasis, value)
    rows = ConditionRows(length, np.empty(length.sum(), np.int32), np.empty(length.sum(), np.float32))
    _put(cells, sides, value, np.cumsum(length) - length, rows.context, rows.value)
    return rows


def context_totals(cells: CellArrays, words: int, sides: bool) -> NDArray[np.float64]:
    """How often each context occurs: (W,), or (2W,) with sides.

    Examples
    --------
    >>> one, two = np.array([1], np.int32), np.array([2], np.int64)
    >>> context_totals(CellArrays(0 * one, one, two, two), 2, sides=True).tolist()  # word 1 stands after word 0, twice
    [0.0, 2.0, 2.0, 0.0]
    """
    other = cells.word != cells.context
    if not sides:
        total = np.bincount(cells.context, cells.count, words) + np.bincount(cells.word, other * cells.count, words)
        return np.asarray(total, dtype=np.float64)
    before = cells.count - cells.after
    totals = np.empty(2 * words)
    totals[::2] = np.bincount(cells.context, cells.after, words) + np.bincount(cells.word, other * before, words)
    totals[1::2] = np.bincount(cells.context, before, words) + np.bincount(cells.word, other * cells.after, words)
    return totals


@kernel(inline="always")
def _entry(cells, cell, number, sides):  # type: ignore[no-untyped-def]
    """Row, column and count: a cell is one entry of either row, or one for each side."""
    i, j, count = cells.word[cell], cells.context[cell], cells.count[cell]
    if not sides:
        return (i, j, count) if number == 0 else (j, i, count)
    after = cells.after[cell]
    if number == 0:
        return i, 2 * j, after
    if number == 1:
        return i, 2 * j + 1, count - after
    if number == 2:
        return j, 2 * i, count - after
    return j, 2 * i + 1, after


@kernel()
def _values(cells, sides, log_row, log_share, emphasis, value):  # type: ignore[no-untyped-def]
    """Fill in the values of all entries, 0 where they are not positive; return how many are in each row."""
    length = np.zeros(len(log_row), dtype=np.int64)
    entries = len(value)
    for cell in range(len(cells.word)):
        own = entries // 2 if cells.word[cell] == cells.context[cell] else entries
        for number in range(entries):
            value[number, cell] = 0
        for number in range(own):
            row, column, count = _entry(cells, cell, number, sides)
            if count > 0:
                pmi = np.log(count) - log_row[row] - log_share[column]
                if pmi > 0:
                    value[number, cell] = pmi if emphasis == 1 else pmi**emphasis
                    length[row] += value[number, cell] > 0
    return length


@kernel()
def _put(cells, sides, value, cursor, contexts, values):  # type: ignore[no-untyped-def]
    """Put the positive values into their rows; as the cells are sorted, the contexts of each row come out sorted."""
    for cell in range(len(cells.word)):
        for number in range(len(value)):
            if value[number, cell] > 0:
                row, column, _ = _entry(cells, cell, number, sides)
                contexts[cursor[row]] = column
                values[cursor[row]] = value[number, cell]
                cursor[row] += 1
