"""What embeddings assume where a method gives nothing better: the common vectors and the centers."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from chronotope.cooccurrence.vocabulary import Support


def common(support: Support, vectors: NDArray[np.float32], words: int) -> NDArray[np.float64]:
    """(W, D) the mean of each word's vectors, weighted by how often it occurs; zero for a word that never occurs.

    Examples
    --------
    >>> support = Support(np.array([0, 1, 2]), np.array([0, 0]), np.array([1, 3]))
    >>> common(support, np.array([[0], [4]], np.float32), words=1).tolist()
    [[3.0]]
    """
    total = np.zeros((words, vectors.shape[1]))
    weight = np.zeros(words)
    for begin, end in zip(support.start[:-1], support.start[1:], strict=True):
        word, count = support.word[begin:end], support.count[begin:end]
        total[word] += vectors[begin:end] * count[:, None].astype(np.float64)
        weight[word] += count
    return np.asarray(total / np.maximum(weight, 1)[:, None])


def center(support: Support, vectors: NDArray[np.float32]) -> NDArray[np.float64]:
    """(C, D) the mean of the vectors of the words that occur in each condition; zero where none does.

    Examples
    --------
    >>> support = Support(np.array([0, 2, 2]), np.array([0, 1]), np.array([9, 1]))
    >>> center(support, np.array([[2], [4]], np.float32)).tolist()
    [[3.0], [0.0]]
    """
    means = np.zeros((len(support.start) - 1, vectors.shape[1]))
    for condition, (begin, end) in enumerate(zip(support.start[:-1], support.start[1:], strict=True)):
        if end > begin:
            means[condition] = vectors[begin:end].mean(axis=0, dtype=np.float64)
    return means
