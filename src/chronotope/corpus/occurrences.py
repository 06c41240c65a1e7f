"""Which documents a word occurs in, and how often in each: the index at the end of the book.

- `occurrences.bin`: for each word of the lexicon its documents, ascending, as pairs (distance from the document before,
  count) of numbers in 7-bit groups, the last group of a number below 128;
- `occurrences.npy`: (W + 1,) where the bytes of each word begin.

Documents are sorted by condition, so the occurrences of a word in a condition stand together. Both files are
memory-mapped; a question reads the bytes of its word and no more.

The index is written where the text is kept. A store without text has none: there are no sentences to be found, and what
else is asked of a word is answered by looking through all tokens.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from chronotope.corpus.spool import CHUNK_TOKENS
from chronotope.corpus.tokens import TOKEN, forget
from chronotope.errors import DamagedFile
from chronotope.io.untrusted import map_array
from chronotope.runtime.kernels import kernel
from chronotope.runtime.memory import Memory
from chronotope.runtime.resources import in_order

if TYPE_CHECKING:
    from chronotope.corpus.tokens import TokenStore

OCCURRENCES = "occurrences.bin"
OFFSETS = "occurrences.npy"
FILES = (OCCURRENCES, OFFSETS)
# So many pairs (word, document) are sorted at a time; with more, the tokens are read again.
PAIRS_AT_ONCE = 1 << 26
BYTES_OF_A_PAIR = 8
NO_DOCUMENT = 0xFFFFFFFF
# So many are written at a time.
PAIRS_TO_WRITE = 1 << 20


class Occurrences(NamedTuple):
    """The documents of a word, ascending, and how often it occurs in each."""

    document: NDArray[np.int64]
    count: NDArray[np.int64]  # type: ignore[assignment]  # hides tuple.count, which nobody needs here


class OccurrenceIndex:
    """The documents of each word, read when they are asked for."""

    def __init__(self, store: TokenStore) -> None:
        self._path = store.folder / OCCURRENCES
        self._documents = len(store.document_condition)
        self._offsets = map_array(store.folder / OFFSETS, np.dtype("<i8"))
        try:
            self._data = np.memmap(self._path, np.uint8, mode="r")
        except (OSError, ValueError) as error:
            raise DamagedFile(f"the index in {store.folder} cannot be read ({error}); prepare the run again") from None
        if self._offsets.shape != (len(store.words) + 1,) or self._offsets[-1] != len(self._data):
            raise DamagedFile(f"{self._path} does not fit its lexicon; prepare the run again")

    @staticmethod
    def is_in(folder: Path) -> bool:
        """Whether a folder holds an index."""
        return (folder / OFFSETS).exists()

    def of(self, word: int) -> Occurrences:
        """The occurrences of a word of the lexicon."""
        numbers = _decoded(self._data[int(self._offsets[word]) : int(self._offsets[word + 1])])
        document, count = np.cumsum(numbers[::2]) - 1, numbers[1::2]
        if len(numbers) % 2 or (len(document) and not 0 <= document[-1] < self._documents) or (numbers < 1).any():
            raise DamagedFile(f"{self._path} is damaged; prepare the run again")
        return Occurrences(document, count)


class LookedThrough:
    """The documents of each word, found by looking through all tokens: 20 ms for thirty million."""

    def __init__(self, store: TokenStore) -> None:
        self._store = store

    def of(self, word: int) -> Occurrences:
        """The occurrences of a word of the lexicon."""
        ids, found = self._store.ids, []
        for first in range(0, len(ids), CHUNK_TOKENS):
            found.append(first + np.flatnonzero(ids[first : first + CHUNK_TOKENS] == word))
            forget(ids, first, min(first + CHUNK_TOKENS, len(ids)))
        count = np.diff(np.searchsorted(np.concatenate(found), self._store.starts))
        document = np.flatnonzero(count)
        return Occurrences(document, count[document])


def occurrences_of(store: TokenStore) -> OccurrenceIndex | LookedThrough:
    """The index of a store, or what does without."""
    return OccurrenceIndex(store) if OccurrenceIndex.is_in(store.folder) else LookedThrough(store)


def write_occurrences(
    tokens: Path,
    folder: Path,
    length: NDArray[np.int64],
    words: int,
    threads: int = 2,
    memory: Memory | None = None,
    pairs_at_once: int = PAIRS_AT_ONCE,
) -> None:
    """Write the index of tokens that are in their final order.

    Parameters
    ----------
    tokens
        The file with the word numbers.
    folder
        Where the index goes.
    length
        (N,) the number of tokens of each document.
    words
        The size of the lexicon.
    threads
        The documents are gone through in so many parts at the same time; the index does not depend on it.
    memory
        A limit; with less memory the tokens are read more often.
    pairs_at_once
        So many pairs of a word and a document are sorted at a time, 8 bytes each.
    """
    ids = np.memmap(tokens, TOKEN, mode="r")
    starts = np.concatenate([[0], np.cumsum(length)])
    bounds = np.searchsorted(starts, np.arange(1, threads) * starts[-1] // threads)
    parts = list(pairwise([0, *bounds.tolist(), len(length)]))
    if memory and memory.limit is not None:
        # Beside the pairs: what is written at a time, and the state of each word in each part.
        beside = 10 * PAIRS_TO_WRITE * (threads + 2) + 40 * words * threads
        left = memory.room_for(beside + 2 * BYTES_OF_A_PAIR * PAIRS_TO_WRITE, "the index of words and documents")
        # Half of it: the pages of the tokens that are being read count, too.
        pairs_at_once = min(pairs_at_once, (left - beside) // BYTES_OF_A_PAIR // 2)

    def documents_of_words(part: int) -> NDArray[np.int64]:
        state = _state(np.zeros(words, np.int64))
        for here in _chunks(starts, *parts[part]):
            _count_documents(ids, starts, here.start, here.stop, state)
            forget(ids, starts[here.start], starts[here.stop])
        return state[:, 1].astype(np.int64)

    with ThreadPoolExecutor(threads) as pool, open(folder / OCCURRENCES, "wb") as file:
        in_parts = np.stack(list(pool.map(documents_of_words, range(threads))))
        documents = in_parts.sum(axis=0)
        ends = np.cumsum(documents)
        size = np.zeros(words + 1, np.int64)
        first = 0
        while first < words:
            before = int(ends[first - 1]) if first else 0
            last = max(int(np.searchsorted(ends, before + pairs_at_once, side="right")), first + 1)
            start = ends[first:last] - documents[first:last] - before
            pairs = np.empty((int(ends[last - 1]) - before, 2), np.uint32)
            # The documents of a word in one part come after those in the parts before it.
            cursor = start + np.cumsum(in_parts[:, first:last], axis=0) - in_parts[:, first:last]
            list(pool.map(partial(_fill_part, ids, starts, first, pairs), parts, cursor))
            encode = partial(_encoded, pairs, start, size[first + 1 : last + 1])
            for encoded in in_order(pool, encode, _some_words(start, len(pairs)), ahead=threads):
                file.write(encoded.data)
            first = last
    np.save(folder / OFFSETS, np.cumsum(size).astype("<i8"), allow_pickle=False)


def _some_words(start: NDArray[np.int64], pairs: int) -> Iterator[slice]:
    """Words whose pairs begin at `start`, a bounded number of pairs at a time."""
    first = 0
    while first < len(start):
        last = int(np.searchsorted(np.append(start, pairs), start[first] + PAIRS_TO_WRITE, side="right")) - 1
        last = min(max(last, first + 1), len(start))
        yield slice(first, last)
        first = last


def _fill_part(
    ids: NDArray[np.int32],
    starts: NDArray[np.int64],
    first: int,
    pairs: NDArray[np.uint32],
    part: tuple[int, int],
    cursor: NDArray[np.int64],
) -> None:
    """Fill in what the documents of a part hold of the words from `first` on, from each one's place in `pairs` on."""
    state = _state(cursor)
    for here in _chunks(starts, *part):
        _fill(ids, starts, here.start, here.stop, first, state, pairs)
        forget(ids, starts[here.start], starts[here.stop])


def _encoded(
    pairs: NDArray[np.uint32],
    start: NDArray[np.int64],
    size: NDArray[np.int64],
    some: slice,
) -> NDArray[np.uint8]:
    """The bytes of some words, whose pairs begin at `start`; how many bytes each word has is filled in."""
    here = pairs[start[some.start] : start[some.stop] if some.stop < len(start) else len(pairs)]
    # Five groups of 7 bits hold any number of 32 bits.
    packed = np.empty(10 * len(here), np.uint8)
    return packed[: _encode(here, start[some] - start[some.start], packed, size[some])]


def _state(value: NDArray[np.int64]) -> NDArray[np.uint32]:
    """For each word its last document, which is none yet, and a number, side by side in 8 bytes."""
    return np.stack([np.full(len(value), NO_DOCUMENT), value], axis=1).astype(np.uint32)


def _chunks(starts: NDArray[np.int64], first: int, last: int) -> Iterator[slice]:
    """Documents, a bounded number of tokens at a time: compiled code cannot be interrupted."""
    while first < last:
        after = int(np.searchsorted(starts, starts[first] + CHUNK_TOKENS, side="right")) - 1
        after = min(max(after, first + 1), last)
        yield slice(first, after)
        first = after


def _decoded(data: NDArray[np.uint8]) -> NDArray[np.int64]:
    """The numbers that 7-bit groups stand for.

    Examples
    --------
    >>> _decoded(np.array([5, 0x80 | 44, 2], np.uint8)).tolist()
    [5, 300]
    """
    data = np.asarray(data)
    last = np.flatnonzero(data < 128)
    if len(last) == len(data):
        return data.astype(np.int64)
    if not len(last) or last[-1] + 1 < len(data):
        return np.zeros(1, np.int64)  # a number without an end: no such number is ever written
    first = np.concatenate([[0], last[:-1] + 1])
    group = np.arange(len(data)) - np.repeat(first, last - first + 1)
    return np.add.reduceat((data & 127).astype(np.int64) << np.minimum(7 * group, 56), first)


@kernel()
def _count_documents(ids, starts, first_document, last_document, state):  # type: ignore[no-untyped-def]
    """Add to the number of documents of each word; `state` has its last document and that number, side by side."""
    one = np.uint32(1)
    for number in range(first_document, last_document):
        document = np.uint32(number)
        for token in range(starts[number], starts[number + 1]):
            word = np.uint32(ids[token])
            if state[word, 0] != document:
                state[word, 0] = document
                state[word, 1] += one


@kernel()
def _fill(ids, starts, first_document, last_document, first, state, pairs):  # type: ignore[no-untyped-def]
    """Fill in the documents of the words from `first` on, and how often each word occurs in them.

    `state` has for each of these words its last document and where its next pair goes, side by side.
    """
    one, size, lowest = np.uint32(1), np.uint32(len(state)), np.uint32(first)
    for number in range(first_document, last_document):
        document = np.uint32(number)
        for token in range(starts[number], starts[number + 1]):
            # Unsigned: a word before the first becomes a large number.
            word = np.uint32(np.uint32(ids[token]) - lowest)
            if word >= size:
                continue
            after = state[word, 1]
            if state[word, 0] != document:
                after += one
                state[word, 0], state[word, 1] = document, after
                pairs[after - one, 0], pairs[after - one, 1] = document, one
            else:
                pairs[after - one, 1] += one


@kernel()
def _encode(pairs, start, packed, size):  # type: ignore[no-untyped-def]
    """Write pairs as 7-bit groups; fill in the bytes of each word, return those of all."""
    written = 0
    for word in range(len(start)):
        before = written
        stop = start[word + 1] if word + 1 < len(start) else len(pairs)
        # Documents are counted from 1, so that no distance is 0.
        previous = np.int64(-1)
        for pair in range(start[word], stop):
            distance = np.int64(pairs[pair, 0]) - previous
            previous = np.int64(pairs[pair, 0])
            for value in (distance, np.int64(pairs[pair, 1])):
                while value >= 128:
                    packed[written] = (value & 127) | 128
                    value >>= 7
                    written += 1
                packed[written] = value
                written += 1
        size[word] = written - before
    return written
