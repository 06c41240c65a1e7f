"""What is compiled of a sieve: rows as bytes, bounds of their products, and the candidates that are scored in full."""

from __future__ import annotations

import numpy as np

from chronotope.embeddings.byte_products import bound_tile, eight_sums
from chronotope.runtime.bits import fetch, highest, ones, reaching, trailing_zeros
from chronotope.runtime.kernels import kernel

# More than all roundings of a score in float32 together.
ROUNDING = 1e-5
# The candidates that some queries meet before the next come: these bytes stay in the second cache.
NEAR = 1 << 18
# A row that is to be scored in full is asked for so many rows before.
AHEAD = 8
# Queries that are asked before the others meet so many groups of candidates in a row, of every four times as many.
TRIED = 32
# Bounds are looked at so many at once.
LINE = 64
# Bounds are the upper bytes of numbers of 16 bits.
LOWEST, HIGHEST = -(1 << 7), (1 << 7) - 1


@kernel(fastmath=True)
def fill(rows, order, every, most, off, step, bytes, error, rest, first):  # type: ignore[no-untyped-def]
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
def add_up(asked, taken, start):  # type: ignore[no-untyped-def]
    """What sums of products start at, since 128 stands for 0: for each level the steps that it takes."""
    for group in range(len(asked)):
        for place in range(asked.shape[2]):
            total = 0
            for level in range(len(taken)):
                for step in range(taken[level - 1] if level else 0, taken[level]):
                    for axis in range(asked.shape[3]):
                        total += asked[group, step, place, axis]
                start[level, group * asked.shape[2] + place] = -128 * total


@kernel()
def in_units(error, penalty, least, own_error, unit, offset):  # type: ignore[no-untyped-def]
    """What is added to the products of candidates, rounded up to whole units."""
    for number in range(len(error)):
        above = -np.inf
        if number < len(penalty):
            # |q·x − q̂·x̂| ≤ |q − q̂| |x| + |q̂| |x − x̂|, and |q̂| ≤ |q| + |q − q̂|. The first is added for each query.
            above = error[number] * (1 + own_error) + ROUNDING - (penalty[number] - least)
        # What is cut off of the sum and of the product of rests, and the rest of one, which does not fit, make three.
        offset[number] = np.int16(min(max(np.ceil(256 * above / unit) + 3, -32768.0), 32767.0))


@kernel()
def bound(bytes, rest, asked, level, begin, end, first, last, bounds):  # type: ignore[no-untyped-def]
    """Bound the products of the queries from `begin` to `end` with the groups of candidates from `first` to `last`."""
    steps, size, depth = bytes.shape[1:]
    together = asked.bytes.shape[2]
    for query in range(begin, end, together):
        for group in range(first, last):
            bound_tile(
                asked.start.dtype,
                bytes.ctypes.data + group * steps * size * depth,
                asked.bytes.ctypes.data + query * steps * 4,
                asked.taken[level],
                asked.start.ctypes.data + (level * asked.start.shape[1] + query) * asked.start.itemsize,
                asked.shift,
                asked.offset.ctypes.data + group * size * 2,
                rest.ctypes.data + (level * rest.shape[1] + group * size) * 2,
                asked.rest.ctypes.data + (level * asked.rest.shape[1] + query) * 2,
                bounds.ctypes.data + (query - begin) * bounds.shape[1] + group * size,
                bounds.shape[1],
            )


@kernel()
def count_reached(bytes, rest, asked, cut, reached):  # type: ignore[no-untyped-def]
    """How many bounds of the first queries reach their cuts, for each level, and of how many: a quarter of all."""
    size, shown = bytes.shape[2], 0
    bounds = np.empty((len(cut), len(bytes) * size), np.int8)
    for first in range(0, len(bytes), 4 * TRIED):
        last = min(first + TRIED, len(bytes))
        shown += len(cut) * (last - first) * size
        for level in range(len(rest)):
            bound(bytes, rest, asked, level, 0, len(cut), first, last, bounds)
            for query in range(len(cut)):
                for place in range(first * size, last * size):
                    reached[level] += bounds[query, place] >= cut[query]
    return shown


@kernel()
def search(bytes, rest, asked, level, queries, candidates, penalty, begin, end, room, found):  # type: ignore[no-untyped-def]
    """Find the nearest of the queries from `begin`, where a group starts, to `end`."""
    groups, steps, size, depth = bytes.shape
    together, lines = len(room.bounds), room.bounds.shape[1] // LINE
    # Whole lines.
    block = max(1, NEAR // (LINE * steps * depth)) * LINE // size
    for query in range(begin, end, together):
        last = min(query + together, asked.start.shape[1])
        for group in range(0, groups, block):
            bound(bytes, rest, asked, level, query, last, group, min(group + block, groups), room.bounds)
            for place in range(last - query):
                for line in range(group * size // LINE, min((group + block) * size // LINE, lines)):
                    room.peaks[place, line] = highest(room.bounds.ctypes.data + (place * lines + line) * LINE)
        for place in range(min(last, end) - query):
            found.lost[query + place] = _rank(room, place, asked, query + place, queries, candidates, penalty, found)


@kernel()
def _rank(room, place, asked, query, queries, candidates, penalty, found):  # type: ignore[no-untyped-def]
    """Score those in full whose bounds are highest; then all that could still be among the best.

    The best first, of equals the first candidate; tell whether there are too many.
    """
    bounds, peaks, some, best = room.bounds, room.peaks, room.some, room.best
    top, lines = len(best), bounds.shape[1] // LINE
    own, high = bounds.ctypes.data + place * bounds.shape[1], peaks.ctypes.data + place * peaks.shape[1]
    # As many candidates as are wanted reach this at least.
    cut = _last(high, peaks.shape[1], top) if lines >= 2 * top else _last(own, bounds.shape[1], top)
    off = 1.1 * (queries.shape[1] + 8) * 2.0**-24
    filled, above, lowest = 0, np.int64(HIGHEST + 1), np.int64(LOWEST)
    while cut < above:
        count = 0
        for line in range(0, lines, LINE):
            tops = reaching(high + line, cut)
            while tops:
                begin = (line + np.int64(trailing_zeros(tops))) * LINE
                tops &= tops - np.uint64(1)
                marks = reaching(own + begin, cut)
                if above <= HIGHEST:
                    marks &= ~reaching(own + begin, above)
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
            if number + AHEAD < count and bounds[place, some[number + AHEAD]] >= lowest:
                _ask_for(candidates, some[number + AHEAD])
            candidate = some[number]
            if bounds[place, candidate] < lowest:
                continue
            less = penalty[candidate]
            if filled == top and _nearly(queries, query, candidates, candidate) - less < best[top - 1] - off:
                continue
            exact = _cosine(queries, query, candidates, candidate, room.sums)
            filled = _put(best, found, query, filled, candidate, exact, exact - less)
            if filled == top:
                # What a bound must reach by now.
                reach = np.floor((best[top - 1] - asked.least[query]) / asked.unit)
                lowest = np.int64(min(max(reach, LOWEST), HIGHEST))
        above, cut = cut, lowest
    return False


@kernel()
def _ask_for(rows, row):  # type: ignore[no-untyped-def]
    """Ask the memory for a row."""
    begins = rows.ctypes.data + row * rows.strides[0]
    for line in range(0, rows.shape[1] * 4 + 60, 64):
        fetch(begins + line)


@kernel()
def _last(address, count, top):  # type: ignore[no-untyped-def]
    """The last of so many largest bytes from an address on, in whole lines."""
    low, high = LOWEST, HIGHEST
    while low < high:
        middle = (low + high + 1) // 2
        reached = np.uint64(0)
        for line in range(0, count, LINE):
            reached += ones(reaching(address + line, middle))
        if reached >= np.uint64(top):
            low = middle
        else:
            high = middle - 1
    return low


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
