"""How well a model predicts the contexts of held-out documents.

For a word in a condition the model scores every context, and the softmax of the scores is its prediction. The result is
the log-likelihood of the word's held-out contexts, averaged over (word, condition) rows. Only words whose frequency
varies much between conditions count: a mean over tokens would be dominated by function words, and would reward a model
that smooths every change away.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from chronotope.cooccurrence import Counts, symmetric
from chronotope.runtime.blas import one_blas_thread

PEAK_OVER_MEAN = 3.0
MAX_ROWS = 4_000

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
    """Return for each condition the rows of bursty words with held-out contexts; if there are many, a fixed sample."""
    support, words = counts.vocabulary.support, len(counts.vocabulary)
    bursty = bursty_words(counts)
    held_out: list[HeldOutRows] = []
    for condition in range(len(counts.conditions)):
        matrix = symmetric(counts.held_out(condition), words)
        here = support.words_in(condition)
        rows = here[bursty[here] & (np.diff(matrix.indptr)[here] > 0)]
        share = matrix[rows]
        share = sparse.csr_array(sparse.diags_array(1 / share.sum(axis=1)) @ share)
        held_out.append(HeldOutRows(rows, share))
    every = max(1, -(-sum(len(rows.words) for rows in held_out) // MAX_ROWS))
    return [HeldOutRows(rows.words[::every], rows.share[::every]) for rows in held_out]


def bursty_words(counts: Counts) -> NDArray[np.bool_]:
    """(W,) whether a word's highest frequency in a condition is several times the mean over conditions."""
    support, conditions = counts.vocabulary.support, len(counts.conditions)
    frequency = support.count / np.maximum(counts.tokens, 1)[support.condition]
    mean = np.bincount(support.word, frequency, len(counts.vocabulary)) / conditions
    peak = np.zeros(len(counts.vocabulary))
    np.maximum.at(peak, support.word, frequency)
    bursty = np.asarray(peak > PEAK_OVER_MEAN * mean)
    # With very few conditions no peak is that high: use all words.
    return bursty if bursty.any() else ~bursty


def log_context_distribution(counts: Counts) -> NDArray[np.float64]:
    """(W,) the log frequency of each word as a context; all conditions have the same weight."""
    words = len(counts.vocabulary)
    total = np.zeros(words)
    for condition in range(len(counts.conditions)):
        here: NDArray[np.float64] = np.asarray(symmetric(counts.cells(condition), words).sum(axis=0))
        total += here / max(here.sum(), 1)
    # Half a pair keeps the log of a word without contexts finite.
    total = np.maximum(total, 0.5 * counts.unit / max(float(counts.pairs.sum()), 1))
    return np.asarray(np.log(total / total.sum()))


def log_likelihood(rows: list[HeldOutRows], scores: Scores) -> float | None:
    """Return the mean log-likelihood of a held-out context, averaged over rows; None if there are no rows.

    `scores` maps a condition and some of its words to the (R, W) scores of all contexts, up to a constant in each row.
    """
    total, count = 0.0, 0
    # The figure goes into the model file and must not depend on the number of threads.
    with one_blas_thread():
        for condition, (words, share) in enumerate(rows):
            if len(words):
                score = np.asarray(scores(condition, words), dtype=np.float32)
                row = np.repeat(np.arange(len(words)), np.diff(share.indptr))
                observed = float(share.data @ score[row, share.indices])
                highest = score.max(axis=1, keepdims=True)
                np.exp(score - highest, out=score)
                total += observed - float(np.sum(np.log(score.sum(axis=1, dtype=np.float64)) + highest[:, 0]))
                count += len(words)
    return total / count if count else None
