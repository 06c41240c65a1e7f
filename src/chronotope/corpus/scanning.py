"""The compiled pass over the bytes of texts that finds words and numbers their distinct forms."""

from __future__ import annotations

import itertools
import threading
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from chronotope.runtime.bits import among, leading_zeros, trailing_zeros
from chronotope.runtime.kernels import kernel

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
# A table begins with room for so many.
FEWEST_FORMS = 1 << 14

# The form of each token: in 16 bits where these are surely enough.
Codes = NDArray[np.uint16] | NDArray[np.int32]

_own = threading.local()
_numbers = itertools.count(1)


class Forms(NamedTuple):
    """The distinct words so far, and the table that finds them (open addressing, at most half full).

    A word of up to fifteen bytes is its own key: two numbers with its bytes, and with how many they are in the last
    byte. Of a longer one the second number is a hash, and words with equal keys are then compared byte by byte. A slot
    has all that is needed in most cases, so that one look at the memory does: the key (its second number is 0 where the
    slot is free), the number of the form, and how often it occurs in the texts that are scanned now.
    """

    slots: NDArray[np.uint64]  # (2F, 4)
    place: NDArray[np.int64]  # (F,) the slot of each form
    end: NDArray[np.int64]  # (F,) where its bytes end in `written`
    written: NDArray[np.uint8]  # the bytes of the forms, each with a separator after it


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


class Seen:
    """The forms that were seen in texts so far, by one thread: most of those that come are known then.

    Attributes
    ----------
    number
        Tells it from others.
    count
        How many forms there are.
    forms
        The table that finds them.
    """

    def __init__(self) -> None:
        self.number = next(_numbers)
        self.count = 0
        self.forms = Forms(
            np.zeros((2 * FEWEST_FORMS, 4), np.uint64),
            np.empty(FEWEST_FORMS, np.int64),
            np.empty(FEWEST_FORMS, np.int64),
            np.empty(16 * FEWEST_FORMS, np.uint8),
        )


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
    seen: Seen,
) -> tuple[Codes, NDArray[np.uint8], NDArray[np.int64], NDArray[np.uint64], NDArray[np.int64]]:
    """Number the distinct words of texts, which begin and end in `data` as told: those that were seen before have their
    numbers, the others get the next ones in the order of first occurrence.

    Returns the form of each token, the bytes of the new forms with a separator after each, how often each form occurs,
    the keys of the new ones, and the number of tokens of each text.
    """
    # The eight bytes from each place on, as one number.
    wide = np.ndarray((max(len(data) - 7, 0),), np.uint64, data, strides=(1,))
    length = np.empty(len(start), np.int64)
    # Between two words there is at least one byte. What is not filled takes no memory.
    memory = np.empty(int((stop - start).sum()) // 2 + len(start), np.int32)
    codes = Memory(memory.view(np.uint16), memory)
    known, marks = seen.count, Marks(*_room_for_marks(len(data)))
    tokens, is_short, seen.count, forms, written, frequency, key = _scan_all(
        data, wide, start, stop, classes, marks, codes, length, separator, seen.forms, known
    )
    seen.forms = Forms(*forms)
    del codes
    memory.resize((int(tokens) + 1) // 2 if is_short else int(tokens), refcheck=False)
    return memory.view(np.uint16)[:tokens] if is_short else memory, written, frequency, key, length


def _room_for_marks(count: int) -> NDArray[np.uint64]:
    """(3, words) memory for the marks of so many bytes: each thread keeps its own, since new memory takes time."""
    # Two more than there is text for, since 64 bits are taken from any place on.
    size = count // 64 + 2
    if not hasattr(_own, "marks") or _own.marks.shape[1] < size:
        _own.marks = np.empty((3, size), np.uint64)
    marks: NDArray[np.uint64] = _own.marks
    return marks


@kernel()
def _scan_all(data, wide, start, stop, classes, marks, codes, length, separator, forms, known):  # type: ignore[no-untyped-def]
    _mark(data, classes, marks)
    cut = Cut(np.empty(AT_ONCE, np.uint64), np.empty(AT_ONCE, np.uint64))
    tokens = text = position = 0
    found = known
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
        forms = _with_room(forms, found, cut, words)
        if is_short and found + words > MOST_SHORT:
            is_short = False
            for token in range(tokens - 1, -1, -1):
                codes.long[token] = codes.short[token]
        if is_short:
            found = _look_up(data, wide, cut, words, forms, found, codes.short[tokens:], separator)
        else:
            found = _look_up(data, wide, cut, words, forms, found, codes.long[tokens:], separator)
        tokens += words
    frequency, key = _by_form(forms, known, found)
    written = forms.written[_end(forms, known) : _end(forms, found)].copy()
    return tokens, is_short, found, (forms.slots, forms.place, forms.end, forms.written), written, frequency, key


@kernel()
def _mark(data, classes, marks):  # type: ignore[no-untyped-def]
    """Fill in the marks, of 64 bytes at a time."""
    none, one, last = np.uint64(0), np.uint64(1), np.uint64(63)
    blocks = len(data) // 64
    rest = np.zeros(64, np.uint8)
    rest[: len(data) - 64 * blocks] = data[64 * blocks :]
    within = joiner = point = digit = digit_before = none
    all_plain, all_special, all_within = marks.plain, marks.special, marks.within
    for block in range(blocks + 2):
        plain = foreign = joiner_after = point_after = digit_after = none
        if block < blocks:
            plain, foreign, joiner_after, point_after, digit_after = _kinds(data, 64 * block)
        elif block == blocks:
            plain, foreign, joiner_after, point_after, digit_after = _kinds(rest, 0)
        all_plain[block], all_special[block], all_within[block] = plain, foreign, plain | foreign
        if block:
            # What follows the bytes before is known now.
            joins = joiner & ((within >> one) | ((plain | foreign) << last))
            joins |= point & ((digit << one) | digit_before) & ((digit >> one) | (digit_after << last))
            all_special[block - 1] |= joins
            all_within[block - 1] |= joins
        digit_before = digit >> last
        within, joiner, point, digit = plain | foreign, joiner_after, point_after, digit_after
    for byte in range(128):
        if (classes[byte] != BETWEEN) != (_is_plain(byte) or byte in SIGNS):
            # Other rules than those of 'words': all needs a closer look.
            all_special[:] = all_within[:] = ~none
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
    # Out of the loop: to take an array from a tuple counts who refers to it.
    within_words, special_ones, cut_first, cut_after = marks.within, marks.special, cut.first, cut.after
    while i < stop and count <= most:
        within = _bits(within_words, i)
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
        special = _bits(special_ones, i) & within
        begins = within & ~(within << one)
        ends = ~within & (within << one)
        if special == np.uint64(0):
            while begins:
                cut_first[count] = i + trailing_zeros(begins)
                cut_after[count] = i + trailing_zeros(ends)
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
                    cut_first[count], cut_after[count] = i + first, i + after
                    count += one
        i += step
    return np.int64(count), np.int64(i)


@kernel()
def _look_closer(data, classes, marks, i, stop, until, cut, count):  # type: ignore[no-untyped-def]
    """The same for a stretch with special characters, one after the other: words that begin before `until`."""
    one, all_bits = np.uint64(1), np.uint64(64)
    room = np.uint64(AT_ONCE)
    plain = marks.plain
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
                run = trailing_zeros(~_bits(plain, i))
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
def _look_up(data, wide, cut, words, forms, found, code, separator):  # type: ignore[no-untyped-def]
    """Fill in the forms of words that were cut out; return how many forms there are now."""
    slots, place, end, written = forms.slots, forms.place, forms.end, forms.written
    cut_first, cut_after = cut.first, cut.after
    mask, one, eight, short = np.uint64(len(slots) - 1), np.uint64(1), np.uint64(8), np.uint64(16)
    nearly_all = np.uint64(len(wide))
    for number in range(np.uint64(words)):
        first, after = cut_first[number], cut_after[number]
        size = after - first
        # No branch on the length but for a rare one, which the processor would guess wrong.
        if size < short and first + eight < nearly_all:
            low = wide[first] & LOW_BYTES[size]
            high = (wide[first + eight] & HIGH_BYTES[size]) | (size << np.uint64(56))
        else:
            low, high = _rare_key(data, wide, np.int64(first), np.int64(after))
        slot = hash_of(low, high) & mask
        while True:
            if slots[slot, 0] == low and slots[slot, 1] == high:
                if high < HASHED or _is_written(data, first, size, end, written, slots[slot, 2]):
                    break
            elif slots[slot, 1] == np.uint64(0):
                slots[slot, 0], slots[slot, 1], slots[slot, 2] = low, high, found
                place[found] = slot
                at = end[found - 1] + 1 if found else 0
                for k in range(np.int64(size)):
                    written[at + k] = data[first + np.uint64(k)]
                end[found] = at + np.int64(size)
                written[end[found]] = separator
                found += 1
                break
            slot = (slot + one) & mask
        code[number] = slots[slot, 2]
        slots[slot, 3] += one
    return found


@kernel()
def _by_form(forms, known, found):  # type: ignore[no-untyped-def]
    """How often each form occurs, which is forgotten then; and the keys of those that were not known."""
    frequency, key = np.empty(found, np.int64), np.empty((found - known, 2), np.uint64)
    slots, place = forms.slots, forms.place
    for form in range(found):
        slot = place[form]
        frequency[form] = slots[slot, 3]
        slots[slot, 3] = 0
        if form >= known:
            key[form - known, 0], key[form - known, 1] = slots[slot, 0], slots[slot, 1]
    return frequency, key


@kernel(inline="always")
def _end(forms, count):  # type: ignore[no-untyped-def]
    """How many bytes so many forms take, with their separators."""
    return forms.end[count - 1] + 1 if count else 0


@kernel()
def _with_room(forms, found, cut, words):  # type: ignore[no-untyped-def]
    """The table, or a larger one with the same forms in it, with room for some words, all of which may be new."""
    count, used = len(forms.end), _end(forms, found)
    first, after, written = cut.first, cut.after, forms.written
    size = np.uint64(words)
    for word in range(words):
        size += after[word] - first[word]
    if used + np.int64(size) > len(written):
        written = np.empty(2 * (used + np.int64(size)), np.uint8)
        written[:used] = forms.written[:used]
        forms = Forms(forms.slots, forms.place, forms.end, written)
    if found + words <= count:
        return forms
    slots, place, end = (
        np.zeros((4 * count, 4), np.uint64),
        np.empty(2 * count, np.int64),
        np.empty(2 * count, np.int64),
    )
    end[:found] = forms.end[:found]
    mask = np.uint64(len(slots) - 1)
    for form in range(found):
        old = forms.place[form]
        slot = hash_of(forms.slots[old, 0], forms.slots[old, 1]) & mask
        while slots[slot, 1]:
            slot = (slot + np.uint64(1)) & mask
        for k in range(4):
            slots[slot, k] = forms.slots[old, k]
        place[form] = slot
    return Forms(slots, place, end, written)


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
def _is_written(data, first, size, end, written, form):  # type: ignore[no-untyped-def]
    """Whether a word is that form."""
    begin = np.uint64(end[form - np.uint64(1)] + 1) if form else np.uint64(0)
    if np.uint64(end[form]) - begin != size:
        return False
    same = True
    for k in range(size):
        same &= data[first + k] == written[begin + k]
    return same
