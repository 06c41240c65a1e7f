"""How well a model predicts the contexts of documents that it has not seen.

For a word in a condition the model gives every context a score; the softmax of the scores is its prediction, and the
held-out contexts of that word have some mean log-likelihood under it. The mean is taken over (word, condition) rows,
not over running words, and only over words whose frequency varies much between conditions: there the differences
between models are, while a mean over running words is all function words and rewards smoothing everything away.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from chronotope.cooccurrence import Counts, symmetric
from chronotope.runtime.blas import one_blas_thread

PEAK_OVER_MEAN = 3.0
MOST_ROWS = 4_000

Scores = Callable[[int, NDArray[np.int32]], NDArray[np.floating]]


def held_out_scorer(counts: Counts) -> Callable[[Scores], float | None]:
    """Return a function from a model's scores to its `log_likelihood`; None without held-out documents.

    The scores are added to the log distribution of contexts in all conditions together, the same base for all methods.
    """
    if not counts.has_held_out:
        return lambda _: None
    rows, base = held_out_rows(counts), log_context_distribution(counts)
    return lambda scores: log_likelihood(rows, lambda condition, words: scores(condition, words) + base)


class HeldOutRows(NamedTuple):
    """The rows to predict in one condition."""

    words: NDArray[np.int32]  # (R,)
    share: sparse.csr_array[np.float64]  # (R, W) the share of each context among a row's held-out contexts


def held_out_rows(counts: Counts) -> list[HeldOutRows]:
    """For each condition the rows of uneven words that have held-out contexts, a fixed sample of them if many."""
    support, words = counts.vocabulary.support, len(counts.vocabulary)
    uneven = np.zeros(words, dtype=bool)
    uneven[uneven_words(counts)] = True
    found: list[HeldOutRows] = []
    for condition in range(len(counts.conditions)):
        matrix = symmetric(counts.held_out(condition), words)
        here = support.words_in(condition)
        rows = here[uneven[here] & (np.diff(matrix.indptr)[here] > 0)]
        chosen = matrix[rows]
        chosen = sparse.csr_array(sparse.diags_array(1 / chosen.sum(axis=1)) @ chosen)
        found.append(HeldOutRows(rows, chosen))
    total = sum(len(rows.words) for rows in found)
    keep_every = max(1, -(-total // MOST_ROWS))
    return [HeldOutRows(rows.words[::keep_every], rows.share[::keep_every]) for rows in found]


def uneven_words(counts: Counts) -> NDArray[np.int64]:
    """The words whose highest frequency in a condition is several times the mean over conditions."""
    support, conditions = counts.vocabulary.support, len(counts.conditions)
    frequency = support.count / np.maximum(counts.tokens, 1)[support.condition]
    mean = np.bincount(support.word, frequency, len(counts.vocabulary)) / conditions
    peak = np.zeros(len(counts.vocabulary))
    np.maximum.at(peak, support.word, frequency)
    uneven = np.flatnonzero(peak > PEAK_OVER_MEAN * mean)
    # With very few conditions no peak can be so high: then all words are looked at.
    return uneven if len(uneven) else np.arange(len(counts.vocabulary))


def log_context_distribution(counts: Counts) -> NDArray[np.float64]:
    """(W,) the log of how often each word is a context, every condition with the same weight."""
    words = len(counts.vocabulary)
    total = np.zeros(words)
    for condition in range(len(counts.conditions)):
        here: NDArray[np.float64] = np.asarray(symmetric(counts.cells(condition), words).sum(axis=0))
        total += here / max(here.sum(), 1)
    # A word without any neighbor is never a context; half a pair keeps its log finite.
    total = np.maximum(total, 0.5 * counts.unit / max(float(counts.pairs.sum()), 1))
    return np.asarray(np.log(total / total.sum()))


def log_likelihood(rows: list[HeldOutRows], scores: Scores) -> float | None:
    """The mean log-likelihood of a held-out context, averaged over rows; None where there is nothing to predict.

    Parameters
    ----------
    scores
        For a condition and some of its words, the (R, W) scores of all contexts, up to a constant in each row.
    """
    total, count = 0.0, 0
    # BLAS is held to one thread: the figure goes into the model file, and must not depend on their number.
    with one_blas_thread():
        for condition, (words, share) in enumerate(rows):
            if len(words):
                given = np.asarray(scores(condition, words), dtype=np.float32)
                row = np.repeat(np.arange(len(words)), np.diff(share.indptr))
                met = float(share.data @ given[row, share.indices])
                highest = given.max(axis=1, keepdims=True)
                np.exp(given - highest, out=given)
                total += met - float(np.sum(np.log(given.sum(axis=1, dtype=np.float64)) + highest[:, 0]))
                count += len(words)
    return total / count if count else None
