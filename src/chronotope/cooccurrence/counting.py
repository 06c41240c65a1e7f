"""How often two words stand within a window of each other: exact integer counts, sorted without sorting.

Counts are integers, so that any order of adding them gives the same bytes. A context at distance d counts 1/d in units
of one over the least common multiple of all distances up to 10 (1/60 for a window of 5), which is exact up to a window
of 10 and rounded beyond.

The tokens of each word are found by a counting sort of their places. Then the words are visited in ascending order,
each with all its windows at once, so that the sums of one word stay in the fastest memory. A pair of words is counted
at the higher number, which is the rarer word, and its cell is appended to the row of the lower one: since the words
come in ascending order, every row comes out sorted. Rows grow link by link, each with room for what most words need:
all that they could need would be five to ten times as much memory, which the system hands out slowly.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from chronotope.config import CountSettings
from chronotope.cooccurrence.cells import CellArrays, sum_of
from chronotope.runtime.bits import fetch_to_write
from chronotope.runtime.kernels import kernel

MOST_EXACT = 10
# Between so many of the most frequent words all counts are held at once.
MOST_HEADS = 256
# A link of a row has room for this part of the places beside its word, which is enough for most; and for so many cells.
PART_OF_PLACES, FEWEST = 4, 4
# Numbers are appended to thousands of rows in turn: the line of the cache that is so many places ahead is asked for
# before a row comes to it. A quarter of the time.
AHEAD = np.uint64(4)

# The words of some documents, ascending, and how often each occurs.
Frequencies = tuple[NDArray[np.int32], NDArray[np.int64]]


class Scratch:
    """Memory that is used again; one for each thread.

    The system hands out memory that is cleared, which takes a third as long as the counting itself.

    Parameters
    ----------
    most
        At most so many tokens will be counted at a time, if that is known: what depends on them alone is then asked
        for at once. Memory that is asked for and not used is not handed out.
    """

    def __init__(self, most: int = 0) -> None:
        self._most = most
        self.growth = 1.25
        self._kept: dict[str, NDArray[Any]] = {}
        self._cells: CellArrays | None = None

    def begin(self, tokens: int) -> None:
        """Say that so many tokens come now: most would need so many times as much."""
        self.growth = max(self._most / max(tokens, 1), 1.25)

    def array(self, name: str, size: int, kind: type[np.generic], growth: float = 1.25) -> NDArray[Any]:
        """Room for so many numbers, with anything in it; a new one has more by a factor."""
        kept = self._kept.get(name)
        if kept is None or len(kept) < size or kept.dtype != kind:
            # NumPy asks the system for large pages, the compiler does not.
            kept = self._kept[name] = np.empty(int(growth * size), kind)
        return kept[:size]

    def cells(self, size: int) -> CellArrays:
        """Room for so many cells, always the same number of them; what was in it before is lost."""
        if self._cells is None:
            self._cells = CellArrays.empty(size)
        return self._cells


class Arranged(NamedTuple):
    """The words of a text.

    Attributes
    ----------
    text
        The number of each word that is known, with a window of blanks around every document.
    places, start
        Where each word stands in it, word after word, and (R + 1,) where those of each begin.
    word
        (R,) the numbers that the words have in the vocabulary, ascending.
    """

    text: NDArray[np.unsignedinteger]
    places: NDArray[np.uint32]
    start: NDArray[np.int64]
    word: NDArray[np.int32]

    @property
    def most(self) -> int:
        """How often the most frequent word occurs."""
        return int(np.diff(self.start).max(initial=0))


class Rows(NamedTuple):
    """The cells of a text before they are put in order: a chain of links for each row.

    Attributes
    ----------
    word
        (R,) the numbers that the words of the text have in the vocabulary, ascending.
    first, link, reached
        (R + 1,) where the first link of each row begins, (R,) how many numbers a link of it holds, and (R, 2) where the
        last number of the row ends.
    numbers
        All links.
    bits
        So many of a number are the context.
    unit
        What the counts are multiplied by.
    cells
        How many there are.
    """

    word: NDArray[np.int32]
    first: NDArray[np.uint64]
    link: NDArray[np.uint64]
    reached: NDArray[np.unsignedinteger]
    numbers: NDArray[np.uint64]
    bits: int
    unit: int
    cells: int


def units(settings: CountSettings) -> int:
    """How many units make one whole pair of neighbors: as few as possible, since small numbers take less room.

    Examples
    --------
    >>> [units(CountSettings(window=window)) for window in (1, 5, 10, 15)]
    [1, 60, 2520, 2520]
    """
    return math.lcm(*range(1, min(settings.window, MOST_EXACT) + 1)) if settings.weighting == "harmonic" else 1


def distance_weights(settings: CountSettings, unit: int | None = None) -> NDArray[np.int64]:
    """(window + 1,) the integer weight of a context at each distance; the first is unused.

    A run says how many units make a pair: earlier versions took 2520 for all.

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
    scratch = scratch or Scratch()
    text = _arranged(tokens, ends, words, len(weights) - 1, scratch)
    return _counted(text, weights, _that_fit(weights, text.most), scratch)


def count_in_parts(
    tokens: NDArray[np.int32],
    ends: NDArray[np.int64],
    words: int,
    weights: NDArray[np.int64],
    scratch: Scratch,
    most: int,
    known: Frequencies | None = None,
) -> Iterator[CellArrays]:
    """The same, at most so many cells at a time; each part is to be used before the next is asked for.

    Where it is known how often each word occurs in these documents, it is not counted again.
    """
    text = _arranged(tokens, ends, words, len(weights) - 1, scratch, known)
    fitting = _that_fit(weights, text.most)
    if len(fitting) > 1:
        yield _counted(text, weights, fitting, scratch)
        return
    rows = _rows(text, *fitting[0], scratch)
    reached = np.zeros(3, np.uint64)
    for done in range(0, rows.cells, most):
        part = scratch.cells(most).part(0, min(most, rows.cells - done))
        _close_up(rows, reached, part)
        yield part


def _arranged(
    tokens: NDArray[np.int32],
    ends: NDArray[np.int64],
    words: int,
    window: int,
    scratch: Scratch,
    known: Frequencies | None = None,
) -> Arranged:
    """The known words of some documents in their order, and where each of them stands."""
    if known is None:
        counted = _frequencies(tokens, words)
        word = np.flatnonzero(counted).astype(np.int32)
        frequency = counted[word]
    else:
        word, frequency = known
    size, total = len(word), int(frequency.sum())
    # Within these documents the words are numbered without gaps, in the same order.
    number = np.empty(words, dtype=np.uint32)
    number[word] = np.arange(size, dtype=np.uint32)
    start = np.concatenate([[0], np.cumsum(frequency)])
    scratch.begin(len(tokens))
    # Half the bytes for the text are worth a tenth of the time: more of it stays in the caches.
    kind: type[np.unsignedinteger] = np.uint16 if size < 1 << 16 else np.uint32
    text = scratch.array("text", total + window * (len(ends) + 1), kind)
    text.fill(size)
    places = scratch.array("places", total, np.uint32, scratch.growth)
    _arrange(tokens, ends, number, text, places, start, window)
    return Arranged(text, places, start, word)


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


def _rows(text: Arranged, weights: NDArray[np.int64], unit: int, scratch: Scratch) -> Rows:
    """The cells of a text; its weights may be 0 at some distances."""
    distances = np.flatnonzero(weights)
    size, frequency = len(text.word), np.diff(text.start)
    # A cell is one number: the context and, above it, how often it stands after the word, and before it. Sums that are
    # too large for their share of the bits make another number; only of two frequent words are there any.
    bits = size.bit_length()
    largest = (1 << (64 - bits) // 2) - 1
    small = frequency < largest // int(weights.sum())
    link, first, room_for_all = _links(frequency, len(distances), small)
    numbers = scratch.array("rows", room_for_all, np.uint64, scratch.growth)
    # Where the next number of each row goes, and from where on its link is full.
    reached = np.stack([first[:-1], first[:-1] + link], axis=1)
    reached = reached.astype(np.uint32 if room_for_all < 1 << 32 else np.uint64)
    rare = small & (12 * len(distances) * frequency <= size)
    step, weight = distances.astype(np.uint64), weights[distances].astype(np.uint64)
    heads = min(size, MOST_HEADS)
    cells = _gather(*text[:3], step, weight, heads, rare, bits, numbers, link, reached, first[-1])
    return Rows(text.word, first, link, reached, numbers, bits, unit, int(cells))


def _counted(
    text: Arranged, weights: NDArray[np.int64], fitting: list[tuple[NDArray[np.int64], int]], scratch: Scratch
) -> CellArrays:
    """All cells of a text, in memory of their own."""
    most, parts = 2 * text.most * int(weights.sum()), []
    for some, unit in fitting:
        rows = _rows(text, some, unit, scratch)
        parts.append(CellArrays.empty(rows.cells, most))
        _close_up(rows, np.zeros(3, np.uint64), parts[-1])
    return sum_of(parts)


def _links(
    frequency: NDArray[np.int64], distances: int, small: NDArray[np.bool_]
) -> tuple[NDArray[np.uint64], NDArray[np.uint64], int]:
    """How many numbers a link of each row has room for; where the first of each begins, and where they end; and how
    much room all links can need.

    A row is a chain of links, since words meet far fewer others than they have places beside them. Behind its numbers
    a link has room for the second half of a cell, and for where the next begins.

    Parameters
    ----------
    frequency
        How often each word occurs.
    distances
        How many distances are counted.
    small
        Which words have no cells of two numbers.
    """
    places, rarer = 2 * distances * frequency, np.arange(len(frequency), 0, -1)
    link = np.minimum(places // PART_OF_PLACES, rarer).clip(FEWEST).astype(np.uint64)
    behind = np.uint64(2)
    first = np.concatenate([np.zeros(1, np.uint64), np.cumsum(link + behind)])
    # There are no more cells than pairs of places, and none in a row but those of rarer words. A further link follows a
    # full one.
    double = int((~small).sum())
    most = int(places.sum()) // 2 + double**2
    most_in_row = np.minimum(places, rarer) + double * ~small
    further = (most_in_row - 1).clip(0).astype(np.uint64) // link * (link + behind)
    return link, first, int(first[-1]) + min(most * (FEWEST + 2) // FEWEST, int(further.sum()))


@kernel()
def _frequencies(tokens: NDArray[np.int32], words: int) -> NDArray[np.int64]:
    frequency = np.zeros(words + 1, dtype=np.int64)
    for token in tokens:
        frequency[min(token, words)] += 1
    return frequency[:words]


@kernel()
def _arrange(tokens, ends, number, text, places, start, window):  # type: ignore[no-untyped-def]
    """Fill in the known words with a window of blanks around every document, and where each word stands."""
    one, known, blanks = np.uint64(1), np.uint32(len(number)), np.uint64(window)
    cursor = start.astype(np.uint64)
    memory = np.uint64(places.ctypes.data)
    at = blanks
    begin = 0
    for document in range(len(ends)):
        for token in tokens[begin : ends[document]]:
            if np.uint32(token) < known:
                word = number[np.uint32(token)]
                text[at] = word
                places[cursor[word]] = at
                fetch_to_write(memory + (cursor[word] + AHEAD) * np.uint64(places.itemsize))
                cursor[word] += one
                at += one
        begin = ends[document]
        at += blanks


@kernel()
def _gather(text, places, start, distances, weights, heads, rare, bits, rows, link, reached, free):  # type: ignore[no-untyped-def]
    """Append the cells of each row where it was reached, or in a new link from `free` on; return how many there are.

    Indices are unsigned: a signed one could count from the end, and to check for that costs a fifth of the time.
    """
    size = len(start) - 1
    one, two = np.uint64(1), np.uint64(2)
    up, low = np.uint64(32), np.uint64(0xFFFFFFFF)
    to_after = np.uint64(bits)
    to_before = to_after + (np.uint64(64) - to_after) // two
    largest = (one << (to_before - to_after)) - one
    cells = np.int64(0)
    memory = np.uint64(rows.ctypes.data)
    # Two sums for each word that is met, in one number: where it stands before this word, and (32 bits up) after it.
    total = np.zeros(size + 1, dtype=np.uint64)
    met = np.empty(size + 2, dtype=np.uint32)
    table = _between_heads(text, places, start, distances, weights, heads)
    for row in range(size):
        word = np.uint64(row)
        if rare[row] and row >= heads:
            # The words that it meets are noted. No branch, which the processor would guess wrong.
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
                at = np.uint64(reached[other, 0])
                if at >= np.uint64(reached[other, 1]):
                    rows[at] = free
                    at, free = free, free + link[other] + two
                    reached[other, 1] = free - two
                rows[at] = (both >> up << to_before) | ((both & low) << to_after) | word
                fetch_to_write(memory + (at + AHEAD) * np.uint64(rows.itemsize))
                reached[other, 0] = at + one
                total[other] = 0
            cells += np.int64(many)
            continue
        if row < heads:
            # One of the most frequent: its sums are there already.
            for lower in range(row + 1):
                total[lower] = (np.uint64(table[row, lower]) << up) | np.uint64(table[lower, row])
        else:
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
                after, before = both & low, both >> up
                at = np.uint64(reached[lower, 0])
                if at >= np.uint64(reached[lower, 1]):
                    rows[at] = free
                    at, free = free, free + link[lower] + two
                    reached[lower, 1] = free - two
                if after < largest and before < largest:
                    rows[at] = (before << to_before) | (after << to_after) | word
                    reached[lower, 0] = at + one
                else:
                    rows[at] = (largest << to_before) | (largest << to_after) | word
                    rows[at + one] = both
                    reached[lower, 0] = at + two
                cells += np.int64(1)
        total[: row + 1 if row < heads else size + 1] = 0
    return cells


@kernel()
def _between_heads(text, places, start, distances, weights, heads):  # type: ignore[no-untyped-def]
    """(heads, heads + D) how often each of the most frequent words stands before each of them.

    What stands before the one stands after the other, so that it is enough to look ahead. Words that are no heads are
    counted to no purpose: at each distance in another place, since one would have to wait for the other.
    """
    table = np.zeros((heads, heads + len(distances)), np.uint32)
    many = np.uint64(heads)
    for row in range(heads):
        sums = table[row]
        for occurrence in range(start[row], start[row + 1]):
            here = np.uint64(places[occurrence])
            for number in range(len(distances)):
                other = np.uint64(text[here + distances[number]])
                sums[other if other < many else many + np.uint64(number)] += np.uint32(weights[number])
    return table


@kernel()
def _close_up(rows, reached, found):  # type: ignore[no-untyped-def]
    """Copy as many cells as there is room for, with the numbers that words have in the vocabulary, in their order.

    `reached` says where to go on: the row, the place in it, and where its link is full (0: at its start).
    """
    word, first, link, ends, numbers = rows.word, rows.first, rows.link, rows.reached, rows.numbers
    size, one, two, most = np.uint64(0), np.uint64(1), np.uint64(2), np.uint64(len(found.word))
    to_after = np.uint64(rows.bits)
    to_before = to_after + (np.uint64(64) - to_after) // two
    largest = (one << (to_before - to_after)) - one
    row, at, full = reached[0], reached[1], reached[2]
    while size < most:
        here, room = word[row], link[row]
        if full == np.uint64(0):
            at, full = first[row], first[row] + room
        end = np.uint64(ends[row, 0])
        while at != end and size < most:
            if at >= full:
                at = numbers[at]
                full = at + room
            cell = numbers[at]
            after, before = (cell >> to_after) & largest, (cell >> to_before) & largest
            if after & before == largest:
                at += one
                after, before = numbers[at] & np.uint64(0xFFFFFFFF), numbers[at] >> np.uint64(32)
            found.word[size] = here
            found.context[size] = word[cell & ((one << to_after) - one)]
            found.count[size] = rows.unit * np.int64(after + before)
            found.after[size] = rows.unit * np.int64(after)
            size += one
            at += one
        if at == end:
            row, full = row + one, np.uint64(0)
    reached[0], reached[1], reached[2] = row, at, full
