"""The direction of each word over all conditions, added up condition by condition."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from chronotope.config import at_least
from chronotope.embeddings import ConditionedEmbeddings


class Directions(NamedTuple):
    """What the unit vectors of each word add up to, over the conditions in which it has enough support.

    Attributes
    ----------
    total
        (W, D) their sum.
    squares
        (W,) the sum of their squared lengths: how many they are, but for rounding and for vectors of zero.
    conditions
        (W,) how many they are.
    support
        (W,) how often the word occurs in those conditions.
    """

    total: NDArray[np.float64]
    squares: NDArray[np.float64]
    conditions: NDArray[np.int64]
    support: NDArray[np.int64]


def directions(embeddings: ConditionedEmbeddings, min_count: int) -> Directions:
    """The summed directions of every word; memory grows with the words, not with words × conditions."""
    # Without evidence a word has no direction of its own, so that one occurrence is the least that counts.
    at_least("min_count", min_count, 1)
    words = len(embeddings)
    sums = Directions(
        np.zeros((words, embeddings.dimensions)),
        np.zeros(words),
        np.zeros(words, dtype=np.int64),
        np.zeros(words, dtype=np.int64),
    )
    for label in embeddings.conditions.labels:
        matrix = embeddings.matrix(label, min_count)
        sums.total[matrix.word] += matrix.unit
        sums.squares[matrix.word] += np.square(matrix.unit, dtype=np.float64).sum(axis=1)
        sums.conditions[matrix.word] += 1
        sums.support[matrix.word] += matrix.support
    return sums
