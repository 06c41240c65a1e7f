"""Map each query from one condition to another by a linear map of its own.

Kulkarni et al. (2015) fit a linear map to the words near the query, for conditions that do not share a space. The map
is computed from the vectors for each query; only its settings are stored.
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
# A trace of ridge keeps the equations solvable if words have the same vector.
MIN_RIDGE = 1e-9


class SharedWords(NamedTuple):
    """The words of two conditions that a map between them is fitted to."""

    word: NDArray[np.int64]  # (N,)
    before: Floats  # (N, D) vectors in the source
    after: Floats  # (N, D) vectors in the target


@dataclass(frozen=True)
class LocalLinearMap(Settings):
    """The linear map that moves the neighbors of a query from their vectors in one condition to those in another.

    It minimizes Σ ‖x Q − y‖² over the `neighbors` nearest words of the query, without the query itself, that occur at
    least `min_count` times in both conditions. x and y keep their lengths: rare words have short vectors and so count
    little. With fewer words than dimensions, ridge · mean(x²) · ‖Q − I‖² is added; a query without any such word stays
    where it is.
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
        """Map all vectors by one map fitted to all shared words; return (N, D) rows of length one.

        An approximation of `project` for thousands of words of which only the neighborhoods matter.
        """
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
