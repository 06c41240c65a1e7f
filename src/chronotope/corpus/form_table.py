"""Forms and words by their keys: those of a whole batch are looked up in one go, without Python's strings."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from chronotope.corpus.readers.strings import strings
from chronotope.corpus.scanning import HASHED, hash_of
from chronotope.runtime.kernels import kernel

NOT_THERE = -2
# Which forms become words here, and how: plain ones in lower case, or with their case; all as they are; none.
LOWER, CASED, ANY, NONE = 0, 1, 2, 3


class Table(NamedTuple):
    """Keys with their numbers; and slots, a quarter of them taken at most, with the place of a key from 1, or 0."""

    keys: NDArray[np.uint64]
    numbers: NDArray[np.int32]
    slots: NDArray[np.uint32]


class FormTable:
    """The number of each form of up to fifteen bytes, which is its own key (see `scanning.Forms`).

    Examples
    --------
    >>> words, forms = FormTable(), FormTable()
    >>> the, The, no = (np.array([[int.from_bytes(word, "little"), len(word) << 56]], np.uint64)
    ...                 for word in (b"the", b"The", b"n\\xc3\\xb3"))
    >>> forms.numbers(np.concatenate([The, no, the]), words, first=7).tolist()
    [7, -2, 7]
    >>> forms.add(no, np.array([5], np.int32))
    >>> forms.numbers(np.concatenate([no, the]), words, first=8).tolist(), words.spelt().to_list()
    ([5, 7], ['the'])
    """

    def __init__(self) -> None:
        self._table = Table(
            np.empty((1 << 12, 2), np.uint64), np.empty(1 << 12, np.int32), np.zeros(1 << 14, np.uint32)
        )
        self._size = 0

    def numbers(self, keys: NDArray[np.uint64], words: FormTable, first: int, how: int = LOWER) -> NDArray[np.int32]:
        """The number of each form; NOT_THERE where it is neither known nor plain (see `_word`).

        A plain form that is not known gets the number of its word. A word that is not known gets the next number, from
        `first` on.
        """
        self._make_room(len(keys))
        words._make_room(len(keys))
        found = np.empty(len(keys), np.int32)
        sizes = _number(self._table, self._size, words._table, words._size, keys, found, first, how)
        self._size, words._size = map(int, sizes)
        return found

    def add(self, keys: NDArray[np.uint64], numbers: NDArray[np.int32]) -> None:
        """Add forms that are not there yet; longer ones are left out."""
        kept = keys[:, 1] < HASHED
        keys, numbers = keys[kept], numbers[kept]
        self._make_room(len(keys))
        size = self._size + len(keys)
        self._table.keys[self._size : size], self._table.numbers[self._size : size] = keys, numbers
        _enter(self._table, self._size, size)
        self._size = size

    def spelt(self) -> pl.Series:
        """All forms, in the order in which they came."""
        signs = self._table.keys[: self._size].view(np.uint8)
        length = signs[:, 15]
        start = np.concatenate([[0], np.cumsum(length, dtype=np.int64)])
        return strings(start, signs[:, :15][np.arange(15) < length[:, None]])

    def in_order(self) -> NDArray[np.int32]:
        """The numbers of all forms, in the order in which they came."""
        return self._table.numbers[: self._size]

    def __len__(self) -> int:
        return self._size

    def _make_room(self, more: int) -> None:
        keys, numbers, _ = self._table
        room = len(keys)
        while room < self._size + more:
            room *= 2
        if room > len(keys):
            keys = np.concatenate([keys, np.empty((room - len(keys), 2), np.uint64)])
            numbers = np.concatenate([numbers, np.empty(room - len(numbers), np.int32)])
            self._table = Table(keys, numbers, np.zeros(4 * room, np.uint32))
            _enter(self._table, 0, self._size)


@kernel()
def _number(forms, size, words, words_size, asked, found, first, how):  # type: ignore[no-untyped-def]
    """Fill in the number of each form; return how many forms and words there are now."""
    # Out of the loop: to take an array from a tuple counts who refers to it.
    form_keys, form_numbers, form_slots = forms.keys, forms.numbers, forms.slots
    word_keys, word_numbers, word_slots = words.keys, words.numbers, words.slots
    for form in range(len(asked)):
        low, high = asked[form, 0], asked[form, 1]
        found[form] = NOT_THERE
        if high >= HASHED:
            continue
        slot = _slot(form_slots, form_keys, low, high)
        if form_slots[slot]:
            found[form] = form_numbers[np.int64(form_slots[slot]) - 1]
            continue
        word_low, word_high, is_plain = _word(low, high, how)
        if not is_plain:
            continue
        word_slot = _slot(word_slots, word_keys, word_low, word_high)
        if not word_slots[word_slot]:
            word_keys[words_size, 0], word_keys[words_size, 1] = word_low, word_high
            word_numbers[words_size] = first
            first += 1
            words_size += 1
            word_slots[word_slot] = words_size
        found[form] = word_numbers[np.int64(word_slots[word_slot]) - 1]
        form_keys[size, 0], form_keys[size, 1], form_numbers[size] = low, high, found[form]
        size += 1
        form_slots[slot] = size
    return size, words_size


@kernel()
def _word(low, high, how):  # type: ignore[no-untyped-def]
    """The key of the word that a form stands for, and whether it is as plain as can be told here."""
    if how >= ANY:
        return low, high, how == ANY
    for place in range(np.int64(high >> np.uint64(56))):
        shift = np.uint64(8 * (place % 8))
        byte = ((low if place < 8 else high) >> shift) & np.uint64(0xFF)
        if byte <= np.uint64(32) or byte == np.uint64(39) or byte > np.uint64(126):
            return low, high, False
        if how == LOWER and np.uint64(65) <= byte <= np.uint64(90):
            if place < 8:
                low |= np.uint64(32) << shift
            else:
                high |= np.uint64(32) << shift
    return low, high, True


@kernel()
def _enter(table, first, last):  # type: ignore[no-untyped-def]
    """Enter the places of some keys."""
    slots, keys = table.slots, table.keys
    for place in range(first, last):
        slots[_slot(slots, keys, keys[place, 0], keys[place, 1])] = place + 1


@kernel()
def _slot(slots, keys, low, high):  # type: ignore[no-untyped-def]
    """The slot of a key, or the free one where it belongs."""
    mask = np.uint64(len(slots) - 1)
    slot = hash_of(low, high) & mask
    while slots[slot]:
        place = np.int64(slots[slot]) - 1
        if keys[place, 0] == low and keys[place, 1] == high:
            break
        slot = (slot + np.uint64(1)) & mask
    return slot
