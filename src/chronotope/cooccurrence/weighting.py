"""From counts to what a model is asked to predict: scaling, targets and weights."""

from __future__ import annotations

from typing import NamedTuple

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


def positive_pmi(counts: Counts, context_power: float) -> PairMatrix:
    """Positive pointwise mutual information in each condition, against that condition's own frequencies.

    Parameters
    ----------
    context_power
        Context frequencies are raised to this power, which keeps rare contexts from looking too telling.
    """
    words = len(counts.vocabulary)
    lengths, contexts, values = [], [], []
    for condition in range(len(counts.conditions)):
        matrix = symmetric(counts.cells(condition), words)
        row_total: NDArray[np.float64] = np.asarray(matrix.sum(axis=1))
        expected = row_total**context_power
        expected /= max(expected.sum(), 1)
        with np.errstate(divide="ignore"):
            log_row, log_expected = np.log(row_total), np.log(expected)
        value = np.log(matrix.data) - np.repeat(log_row, np.diff(matrix.indptr)) - log_expected[matrix.indices]
        matrix.data = np.maximum(value, 0)
        matrix.eliminate_zeros()
        lengths.append(np.diff(matrix.indptr)[counts.vocabulary.support.words_in(condition)])
        contexts.append(matrix.indices.astype(np.int32))
        values.append(matrix.data.astype(np.float32))
    start = np.concatenate([[0], np.cumsum(np.concatenate(lengths))]).astype(np.int64)
    return PairMatrix(start, np.concatenate(contexts), np.concatenate(values))
