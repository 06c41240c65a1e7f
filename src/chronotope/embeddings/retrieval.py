"""Compare words of two conditions by cosine, or by CSLS, which penalizes hubs: words that are near many others.

CSLS (Conneau et al., 2018) of x in the source and y in the target is 2 cos(x, y) − r(x) − r(y), where r is the mean
cosine of a word with its ten nearest words in the other condition. The neighbors for r come from a reference pool: the
10,000 most frequent words of that condition with enough support.

Between two conditions candidates can also be ranked by reference points, after Zhang et al. (2016): the words nearest
to the query that occur in both conditions. Seen from them, a good candidate has the same direction as the query.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from chronotope.embeddings.nearest import Floats, Nearest, nearest, slack, unit_rows
from chronotope.frames import MOST_ROWS, Framed, check_not_forked, html

if TYPE_CHECKING:
    import polars as pl

RETRIEVALS = ("cosine", "csls")
NEIGHBORHOOD = 10
BETWEEN = (*RETRIEVALS, "references")  # two conditions
REFERENCES = 50  # reference points of a query
REFINED = 100  # candidates, the nearest by cosine
POOL_WORDS = 10_000
# Sums of pool words that bound r from below.
LANDMARKS = 32
# With more queries or fewer candidates, r of all candidates is computed at once.
FEW_QUERIES = 32
FEW_CANDIDATES = 256


@dataclass(frozen=True, slots=True)
class Match:
    """A word that answers a query, with its cosine and its count in the condition where it was found."""

    word: str
    score: float  # the cosine or CSLS that it was ranked by
    similarity: float
    count: int

    def to_dict(self) -> dict[str, str | float | int]:
        """Return plain data for JSON."""
        return asdict(self)


class Matches(list[Match], Framed):
    """The answers to a query, best first: a list that converts to a frame."""

    @property
    def frame(self) -> pl.DataFrame:
        """The answers as rows."""
        import polars as pl

        check_not_forked()
        types: Any = {"word": pl.String, "score": pl.Float64, "similarity": pl.Float64, "count": pl.Int64}
        return pl.DataFrame([match.to_dict() for match in self], schema=types)

    def _repr_html_(self) -> str:
        frame = self.frame
        rows = frame.head(MOST_ROWS).rows()
        return html("Matches", None, frame.columns, rows, left_out=frame.height - len(rows))


@dataclass(frozen=True, eq=False)
class ConditionMatrix:
    """The words of a condition with enough support, as rows to compare."""

    word: NDArray[np.int64]  # (N,) word ids, ascending
    support: NDArray[np.int64]  # (N,) the count of each in the condition
    unit: Floats  # (N, D) their centered vectors, scaled to length one

    @property
    def nbytes(self) -> int:
        """Size in memory."""
        return self.word.nbytes + self.support.nbytes + self.unit.nbytes


def reference_pool(matrix: ConditionMatrix, size: int = POOL_WORDS) -> ConditionMatrix:
    """Return the most frequent words, for the neighborhoods of CSLS; ties: the lower word id first."""
    rows = np.sort(np.lexsort((matrix.word, -matrix.support))[:size])
    return ConditionMatrix(matrix.word[rows], matrix.support[rows], matrix.unit[rows])


def cosine_matches(words: Sequence[str], queries: Floats, candidates: ConditionMatrix, top: int) -> list[Matches]:
    """Return the candidates with the largest cosine, for each query."""
    best = nearest(queries, candidates.unit, top)
    return _matches(words, candidates, best, best.cosine)


def reference_matches(
    words: Sequence[str], query: Floats, candidates: ConditionMatrix, top: int, moved: Floats, there: Floats
) -> Matches:
    """Return the candidates with the largest mean of two cosines, for one query.

    The first is the cosine of candidate and query. The second compares their differences from each reference point, and
    takes the mean cosine. `moved` and `there` are the vectors of these points in the source and in the target.
    """
    best = nearest(query[None], candidates.unit, max(top, REFINED))
    found = candidates.unit[best.row[0]]
    steps = unit_rows((found[:, None] - there).reshape(-1, len(query))).reshape(len(found), *there.shape)
    local = np.einsum("nrd,rd->nr", steps, unit_rows(query - moved)).mean(axis=1) if len(there) else best.cosine[0]
    score = (best.cosine[0] + local) / 2
    order = np.argsort(-score, kind="stable")[:top]
    ordered = Nearest(best.row[:, order], best.cosine[:, order])
    return _matches(words, candidates, ordered, score[None, order])[0]


def csls_matches(
    words: Sequence[str],
    queries: Floats,
    candidates: ConditionMatrix,
    top: int,
    source_pool: ConditionMatrix,
    target_pool: ConditionMatrix,
    r: NDArray[np.float64],
    own: NDArray[np.int64] | None = None,
) -> list[Matches]:
    """Return the candidates with the largest CSLS, for each query, (Q, D) rows of length one.

    `r` (N,), that of the candidates, is filled in where it is NaN; threads may share it, since each writes the same.
    `own` (Q,) are the word ids of the queries, if source and target are the same condition.
    """
    same = own is not None
    if len(queries) > FEW_QUERIES or min(len(r), len(source_pool.word)) <= max(FEW_CANDIDATES, 4 * top):
        _measure(r, np.arange(len(r)), candidates, source_pool, same)
    elif top:
        for query in queries:
            _measure_within_reach(r, query, candidates, top, source_pool, same)
    own_r = _neighborhood(nearest(queries, target_pool.unit, NEIGHBORHOOD + same), target_pool, own)
    best = nearest(queries, candidates.unit, top, np.where(np.isnan(r), np.inf, r) / 2)
    return _matches(words, candidates, best, 2 * best.cosine - own_r[:, None] - r[best.row])


def _neighborhood(best: Nearest, pool: ConditionMatrix, own: NDArray[np.int64] | None) -> NDArray[np.float64]:
    """Return r, the mean cosine of each row with its ten nearest words of the pool, without its `own` word."""
    other = np.ones(best.row.shape, bool) if own is None else pool.word[best.row] != own[:, None]
    other &= np.cumsum(other, axis=1) <= NEIGHBORHOOD
    total = np.where(other, best.cosine, 0).sum(axis=1)
    return np.asarray(total / np.maximum(other.sum(axis=1), 1))


def _measure(
    r: NDArray[np.float64], rows: NDArray[np.int64], candidates: ConditionMatrix, pool: ConditionMatrix, same: bool
) -> Floats:
    """Fill in r of some candidates where it is missing; return the sum of the nearest pool words of the first few."""
    rows = rows[np.isnan(r[rows])]
    best = nearest(candidates.unit[rows], pool.unit, NEIGHBORHOOD + same)
    r[rows] = _neighborhood(best, pool, candidates.word[rows] if same else None)
    return np.asarray(pool.unit[best.row[:LANDMARKS]].sum(axis=1))


def _measure_within_reach(
    r: NDArray[np.float64], query: Floats, candidates: ConditionMatrix, top: int, pool: ConditionMatrix, same: bool
) -> None:
    """Fill in r of every candidate that may be among the `top` of a query.

    The mean cosine of a candidate with any ten words of the pool is a lower bound of its r. Good candidates share
    neighbors with the query or with other good candidates, whose neighbors give tight bounds. If source and target are
    the same condition, eleven words are taken, since one may be the candidate itself, whose cosine is 1.
    """
    margin = slack(len(query) + 2 * NEIGHBORHOOD)
    cosine, bound, size = candidates.unit @ query, np.full(len(r), -np.inf), top
    around = pool.unit[nearest(query[None], pool.unit, NEIGHBORHOOD + same).row].sum(axis=1)
    left = np.flatnonzero(np.isnan(r))
    while len(left):
        others = ((candidates.unit[left] @ around.T).max(axis=1) - same) / NEIGHBORHOOD - margin
        bound[left] = np.maximum(bound[left], others)
        highest = cosine - np.where(np.isnan(r), bound, r) / 2
        best = np.argpartition(-highest, min(size, len(r)) - 1)[:size]
        around, size = _measure(r, best, candidates, pool, same), 2 * size
        reached = np.where(np.isnan(r), -np.inf, cosine - r / 2)
        cut = np.partition(reached, -top)[-top] - margin
        left = np.flatnonzero(np.isnan(r) & (highest >= cut))
        if not len(around):
            _measure(r, left, candidates, pool, same)
            return


def _matches(
    words: Sequence[str], candidates: ConditionMatrix, best: Nearest, score: NDArray[np.float64]
) -> list[Matches]:
    numbers, support = candidates.word[best.row].tolist(), candidates.support[best.row].tolist()
    rows = zip(numbers, score.tolist(), best.cosine.tolist(), support, strict=True)
    return [Matches(map(Match, [words[number] for number in row], *values)) for row, *values in rows]
