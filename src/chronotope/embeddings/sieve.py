"""A sieve: the rows of a matrix in one byte a number, which tell fast what cannot be among the nearest of a query.

How far a row is from its bytes is known, so their product gives an upper bound of the cosine. Rows are longer along
some axes than along others; by the first of them alone, the product and the lengths of what is left give a bound that
is higher, and sooner made. Some queries are asked by all axes, and tell how many are worth while for the others.

The candidates with the highest bounds are scored in full, and then lower and lower ones, down to the last of the best.
Full scores are made in the order of additions of `nearest`: the answers have the bits of the full computation. On a
processor without products of bytes there is no sieve, and all rows are scored in full.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from queue import SimpleQueue
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from chronotope.bits import fetch, highest, reaching, trailing_zeros
from chronotope.compiling import kernel
from chronotope.embeddings.byte_products import LANES, PANELS, Form, bound_tile, eight_sums, forms

Floats = NDArray[np.float32]
# (D,) the dimensions in some order, or (D, D) directions in columns, square to each other.
Axes = NDArray[np.int64] | Floats

SIZE = LANES * PANELS
# More than all roundings of a score in float32 together.
ROUNDING = 1e-5
MOST_TOP = 128
# The candidates that some groups of queries meet before the next come: these bytes stay in the second cache.
NEAR, MET = 1 << 18, 2
# Where more than this share of the candidates, and more than a few, could be among the nearest, the query is given up.
GIVEN_UP, FEW = 4, 512
# A row that is to be scored in full is asked for so many rows before. To score it takes so many nanoseconds.
AHEAD, FULL = 8, 200.0
# The stretches that a thread works on, each of so many groups at least: every one goes through all candidates.
SHARES, LEAST_SHARE = 8, 4
# So few numbers are not worth a thread; and of so few queries none is asked before the others.
ALONE, TRIED_FROM = 1 << 18, 20
# Those that are asked before the others meet so many groups of candidates in a row.
TRIED = 32
# Rows are turned to other axes so many at a time, and stay in the cache. The axes are those of so many rows.
TURNED, SAMPLE = 2048, 1024
# Where half of the dimensions hold this share of all squares, there is no need of other axes; others have to hold so
# much more.
CONCENTRATED, BETTER = 0.75, 0.1
# Bounds are looked at so many at once; those that are so near the last of the best in one go.
LINE, NARROW = 64, 512
LOWEST, HIGHEST = -(1 << 15), (1 << 15) - 1


class Sieve(NamedTuple):
    """Rows along axes as bytes, in groups that are multiplied together.

    Attributes
    ----------
    form
        How they are multiplied.
    axes
        The dimensions in their order, or other axes.
    bytes
        (G, steps, size, depth) some axes of each row of a group, and then the next; 128 stands for 0.
    step
        What bytes are multiplied by.
    error
        (G × size,) how far that is from the row at most.
    rest
        (L, G × size) how long what lies beyond the first axes is at most, for more and more of them: 65536 for one.
    """

    form: Form
    axes: Axes
    bytes: NDArray[np.uint8]
    step: float
    error: Floats
    rest: NDArray[np.uint16]


class Asked(NamedTuple):
    """What makes bounds of the products of queries with candidates, in numbers of 16 bits.

    Attributes
    ----------
    bytes
        (G, steps, size, 4) some axes of each query of a group, repeated to four bytes; and then the next.
    start
        (L, Q) what the sum of products starts at.
    rest
        (L, Q) how long what lies beyond the first axes is, in units of a bound.
    offset
        (N,) what is added for a candidate.
    shift
        By how many bits a sum is shifted to the right.
    unit
        What a bound is multiplied by.
    least
        (Q,) what is added then, to get a score that is not too low.
    """

    bytes: NDArray[np.int8]
    start: NDArray[np.int16] | NDArray[np.int32]
    rest: NDArray[np.uint16]
    offset: NDArray[np.int16]
    shift: int
    unit: float
    least: NDArray[np.float64]


class Answers(NamedTuple):
    """What was found.

    Attributes
    ----------
    row
        (Q, top) the candidates of each query, best first.
    cosine
        (Q, top) their cosines.
    lost
        (Q,) whether the query was given up.
    """

    row: NDArray[np.int64]
    cosine: NDArray[np.float64]
    lost: NDArray[np.bool_]


class Room(NamedTuple):
    """What a thread writes while it searches.

    Attributes
    ----------
    bounds
        (Q, N) the bounds of some queries with all candidates, in whole lines.
    peaks
        (Q, lines) the highest bound of each line, in whole lines of these.
    some
        The candidates that are to be scored.
    best
        (top,) the scores of the best, best first.
    sums
        (8,) the sums of a product that take turns.
    """

    bounds: NDArray[np.int16]
    peaks: NDArray[np.int16]
    some: NDArray[np.int32]
    best: NDArray[np.float64]
    sums: NDArray[np.float64]


def sieve_of(rows: Floats, form: Form | None = None, axes: Axes | None = None) -> Sieve:
    """The sieve for candidates of length one (or zero).

    Parameters
    ----------
    rows
        (N, D) the candidates.
    form
        By default the fastest that the processor has.
    axes
        By default those along which they are longest first.
    """
    form = form or forms()[0]
    return _written(rows, longest_axes(rows) if axes is None else axes, form, SIZE, form.most)


def sieved(
    queries: Floats, candidates: Floats, sieve: Sieve, top: int, penalty: NDArray[np.float64] | None = None
) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.int64]]:
    """The `top` candidates of each query and their cosines, best first; and the queries that were given up.

    Parameters
    ----------
    queries, candidates
        (Q, D) and (N, D) rows of length one (or zero).
    sieve
        Of the candidates.
    top
        How many are wanted, from 1 to `MOST_TOP` and to the number of candidates.
    penalty
        (N,) what is taken off the cosine of each candidate before ranking: some units at most, or infinitely much.
    """
    queries, together = np.ascontiguousarray(queries), sieve.form.queries
    if penalty is None:
        penalty = np.zeros(len(candidates))
    asked = _asked(queries, sieve, penalty)
    count = len(queries)
    found = Answers(np.empty((count, top), np.int64), np.empty((count, top)), np.zeros(count, np.bool_))
    level, first = len(sieve.rest) - 1, 0
    rooms: SimpleQueue[Room] = SimpleQueue()
    for _ in range(os.cpu_count() or 1):
        rooms.put(_room(len(sieve.error), len(candidates), MET * together, top))

    def part(begin: int, end: int) -> None:
        room = rooms.get()
        try:
            _search(sieve.bytes, sieve.rest, asked, level, queries, candidates, penalty, begin, end, room, found)
        finally:
            rooms.put(room)

    if level and count >= TRIED_FROM * together:
        first = together
        part(0, first)
        level = _best_level(sieve, asked, found, penalty)
    _in_threads(lambda begin, end: part(first + begin, first + end), count - first, together)
    return found.row, found.cosine, np.flatnonzero(found.lost)


def _room(padded: int, candidates: int, queries: int, top: int) -> Room:
    """Room for so many queries at a time."""
    length = -(-padded // LINE) * LINE
    bounds = np.empty((queries, length), np.int16)
    bounds[:, padded:] = LOWEST
    peaks = np.full((queries, -(-length // LINE**2) * LINE), LOWEST, np.int16)
    some = np.empty(max(FEW, candidates // GIVEN_UP), np.int32)
    return Room(bounds, peaks, some, np.empty(top), np.empty(8))


def longest_axes(rows: Floats) -> Axes:
    """The axes along which rows are longest first: the dimensions, unless others are much better.

    Examples
    --------
    >>> longest_axes(np.array([[0, 1, 0], [0.6, 0, 0.8]], dtype=np.float32)).tolist()
    [1, 2, 0]
    """
    every, half = -(-len(rows) // SAMPLE) or 1, rows.shape[1] // 2
    sample, others = rows[::every], rows[every // 2 :: every]
    squares = np.square(sample).sum(axis=0)
    order = np.argsort(-squares, kind="stable")
    held = squares[order[:half]].sum() / (squares.sum() or 1)
    if every == 1 or held >= CONCENTRATED:
        return order
    _, directions = np.linalg.eigh(sample.T.astype(np.float64) @ sample)
    turned = np.ascontiguousarray(directions[:, ::-1], dtype=np.float32)
    # Of other rows: those that axes were made for always seem to be longer along the first.
    better = np.square(others @ turned[:, :half]).sum() / (np.square(others).sum() or 1)
    return turned if better > held + BETTER else order


def _best_level(sieve: Sieve, asked: Asked, found: Answers, penalty: NDArray[np.float64]) -> int:
    """By how many of the axes queries are answered fastest, as the first of them show."""
    tried = sieve.form.queries
    score = found.cosine[:tried, -1] - penalty[found.row[:tried, -1]]
    cut = np.floor((score - asked.least[:tried]) / asked.unit) - 1
    cut = np.where(found.lost[:tried], HIGHEST, np.clip(cut, LOWEST, HIGHEST)).astype(np.int16)
    reached = np.zeros(len(sieve.rest), np.int64)
    shown = _count_reached(sieve.bytes, sieve.rest, asked, cut, reached)
    axes = sieve.bytes.shape[1] * sieve.form.depth
    taken = np.minimum(np.arange(1, len(reached) + 1) * _every(axes), axes)
    return int(np.argmin(taken * sieve.form.product + reached / shown * FULL))


def _every(axes: int) -> int:
    """How many axes a level has more than the one before: whole registers, eight levels at most."""
    return -(-axes // 64) * 8


def _asked(queries: Floats, sieve: Sieve, penalty: NDArray[np.float64]) -> Asked:
    """What makes bounds of the products of queries with candidates."""
    form = sieve.form
    made = _written(queries, sieve.axes, form, form.queries, form.most_asked)
    signed = (made.bytes - np.uint8(128)).view(np.int8)
    half = math.sqrt(len(sieve.axes)) / 2
    longest = (1 / sieve.step + half) * (1 / made.step + half)
    shift = max(0, math.ceil(math.log2(longest / 2**15))) if form.bits > 16 else 0
    unit = sieve.step * made.step * 2.0**shift
    start = np.empty(made.rest.shape, f"int{form.bits}")
    _add_up(signed, _every(signed.shape[1] * form.depth) // form.depth, start)
    rest = np.minimum(np.ceil((made.rest + 1.0) / (65536 * unit)), 65535).astype(np.uint16)
    # The least penalty may as well be 0: bounds of 16 bits do not reach far.
    least = float(penalty.min())
    least = least if math.isfinite(least) else 0.0
    offset = np.empty(len(sieve.error), np.int16)
    _in_units(sieve.error, penalty, least, float(made.error.max(initial=0)), unit, offset)
    return Asked(
        np.tile(signed, 4 // form.depth), start, rest, offset, shift, unit, made.error.astype(np.float64) - least
    )


def _written(rows: Floats, axes: Axes, form: Form, size: int, most: int) -> Sieve:
    """Rows along axes as bytes, in groups of a size, no number larger than the most."""
    rows = np.ascontiguousarray(rows)
    turned, count = axes.ndim == 2, len(axes)
    groups, steps = -(-len(rows) // size), max(1, -(-count // form.depth))
    # Lines of the cache are read whole, fastest if each register's bytes lie in one.
    length = groups * steps * size * form.depth
    room = np.empty(length + 64, dtype=np.uint8)
    begin = -room.ctypes.data % 64
    # In these steps a row of length one is not too long; a number that is larger than those of some rows is cut.
    some = rows[:: -(-len(rows) // SAMPLE) or 1]
    largest = float(np.abs(some @ axes if turned else some).max(initial=0))
    levels = -(-steps * form.depth // _every(steps * form.depth))
    made = Sieve(
        form,
        axes,
        room[begin : begin + length].reshape(groups, steps, size, form.depth),
        max(largest / most, 1 / form.length(count)),
        np.zeros(groups * size, dtype=np.float32),
        np.zeros((levels, groups * size), dtype=np.uint16),
    )
    # The last rows and axes need not be there.
    made.bytes[-1:] = 128
    made.bytes[:, -1] = 128
    # Each number of a turned row is off by so much at most, hence the row by that times the root of their number.
    off = 1.1 * (count + 8) * 2.0**-24 * math.sqrt(count) if turned else 0.0
    order = (np.arange(count) if turned else axes).astype(np.uint64)

    def part(begin: int, end: int) -> None:
        for first in range(begin, end, TURNED):
            some = rows[first : min(first + TURNED, end)]
            some = some @ axes if turned else some
            _fill(
                some, order, _every(steps * form.depth), most, off, made.step, made.bytes, made.error, made.rest, first
            )

    if rows.size < ALONE:
        part(0, len(rows))
    else:
        _in_threads(part, len(rows), size)
    return made


def _in_threads(work: Callable[[int, int], None], count: int, size: int) -> None:
    """Do a work on stretches of so many things, each but the last of whole groups of a size.

    A thread that is done takes the next, so that none waits long for one whose processor has other work.
    """
    threads = os.cpu_count() or 1
    groups = -(-count // size)
    share = max(-(-groups // (SHARES * threads)), min(LEAST_SHARE, -(-groups // threads))) * size
    begins = range(0, count, max(share, size))
    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(lambda begin: work(begin, min(begin + share, count)), begins))


@kernel(fastmath=True)
def _fill(rows, order, every, most, off, step, bytes, error, rest, first):  # type: ignore[no-untyped-def]
    """Write some rows, numbered from `first` on, as bytes, in numbers up to `most`. All are finite, off by `off`.

    Numbers without sign need no check, and loops of a known length are made of few instructions.
    """
    steps, size, depth = np.uint64(bytes.shape[1]), np.uint64(bytes.shape[2]), np.uint64(bytes.shape[3])
    written, axes, eights = bytes.reshape(-1), len(order), -(-len(order) // 8)
    values, squares = np.zeros(8 * eights, dtype=np.float32), np.zeros(eights, dtype=np.float32)
    inverse, single, limit = np.float32(1 / step), np.float32(step), np.float32(most)
    for place in range(len(rows)):
        for axis in range(axes):
            values[axis] = rows[place, order[axis]]
        for eight in range(eights):
            total = np.float32(0)
            for axis in range(8):
                total += values[8 * eight + axis] ** 2
            squares[eight] = total
        square = np.float32(0)
        for axis in range(axes):
            value = values[axis]
            whole = min(max(np.floor(value * inverse + np.float32(0.5)), -limit), limit)
            values[axis] = whole
            square += (value - whole * single) ** 2
        number = first + place
        # Rounded up, so that they are bounds; beyond the last axis there is nothing.
        error[number] = np.sqrt(square) * np.float32(1 + 1e-4) + np.float32(off)
        beyond, eight = np.float32(0), eights
        for level in range(len(rest) - 2, -1, -1):
            while eight > (level + 1) * every // 8:
                eight -= 1
                beyond += squares[eight]
            length = np.sqrt(beyond) * np.float32(1 + 1e-4) + np.float32(off)
            rest[level, number] = np.uint16(min(np.ceil(length * np.float32(65536)), np.float32(65535)))
        group, lane = np.uint64(number) // size, np.uint64(number) % size
        at = (group * steps * size + lane) * depth
        if depth == 2:
            for line in range(axes // 2):
                for axis in range(np.uint64(2)):
                    written[at + axis] = np.int32(values[np.uint64(2 * line) + axis]) + 128
                at += size * depth
        else:
            for line in range(axes // 4):
                for axis in range(np.uint64(4)):
                    written[at + axis] = np.int32(values[np.uint64(4 * line) + axis]) + 128
                at += size * depth
        for axis in range(np.uint64(axes) % depth):
            written[at + axis] = np.int32(values[np.uint64(axes) // depth * depth + axis]) + 128


@kernel()
def _add_up(asked, every, start):  # type: ignore[no-untyped-def]
    """What sums of products start at, since 128 stands for 0: for each level all steps up to it."""
    for group in range(len(asked)):
        for place in range(asked.shape[2]):
            total = 0
            for step in range(asked.shape[1]):
                for axis in range(asked.shape[3]):
                    total += asked[group, step, place, axis]
                if (step + 1) % every == 0 or step + 1 == asked.shape[1]:
                    start[step // every, group * asked.shape[2] + place] = -128 * total


@kernel()
def _in_units(error, penalty, least, own_error, unit, offset):  # type: ignore[no-untyped-def]
    """What is added to the products of candidates, rounded up to whole units."""
    for number in range(len(error)):
        above = -np.inf
        if number < len(penalty):
            # |q·x − q̂·x̂| ≤ |q − q̂| |x| + |q̂| |x − x̂|, and |q̂| ≤ |q| + |q − q̂|. The first is added for each query.
            above = error[number] * (1 + own_error) + ROUNDING - (penalty[number] - least)
        # What is cut off of the sum and of the product of rests, and the rest of one, which does not fit, make three.
        offset[number] = np.int16(min(max(np.ceil(above / unit) + 3, float(LOWEST)), float(HIGHEST)))


@kernel()
def _bound(bytes, rest, asked, level, begin, end, first, last, bounds):  # type: ignore[no-untyped-def]
    """Bound the products of the queries from `begin` to `end` with the groups of candidates from `first` to `last`."""
    steps, size, depth = bytes.shape[1:]
    together = asked.bytes.shape[2]
    every = -(-steps * depth // 64) * 8
    taken = min((level + 1) * every // depth, steps)
    for query in range(begin, end, together):
        for group in range(first, last):
            bound_tile(
                asked.start.dtype,
                bytes.ctypes.data + group * steps * size * depth,
                asked.bytes.ctypes.data + query * steps * 4,
                taken,
                asked.start.ctypes.data + (level * asked.start.shape[1] + query) * asked.start.itemsize,
                asked.shift,
                asked.offset.ctypes.data + group * size * 2,
                rest.ctypes.data + (level * rest.shape[1] + group * size) * 2,
                asked.rest.ctypes.data + (level * asked.rest.shape[1] + query) * 2,
                bounds.ctypes.data + ((query - begin) * bounds.shape[1] + group * size) * 2,
                bounds.shape[1],
            )


@kernel()
def _count_reached(bytes, rest, asked, cut, reached):  # type: ignore[no-untyped-def]
    """How many bounds of the first queries reach their cuts, for each level, and of how many: a quarter of all."""
    size, shown = bytes.shape[2], 0
    bounds = np.empty((len(cut), len(bytes) * size), np.int16)
    for first in range(0, len(bytes), 4 * TRIED):
        last = min(first + TRIED, len(bytes))
        shown += len(cut) * (last - first) * size
        for level in range(len(rest)):
            _bound(bytes, rest, asked, level, 0, len(cut), first, last, bounds)
            for query in range(len(cut)):
                for place in range(first * size, last * size):
                    reached[level] += bounds[query, place] >= cut[query]
    return shown


@kernel()
def _search(bytes, rest, asked, level, queries, candidates, penalty, begin, end, room, found):  # type: ignore[no-untyped-def]
    """Find the nearest of the queries from `begin`, where a group starts, to `end`."""
    groups, steps, size, depth = bytes.shape
    together, lines = len(room.bounds), room.bounds.shape[1] // LINE
    # Whole lines.
    block = max(1, NEAR // (LINE * steps * depth)) * LINE // size
    for query in range(begin, end, together):
        last = min(query + together, asked.start.shape[1])
        for group in range(0, groups, block):
            _bound(bytes, rest, asked, level, query, last, group, min(group + block, groups), room.bounds)
            for place in range(last - query):
                for line in range(group * size // LINE, min((group + block) * size // LINE, lines)):
                    room.peaks[place, line] = highest(room.bounds.ctypes.data + (place * lines + line) * LINE * 2)
        for place in range(min(last, end) - query):
            found.lost[query + place] = _rank(room, place, asked, query + place, queries, candidates, penalty, found)


@kernel()
def _rank(room, place, asked, query, queries, candidates, penalty, found):  # type: ignore[no-untyped-def]
    """Score those in full whose bounds are highest; then lower and lower ones, down to the last of the best.

    The best first, of equals the first candidate; tell whether there are too many.
    """
    bounds, peaks, some, best = room.bounds, room.peaks, room.some, room.best
    top, lines = len(best), bounds.shape[1] // LINE
    own, high = bounds.ctypes.data + place * bounds.shape[1] * 2, peaks.ctypes.data + place * peaks.shape[1] * 2
    # As many candidates as are wanted reach this at least.
    cut = np.int64(_last(peaks[place], best) if lines >= 2 * top else _last(bounds[place], best))
    off = 1.1 * (queries.shape[1] + 8) * 2.0**-24
    filled, above = 0, np.int64(HIGHEST + 1)
    while cut < above:
        count = 0
        for line in range(0, lines, LINE):
            tops = reaching(high + line * 2, cut)
            while tops:
                begin = (line + np.int64(trailing_zeros(tops))) * LINE
                tops &= tops - np.uint64(1)
                marks = reaching(own + begin * 2, cut)
                if above <= HIGHEST:
                    marks &= ~reaching(own + begin * 2, above)
                while marks:
                    candidate = begin + np.int64(trailing_zeros(marks))
                    marks &= marks - np.uint64(1)
                    if candidate < len(candidates):
                        if count == len(some):
                            return True
                        some[count] = candidate
                        count += 1
                        if count <= AHEAD:
                            _ask_for(candidates, candidate)
        for number in range(count):
            if number + AHEAD < count:
                _ask_for(candidates, some[number + AHEAD])
            candidate = some[number]
            less = penalty[candidate]
            if filled == top and _nearly(queries, query, candidates, candidate) - less < best[top - 1] - off:
                continue
            exact = _cosine(queries, query, candidates, candidate, room.sums)
            filled = _put(best, found, query, filled, candidate, exact, exact - less)
        above = cut
        # One less, for what rounding may do.
        reach = np.floor((best[top - 1] - asked.least[query]) / asked.unit) - 1 if filled == top else -np.inf
        lowest = np.int64(min(max(reach, LOWEST), HIGHEST))
        cut = lowest if cut - lowest < NARROW else (cut + lowest) // 2
    return False


@kernel()
def _ask_for(rows, row):  # type: ignore[no-untyped-def]
    """Ask the memory for a row."""
    begins = rows.ctypes.data + row * rows.strides[0]
    for line in range(0, rows.shape[1] * 4 + 60, 64):
        fetch(begins + line)


@kernel()
def _last(numbers, room):  # type: ignore[no-untyped-def]
    """The last of as many largest numbers as there is room for."""
    room[:] = LOWEST
    for value in numbers:
        if value > room[0]:
            at = 0
            while at + 1 < len(room) and room[at + 1] < value:
                room[at] = room[at + 1]
                at += 1
            room[at] = value
    return room[0]


@kernel()
def _put(best, found, query, filled, candidate, exact, score):  # type: ignore[no-untyped-def]
    """Put a candidate in its place among the best, if it has one; return how many there are."""
    top, at = len(best), filled
    while at > 0 and (best[at - 1] < score or (best[at - 1] == score and found.row[query, at - 1] > candidate)):
        at -= 1
    if at == top:
        return filled
    filled = min(filled + 1, top)
    for later in range(filled - 1, at, -1):
        best[later] = best[later - 1]
        found.row[query, later] = found.row[query, later - 1]
        found.cosine[query, later] = found.cosine[query, later - 1]
    best[at], found.row[query, at], found.cosine[query, at] = score, candidate, exact
    return filled


@kernel()
def _cosine(queries, query, candidates, candidate, sums):  # type: ignore[no-untyped-def]
    """The product of two rows in float64: eight sums that take turns, then these two by two, as in `nearest`."""
    dimensions = queries.shape[1]
    eights = dimensions // 8
    begins = candidates.ctypes.data + candidate * candidates.strides[0]
    eight_sums(queries.ctypes.data + query * queries.strides[0], begins, eights, sums.ctypes.data)
    for last in range(8 * eights, dimensions):
        sums[last - 8 * eights] += np.float64(queries[query, last]) * np.float64(candidates[candidate, last])
    return ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]))


@kernel(fastmath=True)
def _nearly(queries, query, candidates, candidate):  # type: ignore[no-untyped-def]
    """The product of two rows in float32, in any order."""
    total = np.float32(0)
    for dimension in range(queries.shape[1]):
        total += queries[query, dimension] * candidates[candidate, dimension]
    return total
