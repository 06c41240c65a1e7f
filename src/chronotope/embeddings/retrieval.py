"""How words of two conditions are compared: by cosine, or by CSLS, which discounts words that are near everything.

CSLS (Conneau et al., 2018) of x in the source and y in the target is 2 cos(x, y) − r(x) − r(y), where r is the mean
cosine of a word with its ten nearest in the other condition. Both r are exact over a reference pool: the 10,000 most
frequent words of that condition among those with enough support, so that the cost stays bounded.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from chronotope.embeddings.nearest import Floats, Nearest, nearest

RETRIEVALS = ("cosine", "csls")
NEIGHBORHOOD = 10
POOL = 10_000


@dataclass(frozen=True, slots=True)
class Match:
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


class ConditionMatrix(NamedTuple):
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


def neighborhood(
    unit: Floats, pool: ConditionMatrix, own: NDArray[np.int64] | None = None, size: int = NEIGHBORHOOD
) -> NDArray[np.float64]:
    """The mean cosine of each row with its nearest in the pool: the r of CSLS.

    Parameters
    ----------
    unit
        (Q, D) rows of length one.
    pool
        The reference words of the other condition.
    own
        (Q,) the word of each row, where the other condition is its own: a word is not its own neighbor.
    size
        How many neighbors; where the pool has fewer, all of them.
    """
    found = nearest(unit, pool.unit, size if own is None else size + 1)
    if found.row.shape[1] == 0:
        return np.zeros(len(unit))
    if own is None:
        return np.asarray(found.cosine.mean(axis=1))
    other = pool.word[found.row] != own[:, None]
    other &= np.cumsum(other, axis=1) <= size
    total = np.where(other, found.cosine, 0).sum(axis=1)
    return np.asarray(total / np.maximum(other.sum(axis=1), 1))


def cosine_matches(words: Sequence[str], queries: Floats, candidates: ConditionMatrix, top: int) -> list[list[Match]]:
    """The candidates with the largest cosine, for each query."""
    found = nearest(queries, candidates.unit, top)
    return _matches(words, candidates, found, found.cosine)


def csls_matches(
    words: Sequence[str],
    queries: Floats,
    candidates: ConditionMatrix,
    top: int,
    query_neighborhood: NDArray[np.float64],
    candidate_neighborhood: NDArray[np.float64],
) -> list[list[Match]]:
    """The candidates with the largest CSLS, for each query, given the r of the queries and of the candidates."""
    found = nearest(queries, candidates.unit, top, penalty=candidate_neighborhood / 2)
    score = 2 * found.cosine - query_neighborhood[:, None] - candidate_neighborhood[found.row]
    return _matches(words, candidates, found, score)


def _matches(
    words: Sequence[str], candidates: ConditionMatrix, found: Nearest, score: NDArray[np.float64]
) -> list[list[Match]]:
    columns = (candidates.word[found.row], score, found.cosine, candidates.support[found.row])
    return [
        [Match(words[number], *rest) for number, *rest in zip(*row, strict=True)]
        for row in zip(*(column.tolist() for column in columns), strict=True)
    ]
