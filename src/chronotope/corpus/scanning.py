"""The compiled pass over the bytes of texts that finds words and numbers their distinct forms."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from chronotope.compiling import kernel

# What a character is to the scan: between words, within a word only, the start of one, a joiner of two letters, or a
# point or comma, which joins two digits.
BETWEEN, WITHIN, LETTER, JOINER, POINT = 0, 1, 2, 3, 4


class Forms(NamedTuple):
    """The distinct words so far, and the table that finds them (open addressing, at most half full).

    A word of up to seven bytes is its own key: the bytes, and their number as the eighth. The key of a longer one is a
    hash with the highest bit set, and equal keys are then compared byte by byte. No key is 0.
    """

    key: NDArray[np.uint64]  # (F,)
    start: NDArray[np.int64]  # (F,) where the first occurrence begins
    end: NDArray[np.int64]  # (F,) and ends
    slots: NDArray[np.uint64]  # (4F,) key and form of each slot, side by side, so that a search looks at one place


def scan(
    data: NDArray[np.uint8],
    start: NDArray[np.int64],
    classes: NDArray[np.uint8],
    code: NDArray[np.int32],
    length: NDArray[np.int64],
    separator: int,
) -> tuple[int, NDArray[np.uint8]]:
    """Number the distinct words in the order of their first occurrence.

    Fills in the form of each token and the number of tokens of each text; returns the number of tokens, and the bytes
    of the forms with a separator after each.
    """
    # The eight bytes from each place on, as one number.
    wide = np.ndarray((max(len(data) - 7, 0),), np.uint64, data, strides=(1,))
    tokens, forms = _scan_all(data, wide, start, classes, code, length, separator)
    return int(tokens), forms


@kernel()
def _scan_all(data, wide, start, classes, code, length, separator):  # type: ignore[no-untyped-def]
    plain = np.zeros(256, np.bool_)  # the letters of ASCII, which need no closer look
    for byte in range(128):
        plain[byte] = classes[byte] == LETTER
    forms = _room_for(1 << 14)
    found = tokens = text = 0
    position = start[0]
    while text < len(start) - 1:
        # A table that could be exchanged inside the loop over characters would make it twice as slow.
        found, tokens, text, position = _scan(
            data, wide, start, classes, plain, code, length, forms, (found, tokens, text, position)
        )
        if text < len(start) - 1:
            forms = _larger(forms, found)
    return tokens, _written(data, forms, found, separator)


@kernel()
def _scan(data, wide, start, classes, plain, code, length, forms, reached):  # type: ignore[no-untyped-def]
    """Go on from where the last call stopped, to the end or until there is no more room for forms."""
    found, tokens, text, i = reached
    room, size = len(forms.key), len(forms.slots) // 2
    slots = forms.slots
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
            while True:
                i = after
                while i + 8 <= stop:
                    run = _letters(wide[i])
                    i += run
                    if run < 8:
                        break
                while i < stop and plain[data[i]]:
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
            key = _hash(wide, first, i) if is_long else _short(data, wide, first, i)
            slot = _slot(key, size)
            while slots[2 * slot]:
                if slots[2 * slot] == key:
                    form = np.int64(slots[2 * slot + 1])
                    if not is_long or _same(wide, forms.start[form], forms.end[form], first, i):
                        break
                slot = (slot + 1) & (size - 1)
            if slots[2 * slot] == 0:
                form = found
                slots[2 * slot], slots[2 * slot + 1] = key, form
                forms.key[form], forms.start[form], forms.end[form] = key, first, i
                found += 1
            code[tokens] = slots[2 * slot + 1]
            tokens += 1
            length[text] += 1
        text += 1
        i = stop
    return found, tokens, text, i


@kernel()
def _written(data, forms, found, separator):  # type: ignore[no-untyped-def]
    """The bytes of the forms, each with a separator after it."""
    size = found
    for form in range(found):
        size += forms.end[form] - forms.start[form]
    written = np.empty(size, np.uint8)
    at = 0
    for form in range(found):
        for k in range(forms.start[form], forms.end[form]):
            written[at] = data[k]
            at += 1
        written[at] = separator
        at += 1
    return written


@kernel()
def _room_for(count):  # type: ignore[no-untyped-def]
    """An empty table for so many forms, a power of two."""
    return Forms(
        np.empty(count, np.uint64),
        np.empty(count, np.int64),
        np.empty(count, np.int64),
        np.zeros(4 * count, np.uint64),
    )


@kernel()
def _larger(forms, found):  # type: ignore[no-untyped-def]
    """A table with four times the room, and the same forms in it."""
    larger = _room_for(4 * len(forms.key))
    size = len(larger.slots) // 2
    for form in range(found):
        key = forms.key[form]
        larger.key[form], larger.start[form], larger.end[form] = key, forms.start[form], forms.end[form]
        slot = _slot(key, size)
        while larger.slots[2 * slot]:
            slot = (slot + 1) & (size - 1)
        larger.slots[2 * slot], larger.slots[2 * slot + 1] = key, form
    return larger


@kernel(inline="always")
def _slot(key, size):  # type: ignore[no-untyped-def]
    """Where the search for a key begins; the high bits of the product depend on all bits of the key."""
    mixed = (key ^ (key >> np.uint64(32))) * np.uint64(0x9E3779B97F4A7C15)
    return np.int64(mixed >> np.uint64(32)) & (size - 1)


@kernel(inline="always")
def _letters(eight):  # type: ignore[no-untyped-def]
    """How many of eight bytes, from the first on, are letters of ASCII: all of them are looked at together."""
    ones, highest = np.uint64(0x0101010101010101), np.uint64(0x8080808080808080)
    # In lower case and without its highest bit, a letter reaches that bit when 0x1F is added, and not with 0x05.
    low = (eight | (ones * np.uint64(0x20))) & ~highest
    other = (~(low + ones * np.uint64(0x1F)) | (low + ones * np.uint64(0x05)) | eight) & highest
    if other == np.uint64(0):
        return 8
    # The bits below the first that is set: one of them is the lowest of its byte in each byte up to that one.
    below = ((other & (~other + np.uint64(1))) - np.uint64(1)) & ones
    return np.int64((below * ones) >> np.uint64(56)) - 1


@kernel(inline="always")
def _short(data, wide, first, last):  # type: ignore[no-untyped-def]
    """The key of a word of up to seven bytes."""
    size = np.uint64(last - first)
    if first < len(wide):
        held = wide[first] & ((np.uint64(1) << (size << np.uint64(3))) - np.uint64(1))
    else:
        held = np.uint64(0)
        for k in range(last - 1, first - 1, -1):
            held = (held << np.uint64(8)) | np.uint64(data[k])
    return held | (size << np.uint64(56))


@kernel(inline="always")
def _hash(wide, first, last):  # type: ignore[no-untyped-def]
    """The key of a word of eight bytes or more; the last eight may overlap with those before."""
    hashed = np.uint64(last - first)
    for k in range(first, last - 8, 8):
        hashed = (hashed ^ wide[k]) * np.uint64(0x9E3779B97F4A7C15)
        hashed ^= hashed >> np.uint64(32)
    hashed = (hashed ^ wide[last - 8]) * np.uint64(0x9E3779B97F4A7C15)
    return hashed | (np.uint64(1) << np.uint64(63))


@kernel(inline="always")
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


@kernel(inline="always")
def _is_digit(byte):  # type: ignore[no-untyped-def]
    return np.uint8(48) <= byte <= np.uint8(57)


@kernel(inline="always")
def _same(wide, first, last, other_first, other_last):  # type: ignore[no-untyped-def]
    """Whether two words of eight bytes or more are the same."""
    if last - first != other_last - other_first:
        return False
    while first < last - 8 and wide[first] == wide[other_first]:
        first += 8
        other_first += 8
    return first >= last - 8 and wide[last - 8] == wide[other_last - 8]
