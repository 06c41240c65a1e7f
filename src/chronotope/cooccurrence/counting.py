"""How often two words stand within a window of each other: exact integer counts, sorted without sorting.

Counts are integers, so that any order of adding them gives the same bytes. A context at distance d counts 1/d in
units of 1/2520, which is exact up to a window of 10 (2520 is the least common multiple of 1 … 10) and rounded beyond.

Only cells with word ≤ context are kept. A cell holds how often the two stand near each other on either side, and how
much of that has the context after the word; the counts of the context's row are the same the other way round. A cell of
the diagonal holds both directions.

The tokens of each word are found by a counting sort of their places. Then the words are visited in ascending order,
each with all its windows at once, so that the sums of one word stay in the fastest memory. A pair of words is counted
at the higher number, which is the rarer word, and its cell is appended to the row of the lower one: since the words
come in ascending order, every row comes out sorted.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from chronotope.compiling import kernel
from chronotope.config import CountSettings

UNIT = 2520


class CellArrays(NamedTuple):
    """Co-occurrence counts of one condition, sorted by word, then by context, with word ≤ context."""

    word: NDArray[np.int32]
    context: NDArray[np.int32]
    count: NDArray[np.int64]  # type: ignore[assignment]  # hides tuple.count, which nobody needs here
    after: NDArray[np.int64]  # how much of the count has the context after the word

    @classmethod
    def of(cls, word: Iterable[int], context: Iterable[int], count: Iterable[int], after: Iterable[int]) -> CellArrays:
        """Cells from plain numbers."""
        ids, sums = np.array([word, context], np.int32), np.array([count, after], np.int64)
        return cls(ids[0], ids[1], sums[0], sums[1])

    def part(self, first: int, last: int) -> CellArrays:
        """Some of the cells, not copied."""
        return CellArrays(
            self.word[first:last], self.context[first:last], self.count[first:last], self.after[first:last]
        )

    @classmethod
    def empty(cls, size: int) -> CellArrays:
        """Room for so many cells."""
        ids = np.empty((2, size), dtype=np.int32)
        sums = np.empty((2, size), dtype=np.int64)
        return cls(ids[0], ids[1], sums[0], sums[1])


class Scratch:
    """Memory for the rows that are being counted; one for each thread.

    The system hands out memory that is cleared, which takes a third as long as the counting itself.
    """

    def __init__(self) -> None:
        self._rows = np.empty(0, dtype=np.uint32)

    def rows(self, size: int) -> NDArray[np.uint32]:
        """Room for at least so many numbers, with anything in it."""
        if len(self._rows) < size:
            self._rows = np.empty(size + size // 4, dtype=np.uint32)
        return self._rows


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
    tokens: NDArray[np.int32],
    ends: NDArray[np.int64],
    words: int,
    weights: NDArray[np.int64],
    scratch: Scratch | None = None,
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
    scratch
        Memory that the caller keeps from one call to the next.
    """
    window = len(weights) - 1
    frequency = _frequencies(tokens, words)
    word = np.flatnonzero(frequency).astype(np.int32)
    frequency = frequency[word]
    size, total = len(word), int(frequency.sum())
    # Within these documents the words are numbered without gaps, in the same order.
    number = np.empty(words, dtype=np.uint32)
    number[word] = np.arange(size, dtype=np.uint32)
    start = np.concatenate([[0], np.cumsum(frequency)])
    # NumPy asks the system for large pages, the compiler does not: the large arrays are made here.
    # Half the bytes for the text are worth a tenth of the time: more of it stays in the caches.
    kind: type[np.unsignedinteger] = np.uint16 if size < 1 << 16 else np.uint32
    text = np.full(total + window * (len(ends) + 1), size, dtype=kind)
    places = np.empty(total, dtype=np.uint32)
    _arrange(tokens, ends, number, text, places, start, window)
    most = int(frequency.max(initial=0))
    found = [
        _counted(text, places, start, word, some, unit, scratch or Scratch()) for some, unit in _that_fit(weights, most)
    ]
    while len(found) > 1:
        found.append(add_cells(found.pop(), found.pop()))
    return found[0]


def _that_fit(weights: NDArray[np.int64], most: int) -> list[tuple[NDArray[np.int64], int]]:
    """The weights in units that make them small, such that sums fit into 32 bits; else one distance after the other.

    Parameters
    ----------
    most
        How often the most frequent word occurs: no sum of one side is larger than so many times all the weights.

    Examples
    --------
    >>> [(some.tolist(), unit) for some, unit in _that_fit(np.array([0, 2520, 1260, 840]), 1000)]
    [([0, 6, 3, 2], 420)]
    >>> [(some.tolist(), unit) for some, unit in _that_fit(np.array([0, 2520, 1260, 840]), 1 << 30)]
    [([0, 1, 0, 0], 2520), ([0, 0, 1, 0], 1260), ([0, 0, 0, 1], 840)]
    """
    unit = int(np.gcd.reduce(weights))
    if most * int(weights.sum()) // unit < 1 << 32:
        return [(weights // unit, unit)]
    return [
        (alone, int(weights[distance]))
        for distance, alone in enumerate(np.eye(len(weights), dtype=np.int64))
        if distance
    ]


def _counted(
    text: NDArray[np.unsignedinteger],
    places: NDArray[np.uint32],
    start: NDArray[np.int64],
    word: NDArray[np.int32],
    weights: NDArray[np.int64],
    unit: int,
    scratch: Scratch,
) -> CellArrays:
    """The cells of a text that is arranged, whose weights may be 0 at some distances."""
    distances = np.flatnonzero(weights)
    size = len(word)
    room = np.minimum(2 * len(distances) * np.diff(start), np.arange(size, 0, -1))
    first = np.concatenate([[0], np.cumsum(room)])
    # A cell is three numbers side by side, so that it lies in one place: how often the context stands after the word,
    # and before it, and the context.
    rows = scratch.rows(3 * int(first[-1]))
    last = _gather(text, places, start, distances.astype(np.uint64), weights[distances].astype(np.uint64), first, rows)
    found = CellArrays.empty(int(last.sum()) - int(first[:-1].sum()))
    _close_up(word, first, last, rows, unit, found)
    return found


def add_cells(a: CellArrays, b: CellArrays) -> CellArrays:
    """The sum of two sorted sets of cells."""
    both = CellArrays.empty(len(a.word) + len(b.word))
    size = _merge(a, b, both)
    return CellArrays(both.word[:size], both.context[:size], both.count[:size], both.after[:size])


def total_pairs(cells: CellArrays) -> int:
    """The sum of both triangles: a cell counts in the row of its word and in that of its context.

    Examples
    --------
    >>> total_pairs(CellArrays.of([0, 0], [0, 1], [4, 5], [2, 5]))
    14
    """
    return int(_total(*cells[:3]))


@kernel()
def _total(word, context, count):  # type: ignore[no-untyped-def]
    total = 0
    for cell in range(len(word)):
        total += count[cell] if word[cell] == context[cell] else 2 * count[cell]
    return total


@kernel()
def _frequencies(tokens: NDArray[np.int32], words: int) -> NDArray[np.int64]:
    frequency = np.zeros(words + 1, dtype=np.int64)
    for token in tokens:
        frequency[min(token, words)] += 1
    return frequency[:words]


@kernel()
def _arrange(tokens, ends, number, text, places, start, window):  # type: ignore[no-untyped-def]
    """Fill in the known words with a window of blanks around every document, and where each word stands."""
    cursor = start.copy()
    at = window
    begin = 0
    for document in range(len(ends)):
        for position in range(begin, ends[document]):
            token = tokens[position]
            if token < len(number):
                word = number[token]
                text[at] = word
                places[cursor[word]] = at
                cursor[word] += 1
                at += 1
        begin = ends[document]
        at += window


@kernel()
def _gather(text, places, start, distances, weights, first, rows):  # type: ignore[no-untyped-def]
    """Fill in the cells of each row from `first` on; return where each row ends.

    Indices are unsigned: a signed one could count from the end, and to check for that costs a fifth of the time.
    """
    size = len(start) - 1
    one, two, three = np.uint64(1), np.uint64(2), np.uint64(3)
    up, low = np.uint64(32), np.uint64(0xFFFFFFFF)
    last = first[:size].astype(np.uint64)
    # Two sums for each word that is met, in one number: where it stands before this word, and (32 bits up) after it.
    total = np.zeros(size + 1, dtype=np.uint64)
    met = np.empty(size + 2, dtype=np.uint32)
    for row in range(size):
        word = np.uint32(row)
        if 12 * len(distances) * (start[row + 1] - start[row]) > size:
            # A frequent word: all its sums are filled, and looked through from end to end.
            for occurrence in range(start[row], start[row + 1]):
                here = np.uint64(places[occurrence])
                for number in range(len(distances)):
                    distance, weight = distances[number], weights[number]
                    total[text[here - distance]] += weight
                    total[text[here + distance]] += weight << up
            for lower in range(row + 1):
                both = total[lower]
                if both:
                    at = three * last[lower]
                    rows[at], rows[at + one], rows[at + two] = both & low, both >> up, word
                    last[lower] += one
            total[:] = 0
        else:
            # A rare one: the words that it meets are noted. No branch, which the processor would guess wrong.
            many = np.uint64(0)
            for occurrence in range(start[row], start[row + 1]):
                here = np.uint64(places[occurrence])
                for number in range(len(distances)):
                    distance, weight = distances[number], weights[number]
                    other = text[here - distance]
                    counts = np.uint64(other <= word)
                    before = total[other]
                    met[many] = other
                    many += counts & np.uint64(before == 0)
                    total[other] = before + weight * counts
                    other = text[here + distance]
                    counts = np.uint64(other <= word)
                    before = total[other]
                    met[many] = other
                    many += counts & np.uint64(before == 0)
                    total[other] = before + (weight << up) * counts
            for number in range(many):
                other = met[number]
                both = total[other]
                at = three * last[other]
                rows[at], rows[at + one], rows[at + two] = both & low, both >> up, word
                last[other] += one
                total[other] = 0
    return last


@kernel()
def _close_up(word, first, last, rows, unit, found):  # type: ignore[no-untyped-def]
    """Copy the rows, with the numbers that words have in the vocabulary, one right after the other."""
    size = 0
    for row in range(len(word)):
        for cell in range(first[row], last[row]):
            after, before = np.int64(rows[3 * cell]), np.int64(rows[3 * cell + 1])
            found.word[size] = word[row]
            found.context[size] = word[rows[3 * cell + 2]]
            found.count[size] = unit * (after + before)
            found.after[size] = unit * after
            size += 1


@kernel()
def _merge(a, b, both):  # type: ignore[no-untyped-def]
    """Fill in the sum of two sets of cells; return its size. Without branches but for the loop."""
    i = j = size = 0
    while i < len(a.word) and j < len(b.word):
        of_a = (np.int64(a.word[i]) << 32) | a.context[i]
        of_b = (np.int64(b.word[j]) << 32) | b.context[j]
        from_a, from_b = of_a <= of_b, of_b <= of_a
        key = min(of_a, of_b)
        both.word[size] = key >> 32
        both.context[size] = key & 0xFFFFFFFF
        both.count[size] = (a.count[i] if from_a else 0) + (b.count[j] if from_b else 0)
        both.after[size] = (a.after[i] if from_a else 0) + (b.after[j] if from_b else 0)
        i += from_a
        j += from_b
        size += 1
    for cells, at in ((a, i), (b, j)):
        for position in range(at, len(cells.word)):
            both.word[size] = cells.word[position]
            both.context[size] = cells.context[position]
            both.count[size] = cells.count[position]
            both.after[size] = cells.after[position]
            size += 1
    return size
