"""Exact nearest neighbors by cosine: a float32 matrix product selects candidates, float64 ranks them.

Every candidate that rounding could move into the top k is scored again in float64. So the result of a query has the
same bits alone or in a batch, on any number of threads and with any BLAS.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from chronotope.runtime.blas import one_blas_thread

Floats = NDArray[np.float32]

BLOCK_SCORES = 1 << 22
RESCORED_NUMBERS = 1 << 20
GROUP_SIZE = 64
UNIT_ROUNDOFF = 2.0**-24


class Nearest(NamedTuple):
    """The nearest candidates of each query, best first; ties: the lower row number first."""

    row: NDArray[np.int64]  # (Q, K) row numbers of the candidates
    cosine: NDArray[np.float64]  # (Q, K) their cosines with the query


def nearest(
    queries: Floats,
    candidates: Floats,
    top: int,
    penalty: NDArray[np.float64] | None = None,
    *,
    block_scores: int = BLOCK_SCORES,
) -> Nearest:
    """Return the `top` candidates with the largest cosine minus penalty, for each query.

    Queries (Q, D) and candidates (N, D) are rows of length one, or zero. A penalty (N,) of infinity excludes a
    candidate. `block_scores` are held in memory at once.
    """
    top = min(top, len(candidates))
    result = Nearest(np.empty((len(queries), top), np.int64), np.empty((len(queries), top)))
    block = min(len(queries), max(1, block_scores // max(1, len(candidates))))
    buffer = np.empty((block, len(candidates)), dtype=np.float32)
    for begin in range(0, len(queries) if top else 0, max(1, block)):
        part = queries[begin : begin + block]
        scores = np.matmul(part, candidates.T, out=buffer[: len(part)])
        if penalty is not None:
            scores -= penalty.astype(np.float32)
        query, row = _within_reach(scores, top, slack(queries.shape[1]))
        cosine = _cosines(part, query, candidates, row)
        order = np.lexsort((row, -cosine if penalty is None else penalty[row] - cosine, query))
        first = np.searchsorted(query, np.arange(len(part)))
        best = order[first[:, None] + np.arange(top)]
        result.row[begin : begin + block], result.cosine[begin : begin + block] = row[best], cosine[best]
    return result


def slack(dimensions: int) -> np.float32:
    """Return the largest difference by which rounding can swap two float32 scores.

    A product of unit rows is off by at most dimensions × 2⁻²⁴ in any order of addition, and the penalty adds a few
    roundings; each of the two scores may be off.
    """
    return np.float32(2 * 1.1 * (dimensions + 8) * UNIT_ROUNDOFF)


def _within_reach(scores: Floats, top: int, slack: np.float32) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return every (query, candidate) that may be among the `top` of exact scores, sorted by query."""
    count = scores.shape[1]
    groups = max(count // GROUP_SIZE, 8 * top)
    if 2 * groups > count:
        groups = count
    # At least `top` candidates reach the top-th largest maximum of disjoint groups; maxima are faster than a partition.
    size = count // groups
    peaks = scores[:, : size * groups].reshape(len(scores), size, groups).max(axis=1)
    cut = np.partition(peaks, groups - top, axis=1)[:, groups - top] - slack
    query, row = np.divmod(np.flatnonzero(scores >= cut[:, None]), count)
    return query, row


def _cosines(
    queries: Floats, query: NDArray[np.int64], candidates: Floats, row: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Return the float64 cosine of each (query, candidate) pair, added up in the same order for any number of pairs."""
    step = max(1, RESCORED_NUMBERS // max(1, queries.shape[1]))
    parts = [slice(begin, begin + step) for begin in range(0, len(row), step)]
    return np.concatenate(
        [np.multiply(queries[query[part]], candidates[row[part]], dtype=np.float64).sum(axis=1) for part in parts]
    )


def ridge_map(
    x: NDArray[np.floating], y: NDArray[np.floating], ridge: float, near: NDArray[np.float64] | None = None
) -> NDArray[np.float64]:
    """Return the (D, D) map Q of least Σ ‖x Q − y‖² + ridge · mean(x²) · ‖Q − near‖²; near the identity by default."""
    x, y = x.astype(np.float64), y.astype(np.float64)
    identity = np.eye(x.shape[1])
    with one_blas_thread():
        squares = x.T @ x
        penalty = identity * (ridge * np.trace(squares) / len(squares) or 1.0)
        return np.linalg.solve(squares + penalty, x.T @ y + penalty @ (identity if near is None else near))


def unit_rows(matrix: NDArray[np.float32]) -> Floats:
    """Scale rows to length one; rows of zeros stay zero."""
    length = np.sqrt(np.square(matrix, dtype=np.float64).sum(axis=1))
    length[length == 0] = 1
    return np.asarray(matrix / length[:, None], dtype=np.float32)
