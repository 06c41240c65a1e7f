"""Which words stay the same: the mean cosine of a word with itself over all pairs of conditions."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from chronotope.analysis.answer import Answer
from chronotope.analysis.directions import directions
from chronotope.config import at_least
from chronotope.embeddings import ConditionedEmbeddings


@dataclass(frozen=True, slots=True)
class StableWord:
    """How much a word stays the same.

    Attributes
    ----------
    word
        The word.
    stability
        The mean cosine over all pairs of conditions in which it has enough support; 1: it never moves.
    conditions
        In how many conditions that is.
    count
        How often it occurs in them together.
    """

    word: str
    stability: float
    conditions: int
    count: int

    def to_dict(self) -> dict[str, Any]:
        """As plain data for JSON."""
        return {name: getattr(self, name) for name in self.__slots__}


@dataclass(frozen=True)
class Stability(Answer):
    """The stability of every word that has enough support in enough conditions.

    Attributes
    ----------
    rows
        The words, the most stable first.
    left_out
        How many words have enough support in too few conditions.
    min_support, min_conditions
        What counts as enough.
    signature
        How the embeddings were made.
    """

    rows: tuple[StableWord, ...] = field(repr=False)
    left_out: int
    min_support: int
    min_conditions: int
    signature: str

    def most(self, top: int = 20) -> list[StableWord]:
        """The words that changed least, the most stable first."""
        return list(self.rows[:top])

    def least(self, top: int = 20) -> list[StableWord]:
        """The words that changed most, the least stable first."""
        return list(self.rows[: -top - 1 : -1])

    def to_dict(self, top: int = 20) -> dict[str, Any]:
        """As plain data for JSON: both ends of the list."""
        return {
            "most": [row.to_dict() for row in self.most(top)],
            "least": [row.to_dict() for row in self.least(top)],
            "words": len(self.rows),
            "left_out": self.left_out,
            "min_support": self.min_support,
            "min_conditions": self.min_conditions,
            "signature": self.signature,
        }


def stable(embeddings: ConditionedEmbeddings, *, min_support: int = 5, min_conditions: int = 2) -> Stability:
    """The stability of every word: its mean cosine with itself over all pairs of conditions.

    Parameters
    ----------
    embeddings
        The embeddings.
    min_support
        A condition counts for a word that occurs in it at least so often; at least 1, since a word that is absent
        has no meaning of its own there.
    min_conditions
        Leave out words with fewer such conditions; two at least. A word that is seen in a few neighboring time bins
        only has had little occasion to change.

    Examples
    --------
    >>> from chronotope.conditions import Conditions
    >>> from chronotope.vocabulary import Support
    >>> support = Support(np.array([0, 3, 6]), np.array([0, 1, 2] * 2), np.array([9] * 6))
    >>> vectors = [[1, 0], [0, 1], [-1, -1], [1, 0], [0, -1], [-1, 1]]
    >>> answer = stable(ConditionedEmbeddings(
    ...     ["the", "bank", "of"], Conditions.of_times(["1990", "2000"]), support, vectors))
    >>> [row.word for row in answer.most(2)], answer.most(1)[0].stability
    (['the', 'of'], 1.0)
    """
    at_least("min_conditions", min_conditions, 2)
    total, squares, conditions, support = directions(embeddings, min_support)
    kept = np.flatnonzero(conditions >= min_conditions)
    # ‖Σ u‖² is the sum of the cosines over all ordered pairs, with the squares of the n themselves.
    pairs = conditions[kept] * (conditions[kept] - 1)
    mean = (np.square(total[kept]).sum(axis=1) - squares[kept]) / pairs
    order = np.lexsort((kept, -mean))
    rows = tuple(
        StableWord(embeddings.words[word], score, count, occurrences)
        for word, score, count, occurrences in zip(
            kept[order].tolist(),
            mean[order].tolist(),
            conditions[kept[order]].tolist(),
            support[kept[order]].tolist(),
            strict=True,
        )
    )
    return Stability(rows, len(embeddings) - len(rows), min_support, min_conditions, embeddings.signature)
