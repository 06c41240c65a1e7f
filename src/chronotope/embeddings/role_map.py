"""Role maps: align two conditions by the words that play the same role in both.

The shared space is not perfectly aligned: whole regions of it are rotated between two conditions (all Canadian
institutions against all Irish ones). A role map is the linear map that moves the mutual nearest neighbors of two
conditions onto each other, whether or not they are the same word, kept near the identity by a ridge.
"""

import numpy as np
from numpy.typing import NDArray

from chronotope.embeddings.nearest import Floats, ridge_map, unit_rows
from chronotope.runtime.blas import one_blas_thread

WORDS = 3_000  # the most frequent words of a condition; twice as many take four times as long and find no more
MIN_COUNT = 10
NEIGHBORHOOD = 10
# The cosine of held-out mutual neighbors is highest near 1, over places and over time.
RIDGE = 1.0


def fit_role_map(source: Floats, target: Floats, ridge: float = RIDGE) -> NDArray[np.float64]:
    """Return the (D, D) map T of minimal Σ ‖x T − y‖² + r ‖T − I‖² over the mutual neighbors x, y of two conditions.

    `source` (N, D) and `target` (M, D) are unit rows of their most frequent words; `ridge` is r as a multiple of the
    mean square of a dimension.
    """
    if not len(source) or not len(target):
        return np.eye(source.shape[1])
    one, other = mutual_neighbors(source, target)
    return ridge_map(source[one], target[other], ridge)


def mutual_neighbors(source: Floats, target: Floats) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the rows of `source` and `target` that are each other's nearest row by CSLS."""
    with one_blas_thread():
        cosine = source @ target.T
    there = (cosine - _density(cosine.T)).argmax(axis=1)
    back = (cosine - _density(cosine)[:, None]).argmax(axis=0)
    kept = np.flatnonzero(back[there] == np.arange(len(source)))
    return kept, there[kept]


def _density(cosine: Floats) -> Floats:
    """Return half the mean of the ten largest cosines of each row."""
    size = min(NEIGHBORHOOD, cosine.shape[1])
    return np.asarray(np.partition(cosine, -size, axis=1)[:, -size:].mean(axis=1) / 2)


def move(rows: Floats, role_map: NDArray[np.float64]) -> Floats:
    """Return rows moved by a role map, at unit length; each alone, so that its bits do not depend on the others."""
    with one_blas_thread():
        moved = [row.astype(np.float64) @ role_map for row in rows]
    return unit_rows(np.array(moved, dtype=np.float32).reshape(rows.shape))


def move_together(rows: Floats, role_map: NDArray[np.float64]) -> Floats:
    """Return the same up to rounding, by one product: for thousands of rows of which only the neighborhoods matter."""
    with one_blas_thread():
        return unit_rows(rows @ role_map.astype(np.float32))
