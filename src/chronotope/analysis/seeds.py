"""The seed words of an axis: the same ones in every condition, also where some of them are rare."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from chronotope.analysis.own_vectors import unit_vectors
from chronotope.embeddings import ConditionedEmbeddings


class Seeds:
    """The directions of the seed words in every condition.

    Where a seed is too rare, the mean of its directions elsewhere stands for it: else the axis would jump from one set
    of seeds to another. In models with a space of their own for each condition it is left out there.

    Parameters
    ----------
    embeddings
        The embeddings.
    plus, minus
        The seeds at the two ends; `minus` may be empty.
    enough
        (S, C) whether each seed is frequent enough in each condition.
    fixed
        Whether the mean direction of each seed stands for it everywhere.
    """

    def __init__(
        self,
        embeddings: ConditionedEmbeddings,
        plus: Sequence[str],
        minus: Sequence[str],
        enough: NDArray[np.bool_],
        fixed: bool,
    ) -> None:
        self.enough, self.fixed = enough, fixed
        self._plus, self._filled = len(plus), fixed or embeddings.query_mapping is None
        vectors = np.full((*enough.shape, embeddings.dimensions), np.nan)
        for seed, word in enumerate((*plus, *minus)):
            for condition in np.flatnonzero(enough[seed]).tolist():
                label = embeddings.conditions.labels[condition]
                vectors[seed, condition] = embeddings.project([word], label, label)[0]
        self._unit = self._directions(vectors)

    @property
    def known(self) -> NDArray[np.bool_]:
        """(C,) whether the axis has both its ends in a condition."""
        own = np.broadcast_to(self.enough.any(axis=1, keepdims=True), self.enough.shape) if self.fixed else self.enough
        sides = [side.any(axis=0) for side in (own[: self._plus], own[self._plus :]) if len(side)]
        return np.asarray(np.logical_and.reduce(sides))

    def many(self, condition: int) -> tuple[int, int]:
        """How many seeds on the two sides are frequent enough: in a condition, or anywhere where the axis is fixed."""
        own = np.asarray(self.enough.any(axis=1)) if self.fixed else self.enough[:, condition]
        return int(own[: self._plus].sum()), int(own[self._plus :].sum())

    def in_condition(self, condition: int) -> list[NDArray[np.float64]]:
        """(S, D) the directions of the seeds on each side that has any."""
        sides = (self._unit[: self._plus, condition], self._unit[self._plus :, condition])
        return [side[np.isfinite(side[:, 0])] for side in sides if len(side)]

    def axis(self, vectors: NDArray[np.floating]) -> NDArray[np.float64]:
        """(C, D) the axis in each condition, for other vectors (S, C, D) of the same seeds."""
        given = np.where(self.enough[:, :, None], vectors, np.nan)
        unit = self._directions(given)
        plus = _mean(unit[: self._plus])
        return plus - _mean(unit[self._plus :]) if len(unit) > self._plus else plus

    def _directions(self, vectors: NDArray[np.float64]) -> NDArray[np.float64]:
        """(S, C, D) unit vectors; the mean over conditions where one is missing, or everywhere."""
        unit = unit_vectors(vectors)
        if not self._filled:
            return unit
        mean = unit_vectors(_mean(unit.swapaxes(0, 1)))[:, None]
        return np.broadcast_to(mean, unit.shape) if self.fixed else np.where(np.isfinite(unit), unit, mean)


def _mean(vectors: NDArray[np.float64]) -> NDArray[np.float64]:
    """The mean over the first axis of the vectors that are there; NaN where none is."""
    known = np.isfinite(vectors)
    many = known.sum(axis=0)
    total = np.where(known, vectors, 0).sum(axis=0)
    return np.asarray(np.divide(total, many, out=np.full(total.shape, np.nan), where=many > 0))
