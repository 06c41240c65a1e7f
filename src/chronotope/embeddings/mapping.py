"""Map queries from one condition to another.

For conditions that do not share a space, Kulkarni et al. (2015) fit a linear map to the words near each query. It is
computed from the vectors; only its settings are stored.

A shared space is not perfectly aligned: between two conditions whole regions are rotated (all Canadian institutions
against all Irish ones). A role map is the linear map that moves the mutual nearest neighbors of two conditions, the
same word or not, onto each other; a ridge keeps it near the identity.
"""

import dataclasses
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from chronotope.config import Settings, from_dict
from chronotope.config.checks import Count, Weight
from chronotope.embeddings.nearest import Floats, nearest, ridge_map, unit_rows
from chronotope.errors import SettingsError
from chronotope.runtime.blas import one_blas_thread

KIND = "local linear"
# A minimal ridge keeps the equations solvable if words have the same vector.
MIN_RIDGE = 1e-9
ROLE_WORDS = 3_000  # most frequent words of a condition; 6,000 take four times as long and are no better
ROLE_MIN_COUNT = 10
NEIGHBORHOOD = 10
# The cosine of held-out mutual neighbors is highest near 1, over places and over time.
ROLE_RIDGE = 1.0


class SharedWords(NamedTuple):
    """The words of two conditions that a map between them is fitted to."""

    word: NDArray[np.int64]  # (N,)
    before: Floats  # (N, D) vectors in the source
    after: Floats  # (N, D) vectors in the target


@dataclass(frozen=True)
class LocalLinearMap(Settings):
    """The linear map that moves the neighbors of a query from their vectors in one condition to those in another.

    It minimizes Σ ‖x Q − y‖² over the `neighbors` nearest words of the query, without the query itself, that occur at
    least `min_count` times in both conditions. x and y are not normalized: rare words have short vectors and so little
    weight. With fewer words than dimensions, ridge · mean(x²) · ‖Q − I‖² is added. A query without such words is not
    moved.
    """

    neighbors: Count = 1000
    ridge: Weight = 1.0
    min_count: Count = 5

    def project(self, words: NDArray[np.int64], vectors: Floats, shared: SharedWords) -> Floats:
        """Map the (Q, D) vectors of words to the other condition, each by its own map; return rows of length one."""
        nearest_rows = nearest(unit_rows(vectors), unit_rows(shared.before), self.neighbors + 1).row
        rows = np.empty(vectors.shape, dtype=np.float64)
        with one_blas_thread():
            for number, near in enumerate(nearest_rows):
                others = near[shared.word[near] != words[number]][: self.neighbors]
                rows[number] = vectors[number] @ self._fit(shared.before[others], shared.after[others])
        return unit_rows(rows.astype(np.float32))

    def project_together(self, vectors: Floats, shared: SharedWords) -> Floats:
        """Approximate `project` by one map fitted to all shared words: fast enough for thousands of words."""
        with one_blas_thread():
            rows = vectors.astype(np.float64) @ self._fit(shared.before, shared.after)
        return unit_rows(rows.astype(np.float32))

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return {"kind": KIND, **dataclasses.asdict(self)}

    @classmethod
    def from_dict(cls, data: Any) -> Self:
        """Return the map that `to_dict` described, or raise ValueError."""
        if not isinstance(data, dict) or data.get("kind") != KIND:
            raise ValueError("it has a query mapping of an unknown kind")
        try:
            return from_dict(cls, {key: value for key, value in data.items() if key != "kind"})
        except SettingsError as error:
            raise ValueError(f"its query mapping is damaged: {error}") from None

    def _fit(self, before: Floats, after: Floats) -> NDArray[np.float64]:
        """Return the (D, D) map between the rows of the same words in two conditions."""
        return ridge_map(before, after, MIN_RIDGE + (self.ridge if len(before) < before.shape[1] else 0.0))


def fit_role_map(source: Floats, target: Floats) -> NDArray[np.float64]:
    """Return the (D, D) ridge map of the mutual neighbors of two conditions, near the identity.

    `source` (N, D) and `target` (M, D) are unit rows of their most frequent words.
    """
    if not len(source) or not len(target):
        return np.eye(source.shape[1])
    one, other = mutual_neighbors(source, target)
    return ridge_map(source[one], target[other], ROLE_RIDGE)


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
    """Map unit rows by a role map; one product per row, so that its bits do not depend on the other rows."""
    with one_blas_thread():
        moved = [row.astype(np.float64) @ role_map for row in rows]
    return unit_rows(np.array(moved, dtype=np.float32).reshape(rows.shape))


def move_together(rows: Floats, role_map: NDArray[np.float64]) -> Floats:
    """Map unit rows by one product, the same up to rounding: fast enough for thousands of rows."""
    with one_blas_thread():
        return unit_rows(rows @ role_map.astype(np.float32))
