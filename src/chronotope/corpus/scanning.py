"""The compiled pass over the bytes of texts that finds words and numbers their distinct forms."""

from __future__ import annotations

from typing import NamedTuple

import numba
import numpy as np
from numpy.typing import NDArray

# What a character is to the scan: between words, within a word only, the start of one, a joiner of two letters, or a
# point or comma, which joins two digits.
BETWEEN, WITHIN, LETTER, JOINER, POINT = 0, 1, 2, 3, 4


class Forms(NamedTuple):
    """The distinct words so far, and the table that finds them (open addressing, at most half full).

    A word of up to seven bytes is its own key: the bytes, with a one before them. The key of a longer one is a hash
    (FNV-1a) with the highest bit set, and equal keys are then compared byte by byte.
    """

    key: NDArray[np.uint64]  # (F,)
    start: NDArray[np.int64]  # (F,) where the first occurrence begins
    end: NDArray[np.int64]  # (F,) and ends
    slot_form: NDArray[np.int32]  # (2F,) the form in each slot of the table; -1 where it is empty
    slot_key: NDArray[np.uint64]  # (2F,) and its key, so that a search looks at one place


@numba.njit(nogil=True, cache=True)
def scan(data, start, classes, code, length):  # type: ignore[no-untyped-def]
    """Number the distinct words in the order of their first occurrence.

    Fills in the form of each token and the number of tokens of each text; returns the number of tokens, and where the
    first occurrence of each form begins and ends.
    """
    plain = np.zeros(256, np.bool_)  # the letters of ASCII, which need no closer look
    for byte in range(128):
        plain[byte] = classes[byte] == LETTER
    forms = _room_for(1 << 14)
    found = tokens = text = 0
    position = start[0]
    while text < len(start) - 1:
        # A table that could be exchanged inside the loop over characters would make it twice as slow.
        found, tokens, text, position = _scan(
            data, start, classes, plain, code, length, forms, (found, tokens, text, position)
        )
        if text < len(start) - 1:
            forms = _larger(forms, found)
    return tokens, forms.start[:found].copy(), forms.end[:found].copy()


@numba.njit(nogil=True, cache=True)
def _scan(data, start, classes, plain, code, length, forms, reached):  # type: ignore[no-untyped-def]
    """Go on from where the last call stopped, to the end or until there is no more room for forms."""
    found, tokens, text, i = reached
    room, size = len(forms.key), len(forms.slot_form)
    prime, eight, highest = np.uint64(0x100000001B3), np.uint64(8), np.uint64(1) << np.uint64(63)
    while text < len(start) - 1:
        if i == start[text]:
            length[text] = 0
        stop = start[text + 1]
        while i < stop:
            # One character: its class, and where the next begins.
            byte = data[i]
            if byte < 128:
                kind, after = classes[byte], i + 1
            else:
                kind, after = _decode(data, i, classes)
            if kind != LETTER:
                i = after
                continue
            if found == room:
                return found, tokens, text, i
            first = i
            key, hashed = np.uint64(1), np.uint64(0xCBF29CE484222325)
            while True:
                for k in range(i, after):
                    key = (key << eight) | np.uint64(data[k])
                    hashed = (hashed ^ np.uint64(data[k])) * prime
                i = after
                while i < stop and plain[data[i]]:
                    key = (key << eight) | np.uint64(data[i])
                    hashed = (hashed ^ np.uint64(data[i])) * prime
                    i += 1
                if i >= stop:
                    break
                byte = data[i]
                if byte < 128:
                    kind, after = classes[byte], i + 1
                else:
                    kind, after = _decode(data, i, classes)
                if kind == BETWEEN:
                    break
                if kind == POINT and not (after < stop and _is_digit(data[i - 1]) and _is_digit(data[after])):
                    break
                if kind == JOINER:
                    # It belongs to the word only if a letter follows.
                    if after >= stop:
                        break
                    if data[after] < 128:
                        following = classes[data[after]]
                    else:
                        following, _ = _decode(data, after, classes)
                    if following != LETTER:
                        break
            is_long = i - first > 7
            if is_long:
                key = hashed | highest
            slot = _slot(key, size)
            form = np.int64(forms.slot_form[slot])
            while form >= 0:
                if forms.slot_key[slot] == key and (
                    not is_long or _same(data, forms.start[form], forms.end[form], first, i)
                ):
                    break
                slot = (slot + 1) & (size - 1)
                form = np.int64(forms.slot_form[slot])
            if form < 0:
                form = found
                forms.slot_form[slot], forms.slot_key[slot] = form, key
                forms.key[form], forms.start[form], forms.end[form] = key, first, i
                found += 1
            code[tokens] = form
            tokens += 1
            length[text] += 1
        text += 1
        i = stop
    return found, tokens, text, i


@numba.njit(nogil=True, cache=True)
def _room_for(count):  # type: ignore[no-untyped-def]
    """An empty table for so many forms, a power of two."""
    return Forms(
        np.empty(count, np.uint64),
        np.empty(count, np.int64),
        np.empty(count, np.int64),
        np.full(2 * count, -1, np.int32),
        np.empty(2 * count, np.uint64),
    )


@numba.njit(nogil=True, cache=True)
def _larger(forms, found):  # type: ignore[no-untyped-def]
    """A table with four times the room, and the same forms in it."""
    larger = _room_for(4 * len(forms.key))
    for form in range(found):
        key = forms.key[form]
        larger.key[form], larger.start[form], larger.end[form] = key, forms.start[form], forms.end[form]
        slot = _slot(key, len(larger.slot_form))
        while larger.slot_form[slot] >= 0:
            slot = (slot + 1) & (len(larger.slot_form) - 1)
        larger.slot_form[slot], larger.slot_key[slot] = form, key
    return larger


@numba.njit(nogil=True, cache=True, inline="always")
def _slot(key, size):  # type: ignore[no-untyped-def]
    """Where the search for a key begins; the high bits of the product depend on all bits of the key."""
    mixed = (key ^ (key >> np.uint64(32))) * np.uint64(0x9E3779B97F4A7C15)
    return np.int64(mixed >> np.uint64(32)) & (size - 1)


@numba.njit(nogil=True, cache=True, inline="always")
def _decode(data, i, classes):  # type: ignore[no-untyped-def]
    """The class of the UTF-8 character of two to four bytes at i, and where the next one begins."""
    byte = np.int64(data[i])
    if byte < 0xE0:
        return classes[((byte & 0x1F) << 6) | (np.int64(data[i + 1]) & 0x3F)], i + 2
    second, third = np.int64(data[i + 1]) & 0x3F, np.int64(data[i + 2]) & 0x3F
    if byte < 0xF0:
        return classes[((byte & 0x0F) << 12) | (second << 6) | third], i + 3
    fourth = np.int64(data[i + 3]) & 0x3F
    return classes[((byte & 0x07) << 18) | (second << 12) | (third << 6) | fourth], i + 4


@numba.njit(nogil=True, cache=True, inline="always")
def _is_digit(byte):  # type: ignore[no-untyped-def]
    return np.uint8(48) <= byte <= np.uint8(57)


@numba.njit(nogil=True, cache=True)
def _same(data, first, last, other_first, other_last):  # type: ignore[no-untyped-def]
    if last - first != other_last - other_first:
        return False
    while first < last and data[first] == data[other_first]:
        first += 1
        other_first += 1
    return first == last
