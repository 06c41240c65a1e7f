"""A map that belongs to the query: for methods whose conditions have no one space in common.

Kulkarni et al. (2015) carry a word from one condition to another by a linear map fitted to the words near it, so that
every query has a map of its own. It is not stored but made from the vectors whenever it is asked for.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from chronotope.config import at_least, from_dict
from chronotope.embeddings.nearest import Floats, nearest, unit_rows
from chronotope.errors import SettingsError
from chronotope.runtime.blas import one_blas_thread

KIND = "local linear"
# A trace of ridge is always there, so that the equations have one solution even where words have the same vector.
TRACE = 1e-9


class SharedWords(NamedTuple):
    """The words of two conditions that a map between them is fitted to."""

    word: NDArray[np.int64]  # (N,)
    before: Floats  # (N, D) their vectors in the condition that is left
    after: Floats  # (N, D) and in the one that is entered


@dataclass(frozen=True)
class LocalLinearMap:
    """The linear map that carries the words nearest to a query from their places in one condition to another's.

    It minimizes Σ ‖x Q − y‖² over the `neighbors` words nearest to the query, itself left out, among those that occur
    in both conditions; x and y are their vectors as they are, not scaled to length one: rare words have short vectors,
    and so they count little. With fewer words than dimensions the sum has many minima, and ridge · mean(x²) · ‖Q − I‖²
    is added; then a query with no such word at all stays where it is.

    Attributes
    ----------
    neighbors
        How many words the map is fitted to, where there are so many.
    ridge
        The pull toward the identity where they are fewer than the dimensions.
    min_support
        They occur at least so often in both conditions.
    """

    neighbors: int = 1000
    ridge: float = 1.0
    min_support: int = 5

    def __post_init__(self) -> None:
        at_least("neighbors", self.neighbors, 1)
        at_least("ridge", self.ridge, 0)
        at_least("min_support", self.min_support, 1)

    def carry(self, words: NDArray[np.int64], vectors: Floats, shared: SharedWords) -> Floats:
        """(Q, D) vectors as they are in the other condition, scaled to length one; each by its own map.

        Parameters
        ----------
        words, vectors
            (Q,) and (Q, D) the words to carry, and their vectors.
        shared
            The words with at least `min_support` occurrences in both conditions.
        """
        found = nearest(unit_rows(vectors), unit_rows(shared.before), self.neighbors + 1).row
        rows = np.empty(vectors.shape, dtype=np.float64)
        # The bits of a product in BLAS may differ with its threads.
        with one_blas_thread():
            for number, near in enumerate(found):
                fitted = near[shared.word[near] != words[number]][: self.neighbors]
                own = vectors[number].astype(np.float64)
                rows[number] = own @ self._fitted(shared.before[fitted], shared.after[fitted])
        return unit_rows(rows.astype(np.float32))

    def carry_together(self, vectors: Floats, shared: SharedWords) -> Floats:
        """(N, D) vectors as they are in the other condition, of length one; all by one map fitted to all the words.

        It stands in for `carry` where thousands of words are wanted and only their neighborhoods matter.
        """
        with one_blas_thread():
            rows = vectors.astype(np.float64) @ self._fitted(shared.before, shared.after)
        return unit_rows(rows.astype(np.float32))

    def to_dict(self) -> dict[str, Any]:
        """As plain data for JSON."""
        return {"kind": KIND, **dataclasses.asdict(self)}

    @classmethod
    def from_dict(cls, data: Any) -> LocalLinearMap:
        """The map that `to_dict` described; ValueError where it is not one.

        Examples
        --------
        >>> LocalLinearMap.from_dict(LocalLinearMap(neighbors=7).to_dict()).neighbors
        7
        """
        if not isinstance(data, dict) or data.get("kind") != KIND:
            raise ValueError("it has a query mapping of an unknown kind")
        try:
            return from_dict(cls, {key: value for key, value in data.items() if key != "kind"})
        except SettingsError as error:
            raise ValueError(f"its query mapping is damaged: {error}") from None

    def _fitted(self, before: Floats, after: Floats) -> NDArray[np.float64]:
        """(D, D) the map between the rows of the same words in two conditions."""
        x, y = before.astype(np.float64), after.astype(np.float64)
        size = x.shape[1]
        squares = x.T @ x
        scale = np.trace(squares) / size or 1.0
        ridge = np.eye(size) * scale * (self.ridge if len(x) < size else 0.0) + np.eye(size) * scale * TRACE
        return np.asarray(np.linalg.solve(squares + ridge, x.T @ y + ridge))
