"""The compiled pass over the bytes of texts that finds words and numbers their distinct forms."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from chronotope.bits import trailing_zeros
from chronotope.compiling import kernel

# What a character is to the scan: between words, within a word only, the start of one, a joiner of two letters, or a
# point or comma, which joins two digits.
BETWEEN, WITHIN, LETTER, JOINER, POINT = 0, 1, 2, 3, 4
# The second half of a key from here on is a hash.
HASHED = np.uint64(0xFF << 56)
# The bytes of a word of each length in its first eight, and in the next eight.
LOW_BYTES = np.array([(1 << 8 * min(size, 8)) - 1 for size in range(16)], np.uint64)
HIGH_BYTES = np.array([(1 << 8 * max(size - 8, 0)) - 1 for size in range(16)], np.uint64)
UPPER = np.uint64(0xFFFFFFFF << 32)


class Forms(NamedTuple):
    """The distinct words so far, and the table that finds them (open addressing, at most half full).

    A word of up to fifteen bytes is its own key: two numbers with its bytes, and with how many they are in the last
    byte. Of a longer one the second number is a hash, and words with equal keys are then compared byte by byte. A slot
    is 0 where it is free, or half of the hash of a key and the number of its form from 1: small, so that the table
    stays in the caches.
    """

    key: NDArray[np.uint64]  # (F, 2)
    start: NDArray[np.int64]  # (F,) where the first occurrence begins
    end: NDArray[np.int64]  # (F,) and ends
    frequency: NDArray[np.int64]  # (F,) how often it occurs
    slots: NDArray[np.uint64]  # (2F,)


class Marks(NamedTuple):
    """A bit for each byte of the texts, so that the next one of a kind is found without looking at those between."""

    start: NDArray[np.uint64]  # a word may start there
    plain: NDArray[np.uint64]  # a letter or digit of ASCII, which needs no closer look


def scan(
    data: NDArray[np.uint8],
    start: NDArray[np.int64],
    classes: NDArray[np.uint8],
    code: NDArray[np.int32],
    length: NDArray[np.int64],
    separator: int,
) -> tuple[int, NDArray[np.uint8], NDArray[np.int64], NDArray[np.uint64]]:
    """Number the distinct words in the order of their first occurrence.

    Fills in the form of each token and the number of tokens of each text; returns the number of tokens, the bytes of
    the forms with a separator after each, how often each form occurs, and its key.
    """
    # The eight bytes from each place on, as one number.
    wide = np.ndarray((max(len(data) - 7, 0),), np.uint64, data, strides=(1,))
    tokens, forms, frequency, key = _scan_all(data, wide, start, classes, code, length, separator)
    return int(tokens), forms, frequency, key


@kernel()
def _scan_all(data, wide, start, classes, code, length, separator):  # type: ignore[no-untyped-def]
    # One more than there is text for, since 64 bits are taken from any place on.
    marks = Marks(np.zeros(len(data) // 64 + 2, np.uint64), np.zeros(len(data) // 64 + 2, np.uint64))
    _mark(data, wide, classes, marks)
    forms = _room_for(1 << 14)
    found = tokens = text = 0
    position = start[0]
    while text < len(start) - 1:
        # A table that could be exchanged inside the loop over characters would make it twice as slow.
        found, tokens, text, position = _scan(
            data, wide, start, classes, marks, code, length, forms, (found, tokens, text, position)
        )
        if text < len(start) - 1:
            forms = _larger(forms, found)
    return tokens, _written(data, forms, found, separator), forms.frequency[:found].copy(), forms.key[:found].copy()


@kernel()
def _mark(data, wide, classes, marks):  # type: ignore[no-untyped-def]
    """Fill in the marks; eight bytes are looked at together."""
    ones, highest, eight_bits = np.uint64(0x0101010101010101), np.uint64(0x8080808080808080), np.uint64(56)
    gather = np.uint64(0x0002040810204081)  # brings the highest bit of each byte into the last byte
    any_sign = False
    for byte in range(128):
        any_sign |= classes[byte] == LETTER and not _is_plain(byte)
    for word in range(len(data) // 64):
        plain = foreign = np.uint64(0)
        for k in range(8):
            eight, place = wide[64 * word + 8 * k], np.uint64(8 * k)
            # Without its highest bit, a byte from n on reaches that bit when 0x80 - n is added.
            low = eight & ~highest
            lower = low | (ones * np.uint64(0x20))
            letter = (lower + ones * np.uint64(0x1F)) & ~(lower + ones * np.uint64(0x05))
            digit = (low + ones * np.uint64(0x50)) & ~(low + ones * np.uint64(0x46))
            plain |= ((((letter | digit) & ~eight & highest) * gather) >> eight_bits) << place
            foreign |= (((eight & highest) * gather) >> eight_bits) << place
        marks.plain[word] = plain
        marks.start[word] = plain | foreign
    for k in range(len(data) // 64 * 64, len(data)):
        bit = np.uint64(1) << np.uint64(k & 63)
        if _is_plain(data[k]):
            marks.plain[k >> 6] |= bit
        if _is_plain(data[k]) or data[k] >= 128:
            marks.start[k >> 6] |= bit
    if any_sign:
        marks.start[:] = ~np.uint64(0)


@kernel()
def _scan(data, wide, start, classes, marks, code, length, forms, reached):  # type: ignore[no-untyped-def]
    """Go on from where the last call stopped, to the end or until there is no more room for forms."""
    # Indices are unsigned: a signed one could count from the end, and to check for that takes time.
    one, all_bits = np.uint64(1), np.uint64(64)
    found, token, text, i = reached[0], np.uint64(reached[1]), reached[2], np.uint64(reached[3])
    room, mask = len(forms.key), np.uint64(len(forms.slots) - 1)
    slots, keys = forms.slots, forms.key
    while text < len(start) - 1:
        if i == np.uint64(start[text]):
            length[text] = 0
        stop = np.uint64(start[text + 1])
        while i < stop:
            skipped = trailing_zeros(_bits(marks.start, i))
            i += skipped
            if skipped == all_bits or i >= stop:
                continue
            # One character: its class, and where the next begins.
            byte = data[i]
            if byte < 128:
                kind, after = classes[byte], i + one
            else:
                kind, after = _decode(data, i, classes)
            if kind != LETTER:
                i = after
                continue
            if found == room:
                return found, np.int64(token), text, np.int64(i)
            first = i
            while True:
                i = after
                run = all_bits
                while run == all_bits:
                    run = trailing_zeros(~_bits(marks.plain, i))
                    i += run
                if i >= stop:
                    i = stop
                    break
                byte = data[i]
                if byte < 128:
                    kind, after = classes[byte], i + one
                else:
                    kind, after = _decode(data, i, classes)
                if kind == BETWEEN:
                    break
                if kind == POINT and not (after < stop and _is_digit(data[i - one]) and _is_digit(data[after])):
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
            size = i - first
            # Written out, since a call with many arrays takes longer than all else. No branch on the length but for a
            # rare one, which the processor would guess wrong.
            if size < np.uint64(16) and first + np.uint64(8) < np.uint64(len(wide)):
                low = wide[first] & LOW_BYTES[size]
                high = (wide[first + np.uint64(8)] & HIGH_BYTES[size]) | (size << np.uint64(56))
            else:
                low, high = _rare_key(data, wide, np.int64(first), np.int64(i))
            mixed = hash_of(low, high)
            slot, tag = mixed & mask, mixed & UPPER
            while True:
                held = slots[slot]
                if held == np.uint64(0):
                    form = np.uint64(found)
                    slots[slot] = tag | (form + np.uint64(1))
                    keys[form, 0], keys[form, 1] = low, high
                    forms.start[form], forms.end[form] = first, i
                    found += 1
                    break
                if held & UPPER == tag:
                    form = (held & ~UPPER) - np.uint64(1)
                    is_same = keys[form, 0] == low and keys[form, 1] == high
                    if is_same and (
                        high < HASHED or _same(wide, forms.start[form], forms.end[form], np.int64(first), np.int64(i))
                    ):
                        break
                slot = (slot + np.uint64(1)) & mask
            code[token] = form
            forms.frequency[form] += 1
            token += one
            length[text] += 1
        text += 1
        i = stop
    return found, np.int64(token), text, np.int64(i)


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
        np.empty((count, 2), np.uint64),
        np.empty(count, np.int64),
        np.empty(count, np.int64),
        np.zeros(count, np.int64),
        np.zeros(2 * count, np.uint64),
    )


@kernel()
def _larger(forms, found):  # type: ignore[no-untyped-def]
    """A table with four times the room, and the same forms in it."""
    larger = _room_for(4 * len(forms.key))
    mask = np.uint64(len(larger.slots) - 1)
    for form in range(found):
        larger.key[form, 0], larger.key[form, 1] = forms.key[form, 0], forms.key[form, 1]
        larger.start[form], larger.end[form] = forms.start[form], forms.end[form]
        larger.frequency[form] = forms.frequency[form]
        mixed = hash_of(forms.key[form, 0], forms.key[form, 1])
        slot = mixed & mask
        while larger.slots[slot]:
            slot = (slot + np.uint64(1)) & mask
        larger.slots[slot] = (mixed & UPPER) | np.uint64(form + 1)
    return larger


@kernel(inline="always")
def hash_of(low, high):  # type: ignore[no-untyped-def]
    """A hash of a key: half of its bits say where the search for it begins, the others are kept in the slot."""
    mixed = (low ^ (high >> np.uint64(31)) ^ high) * np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(32)) ^ high) * np.uint64(0xBF58476D1CE4E5B9)
    return mixed ^ (mixed >> np.uint64(32))


@kernel()
def _rare_key(data, wide, first, last):  # type: ignore[no-untyped-def]
    """The key of a word that is long, or stands so near the end that sixteen bytes cannot be read."""
    if last - first < 16:
        low = high = np.uint64(0)
        for k in range(last - 1, first - 1, -1):
            if k >= first + 8:
                high = (high << np.uint64(8)) | np.uint64(data[k])
            else:
                low = (low << np.uint64(8)) | np.uint64(data[k])
        return low, high | (np.uint64(last - first) << np.uint64(56))
    hashed = np.uint64(last - first)
    for k in range(first + 8, last - 8, 8):
        hashed = (hashed ^ wide[k]) * np.uint64(0x9E3779B97F4A7C15)
        hashed ^= hashed >> np.uint64(32)
    # The last eight bytes may overlap with those before.
    hashed = (hashed ^ wide[last - 8]) * np.uint64(0x9E3779B97F4A7C15)
    return wide[first], hashed | HASHED


@kernel(inline="always")
def _bits(marks, place):  # type: ignore[no-untyped-def]
    """The 64 bits from a place on."""
    word, shift = np.uint64(place) >> np.uint64(6), np.uint64(place) & np.uint64(63)
    return (marks[word] >> shift) | ((marks[word + np.uint64(1)] << np.uint64(1)) << (np.uint64(63) - shift))


@kernel(inline="always")
def _is_plain(byte):  # type: ignore[no-untyped-def]
    """Whether a byte is a letter or a digit of ASCII."""
    return _is_digit(byte) or np.uint8(97) <= (byte | 32) <= np.uint8(122)


@kernel(inline="always")
def _decode(data, i, classes):  # type: ignore[no-untyped-def]
    """The class of the UTF-8 character of two to four bytes at i, and where the next one begins."""
    one, two, three, six_bits = np.uint64(1), np.uint64(2), np.uint64(3), np.uint32(0x3F)
    byte = np.uint32(data[i])
    if byte < 0xE0:
        return classes[((byte & np.uint32(0x1F)) << 6) | (data[i + one] & six_bits)], i + two
    second, third = data[i + one] & six_bits, data[i + two] & six_bits
    if byte < 0xF0:
        return classes[((byte & np.uint32(0x0F)) << 12) | (second << 6) | third], i + three
    fourth = data[i + three] & six_bits
    return classes[((byte & np.uint32(0x07)) << 18) | (second << 12) | (third << 6) | fourth], i + np.uint64(4)


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
