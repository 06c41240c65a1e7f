"""How words of two conditions are compared: by cosine, or by CSLS, which discounts words that are near everything.

CSLS (Conneau et al., 2018) of x in the source and y in the target is 2 cos(x, y) − r(x) − r(y), where r is the mean
cosine of a word with its ten nearest in the other condition. Both r are exact over a reference pool: the 10,000 most
frequent words of that condition among those with enough support, so that the cost stays bounded.

To measure r for every candidate takes a product of all words with all words, and few answers need it. The mean cosine
of a candidate with any ten words of the pool is never above its r, so it tells how good the candidate can be at best;
r is measured for those that could be among the answers, and kept. The answers are those of the full computation.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from chronotope.embeddings.nearest import (
    Floats,
    Nearest,
    best,
    nearest,
    score_blocks,
    slack,
    within_reach,
    worth_sieving,
)
from chronotope.frames import Framed, table

if TYPE_CHECKING:
    import polars as pl

    from chronotope.embeddings.sieve import Sieve

RETRIEVALS = ("cosine", "csls")
NEIGHBORHOOD = 10
POOL = 10_000
# With so many queries for each candidate, such a share of r measured, or so few words, all r are measured at once:
# that is cheaper than to choose again and again.
QUERIES_FOR_ALL = 1 / 16
QUERIES_FOR_ALL_SIEVED = 1 / 128
MEASURED_FOR_ALL = 1 / 4
FEW = 256
# How many r are measured before the others are looked at again, at first; and how many means of ten words are
# compared with the candidates at a time.
AT_FIRST = 32
LANDMARKS = 256
# To take a score out of its row costs about as much as to go through so many in their order.
GATHERING = 8
# The scores of so many queries with all candidates stay in the cache, for vocabularies of the usual size.
IN_THE_CACHE = 32


class Match(NamedTuple):
    """One answer to a query.

    Attributes
    ----------
    word
        The word that was found.
    score
        What it was ranked by: its cosine, or its CSLS.
    cosine
        Its cosine with the query.
    support
        How often it occurs in the condition where it was found.
    """

    word: str
    score: float
    cosine: float
    support: int

    def to_dict(self) -> dict[str, str | float | int]:
        """As plain data for JSON."""
        return {"word": self.word, "score": self.score, "cosine": self.cosine, "support": self.support}


MATCH_TYPES = ("str", "float", "float", "int")


class Matches(list[Match], Framed):
    """The answers to a query, best first: a list that can be had as a frame.

    Examples
    --------
    >>> Matches([Match("river", 0.91, 0.91, 12)]).to_polars().columns
    ['word', 'score', 'cosine', 'support']
    """

    def _frame(self) -> pl.DataFrame:
        columns = zip(*self, strict=True) if self else [()] * len(MATCH_TYPES)
        return table(dict(zip(Match._fields, zip(MATCH_TYPES, columns, strict=True), strict=True)))


@dataclass(frozen=True, eq=False)
class ConditionMatrix:
    """The words of a condition that have enough support, as rows that can be compared.

    Attributes
    ----------
    word
        (N,) their numbers, ascending.
    support
        (N,) how often each occurs in the condition.
    unit
        (N, D) their centered vectors, scaled to length one.
    """

    word: NDArray[np.int64]
    support: NDArray[np.int64]
    unit: Floats

    @cached_property
    def sieve(self) -> Sieve:
        """What tells fast which words cannot be among the nearest."""
        from chronotope.embeddings.sieve import sieve_of

        return sieve_of(self.unit)

    @property
    def nbytes(self) -> int:
        """The memory that it takes, with its sieve."""
        return self.word.nbytes + self.support.nbytes + self.unit.nbytes * 4 // 3

    def nearest(self, queries: Floats, top: int, penalty: NDArray[np.float64] | None = None) -> Nearest:
        """The words with the largest cosine, less a penalty for each, for every query; see `nearest`."""
        return nearest(queries, self.unit, top, penalty, lambda: self.sieve)


def reference_pool(matrix: ConditionMatrix) -> ConditionMatrix:
    """The words that r is measured against: the most frequent ones; of equals the first.

    Examples
    --------
    >>> words = np.arange(3); matrix = ConditionMatrix(words, words, np.eye(3, dtype=np.float32))
    >>> reference_pool(matrix).word.tolist()
    [0, 1, 2]
    """
    if len(matrix.word) <= POOL:
        return matrix
    kept = np.sort(np.lexsort((matrix.word, -matrix.support))[:POOL])
    return ConditionMatrix(matrix.word[kept], matrix.support[kept], matrix.unit[kept])


def neighborhood(found: Nearest, pool: ConditionMatrix, own: NDArray[np.int64] | None = None) -> NDArray[np.float64]:
    """The mean cosine of each row with its nearest in the pool: the r of CSLS.

    Parameters
    ----------
    found
        The ten nearest of each row, or all where the pool has fewer; with `own`, one more.
    pool
        The reference words of the other condition.
    own
        (Q,) the word of each row, where the other condition is its own: a word is not its own neighbor.
    """
    if found.row.shape[1] == 0:
        return np.zeros(len(found.row))
    if own is None:
        return np.asarray(found.cosine.mean(axis=1))
    other = pool.word[found.row] != own[:, None]
    other &= np.cumsum(other, axis=1) <= NEIGHBORHOOD
    total = np.where(other, found.cosine, 0).sum(axis=1)
    return np.asarray(total / np.maximum(other.sum(axis=1), 1))


def cosine_matches(words: Sequence[str], queries: Floats, candidates: ConditionMatrix, top: int) -> list[Matches]:
    """The candidates with the largest cosine, for each query."""
    found = candidates.nearest(queries, top)
    return _matches(words, candidates, found, found.cosine)


class Neighborhoods:
    """The r of the candidates of one condition, as seen from another: measured where it is needed, then kept.

    Threads may share it: whatever one of them finds is true for all, and a lost update costs time and no more.

    Attributes
    ----------
    exact
        (N,) r; NaN where it is not measured.
    floor
        (N,) a lower bound of r where it is not measured.
    """

    def __init__(self, count: int) -> None:
        self.exact = np.full(count, np.nan)
        self.floor = np.full(count, -1.01, dtype=np.float32)  # below every cosine, rounded or not

    @property
    def nbytes(self) -> int:
        """The memory that it takes."""
        return self.exact.nbytes + self.floor.nbytes

    def measure(self, rows: NDArray[np.int64], candidates: ConditionMatrix, pool: ConditionMatrix, own: bool) -> Floats:
        """Measure r for some candidates; return the sum of the nearest words of each, of the first few.

        Parameters
        ----------
        rows
            Which candidates.
        candidates
            The words of the target.
        pool
            The reference words of the source.
        own
            Whether source and target are the same condition.
        """
        found = pool.nearest(candidates.unit[rows], NEIGHBORHOOD + own)
        self.exact[rows] = neighborhood(found, pool, candidates.word[rows] if own else None)
        return _sums(found.row[:LANDMARKS], pool)

    def measure_within_reach(
        self, queries: Floats, scores: Floats, top: int, candidates: ConditionMatrix, pool: ConditionMatrix, own: bool
    ) -> None:
        """Measure r for every candidate that could be among the `top` of a query.

        Parameters
        ----------
        queries
            (Q, D) rows of length one.
        scores
            (Q, N) their cosines with the candidates.
        top
            How many answers, from 1 to N.
        candidates, pool, own
            As for `measure`.
        """
        rest = np.flatnonzero(np.isnan(self.exact))
        count = len(self.exact)
        if not len(rest):
            return
        if min(count, len(pool.word)) <= FEW or top > count // 4:
            self.measure(rest, candidates, pool, own)
            return
        rows = self._likely(scores, top, queries.shape[1])
        if not np.isnan(self.exact[rows]).any():
            return
        many = len(rest) < (1 - MEASURED_FOR_ALL) * count
        measured = rows[~np.isnan(self.exact[rows])]
        if len(measured) >= top:
            # What is measured already sets a mark that most of the others cannot reach.
            reached = scores[:, measured] - (self.exact[measured] / 2).astype(np.float32)
            cut = np.partition(reached, -top, axis=1)[:, -top] - slack(queries.shape[1])
            rest = rest[self._above(cut, scores, rest) >= 0]
        if many or not len(rest):
            self.measure(rest, candidates, pool, own)
            return
        # The best candidates of a query have their nearest words about where the query has its own.
        around = _sums(pool.nearest(queries[:LANDMARKS], NEIGHBORHOOD + own).row, pool)
        self._raise_floor(rest, around, candidates, own)
        rows = self._likely(scores, top, queries.shape[1])
        kept = np.full((len(queries), top), -np.inf, dtype=np.float32)
        size = AT_FIRST
        while len(rows):
            around = self.measure(rows[np.isnan(self.exact[rows])], candidates, pool, own)
            reached = scores[:, rows] - (self.exact[rows] / 2).astype(np.float32)
            kept = np.partition(np.concatenate([kept, reached], axis=1), -top, axis=1)[:, -top:]
            # Only a candidate that may reach the last of the best is still of interest.
            cut = kept.min(axis=1) - slack(queries.shape[1])
            rest = rest[np.isnan(self.exact[rest])]
            rest = rest[self._above(cut, scores, rest) >= 0]
            self._raise_floor(rest, around, candidates, own)
            above = self._above(cut, scores, rest)
            rows = np.sort(rest[np.argsort(-above)[: min(size, np.count_nonzero(above >= 0))]])
            size *= 2

    def _likely(self, scores: Floats, top: int, dimensions: int) -> NDArray[np.int64]:
        """The candidates that are the `top` of a query if no r is above what is known of it."""
        r = np.where(np.isnan(self.exact), self.floor, self.exact)
        penalty, found = (r / 2).astype(np.float32), []
        # A few queries at a time, in room that is used again and stays in the cache.
        room = np.empty((min(IN_THE_CACHE, len(scores)), scores.shape[1]), dtype=np.float32)
        for begin in range(0, len(scores), IN_THE_CACHE):
            part = scores[begin : begin + IN_THE_CACHE]
            found.append(within_reach(np.subtract(part, penalty, out=room[: len(part)]), top, dimensions)[1])
        return np.unique(np.concatenate(found))

    def _above(self, cut: Floats, scores: Floats, rows: NDArray[np.int64]) -> Floats:
        """How far some candidates could be above the cut of a query, at best."""
        if len(rows) * GATHERING < scores.shape[1]:
            most: Floats = (scores[:, rows] - cut[:, None]).max(axis=0)
        else:
            # Where they are many it is cheaper to look at all: nothing is gathered, and one query fits into the cache.
            most, above = np.full((2, scores.shape[1]), -np.inf, dtype=np.float32)
            for score, least in zip(scores, cut, strict=True):
                np.maximum(most, np.subtract(score, least, out=above), out=most)
            most = most[rows]
        return most - self.floor[rows] / np.float32(2)

    def _raise_floor(self, rows: NDArray[np.int64], around: Floats, candidates: ConditionMatrix, own: bool) -> None:
        """Compare some candidates with sums of ten words of the pool (eleven, if one may be the candidate itself)."""
        if len(rows) and len(around):
            total = (around @ candidates.unit[rows].T).max(axis=0)
            # The candidate itself has a cosine of 1. Lowered by what float32 may be off, so that it is a bound.
            bound = (total - np.float32(own)) / NEIGHBORHOOD - slack(around.shape[1] + 2 * NEIGHBORHOOD)
            self.floor[rows] = np.maximum(self.floor[rows], bound)


def _sums(rows: NDArray[np.int64], pool: ConditionMatrix) -> Floats:
    """(Q, D) the sums of some rows of the pool."""
    return np.asarray(pool.unit[rows].sum(axis=1))


def csls_matches(
    words: Sequence[str],
    queries: Floats,
    candidates: ConditionMatrix,
    top: int,
    source_pool: ConditionMatrix,
    target_pool: ConditionMatrix,
    known: Neighborhoods,
    own: NDArray[np.int64] | None = None,
) -> list[Matches]:
    """The candidates with the largest CSLS, for each query.

    Parameters
    ----------
    words
        All words, by number.
    queries
        (Q, D) rows of length one, of the source.
    candidates
        The words of the target.
    top
        How many; where there are fewer candidates, all of them.
    source_pool, target_pool
        The reference words of both conditions.
    known
        The r of the candidates; what is measured for these queries is added.
    own
        (Q,) the word of each query, where source and target are the same condition.
    """
    top = min(top, len(candidates.word))
    if top == 0:
        return [Matches() for _ in queries]
    same = own is not None
    size = min(NEIGHBORHOOD + same, len(target_pool.word))
    sieved = worth_sieving(len(queries), candidates.unit, top)
    if len(queries) > (QUERIES_FOR_ALL_SIEVED if sieved else QUERIES_FOR_ALL) * len(candidates.word):
        known.measure(np.flatnonzero(np.isnan(known.exact)), candidates, source_pool, same)
    if sieved and not np.isnan(known.exact).any():
        near = target_pool.nearest(queries, size)
        query_r = neighborhood(near, target_pool, own)
        found = candidates.nearest(queries, top, known.exact / 2)
    else:
        found, query_r = Nearest.room(len(queries), top), np.empty(len(queries))
        for part, scores in score_blocks(queries, candidates.unit):
            asked = queries[part]
            if target_pool is candidates:
                near = best(asked, candidates.unit, scores, size)
            else:
                near = target_pool.nearest(asked, size)
            query_r[part] = neighborhood(near, target_pool, None if own is None else own[part])
            known.measure_within_reach(asked, scores, top, candidates, source_pool, same)
            # A candidate whose r is not measured is out of reach.
            penalty = np.where(np.isnan(known.exact), np.inf, known.exact) / 2
            scores -= penalty.astype(np.float32)
            found.put(part, best(asked, candidates.unit, scores, top, penalty))
    score = 2 * found.cosine - query_r[:, None] - known.exact[found.row]
    return _matches(words, candidates, found, score)


def _matches(
    words: Sequence[str], candidates: ConditionMatrix, found: Nearest, score: NDArray[np.float64]
) -> list[Matches]:
    found_words = [words[number] for number in candidates.word[found.row].ravel().tolist()]
    cosine, support = found.cosine.ravel().tolist(), candidates.support[found.row].ravel().tolist()
    scores = cosine if score is found.cosine else score.ravel().tolist()
    rows = zip(found_words, scores, cosine, support, strict=True)
    queries, top = found.row.shape
    matches = map(Match._make, rows)
    return [Matches(islice(matches, top)) for _ in range(queries)]
