"""Check the arrays of embeddings, and fill in those that a method does not give."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from chronotope.cooccurrence.vocabulary import Support


def float32(
    name: str, values: ArrayLike, rows: int | None, columns: int | None = None, *, finite: bool = False
) -> NDArray[np.float32]:
    """Return a read-only float32 view of a matrix, or a copy of another type.

    Parameters
    ----------
    name
        Name of the matrix in messages.
    values
        The matrix.
    rows, columns
        Expected shape; None allows any number of rows, or any number of columns but zero.
    finite
        Whether to refuse NaN and infinity.

    Raises
    ------
    ValueError
        If the shape is wrong, or a value is not finite.
    """
    array = np.asarray(values, dtype=np.float32).view()
    array.flags.writeable = False
    wanted = (rows, columns)
    fits = array.ndim == 2 and all(size in (None, own) for size, own in zip(wanted, array.shape, strict=True))
    if not fits or not array.shape[1]:
        raise ValueError(f"{name} has the shape {array.shape}, not ({rows}, {columns or 'dimensions'})")
    if finite and not np.isfinite(array).all():
        raise ValueError(f"{name} holds values that are not numbers")
    return array


def common_vectors(support: Support, vectors: NDArray[np.float32], words: int) -> NDArray[np.float64]:
    """Return the (W, D) mean of each word's vectors, weighted by count; zero for a word that never occurs.

    Examples
    --------
    >>> support = Support(np.array([0, 1, 2]), np.array([0, 0]), np.array([1, 3]))
    >>> common_vectors(support, np.array([[0], [4]], np.float32), words=1).tolist()
    [[3.0]]
    """
    total = np.zeros((words, vectors.shape[1]))
    weight = np.zeros(words)
    for begin, end in zip(support.start[:-1], support.start[1:], strict=True):
        word, count = support.word[begin:end], support.count[begin:end]
        total[word] += vectors[begin:end] * count[:, None].astype(np.float64)
        weight[word] += count
    return np.asarray(total / np.maximum(weight, 1)[:, None])


def centers(support: Support, vectors: NDArray[np.float32]) -> NDArray[np.float64]:
    """Return the (C, D) mean vector of the words in each condition; zero for an empty condition.

    Examples
    --------
    >>> support = Support(np.array([0, 2, 2]), np.array([0, 1]), np.array([9, 1]))
    >>> centers(support, np.array([[2], [4]], np.float32)).tolist()
    [[3.0], [0.0]]
    """
    means = np.zeros((len(support.start) - 1, vectors.shape[1]))
    for condition, (begin, end) in enumerate(zip(support.start[:-1], support.start[1:], strict=True)):
        if end > begin:
            means[condition] = vectors[begin:end].mean(axis=0, dtype=np.float64)
    return means
