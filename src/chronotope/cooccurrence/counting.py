"""Exact co-occurrence counts within a window.

Counts are integers, so any order of addition gives the same bytes. A context at distance d counts 1/d in units of one
over the least common multiple of the distances up to 10 (1/60 for a window of 5): exact up to a window of 10, rounded
beyond.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from chronotope.config import CountSettings
from chronotope.cooccurrence.cells import CellArrays

MAX_EXACT_WINDOW = 10
MAX_WINDOW = 31


def units(settings: CountSettings) -> int:
    """Return how many units make one whole pair of neighbors.

    Examples
    --------
    >>> [units(CountSettings(window=window)) for window in (1, 5, 10, 15)]
    [1, 60, 2520, 2520]
    """
    return math.lcm(*range(1, min(settings.window, MAX_EXACT_WINDOW) + 1)) if settings.weighting == "harmonic" else 1


def distance_weights(settings: CountSettings, unit: int | None = None) -> NDArray[np.int64]:
    """(window + 1,) the integer weight of a context at each distance; the first is unused.

    Examples
    --------
    >>> distance_weights(CountSettings(window=3)).tolist()
    [0, 6, 3, 2]
    """
    unit = unit or units(settings)
    flat = settings.weighting == "flat"
    weights = [unit if flat else round(unit / distance) for distance in range(1, settings.window + 1)]
    return np.array([0, *weights], dtype=np.int64)


def count_cells(
    tokens: NDArray[np.int32], ends: NDArray[np.int64], words: int, weights: NDArray[np.int64]
) -> CellArrays:
    """Count the co-occurrences of some documents.

    Every pair of neighbors becomes one number (word, context, distance, order). Sorting brings equal pairs together.
    The result is that of the quadratic definition, after words outside the vocabulary are removed::

        for i, a in enumerate(document):
            for j, b in enumerate(document):
                if i != j and abs(i - j) <= window and a <= b:
                    count[a, b] += weights[abs(i - j)]
                    if i < j:
                        after[a, b] += weights[abs(i - j)]

    Parameters
    ----------
    tokens
        Word ids, document after document.
    ends
        Where each document ends in `tokens`.
    words
        The size of the vocabulary: ids from there on are removed.
    weights
        The weight of each distance, from `distance_weights`.
    """
    bits = words.bit_length()
    known = tokens < words
    word = tokens[known].astype(np.int64)
    document = np.repeat(np.arange(len(ends), dtype=np.int32), np.diff(ends, prepend=0))[known]
    keys = []
    for distance in range(1, len(weights)):
        first, second = word[:-distance], word[distance:]
        pair = np.minimum(first, second) << bits | np.maximum(first, second)
        key = pair << 8 | distance << 1 | (first <= second)
        keys.append(key[document[:-distance] == document[distance:]])
    key = np.concatenate(keys)
    del keys
    key.sort()
    kind = key.astype(np.uint8)  # distance and order
    key >>= 8
    last = np.flatnonzero(np.append(key[1:] != key[:-1], [True] * (len(key) > 0)))  # where each pair ends

    def sums(weight_of_kind: NDArray[np.int64]) -> NDArray[np.int64]:
        total = weight_of_kind[kind]
        np.cumsum(total, out=total)
        return np.diff(total[last], prepend=0)

    pair = key[last]
    low, high = (pair >> bits).astype(np.int32), (pair & ((1 << bits) - 1)).astype(np.int32)
    count, after = sums(np.repeat(weights, 2)), sums(np.stack([0 * weights, weights], axis=1).ravel())
    count[low == high] *= 2  # such a pair counts in both directions
    return CellArrays(low, high, count, after)
