"""The compiled pass over the bytes of texts that finds words and numbers their distinct forms."""

from __future__ import annotations

import numba
import numpy as np

# What a character is to the scan: between words, within a word only, the start of one, a joiner of two letters, or a
# point or comma, which joins two digits.
BETWEEN, WITHIN, LETTER, JOINER, POINT = 0, 1, 2, 3, 4


@numba.njit(nogil=True, cache=True)
def scan(data, start, classes, code, length):  # type: ignore[no-untyped-def]
    """Number the distinct words in the order of their first occurrence (open addressing, FNV-1a).

    Fills in the form of each token and the number of tokens of each text; returns the number of tokens, and where the
    first occurrence of each form begins and ends.
    """
    size = 1 << 14
    table = np.full(size, -1, np.int32)
    capacity = size // 2
    form_hash = np.empty(capacity, np.uint64)
    form_start = np.empty(capacity, np.int64)
    form_end = np.empty(capacity, np.int64)
    forms, tokens = 0, 0
    prime = np.uint64(0x100000001B3)
    for text in range(len(start) - 1):
        before = tokens
        i, stop = start[text], start[text + 1]
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
            first = i
            hashed = np.uint64(0xCBF29CE484222325)
            while True:
                for k in range(i, after):
                    hashed = (hashed ^ np.uint64(data[k])) * prime
                i = after
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
            hashed ^= hashed >> np.uint64(32)
            slot = np.int64(hashed & np.uint64(size - 1))
            while True:
                form = table[slot]
                if form < 0:
                    if forms == capacity:
                        size *= 4
                        capacity = size // 2
                        table = np.full(size, -1, np.int32)
                        form_hash = _longer(form_hash, capacity)
                        form_start = _longer(form_start, capacity)
                        form_end = _longer(form_end, capacity)
                        for known in range(forms):
                            slot = np.int64(form_hash[known] & np.uint64(size - 1))
                            while table[slot] >= 0:
                                slot = (slot + 1) & (size - 1)
                            table[slot] = known
                        slot = np.int64(hashed & np.uint64(size - 1))
                        while table[slot] >= 0:
                            slot = (slot + 1) & (size - 1)
                    form = forms
                    table[slot] = form
                    form_hash[form], form_start[form], form_end[form] = hashed, first, i
                    forms += 1
                    break
                if form_hash[form] == hashed and _same(data, form_start[form], form_end[form], first, i):
                    break
                slot = (slot + 1) & (size - 1)
            code[tokens] = form
            tokens += 1
        length[text] = tokens - before
    return tokens, form_start[:forms].copy(), form_end[:forms].copy()


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


@numba.njit(nogil=True, cache=True)
def _longer(array, size):  # type: ignore[no-untyped-def]
    longer = np.empty(size, array.dtype)
    longer[: len(array)] = array
    return longer
