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
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from queue import SimpleQueue
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from chronotope.embeddings.byte_products import LANES, PANELS, Form, forms
from chronotope.embeddings.sieve_kernels import (
    HIGHEST,
    LINE,
    LOWEST,
    add_up,
    count_reached,
    fill,
    in_units,
    search,
)
from chronotope.runtime.resources import cores

Floats = NDArray[np.float32]
# (D,) the dimensions in some order, or (D, D) directions in columns, square to each other.
Axes = NDArray[np.int64] | Floats

SIZE = LANES * PANELS
MOST_TOP = 128
# So many groups of queries meet the candidates that stay in the second cache.
MET = 2
# Where more than one in so many candidates, and more than a few, could be among the nearest, the query is given up.
GIVEN_UP, FEW = 4, 512
# To score a candidate in full takes so many nanoseconds.
FULL = 200.0
# The stretches that a thread works on, each of so many groups at least: every one goes through all candidates.
SHARES, LEAST_SHARE = 8, 4
# So few numbers are not worth a thread; and of so few queries none is asked before the others.
ALONE, TRIED_FROM = 1 << 18, 20
# Rows are turned to other axes so many at a time, and stay in the cache. The axes are those of so many rows.
TURNED, SAMPLE = 2048, 1024
# Where half of the dimensions hold this share of all squares, there is no need of other axes; others have to hold so
# much more.
CONCENTRATED, BETTER = 0.75, 0.1


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
    """What makes bounds of the products of queries with candidates, in bytes.

    Attributes
    ----------
    bytes
        (G, steps, size, 4) some axes of each query of a group, repeated to four bytes; and then the next.
    taken
        (L,) by how many steps bounds are made, for more and more of them.
    start
        (L, Q) what the sum of products starts at.
    rest
        (L, Q) how long what lies beyond the first axes is; the unit of a bound is 256.
    offset
        (N,) what is added for a candidate; the unit of a bound is 256.
    shift
        By how many bits a sum is shifted to the right.
    unit, least
        A score of a query is below its bound plus 1, times `unit`, plus `least`, (Q,).
    """

    bytes: NDArray[np.int8]
    taken: NDArray[np.int64]
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
        (Q,) whether the query was given up; its candidates are any.
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

    bounds: NDArray[np.int8]
    peaks: NDArray[np.int8]
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
    found = Answers(np.zeros((count, top), np.int64), np.zeros((count, top)), np.zeros(count, np.bool_))
    level, first = len(sieve.rest) - 1, 0
    rooms: SimpleQueue[Room] = SimpleQueue()
    for _ in range(cores()):
        rooms.put(_room(len(sieve.error), len(candidates), MET * together, top))

    def part(begin: int, end: int) -> None:
        room = rooms.get()
        try:
            search(sieve.bytes, sieve.rest, asked, level, queries, candidates, penalty, begin, end, room, found)
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
    bounds = np.empty((queries, length), np.int8)
    bounds[:, padded:] = LOWEST
    peaks = np.full((queries, -(-length // LINE**2) * LINE), LOWEST, np.int8)
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
    cut = np.floor((score - asked.least[:tried]) / asked.unit)
    cut = np.where(found.lost[:tried], HIGHEST, np.clip(cut, LOWEST, HIGHEST)).astype(np.int8)
    reached = np.zeros(len(sieve.rest), np.int64)
    shown = count_reached(sieve.bytes, sieve.rest, asked, cut, reached)
    axes = asked.taken * sieve.form.depth
    return int(np.argmin(axes * sieve.form.product + reached / shown * FULL))


def _every(axes: int) -> int:
    """How many axes a level has more than the one before: whole registers, eight levels at most."""
    return -(-axes // 64) * 8


def _asked(queries: Floats, sieve: Sieve, penalty: NDArray[np.float64]) -> Asked:
    """What makes bounds of the products of queries with candidates."""
    form = sieve.form
    made = _written(queries, sieve.axes, form, form.queries, form.most_asked)
    signed, steps = (made.bytes - np.uint8(128)).view(np.int8), made.bytes.shape[1]
    half = math.sqrt(len(sieve.axes)) / 2
    longest = (1 / sieve.step + half) * (1 / made.step + half)
    shift = max(0, math.ceil(math.log2(longest / 2**15))) if form.bits > 16 else 0
    unit = 256 * sieve.step * made.step * 2.0**shift
    start = np.empty(made.rest.shape, f"int{form.bits}")
    taken = np.arange(1, len(start) + 1) * (_every(steps * form.depth) // form.depth)
    taken = np.minimum(taken, steps)
    add_up(signed, taken, start)
    rest = np.minimum(np.ceil((made.rest + 1.0) / (256 * unit)), 65535).astype(np.uint16)
    # The least penalty may as well be 0: bounds do not reach far.
    least = float(penalty.min())
    least = least if math.isfinite(least) else 0.0
    offset = np.empty(len(sieve.error), np.int16)
    in_units(sieve.error, penalty, least, float(made.error.max(initial=0)), unit, offset)
    return Asked(
        np.tile(signed, 4 // form.depth), taken, start, rest, offset, shift, unit, made.error.astype(np.float64) - least
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
            fill(
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
    threads = cores()
    groups = -(-count // size)
    share = max(-(-groups // (SHARES * threads)), min(LEAST_SHARE, -(-groups // threads))) * size
    begins = range(0, count, max(share, size))
    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(lambda begin: work(begin, min(begin + share, count)), begins))
