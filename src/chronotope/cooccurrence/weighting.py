"""From counts to what a model is asked to predict: scaling, targets and weights."""

from __future__ import annotations

from typing import NamedTuple

import numba
import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from chronotope.cooccurrence.counting import CellArrays
from chronotope.cooccurrence.dataset import Counts


def scale_of_conditions(counts: Counts, by: str = "pairs") -> NDArray[np.float64]:
    """(C,) the factor that turns the stored counts of each condition into X.

    Every condition gets the same mass, the mean over conditions: the same number of 'pairs' as the paper says, or
    counts in proportion to the size of the text ('tokens') as the authors' program does.
    """
    size = np.asarray(counts.pairs if by == "pairs" else counts.tokens, dtype=np.float64)
    with np.errstate(divide="ignore"):
        factor = np.where(size > 0, size[size > 0].mean() / size, 0.0)
    return factor / counts.unit


def targets(scaled: NDArray[np.float64], kind: str) -> NDArray[np.float32]:
    """log X, or log(1 + X)."""
    return (np.log(scaled) if kind == "log" else np.log1p(scaled)).astype(np.float32)


def weights(scaled: NDArray[np.float64], cap: float, power: float) -> NDArray[np.float32]:
    """min(1, (X / cap) ** power); 1 everywhere where the cap is 0.

    Examples
    --------
    >>> weights(np.array([0.5, 8.0]), cap=8.0, power=0.75).round(3).tolist()
    [0.125, 1.0]
    """
    if cap == 0:
        return np.ones(len(scaled), dtype=np.float32)
    return np.minimum(1.0, (scaled / cap) ** power).astype(np.float32)


class PairMatrix(NamedTuple):
    """One sparse row for each (word, condition) that occurs, over all contexts: the matrices of all conditions."""

    start: NDArray[np.int64]  # (P + 1,)
    context: NDArray[np.int32]  # (N,)
    value: NDArray[np.float32]  # (N,)


def symmetric(cells: CellArrays, words: int) -> sparse.csr_array[np.float64]:
    """(W, W) the counts of a condition in both directions."""
    word, context, count = cells
    other = word != context
    rows, columns = np.append(word, context[other]), np.append(context, word[other])
    return sparse.csr_array((np.append(count, count[other]).astype(np.float64), (rows, columns)), shape=(words, words))


def positive_pmi(counts: Counts, context_power: float, marginals: str = "own") -> PairMatrix:
    """Positive pointwise mutual information in each condition.

    Parameters
    ----------
    context_power
        Context frequencies are raised to this power, which keeps rare contexts from looking too telling.
    marginals
        Against which frequencies of contexts: the condition's 'own', or those of all conditions 'pooled'.
    """
    words, support = len(counts.vocabulary), counts.vocabulary.support
    pooled = _pooled_contexts(counts, words) if marginals == "pooled" else None
    lengths, contexts, values = [], [], []
    for condition in range(len(counts.conditions)):
        word, context, count = counts.cells(condition)
        log_count = np.log(count)
        row_total = np.bincount(word, count, words) + np.bincount(context, np.where(word == context, 0, count), words)
        expected = (row_total if pooled is None else pooled) ** context_power
        expected /= max(expected.sum(), 1)
        with np.errstate(divide="ignore"):
            log_row, log_expected = np.log(row_total), np.log(expected)
        length = _positive_cells(word, context, log_count, log_row, log_expected)
        start = np.cumsum(length) - length
        contexts.append(np.empty(length.sum(), dtype=np.int32))
        values.append(np.empty(length.sum(), dtype=np.float32))
        _put_positive(word, context, log_count, log_row, log_expected, start, contexts[-1], values[-1])
        lengths.append(length[support.words_in(condition)])
    start = np.concatenate([[0], np.cumsum(np.concatenate(lengths))]).astype(np.int64)
    return PairMatrix(start, np.concatenate(contexts), np.concatenate(values))


@numba.njit(cache=True)
def _positive_cells(word, context, log_count, log_row, log_expected):  # type: ignore[no-untyped-def]
    """(W,) how many contexts of each word have positive mutual information."""
    length = np.zeros(len(log_row), dtype=np.int64)
    for cell in range(len(word)):
        i, j = word[cell], context[cell]
        length[i] += log_count[cell] - log_row[i] - log_expected[j] > 0
        if i != j:
            length[j] += log_count[cell] - log_row[j] - log_expected[i] > 0
    return length


@numba.njit(cache=True)
def _put_positive(word, context, log_count, log_row, log_expected, cursor, contexts, values):  # type: ignore[no-untyped-def]
    """Put the positive values into their rows; as the cells are sorted, the contexts of each row come out sorted."""
    for cell in range(len(word)):
        i, j = word[cell], context[cell]
        for _direction in range(1 if i == j else 2):
            value = log_count[cell] - log_row[i] - log_expected[j]
            if value > 0:
                contexts[cursor[i]] = j
                values[cursor[i]] = value
                cursor[i] += 1
            i, j = j, i


def _pooled_contexts(counts: Counts, words: int) -> NDArray[np.float64]:
    """(W,) how often each word is a context in all conditions together, each condition with the same mass."""
    total = np.zeros(words)
    scale = scale_of_conditions(counts)
    for condition in range(len(counts.conditions)):
        total += scale[condition] * np.asarray(symmetric(counts.cells(condition), words).sum(axis=0))
    return total
