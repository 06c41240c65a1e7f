"""A sieve: the rows of a matrix in one byte a number, which tell fast what cannot be among the nearest of a query.

How far a row is from its bytes is known exactly, so the product of bytes gives an upper and a lower bound of the
cosine. While the candidates pass by, a query remembers its `top` highest lower bounds; a candidate whose upper bound
is below all of them is out. What is left, a few more than `top`, is scored in full, in the order of additions of
`nearest`: the answers have the bits of the full computation. On a processor without products of bytes there is no
sieve, and all rows are scored in full.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from chronotope.bits import fetch, trailing_zeros
from chronotope.compiling import kernel
from chronotope.embeddings.byte_products import PANELS, Form, forms, score_tile

Floats = NDArray[np.float32]

# More than all roundings of a score in float32 together.
ROUNDING = np.float32(1e-5)
# Of each query so many candidates are remembered, and so many more for each that is wanted; where more than half of
# that could be among the nearest, the query is given up.
ROOM, ROOM_FOR_EACH = 256, 8
MOST_TOP = 128
# The candidates that all queries of a thread meet before the next come: these bytes stay in the second cache.
NEAR = 1 << 18
# A row that is to be scored in full is asked for so many rows before.
AHEAD = 4
# The stretches that a thread works on, each of so many groups at least: every one goes through all candidates.
SHARES, LEAST_SHARE = 4, 8


class Sieve(NamedTuple):
    """Rows as bytes, in groups that are multiplied together.

    Attributes
    ----------
    form
        How they are multiplied.
    bytes
        (G, steps, size, 4) four dimensions of each row of a group, and then the next four; 128 stands for 0.
    scale
        (G × size,) what a row's bytes are multiplied by.
    error
        (G × size,) how far that is from the row at most; NaN beyond the last.
    """

    form: Form
    bytes: NDArray[np.uint8]
    scale: Floats
    error: Floats


class Remembered(NamedTuple):
    """What the queries remember of the candidates that passed by.

    Attributes
    ----------
    cut
        (Q,) what the upper bound of another candidate has to reach.
    best
        (Q, top) the highest lower bounds, a heap with the least in front.
    number
        (Q,) how many candidates are remembered; −1: too many.
    row, upper
        (Q, room) which, and their upper bounds.
    """

    cut: Floats
    best: Floats
    number: NDArray[np.int64]
    row: NDArray[np.int32]
    upper: Floats


def sieve_of(rows: Floats, form: Form | None = None) -> Sieve:
    """The sieve for candidates of length one (or zero), by default in the fastest form that the processor has."""
    form = form or forms()[0]
    return _written(rows, form, PANELS * form.lanes, form.most)


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
    form = sieve.form
    asked = _written(queries, form, form.queries, form.most_asked)
    signed = (asked.bytes - np.uint8(128)).view(np.int8)
    parts = signed.reshape(*signed.shape[:3], 32 // form.bits, -1)
    # One axis after the other, which is seven times as fast as both at once.
    start = (-128 * parts.sum(axis=1, dtype=np.int32).sum(axis=3)).astype(f"int{form.bits}")
    # |q·x − q̂·x̂| ≤ |q − q̂| |x| + |q̂| |x − x̂|, and |q̂| ≤ |q| + |q − q̂|.
    reach = sieve.error * (1 + np.nanmax(asked.error, initial=0)) + ROUNDING
    offset = reach.copy()
    if penalty is None:
        penalty = np.zeros(len(candidates))
    offset[: len(candidates)] -= penalty.astype(np.float32)
    padded = len(asked.scale)
    room = ROOM + ROOM_FOR_EACH * top
    remembered = Remembered(
        np.full(padded, -np.inf, np.float32),
        np.full((padded, top), -np.inf, np.float32),
        np.zeros(padded, np.int64),
        np.empty((padded, room), np.int32),
        np.empty((padded, room), np.float32),
    )
    remembered.cut[len(queries) :] = np.inf
    row, cosine = np.empty((len(queries), top), np.int64), np.empty((len(queries), top), np.float64)

    def part(begin: int, end: int) -> None:
        whole = min(-(-end // form.queries) * form.queries, padded)
        _pass_by(sieve, offset, reach, signed, asked.scale, start, asked.error, begin, whole, remembered)
        _rank(queries, candidates, penalty, begin, end, remembered, row, cosine)

    _in_threads(part, len(queries), form.queries)
    return row, cosine, np.flatnonzero(remembered.number[: len(queries)] < 0)


def _written(rows: Floats, form: Form, size: int, most: int) -> Sieve:
    """Rows as bytes, in groups of a size, no number larger than the most."""
    groups, steps = -(-len(rows) // size), max(1, -(-rows.shape[1] // 4))
    # Lines of 64 bytes are read whole, fastest if each lies in one line of the cache.
    length = groups * steps * size * 4
    room = np.full(length + 64, 128, dtype=np.uint8)
    begin = -room.ctypes.data % 64
    made = Sieve(
        form,
        room[begin : begin + length].reshape(groups, steps, size, 4),
        np.zeros(groups * size, dtype=np.float32),
        np.full(groups * size, np.nan, dtype=np.float32),
    )
    rows = np.ascontiguousarray(rows)
    longest = np.float32(form.length(rows.shape[1]))
    _in_threads(lambda begin, end: _fill(rows, made, np.float32(most), longest, begin, end), len(rows), size)
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
def _fill(rows, sieve, most, longest, begin, end):  # type: ignore[no-untyped-def]
    """Write the rows from `begin` to `end` as bytes, in numbers up to `most`. All are finite."""
    size, dimensions = sieve.bytes.shape[2], rows.shape[1]
    levels = np.empty(dimensions, dtype=np.float32)
    for number in range(begin, end):
        largest = np.float32(0)
        for dimension in range(dimensions):
            largest = max(largest, abs(rows[number, dimension]))
        # The row has length one: in these steps it is no longer than `longest`.
        step = max(largest / most, np.float32(1) / longest)
        inverse = min(most / largest, longest) if largest > 0 else np.float32(0)
        square = 0.0
        for dimension in range(dimensions):
            levels[dimension] = np.rint(rows[number, dimension] * inverse)
        for dimension in range(dimensions):
            square += (np.float64(rows[number, dimension]) - np.float64(levels[dimension]) * np.float64(step)) ** 2
        group, place = number // size, number % size
        for dimension in range(dimensions):
            sieve.bytes[group, dimension >> 2, place, dimension & 3] = np.int32(levels[dimension]) + 128
        sieve.scale[number] = step
        # Rounded up, so that it is a bound.
        sieve.error[number] = np.float32(np.sqrt(square) * (1 + 1e-6))


@kernel()
def _pass_by(sieve, offset, reach, queries, factor, start, own, begin, end, remembered):  # type: ignore[no-untyped-def]
    """Show all candidates to the queries from `begin` to `end`, both multiples of what the form has."""
    groups, steps, size = sieve.bytes.shape[:3]
    together, lanes = sieve.form.queries, sieve.form.lanes
    scores = np.empty((PANELS, together * lanes), np.float32)
    reached = np.empty((PANELS, -(-together * lanes // 64)), np.uint64)
    shift = trailing_zeros(np.uint64(lanes))
    block = max(1, NEAR // (4 * size * steps))
    for first in range(0, groups, block):
        for query in range(begin, end, together):
            for group in range(first, min(first + block, groups)):
                if score_tile(
                    start.dtype,
                    sieve.bytes.ctypes.data + group * size * steps * 4,
                    queries.ctypes.data + query * steps * 4,
                    steps,
                    sieve.scale.ctypes.data + group * size * 4,
                    offset.ctypes.data + group * size * 4,
                    remembered.cut.ctypes.data + query * 4,
                    factor.ctypes.data + query * 4,
                    start.ctypes.data + query * 4,
                    scores.ctypes.data,
                    reached.ctypes.data,
                ):
                    for panel in range(PANELS):
                        row = group * size + panel * lanes
                        for word in range(reached.shape[1]):
                            marks = reached[panel, word]
                            while marks:
                                place = 64 * word + np.int64(trailing_zeros(marks))
                                marks &= marks - np.uint64(1)
                                asked, lane = query + (place >> shift), place & (lanes - 1)
                                _remember(remembered, asked, row + lane, scores[panel, place], reach, own[asked])


@kernel(inline="always")
def _remember(remembered, query, row, upper, reach, own):  # type: ignore[no-untyped-def]
    """Remember a candidate of a query, unless the cut was raised meanwhile; raise it by its lower bound."""
    if not upper >= remembered.cut[query]:
        return
    room = remembered.row.shape[1]
    if remembered.number[query] == room:
        _forget(remembered, query)
        if remembered.number[query] > room // 2:
            remembered.number[query] = -1
            remembered.cut[query] = np.inf
            return
    place = remembered.number[query]
    remembered.row[query, place] = row
    remembered.upper[query, place] = upper
    remembered.number[query] = place + 1
    # The score is the product plus `reach`, less the penalty: the lower bound lies twice as far below.
    lower = upper - np.float32(2) * reach[row] - own
    if lower > remembered.best[query, 0]:
        _replace_least(remembered.best, query, lower)
        remembered.cut[query] = remembered.best[query, 0] - own


@kernel()
def _replace_least(heaps, query, value):  # type: ignore[no-untyped-def]
    """Put a value in the place of the least of a query's heap."""
    place, size = 0, heaps.shape[1]
    while True:
        child = 2 * place + 1
        if child >= size:
            break
        if child + 1 < size and heaps[query, child + 1] < heaps[query, child]:
            child += 1
        if heaps[query, child] >= value:
            break
        heaps[query, place] = heaps[query, child]
        place = child
    heaps[query, place] = value


@kernel()
def _forget(remembered, query):  # type: ignore[no-untyped-def]
    """Forget the candidates of a query that are out by now."""
    kept = 0
    for place in range(remembered.number[query]):
        if remembered.upper[query, place] >= remembered.cut[query]:
            remembered.row[query, kept] = remembered.row[query, place]
            remembered.upper[query, kept] = remembered.upper[query, place]
            kept += 1
    if remembered.number[query] > 0:
        remembered.number[query] = kept


@kernel()
def _rank(queries, candidates, penalty, begin, end, remembered, row, cosine):  # type: ignore[no-untyped-def]
    """Score what the queries remember in full; the best first, of equals the first candidate."""
    top = row.shape[1]
    final, sums = np.empty(top), np.empty(8)
    for query in range(begin, end):
        _forget(remembered, query)
        filled = 0
        for place in range(remembered.number[query]):
            if place + AHEAD < remembered.number[query]:
                begins = candidates.ctypes.data + remembered.row[query, place + AHEAD] * candidates.strides[0]
                for line in range(0, candidates.shape[1] * 4, 64):
                    fetch(begins + line)
            candidate = remembered.row[query, place]
            exact = _cosine(queries[query], candidates[candidate], sums)
            score = exact - penalty[candidate]
            at = filled
            while at > 0 and (final[at - 1] < score or (final[at - 1] == score and row[query, at - 1] > candidate)):
                at -= 1
            if at == top:
                continue
            filled = min(filled + 1, top)
            for later in range(filled - 1, at, -1):
                final[later] = final[later - 1]
                row[query, later] = row[query, later - 1]
                cosine[query, later] = cosine[query, later - 1]
            final[at], row[query, at], cosine[query, at] = score, candidate, exact


@kernel()
def _cosine(query, candidate, sums):  # type: ignore[no-untyped-def]
    """The product of two rows in float64: eight sums that take turns, then these two by two, as in `nearest`."""
    sums[:] = 0
    whole = len(query) // 8 * 8
    for begin in range(0, whole, 8):
        for turn in range(8):
            sums[turn] += np.float64(query[begin + turn]) * np.float64(candidate[begin + turn])
    for last in range(whole, len(query)):
        sums[last - whole] += np.float64(query[last]) * np.float64(candidate[last])
    return ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]))
