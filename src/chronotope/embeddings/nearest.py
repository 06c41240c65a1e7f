"""The nearest rows of a matrix, found fast and ranked exactly.

A product in float32, or a sieve of bytes, finds every row that could be among the nearest; those few are then scored
again in float64, each in the same order of additions. So the answer has the same bits whether a query is asked alone or
among thousands, for any number of threads or kind of BLAS, on any processor.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from chronotope.embeddings.sieve import Sieve

Floats = NDArray[np.float32]

# The scores of one block of queries against all candidates fill at most so many float32 numbers (64 MB).
BLOCK = 1 << 24
MOST_QUERIES = 256
# Candidates are looked at in groups of about this many: only groups with a high maximum are searched.
GROUP = 64
RESCORED = 1 << 20
UNIT_ROUNDOFF = 2.0**-24
# A sieve is worth while for so many products of two numbers; for more where what compiles it is not loaded yet, which
# takes a third of a second, once. It goes through so many queries at a time.
SIEVED_FROM, LOADED_FOR = 2 * 10**8, 5 * 10**9
SIEVED = 4096


class Nearest(NamedTuple):
    """The nearest candidates of each query, best first; equal scores in the order of the candidates.

    Attributes
    ----------
    row
        (Q, K) the numbers of the candidates.
    cosine
        (Q, K) their cosines with the query.
    """

    row: NDArray[np.int64]
    cosine: NDArray[np.float64]

    @classmethod
    def room(cls, queries: int, top: int) -> Nearest:
        """Room for so many queries."""
        return cls(np.empty((queries, top), dtype=np.int64), np.empty((queries, top), dtype=np.float64))

    def put(self, queries: NDArray[np.int64] | slice, found: Nearest) -> None:
        """Put what was found for some of the queries in its place."""
        self.row[queries], self.cosine[queries] = found


def nearest(
    queries: Floats,
    candidates: Floats,
    top: int,
    penalty: NDArray[np.float64] | None = None,
    sieve: Callable[[], Sieve] | None = None,
) -> Nearest:
    """The `top` candidates with the largest cosine, less a penalty for each candidate, for every query.

    Parameters
    ----------
    queries, candidates
        (Q, D) and (N, D) rows of length one (or zero).
    top
        How many; where there are fewer candidates, all of them.
    penalty
        (N,) what is taken off the cosine of each candidate before ranking: some units at most, or infinitely much.
    sieve
        What gives the sieve of the candidates, where it is kept for other queries.

    Examples
    --------
    >>> rows = np.array([[1, 0], [0, 1], [-1, 0]], dtype=np.float32)
    >>> nearest(rows[:1], rows, 2).row.tolist()
    [[0, 1]]
    """
    top = min(top, len(candidates))
    found = Nearest.room(len(queries), top)
    rest = np.arange(len(queries))
    if worth_sieving(len(queries), candidates, top):
        from chronotope.embeddings.sieve import sieve_of, sieved

        made = sieve() if sieve else sieve_of(candidates)
        given_up = [rest[:0]]
        for begin in range(0, len(queries), SIEVED):
            part = slice(begin, begin + SIEVED)
            row, cosine, lost = sieved(queries[part], candidates, made, top, penalty)
            found.put(part, Nearest(row, cosine))
            given_up.append(begin + lost)
        rest = np.concatenate(given_up)
    if top and len(rest):
        penalty32 = None if penalty is None else penalty.astype(np.float32)
        for part, scores in score_blocks(queries[rest], candidates):
            if penalty32 is not None:
                scores -= penalty32
            found.put(rest[part], best(queries[rest[part]], candidates, scores, top, penalty))
    return found


def worth_sieving(queries: int, candidates: Floats, top: int) -> bool:
    """Whether so many queries are answered faster by a sieve."""
    products = queries * candidates.size
    if products < (SIEVED_FROM if "numba" in sys.modules else LOADED_FOR) or not 0 < top <= len(candidates) // 8:
        return False
    from chronotope.embeddings.byte_products import forms
    from chronotope.embeddings.sieve import MOST_TOP

    return top <= MOST_TOP and any(form.length(candidates.shape[1]) for form in forms()[:1])


def score_blocks(queries: Floats, candidates: Floats) -> Iterator[tuple[slice, Floats]]:
    """The cosines of blocks of queries with all candidates, in float32; the room for them is used again."""
    block = max(1, min(MOST_QUERIES, BLOCK // max(1, len(candidates))))
    room = np.empty((min(block, len(queries)), len(candidates)), dtype=np.float32)
    for begin in range(0, len(queries), block):
        part = queries[begin : begin + block]
        yield slice(begin, begin + len(part)), np.matmul(part, candidates.T, out=room[: len(part)])


def best(
    queries: Floats, candidates: Floats, scores: Floats, top: int, penalty: NDArray[np.float64] | None = None
) -> Nearest:
    """The `top` best of scores that were made in float32, ranked by what float64 says.

    Parameters
    ----------
    queries, candidates
        (Q, D) and (N, D) rows of length one (or zero).
    scores
        (Q, N) their cosines, less the penalty.
    top
        How many, from 1 to N.
    penalty
        (N,) what is taken off the cosine of each candidate.
    """
    which, found = within_reach(scores, top, queries.shape[1])
    exact = _cosines(queries, which, candidates, found)
    final = exact if penalty is None else exact - penalty[found]
    order = np.lexsort((found, -final, which))
    first = np.searchsorted(which, np.arange(len(queries)))
    kept = order[first[:, None] + np.arange(top)]
    return Nearest(found[kept], exact[kept])


def slack(dimensions: int) -> np.float32:
    """How far two scores in float32 may stand in the wrong order.

    A product of unit rows is off by at most dimensions × 2⁻²⁴, whatever the order of its additions; a few more
    roundings come from the penalty. Either of the two may be off.
    """
    return np.float32(2 * 1.1 * (dimensions + 8) * UNIT_ROUNDOFF)


def within_reach(scores: Floats, top: int, dimensions: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Every (query, candidate) that exact arithmetic could place among the `top`, sorted by query."""
    queries, count = scores.shape
    groups = max(-(-count // GROUP), 4 * top)
    size = count // groups
    if size < 4:
        cut = np.partition(scores, count - top, axis=1)[:, count - top] - slack(dimensions)
        which, found = np.nonzero(scores >= cut[:, None])
        return which, found
    # Group g holds the candidates g, g + groups, g + 2 · groups …, so that the maxima are element-wise over long rows.
    peaks = scores[:, : size * groups].reshape(queries, size, groups).max(axis=1)
    rest = count - size * groups
    np.maximum(peaks[:, :rest], scores[:, size * groups :], out=peaks[:, :rest])
    # At least `top` candidates reach the top-th largest of the peaks.
    cut = np.partition(peaks, groups - top, axis=1)[:, groups - top] - slack(dimensions)
    which, group = np.nonzero(peaks >= cut[:, None])
    members = group[:, None] + groups * np.arange(size + 1)
    # Flat numbers are looked up twice as fast as pairs; beyond the last candidate there is nothing to find.
    flat = np.minimum(members, count - 1)
    flat += (which * count)[:, None]
    reached = (scores.reshape(-1).take(flat) >= cut[which, None]) & (members < count)
    at, place = np.nonzero(reached)
    return which[at], members[at, place]


def _cosines(
    queries: Floats, which: NDArray[np.int64], candidates: Floats, found: NDArray[np.int64]
) -> NDArray[np.float64]:
    """The cosine of each (query, candidate) in float64, added up in the same order however many there are.

    Eight sums take turns, dimension by dimension; then they are added two by two.
    """
    cosines = np.empty(len(found), dtype=np.float64)
    dimensions = queries.shape[1]
    rounds = -(-dimensions // 8)
    step = max(1, RESCORED // max(1, dimensions))
    for begin in range(0, len(found), step):
        part = slice(begin, begin + step)
        products = np.zeros((len(found[part]), 8 * rounds))
        np.multiply(queries[which[part]], candidates[found[part]], out=products[:, :dimensions], dtype=np.float64)
        sums = np.zeros((len(products), 8))
        for turn in range(rounds):
            sums += products[:, 8 * turn : 8 * turn + 8]
        while sums.shape[1] > 1:
            sums = sums[:, ::2] + sums[:, 1::2]
        cosines[part] = sums[:, 0]
    return cosines


def unit_rows(matrix: NDArray[np.float32]) -> Floats:
    """The rows scaled to length one; a row of zeros stays as it is.

    Examples
    --------
    >>> unit_rows(np.array([[3, 4], [0, 0]], dtype=np.float32)).tolist()
    [[0.6000000238418579, 0.800000011920929], [0.0, 0.0]]
    """
    length = np.sqrt(np.square(matrix, dtype=np.float64).sum(axis=1))
    length[length == 0] = 1
    return np.asarray(matrix / length[:, None], dtype=np.float32)
