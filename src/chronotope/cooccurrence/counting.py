"""How often two words stand within a window of each other: exact integer counts, sorted, by a counting sort.

Counts are integers, so that any order of adding them gives the same bytes. A context at distance d counts 1/d in
units of 1/2520, which is exact up to a window of 10 (2520 is the least common multiple of 1 … 10) and rounded beyond.

The matrix is symmetric, so only cells with word ≤ context are kept; a cell of the diagonal holds both directions.
"""

from __future__ import annotations

from typing import NamedTuple

import numba
import numpy as np
from numpy.typing import NDArray

from chronotope.config import CountSettings

UNIT = 2520
# Nearly half of all pairs have one of the most frequent words in them: these rows are dense, and adding to them at
# once is cheaper than sorting. It pays only where there is text enough to fill them.
DENSE_ROWS = 64
DENSE_FROM_TOKENS = 200_000
DISTANCE_BITS = 5


class CellArrays(NamedTuple):
    """Co-occurrence counts of one condition, sorted by word, then by context, with word ≤ context."""

    word: NDArray[np.int32]
    context: NDArray[np.int32]
    count: NDArray[np.int64]  # type: ignore[assignment]  # hides tuple.count, which nobody needs here


def units(settings: CountSettings) -> int:
    """How many units make one whole pair of neighbors."""
    return UNIT if settings.weighting == "harmonic" else 1


def distance_weights(settings: CountSettings) -> NDArray[np.int64]:
    """(window + 1,) the integer weight of a context at each distance; the first is unused.

    Examples
    --------
    >>> distance_weights(CountSettings(window=3)).tolist()
    [0, 2520, 1260, 840]
    """
    if settings.weighting == "flat":
        return np.array([0] + [1] * settings.window, dtype=np.int64)
    return np.array([0] + [round(UNIT / distance) for distance in range(1, settings.window + 1)], dtype=np.int64)


def count_cells(
    tokens: NDArray[np.int32], ends: NDArray[np.int64], words: int, weights: NDArray[np.int64]
) -> CellArrays:
    """The co-occurrence counts of some documents.

    Parameters
    ----------
    tokens
        Word numbers, document after document; numbers of `words` and more are left out before windows are drawn.
    ends
        Where each document ends in `tokens`.
    words
        The size of the vocabulary.
    weights
        What a context at each distance counts, from `distance_weights`.
    """
    kept, kept_ends = _keep_known(tokens, ends, words)
    dense = min(words, DENSE_ROWS) if len(kept) >= DENSE_FROM_TOKENS else 0
    return CellArrays(*_count(kept, kept_ends, words, weights, dense))


def add_cells(a: CellArrays, b: CellArrays) -> CellArrays:
    """The sum of two sorted sets of cells."""
    return CellArrays(*_merge(*a, *b))


@numba.njit(nogil=True, cache=True)
def _keep_known(tokens: NDArray[np.int32], ends: NDArray[np.int64], words: int):  # type: ignore[no-untyped-def]
    kept = np.empty(len(tokens), dtype=np.int32)
    kept_ends = np.empty(len(ends), dtype=np.int64)
    size = 0
    begin = 0
    for document in range(len(ends)):
        for position in range(begin, ends[document]):
            if tokens[position] < words:
                kept[size] = tokens[position]
                size += 1
        begin = ends[document]
        kept_ends[document] = size
    return kept[:size], kept_ends


@numba.njit(nogil=True, cache=True)
def _count(tokens, ends, words, weights, dense):  # type: ignore[no-untyped-def]
    """Two passes: how many pairs each lower word has, then the pairs sorted by it; then each word's are summed."""
    window = len(weights) - 1
    bucket = np.zeros(words + 1, dtype=np.int64)
    begin = 0
    for document in range(len(ends)):
        end = ends[document]
        for here in range(begin, end):
            a = tokens[here]
            for there in range(here + 1, min(here + window + 1, end)):
                low = min(a, tokens[there])
                if low >= dense:
                    bucket[low + 1] += 1
        begin = end
    for word in range(words):
        bucket[word + 1] += bucket[word]

    head = np.zeros((dense, words), dtype=np.int64)
    pairs = np.empty(bucket[words], dtype=np.uint32)
    cursor = bucket[:words].copy()
    begin = 0
    for document in range(len(ends)):
        end = ends[document]
        for here in range(begin, end):
            a = tokens[here]
            for there in range(here + 1, min(here + window + 1, end)):
                b = tokens[there]
                low, high = min(a, b), max(a, b)
                if low < dense:
                    head[low, high] += weights[there - here]
                else:
                    pairs[cursor[low]] = (np.uint32(high) << DISTANCE_BITS) | np.uint32(there - here)
                    cursor[low] += 1
        begin = end

    total = np.zeros(words, dtype=np.int64)
    most = len(pairs) + np.count_nonzero(head)
    out_word = np.empty(most, dtype=np.int32)
    out_context = np.empty(most, dtype=np.int32)
    out_count = np.empty(most, dtype=np.int64)
    size = 0
    for word in range(dense):
        for context in range(word, words):
            value = head[word, context]
            if value:
                out_word[size] = word
                out_context[size] = context
                out_count[size] = 2 * value if context == word else value
                size += 1
    for word in range(dense, words):
        first = size
        for position in range(bucket[word], bucket[word + 1]):
            other = np.int64(pairs[position] >> DISTANCE_BITS)
            if total[other] == 0:
                out_context[size] = other
                size += 1
            total[other] += weights[pairs[position] & ((1 << DISTANCE_BITS) - 1)]
        if size > first:
            out_context[first:size].sort()
            for position in range(first, size):
                context = out_context[position]
                out_word[position] = word
                out_count[position] = 2 * total[context] if context == word else total[context]
                total[context] = 0
    return out_word[:size].copy(), out_context[:size].copy(), out_count[:size].copy()


@numba.njit(nogil=True, cache=True)
def _merge(word_a, context_a, count_a, word_b, context_b, count_b):  # type: ignore[no-untyped-def]
    word = np.empty(len(word_a) + len(word_b), dtype=np.int32)
    context = np.empty(len(word), dtype=np.int32)
    count = np.empty(len(word), dtype=np.int64)
    a = b = size = 0
    while a < len(word_a) or b < len(word_b):
        from_a = b >= len(word_b) or (
            a < len(word_a) and (word_a[a] < word_b[b] or (word_a[a] == word_b[b] and context_a[a] <= context_b[b]))
        )
        from_b = a >= len(word_a) or (
            b < len(word_b) and (word_b[b] < word_a[a] or (word_b[b] == word_a[a] and context_b[b] <= context_a[a]))
        )
        count[size] = 0
        if from_a:
            word[size], context[size] = word_a[a], context_a[a]
            count[size] += count_a[a]
            a += 1
        if from_b:
            word[size], context[size] = word_b[b], context_b[b]
            count[size] += count_b[b]
            b += 1
        size += 1
    return word[:size].copy(), context[:size].copy(), count[:size].copy()
