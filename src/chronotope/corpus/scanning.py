"""The compiled pass over the bytes of texts that finds words and numbers their distinct forms."""

from __future__ import annotations

import threading
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from chronotope.bits import among, leading_zeros, trailing_zeros
from chronotope.compiling import kernel

# What a character is to the scan: between words, within a word only, the start of one, a joiner of two letters, or a
# point or comma, which joins two digits.
BETWEEN, WITHIN, LETTER, JOINER, POINT = 0, 1, 2, 3, 4
# The second half of a key from here on is a hash.
HASHED = np.uint64(0xFF << 56)
# The bytes of a word of each length in its first eight, and in the next eight.
LOW_BYTES = np.array([(1 << 8 * min(size, 8)) - 1 for size in range(16)], np.uint64)
HIGH_BYTES = np.array([(1 << 8 * max(size - 8, 0)) - 1 for size in range(16)], np.uint64)
# ' and _, which join letters, and the comma and the point.
SIGNS = (39, 95, 44, 46)
# So many words are cut out before they are looked up, which is done for many at once by the processor; and in 64 bytes
# there are no more than so many.
AT_ONCE, MOST_IN_64 = 1024, 32
# So many forms are told from each other by short numbers.
MOST_SHORT = 1 << 16

# The form of each token: in 16 bits where these are surely enough.
Codes = NDArray[np.uint16] | NDArray[np.int32]

_own = threading.local()


class Forms(NamedTuple):
    """The distinct words so far, and the table that finds them (open addressing, at most half full).

    A word of up to fifteen bytes is its own key: two numbers with its bytes, and with how many they are in the last
    byte. Of a longer one the second number is a hash, and words with equal keys are then compared byte by byte. A slot
    has all that is needed in most cases, so that one look at the memory does: the key (its second number is 0 where the
    slot is free), the number of the form, and how often it occurs.
    """

    slots: NDArray[np.uint64]  # (2F, 4)
    start: NDArray[np.int64]  # (F,) where the first occurrence begins
    end: NDArray[np.int64]  # (F,) and ends


class Marks(NamedTuple):
    """A bit for each byte of the texts, so that words are found without looking at one byte after the other.

    What lies between two bytes that are not `within` is a word as it is if none of it is `special`, else it needs a
    closer look.
    """

    within: NDArray[np.uint64]  # may belong to a word
    special: NDArray[np.uint64]  # may, and is neither a letter nor a digit of ASCII
    plain: NDArray[np.uint64]  # a letter or a digit of ASCII


class Memory(NamedTuple):
    """The memory for the codes of tokens, seen as short numbers and as long ones."""

    short: NDArray[np.uint16]
    long: NDArray[np.int32]


class Cut(NamedTuple):
    """Where words begin and end."""

    first: NDArray[np.uint64]
    after: NDArray[np.uint64]


def scan(
    data: NDArray[np.uint8],
    start: NDArray[np.int64],
    stop: NDArray[np.int64],
    classes: NDArray[np.uint8],
    separator: int,
) -> tuple[Codes, NDArray[np.uint8], NDArray[np.int64], NDArray[np.uint64], NDArray[np.int64]]:
    """Number the distinct words of texts, which begin and end in `data` as told, in the order of first occurrence.

    Returns the form of each token, the bytes of the forms with a separator after each, how often each form occurs, its
    key, and the number of tokens of each text.
    """
    # The eight bytes from each place on, as one number.
    wide = np.ndarray((max(len(data) - 7, 0),), np.uint64, data, strides=(1,))
    length = np.empty(len(start), np.int64)
    # Between two words there is at least one byte. What is not filled takes no memory.
    memory = np.empty(int((stop - start).sum()) // 2 + len(start), np.int32)
    codes = Memory(memory.view(np.uint16), memory)
    tokens, is_short, forms, frequency, key = _scan_all(
        data, wide, start, stop, classes, Marks(*_room_for_marks(len(data))), codes, length, separator
    )
    del codes
    memory.resize((int(tokens) + 1) // 2 if is_short else int(tokens), refcheck=False)
    return memory.view(np.uint16)[:tokens] if is_short else memory, forms, frequency, key, length


def _room_for_marks(count: int) -> NDArray[np.uint64]:
    """(3, words) memory for the marks of so many bytes: each thread keeps its own, since new memory takes time."""
    # Two more than there is text for, since 64 bits are taken from any place on.
    size = count // 64 + 2
    if not hasattr(_own, "marks") or _own.marks.shape[1] < size:
        _own.marks = np.empty((3, size), np.uint64)
    marks: NDArray[np.uint64] = _own.marks
    return marks


@kernel()
def _scan_all(data, wide, start, stop, classes, marks, codes, length, separator):  # type: ignore[no-untyped-def]
    _mark(data, classes, marks)
    cut = Cut(np.empty(AT_ONCE, np.uint64), np.empty(AT_ONCE, np.uint64))
    forms = _room_for(1 << 14)
    found = tokens = text = position = 0
    is_short = True
    length[:] = 0
    while text < len(start):
        words = 0
        while text < len(start) and words <= AT_ONCE - MOST_IN_64:
            before = words
            words, position = _cut(data, classes, marks, max(position, start[text]), stop[text], cut, words)
            length[text] += words - before
            if position >= stop[text]:
                text += 1
                position = 0
        if found + words > len(forms.start):
            forms = _larger(forms)
        if is_short and found + words > MOST_SHORT:
            is_short = False
            for token in range(tokens - 1, -1, -1):
                codes.long[token] = codes.short[token]
        if is_short:
            found = _look_up(data, wide, cut, words, forms, found, codes.short[tokens:])
        else:
            found = _look_up(data, wide, cut, words, forms, found, codes.long[tokens:])
        tokens += words
    frequency, key = _by_form(forms, found)
    return tokens, is_short, _written(data, forms, found, separator), frequency, key


@kernel()
def _mark(data, classes, marks):  # type: ignore[no-untyped-def]
    """Fill in the marks, of 64 bytes at a time."""
    none, one, last = np.uint64(0), np.uint64(1), np.uint64(63)
    blocks = len(data) // 64
    rest = np.zeros(64, np.uint8)
    rest[: len(data) - 64 * blocks] = data[64 * blocks :]
    within = joiner = point = digit = digit_before = none
    for block in range(blocks + 2):
        plain = foreign = joiner_after = point_after = digit_after = none
        if block < blocks:
            plain, foreign, joiner_after, point_after, digit_after = _kinds(data, 64 * block)
        elif block == blocks:
            plain, foreign, joiner_after, point_after, digit_after = _kinds(rest, 0)
        marks.plain[block], marks.special[block], marks.within[block] = plain, foreign, plain | foreign
        if block:
            # What follows the bytes before is known now.
            joins = joiner & ((within >> one) | ((plain | foreign) << last))
            joins |= point & ((digit << one) | digit_before) & ((digit >> one) | (digit_after << last))
            marks.special[block - 1] |= joins
            marks.within[block - 1] |= joins
        digit_before = digit >> last
        within, joiner, point, digit = plain | foreign, joiner_after, point_after, digit_after
    for byte in range(128):
        if (classes[byte] != BETWEEN) != (_is_plain(byte) or byte in SIGNS):
            # Other rules than those of 'words': all needs a closer look.
            marks.special[:] = marks.within[:] = ~none
            break


@kernel()
def _kinds(data, place):  # type: ignore[no-untyped-def]
    """Which of 64 bytes are letters or digits of ASCII, beyond ASCII, joiners, points, and digits."""
    digit = among(data, place, 48, 57)
    plain = among(data, place, 97, 122) | among(data, place, 65, 90) | digit
    joiner = among(data, place, 39, 39) | among(data, place, 95, 95)
    point = among(data, place, 44, 44) | among(data, place, 46, 46)
    return plain, among(data, place, 128, 255), joiner, point, digit


@kernel()
def _cut(data, classes, marks, position, stop, cut, words):  # type: ignore[no-untyped-def]
    """Cut a text up to `stop` into words, as many as there is room for; return how many there are, and the place."""
    # Indices are unsigned: a signed one could count from the end, and to check for that takes time.
    one, all_bits = np.uint64(1), np.uint64(64)
    i, stop, count = np.uint64(position), np.uint64(stop), np.uint64(words)
    most = np.uint64(AT_ONCE - MOST_IN_64)
    while i < stop and count <= most:
        within = _bits(marks.within, i)
        step = stop - i
        if step < all_bits:
            within &= (one << step) - one
        else:
            step = all_bits
        if within >> np.uint64(63) and i + step < stop:
            # It goes on behind these 64: it is taken with those that follow it, unless it is longer than that.
            step -= leading_zeros(~within)
            if step == np.uint64(0):
                count, i = _look_closer(data, classes, marks, i, stop, i + all_bits, cut, count)
                continue
            within &= (one << step) - one
        special = _bits(marks.special, i) & within
        begins = within & ~(within << one)
        ends = ~within & (within << one)
        if special == np.uint64(0):
            while begins:
                cut.first[count] = i + trailing_zeros(begins)
                cut.after[count] = i + trailing_zeros(ends)
                begins &= begins - one
                ends &= ends - one
                count += one
        else:
            while begins:
                first, after = trailing_zeros(begins), trailing_zeros(ends)
                begins &= begins - one
                ends &= ends - one
                if (special >> first) << (all_bits - (after - first)):
                    count, _ = _look_closer(data, classes, marks, i + first, i + after, i + after, cut, count)
                else:
                    cut.first[count], cut.after[count] = i + first, i + after
                    count += one
        i += step
    return np.int64(count), np.int64(i)


@kernel()
def _look_closer(data, classes, marks, i, stop, until, cut, count):  # type: ignore[no-untyped-def]
    """The same for a stretch with special characters, one after the other: words that begin before `until`."""
    one, all_bits = np.uint64(1), np.uint64(64)
    room = np.uint64(AT_ONCE)
    while i < until and i < stop and count < room:
        # One character: its class, and where the next begins.
        byte = data[i]
        if byte < 128:
            kind, after = classes[byte], i + one
        else:
            kind, after = _decode(data, i, classes)
        if kind != LETTER:
            i = after
            continue
        first = i
        while True:
            i = after
            run = all_bits
            while run == all_bits and i < stop:
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
        cut.first[count], cut.after[count] = first, i
        count += one
    return count, i


@kernel()
def _look_up(data, wide, cut, words, forms, found, code):  # type: ignore[no-untyped-def]
    """Fill in the forms of words that were cut out; return how many forms there are now."""
    slots, mask, one = forms.slots, np.uint64(len(forms.slots) - 1), np.uint64(1)
    for number in range(words):
        first, after = cut.first[number], cut.after[number]
        size = after - first
        # No branch on the length but for a rare one, which the processor would guess wrong.
        if size < np.uint64(16) and first + np.uint64(8) < np.uint64(len(wide)):
            low = wide[first] & LOW_BYTES[size]
            high = (wide[first + np.uint64(8)] & HIGH_BYTES[size]) | (size << np.uint64(56))
        else:
            low, high = _rare_key(data, wide, np.int64(first), np.int64(after))
        slot = hash_of(low, high) & mask
        while True:
            if slots[slot, 0] == low and slots[slot, 1] == high:
                form = slots[slot, 2]
                if high < HASHED or _same(wide, forms.start[form], forms.end[form], np.int64(first), np.int64(after)):
                    break
            elif slots[slot, 1] == np.uint64(0):
                slots[slot, 0], slots[slot, 1], slots[slot, 2] = low, high, found
                forms.start[found], forms.end[found] = first, after
                found += 1
                break
            slot = (slot + one) & mask
        code[number] = slots[slot, 2]
        slots[slot, 3] += one
    return found


@kernel()
def _by_form(forms, found):  # type: ignore[no-untyped-def]
    """How often each form occurs, and its key."""
    frequency, key = np.empty(found, np.int64), np.empty((found, 2), np.uint64)
    for slot in range(len(forms.slots)):
        if forms.slots[slot, 1]:
            form = forms.slots[slot, 2]
            key[form, 0], key[form, 1] = forms.slots[slot, 0], forms.slots[slot, 1]
            frequency[form] = forms.slots[slot, 3]
    return frequency, key


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
    return Forms(np.zeros((2 * count, 4), np.uint64), np.empty(count, np.int64), np.empty(count, np.int64))


@kernel()
def _larger(forms):  # type: ignore[no-untyped-def]
    """A table with twice the room, and the same forms in it."""
    size = len(forms.start)
    larger = _room_for(2 * size)
    larger.start[:size], larger.end[:size] = forms.start, forms.end
    mask = np.uint64(len(larger.slots) - 1)
    for old in range(len(forms.slots)):
        if forms.slots[old, 1]:
            slot = hash_of(forms.slots[old, 0], forms.slots[old, 1]) & mask
            while larger.slots[slot, 1]:
                slot = (slot + np.uint64(1)) & mask
            larger.slots[slot] = forms.slots[old]
    return larger


@kernel(inline="always")
def hash_of(low, high):  # type: ignore[no-untyped-def]
    """A hash of a key, which says where the search for it begins."""
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
