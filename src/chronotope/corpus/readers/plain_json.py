"""JSON lines as most files have them, in one compiled pass: an object a line, whose values are strings and numbers.

Whatever else there may be (values inside values, fractions in a field that is read, carriage returns, a line that is
broken) is not read here at all: `plain_rows` says so, and others look at it.
"""

from __future__ import annotations

import numpy as np
import polars as pl
import pyarrow as pa
from numpy.typing import NDArray

from chronotope.corpus.readers.streams import LINE_END
from chronotope.corpus.readers.strings import large_strings, strings
from chronotope.io.recycling import Room
from chronotope.runtime.bits import among, trailing_zeros
from chronotope.runtime.kernels import kernel

# What a value is: not there, null, a string as it stands, one with escapes, or a whole number.
ABSENT, NULL, PLAIN, ESCAPED, NUMBER = 0, 1, 2, 3, 4
# Numbers of more digits, or with larger exponents, may be too large for some.
MOST_DIGITS, MOST_DIGITS_OF_EXPONENT = 18, 2
FAILED = -1
LITERALS = np.array([[*b"null "], [*b"true "], [*b"false"]], np.uint8)
# What stands behind a backslash, and the character that is meant.
ESCAPES = np.array([[*pair] for pair in (b'""', b"\\\\", b"//", b"b\b", b"f\f", b"n\n", b"r\r", b"t\t")], np.uint8)

_room = Room()


def plain_rows(data: bytes | memoryview, names: tuple[str, ...], lines: int) -> pl.DataFrame | None:
    """The fields of JSON lines, as text; None where they are not as plain as can be read here.

    Parameters
    ----------
    data
        Whole lines.
    names
        The fields.
    lines
        How many lines there are.

    Examples
    --------
    >>> plain_rows(b'{"year": 1990, "text": "Caf\\\\u00e9"}\\n', ("text", "year"), 1).rows()
    [('Café', '1990')]
    >>> plain_rows(b'{"year": 1990.5}\\n', ("year",), 1) is None
    True
    """
    signs = np.frombuffer(memoryview(data).toreadonly(), np.uint8)
    if not len(signs) or signs[-1] != LINE_END or not _is_utf8(signs):
        return None
    marks = np.empty(len(signs) // 64 + 2, np.uint64)
    encoded = [np.frombuffer(name.encode(), np.uint8) for name in names]
    name_ends = np.cumsum([len(name) for name in encoded])
    first, after = np.zeros((2, len(names), lines), np.int64)
    kind = np.zeros((len(names), lines), np.uint8)
    if not _mark(signs, marks) or _find(signs, marks, np.concatenate(encoded), name_ends, first, after, kind) != lines:
        return None
    columns = [_column(signs, marks, *values) for values in zip(first, after, kind, strict=True)]
    if any(column is None for column in columns):
        return None
    return pl.DataFrame(dict(zip(names, columns, strict=True)))


def _is_utf8(signs: NDArray[np.uint8]) -> bool:
    try:
        large_strings(np.array([0, len(signs)]), signs).validate(full=True)
    except pa.ArrowInvalid:
        return False
    return True


def _column(
    signs: NDArray[np.uint8],
    marks: NDArray[np.uint64],
    first: NDArray[np.int64],
    after: NDArray[np.int64],
    kind: NDArray[np.uint8],
) -> pl.Series | None:
    """The strings that values stand for; None if an escape is broken."""
    text = _room.array(int((after - first).sum()))
    start = np.empty(len(first) + 1, np.int64)
    if not _copy(signs, marks, first, after, kind, text, start):
        return None
    return strings(start, text, kind > NULL)


@kernel()
def _mark(data, marks):  # type: ignore[no-untyped-def]
    """Fill in a bit for each quotation mark and backslash; False if there are control characters but line ends."""
    blocks = len(data) // 64
    rest = np.full(64, 32, np.uint8)
    rest[: len(data) - 64 * blocks] = data[64 * blocks :]
    unusual = np.uint64(0)
    for block in range(blocks):
        place = 64 * block
        marks[block] = among(data, place, 34, 34) | among(data, place, 92, 92)
        unusual |= among(data, place, 0, 9) | among(data, place, 11, 31)
    marks[blocks] = among(rest, 0, 34, 34) | among(rest, 0, 92, 92)
    marks[blocks + 1] = np.uint64(0)
    return (unusual | among(rest, 0, 0, 9) | among(rest, 0, 11, 31)) == np.uint64(0)


@kernel()
def _find(data, marks, names, name_ends, first, after, kind):  # type: ignore[no-untyped-def]
    """Fill in where the values of each row begin and end, and what they are; return how many rows there are.

    The last byte is a line end, at which everything stops that goes on from one byte to the next.
    """
    row = i = 0
    while i < len(data):
        if row == kind.shape[1]:
            return FAILED
        i = _passed(data, i)
        if data[i] != 123:  # {
            return FAILED
        i = _passed(data, i + 1)
        is_empty = data[i] == 125
        while not is_empty:
            if data[i] != 34:
                return FAILED
            begin, (end, escaped) = i + 1, _string_end(data, marks, i + 1)
            if end < 0 or escaped:
                return FAILED
            field = _which(data, begin, end, names, name_ends)
            i = _passed(data, end + 1)
            if data[i] != 58:  # :
                return FAILED
            i = _passed(data, i + 1)
            what = NULL
            if data[i] == 34:
                begin, (end, escaped) = i + 1, _string_end(data, marks, i + 1)
                i, what = end + 1, ESCAPED if escaped else PLAIN
                is_left_out = field < 0 or kind[field, row] != ABSENT
                if end >= 0 and escaped and is_left_out and not _is_sound(data, marks, begin, end):
                    return FAILED
            elif data[i] == 45 or _is_digit(data[i]):
                begin, (end, whole) = i, _number_end(data, i)
                i, what = end, NUMBER
                if field >= 0 and not whole:
                    return FAILED
            else:
                begin, (end, null) = i, _literal_end(data, i)
                i = end
                if field >= 0 and not null:
                    return FAILED
            if end < 0:
                return FAILED
            # Of two values under one name the first counts.
            if field >= 0 and kind[field, row] == ABSENT:
                kind[field, row] = what
                if what != NULL:
                    first[field, row], after[field, row] = begin, end
            i = _passed(data, i)
            if data[i] == 125:  # }
                break
            if data[i] != 44:  # ,
                return FAILED
            i = _passed(data, i + 1)
        i = _passed(data, i + 1)
        if data[i] != 10:
            return FAILED
        i += 1
        row += 1
    return row


@kernel(inline="always")
def _passed(data, i):  # type: ignore[no-untyped-def]
    """Where the blanks from a place on end."""
    while data[i] == 32:
        i += 1
    return i


@kernel()
def _string_end(data, marks, i):  # type: ignore[no-untyped-def]
    """Where a string ends, or FAILED; and whether there are escapes in it."""
    escaped = False
    while True:
        i = _next_mark(marks, i, len(data))
        if i >= len(data):
            return FAILED, escaped
        if data[i] == 34:
            return i, escaped
        escaped = True
        i += 2


@kernel(inline="always")
def _next_mark(marks, i, end):  # type: ignore[no-untyped-def]
    """Where the next quotation mark or backslash stands; `end` or beyond if there is none before."""
    while i < end:
        word, shift = np.uint64(i) >> np.uint64(6), np.uint64(i) & np.uint64(63)
        skipped = trailing_zeros(marks[word] >> shift)
        if skipped < np.uint64(64):
            return i + np.int64(skipped)
        i += 64 - np.int64(shift)
    return i


@kernel()
def _number_end(data, i):  # type: ignore[no-untyped-def]
    """Where a number ends, or FAILED; and whether it is a whole one that is written as it stands."""
    begin = i
    i += data[i] == 45  # -
    digits = i
    while _is_digit(data[i]):
        i += 1
    size = i - digits
    if not 0 < size <= MOST_DIGITS or (size > 1 and data[digits] == 48):
        return FAILED, False
    whole = not (digits > begin and data[digits] == 48)  # -0 is written 0
    if data[i] == 46:  # .
        whole, digits = False, i + 1
        i += 1
        while _is_digit(data[i]):
            i += 1
        if i == digits:
            return FAILED, False
    if data[i] | 32 == 101:  # e
        i += 1
        i += data[i] == 43 or data[i] == 45
        whole, digits = False, i
        while _is_digit(data[i]):
            i += 1
        if not digits < i <= digits + MOST_DIGITS_OF_EXPONENT:
            return FAILED, False
    return i, whole


@kernel()
def _literal_end(data, i):  # type: ignore[no-untyped-def]
    """Where null, true or false ends, or FAILED; and whether it is null."""
    for number in range(len(LITERALS)):
        size = 5 if number == 2 else 4
        if i + size < len(data):
            same = True
            for k in range(size):
                same &= data[i + k] == LITERALS[number, k]
            if same:
                return i + size, number == 0
    return FAILED, False


@kernel()
def _which(data, begin, end, names, name_ends):  # type: ignore[no-untyped-def]
    """Which of the names stands there; -1: none."""
    start = 0
    for number in range(len(name_ends)):
        if name_ends[number] - start == end - begin:
            same = True
            for k in range(end - begin):
                same &= data[begin + k] == names[start + k]
            if same:
                return number
        start = name_ends[number]
    return -1


@kernel()
def _copy(data, marks, first, after, kind, text, start):  # type: ignore[no-untyped-def]
    """Fill in the strings one after the other, and where each begins; False if an escape is broken."""
    at = 0
    for row in range(len(first)):
        start[row] = at
        i, end = first[row], after[row]
        if kind[row] != ESCAPED:
            at = _copied(data, i, end, text, at)
            continue
        while i < end:
            escape = min(_next_mark(marks, i, end), end)
            at = _copied(data, i, escape, text, at)
            if escape == end:
                break
            code, i = _meant(data, escape + 1, end)
            if code < 0:
                return False
            at = _put(code, text, at)
    start[len(first)] = at
    return True


@kernel()
def _meant(data, i, end):  # type: ignore[no-untyped-def]
    """The character that is meant by what stands behind a backslash, or FAILED; and where that ends."""
    sign = data[i]
    i += 1
    if sign != 117:  # u
        for k in range(len(ESCAPES)):
            if ESCAPES[k, 0] == sign:
                return int(ESCAPES[k, 1]), i
        return FAILED, i
    code, i = _code(data, i, end)
    if 0xD800 <= code < 0xDC00 and i + 1 < end and data[i] == 92 and data[i + 1] == 117:
        low, i = _code(data, i + 2, end)
        return (0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00) if 0xDC00 <= low < 0xE000 else FAILED), i
    return (FAILED if 0xD800 <= code < 0xE000 else code), i


@kernel()
def _is_sound(data, marks, i, end):  # type: ignore[no-untyped-def]
    """Whether all escapes of a string mean something."""
    while True:
        i = _next_mark(marks, i, end)
        if i >= end:
            return True
        code, i = _meant(data, i + 1, end)
        if code < 0:
            return False


@kernel(inline="always")
def _copied(data, begin, end, text, at):  # type: ignore[no-untyped-def]
    """Copy bytes; return where the copy ends."""
    # Unsigned: what could count from the end would be copied byte by byte.
    source, target = np.uint64(begin), np.uint64(at)
    for k in range(np.uint64(end - begin)):
        text[target + k] = data[source + k]
    return at + end - begin


@kernel()
def _code(data, i, end):  # type: ignore[no-untyped-def]
    """The number that four hexadecimal digits stand for, or FAILED; and where they end."""
    if i + 4 > end:
        return FAILED, i
    code = 0
    for k in range(i, i + 4):
        sign = int(data[k])
        if 48 <= sign <= 57:
            code = 16 * code + sign - 48
        elif 97 <= (sign | 32) <= 102:
            code = 16 * code + (sign | 32) - 87
        else:
            return FAILED, i
    return code, i + 4


@kernel()
def _put(code, text, at):  # type: ignore[no-untyped-def]
    """Write a character in UTF-8; return where it ends."""
    if code < 0x80:
        text[at] = code
        return at + 1
    if code < 0x800:
        text[at] = 0xC0 | (code >> 6)
        at += 1
    else:
        if code < 0x10000:
            text[at] = 0xE0 | (code >> 12)
        else:
            text[at] = 0xF0 | (code >> 18)
            at += 1
            text[at] = 0x80 | ((code >> 12) & 0x3F)
        at += 1
        text[at] = 0x80 | ((code >> 6) & 0x3F)
        at += 1
    text[at] = 0x80 | (code & 0x3F)
    return at + 1


@kernel(inline="always")
def _is_digit(byte):  # type: ignore[no-untyped-def]
    return np.uint8(48) <= byte <= np.uint8(57)
