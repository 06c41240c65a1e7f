"""Exact co-occurrence counts within a window.

Counts are integers, so any order of addition gives the same bytes. A context at distance d counts 1/d in units of one
over the least common multiple of the distances up to 10 (1/60 for a window of 5): exact up to a window of 10, rounded
beyond.
"""

import math

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_array

from chronotope.config import CountSettings
from chronotope.cooccurrence.cells import CellArrays
from chronotope.runtime.kernels import kernel

MAX_EXACT_WINDOW = 10


def units(settings: CountSettings) -> int:
    """Return the number of units in one whole pair of neighbors."""
    return math.lcm(*range(1, min(settings.window, MAX_EXACT_WINDOW) + 1)) if settings.weighting == "harmonic" else 1


def distance_weights(settings: CountSettings, unit: int | None = None) -> NDArray[np.int64]:
    """(window + 1,) the integer weight of a context at each distance; the first is unused."""
    unit = unit or units(settings)
    flat = settings.weighting == "flat"
    weights = [unit if flat else round(unit / distance) for distance in range(1, settings.window + 1)]
    return np.array([0, *weights], dtype=np.int64)


def count_cells(
    tokens: NDArray[np.int32], ends: NDArray[np.int64], words: int, weights: NDArray[np.int64]
) -> CellArrays:
    """Count the co-occurrences of some documents.

    The result is that of the quadratic definition, after words outside the vocabulary are removed::

        for i, a in enumerate(document):
            for j, b in enumerate(document):
                if i != j and abs(i - j) <= window and a <= b:
                    count[a, b] += weights[abs(i - j)]
                    if i < j:
                        after[a, b] += weights[abs(i - j)]

    `tokens` are word ids, document after document; `ends` is where each document ends in them. `words` is the size of
    the vocabulary, `weights` that of `distance_weights`.
    """
    known = tokens < words
    ends, window = np.append(0, np.cumsum(known))[ends], len(weights) - 1
    # Separate documents by a window of the id `words`, which is not counted.
    ids = np.insert(tokens[known], np.repeat(np.append(0, ends), window), words)
    start = np.append(0, np.cumsum(np.bincount(ids, minlength=words + 1)))
    room = CellArrays.empty(int(start[words]) * window)
    word, context, count, after = room.part(0, _count_pairs(ids, start, weights, room))
    columns = np.searchsorted(context, np.arange(words + 1))
    order = csc_array((np.arange(len(word), dtype=np.int32), word, columns), shape=(words, words)).tocsr().data
    return CellArrays(word[order], context[order], count[order], after[order])


@kernel()
def _count_pairs(ids, start, weights, cells):  # type: ignore[no-untyped-def]
    """Write the cells, sorted by context; return their number."""
    words = len(start) - 2
    place, position = start[:-1].copy(), np.empty(len(ids), np.int32)  # positions of each word, ascending
    for i in range(len(ids)):
        position[place[ids[i]]] = i
        place[ids[i]] += 1
    count, after, seen = np.zeros(words, np.int64), np.zeros(words, np.int64), np.empty(words + 1, np.int32)
    size = 0
    for b in range(words):
        different = 0
        for j in position[start[b] : start[b + 1]]:
            for distance in range(1, len(weights)):
                for i in (j - distance, j + distance):
                    a = ids[i]
                    if a <= b:
                        seen[different] = a
                        different += count[a] == 0
                        count[a] += weights[distance]
                        if i < j:
                            after[a] += weights[distance]
        for a in seen[:different]:
            cells.word[size], cells.context[size], cells.count[size], cells.after[size] = a, b, count[a], after[a]
            count[a] = after[a] = 0
            size += 1
    return size
