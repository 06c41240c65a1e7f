"""Anchors: the words that vectors trained apart are aligned by (Zhang et al. 2016)."""

import numpy as np
from numpy.typing import NDArray

from chronotope.cooccurrence import Counts
from chronotope.embeddings.nearest import unit_rows
from chronotope.methods.base import find_words
from chronotope.methods.word2vec.procrustes import Floats, align

FREQUENT_SHARE = 0.05  # of the vocabulary, as in the original
STABLE_SHARE = 0.25


def anchor_words(
    anchors: str | tuple[str, ...] | None, counts: Counts, vectors: Floats, shrinkage: float
) -> NDArray[np.bool_] | None:
    """(W,) whether each word is an anchor, as `AlignedSettings.anchors` says; None for all words.

    `vectors` (P, D) are those of all conditions, not aligned.
    """
    vocabulary = counts.vocabulary
    words, dimensions = len(vocabulary), vectors.shape[1]
    chosen = np.zeros(words, dtype=bool)
    if anchors is None:
        return None
    if anchors == "frequent":
        chosen[: max(int(np.ceil(FREQUENT_SHARE * words)), 2 * dimensions)] = True  # the most frequent come first
        return chosen
    if anchors == "stable":
        score = stability(counts, align(vectors, vocabulary.support, counts.conditions, words, shrinkage))
        number = max(int(np.ceil(STABLE_SHARE * words)), 2 * dimensions)
        best = np.argsort(-score, kind="stable")[:number]
        chosen[best[score[best] >= 0]] = True
        return chosen
    chosen[find_words(anchors, vocabulary, "anchors (frequent, stable, or a file or list of words)")] = True
    return chosen


def stability(counts: Counts, aligned: Floats) -> NDArray[np.float64]:
    """(W,) the length of the mean of a word's unit vectors; −1 for words in fewer than half of the conditions."""
    support, words = counts.vocabulary.support, len(counts.vocabulary)
    total = np.zeros((words, aligned.shape[1]))
    np.add.at(total, support.word, unit_rows(aligned))
    conditions = np.bincount(support.word, minlength=words)
    score = np.linalg.norm(total, axis=1) / np.maximum(conditions, 1)
    return np.where(2 * conditions >= len(counts.conditions), score, -1.0)
