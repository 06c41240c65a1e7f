"""The forms that were met before: those of a whole batch are looked up in one go, without Python's strings."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from chronotope.compiling import kernel
from chronotope.corpus.scanning import HASHED, hash_of

NOT_THERE = -2


class FormTable:
    """The number of each form of up to fifteen bytes, which is its own key (see `scanning.Forms`).

    Examples
    --------
    >>> table, keys = FormTable(), np.array([[7, 1], [8, 1], [7, 2]], np.uint64)
    >>> table.add(keys[:2], np.array([5, 6], np.int32))
    >>> table.find(keys).tolist()
    [5, 6, -2]
    """

    def __init__(self) -> None:
        self._keys = np.empty((1 << 12, 2), np.uint64)
        self._numbers = np.empty(1 << 12, np.int32)
        # Open addressing, at most a quarter full: 0, or the place of a key from 1.
        self._slots = np.zeros(1 << 14, np.uint32)
        self._size = 0

    def find(self, keys: NDArray[np.uint64]) -> NDArray[np.int32]:
        """The number of each form; NOT_THERE where it is not known, or longer."""
        found = np.empty(len(keys), np.int32)
        _find(self._keys, self._numbers, self._slots, keys, found)
        return found

    def add(self, keys: NDArray[np.uint64], numbers: NDArray[np.int32]) -> None:
        """Add forms that are not there yet; longer ones are left out."""
        kept = keys[:, 1] < HASHED
        keys, numbers = keys[kept], numbers[kept]
        size = self._size + len(keys)
        room = len(self._keys)
        while room < size:
            room *= 2
        if room > len(self._keys):
            self._keys = np.concatenate([self._keys, np.empty((room - len(self._keys), 2), np.uint64)])
            self._numbers = np.concatenate([self._numbers, np.empty(room - len(self._numbers), np.int32)])
            self._slots = np.zeros(4 * room, np.uint32)
            _enter(self._keys, self._slots, 0, self._size)
        self._keys[self._size : size], self._numbers[self._size : size] = keys, numbers
        _enter(self._keys, self._slots, self._size, size)
        self._size = size


@kernel()
def _enter(keys, slots, first, last):  # type: ignore[no-untyped-def]
    """Enter the places of some keys."""
    mask = np.uint64(len(slots) - 1)
    for place in range(first, last):
        slot = hash_of(keys[place, 0], keys[place, 1]) & mask
        while slots[slot]:
            slot = (slot + np.uint64(1)) & mask
        slots[slot] = place + 1


@kernel()
def _find(keys, numbers, slots, asked, found):  # type: ignore[no-untyped-def]
    """Fill in the number of each key."""
    mask = np.uint64(len(slots) - 1)
    for form in range(len(asked)):
        low, high = asked[form, 0], asked[form, 1]
        found[form] = NOT_THERE
        if high >= HASHED:
            continue
        slot = hash_of(low, high) & mask
        while slots[slot]:
            place = np.int64(slots[slot]) - 1
            if keys[place, 0] == low and keys[place, 1] == high:
                found[form] = numbers[place]
                break
            slot = (slot + np.uint64(1)) & mask
