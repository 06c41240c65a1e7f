"""Which words changed: between two conditions, or from what they mean everywhere.

Between two conditions a word's drift is 1 − the cosine of its two vectors. Over a set of conditions (places, or times ×
places) it is 1 − the cosine of the most unusual one with what the word means in all the others (the mean of those
directions): a word that means another thing in one place is found, however many places there are. A word that is
absent, or too rare, shows no change of its own and is left out.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chronotope.analysis.directions import directions
from chronotope.config import at_least
from chronotope.embeddings import ConditionedEmbeddings, Match
from chronotope.embeddings.nearest import unit_rows
from chronotope.errors import SettingsError

NEIGHBORS_SHOWN = 5


@dataclass(frozen=True, slots=True)
class Side:
    """A word at one end of its change.

    Attributes
    ----------
    condition
        Where.
    support
        How often the word occurs there.
    neighbors
        The words nearest to it there.
    """

    condition: str
    support: int
    neighbors: tuple[Match, ...]

    def to_dict(self) -> dict[str, Any]:
        """As plain data for JSON."""
        return {
            "condition": self.condition,
            "support": self.support,
            "neighbors": [match.to_dict() for match in self.neighbors],
        }


@dataclass(frozen=True, slots=True)
class DriftRow:
    """The change of one word.

    Attributes
    ----------
    word
        The word.
    score
        How much it changed: 0 not at all, 1 to something unrelated.
    before, after
        The two conditions compared; over a series, the one where the word is nearest to its common meaning, and the
        one where it is farthest from it.
    """

    word: str
    score: float
    before: Side
    after: Side

    def to_dict(self) -> dict[str, Any]:
        """As plain data for JSON."""
        return {
            "word": self.word,
            "score": self.score,
            "before": self.before.to_dict(),
            "after": self.after.to_dict(),
        }


@dataclass(frozen=True, eq=False)
class Drift:
    """The change of every word with enough support.

    Attributes
    ----------
    start, end
        The conditions compared; None where the change is over a series of conditions.
    words
        (N,) the numbers of the words, the most changed first.
    scores
        (N,) how much each changed.
    before, after
        (N,) the numbers of the conditions at the two ends of each word's change.
    left_out
        How many words have too little support to tell.
    min_support
        What is enough.
    """

    embeddings: ConditionedEmbeddings = field(repr=False)
    start: str | None
    end: str | None
    words: NDArray[np.int64] = field(repr=False)
    scores: NDArray[np.float64] = field(repr=False)
    before: NDArray[np.int64] = field(repr=False)
    after: NDArray[np.int64] = field(repr=False)
    left_out: int
    min_support: int

    def __len__(self) -> int:
        return len(self.words)

    @property
    def signature(self) -> str:
        """How the embeddings were made."""
        return self.embeddings.signature

    def top(self, top: int = 20, *, neighbors: int = NEIGHBORS_SHOWN) -> list[DriftRow]:
        """The words that changed most, with their neighbors before and after."""
        at_least("top", top, 0)
        return self._rows(np.arange(min(top, len(self))), neighbors)

    def of(self, word: str, *, neighbors: int = NEIGHBORS_SHOWN) -> DriftRow | None:
        """The change of one word; None where it was left out."""
        places = np.flatnonzero(self.words == self.embeddings.index(word))
        return self._rows(places, neighbors)[0] if len(places) else None

    def rank(self, word: str) -> int | None:
        """The place of a word among those that changed, 1 for the most changed; None where it was left out."""
        places = np.flatnonzero(self.words == self.embeddings.index(word))
        return int(places[0]) + 1 if len(places) else None

    def to_dict(self, top: int = 20) -> dict[str, Any]:
        """As plain data for JSON: the most changed words, and what the list is made of."""
        return {
            "from": self.start,
            "to": self.end,
            "rows": [row.to_dict() for row in self.top(top)],
            "words": len(self),
            "left_out": self.left_out,
            "min_support": self.min_support,
            "signature": self.signature,
        }

    def _rows(self, places: NDArray[np.int64], neighbors: int) -> list[DriftRow]:
        before, after = self._sides(places, self.before, neighbors), self._sides(places, self.after, neighbors)
        return [
            DriftRow(self.embeddings.words[self.words[place]], float(self.scores[place]), old, new)
            for place, old, new in zip(places.tolist(), before, after, strict=True)
        ]

    def _sides(self, places: NDArray[np.int64], conditions: NDArray[np.int64], neighbors: int) -> list[Side]:
        """One end of the change of each row; the words that share a condition are asked for together."""
        sides: dict[int, Side] = {}
        for condition in np.unique(conditions[places]).tolist():
            label = self.embeddings.conditions.labels[condition]
            here = places[conditions[places] == condition].tolist()
            words = [self.embeddings.words[self.words[place]] for place in here]
            near = self.embeddings.neighbors(words, label, neighbors, min_support=self.min_support)
            for place, word, matches in zip(here, words, near, strict=True):
                sides[place] = Side(label, self.embeddings.support(word, label), tuple(matches))
        return [sides[place] for place in places.tolist()]


def drift(
    embeddings: ConditionedEmbeddings, start: str | None = None, end: str | None = None, *, min_support: int = 5
) -> Drift:
    """How much every word changed, the most changed first.

    Parameters
    ----------
    embeddings
        The embeddings.
    start, end
        The two conditions to compare; by default the first and the last in time. Where the conditions are not a
        sequence in time, the default is the most unusual condition of each word against all the others.
    min_support
        A word occurs at least so often in both conditions (over a series: in a condition that counts for it, of which
        there are two at least); at least 1.

    Examples
    --------
    >>> from chronotope.conditions import Conditions
    >>> from chronotope.vocabulary import Support
    >>> support = Support(np.array([0, 3, 6]), np.array([0, 1, 2] * 2), np.array([9] * 6))
    >>> vectors = [[1, 0], [0, 1], [-1, -1], [1, 0], [0, -1], [-1, 1]]
    >>> answer = drift(ConditionedEmbeddings(
    ...     ["the", "bank", "of"], Conditions.of_times(["1990", "2000"]), support, vectors))
    >>> answer.top(1)[0].word, answer.top(1)[0].before.condition
    ('bank', '1990')
    """
    at_least("min_support", min_support, 1)
    conditions = embeddings.conditions
    if start is None and end is None and conditions.axis != "time":
        return _over_series(embeddings, min_support)
    if conditions.axis != "time" and (start is None or end is None):
        raise SettingsError("name both conditions to compare (--from and --to), or neither")
    start = conditions.labels[0 if start is None else conditions.index(start)]
    end = conditions.labels[-1 if end is None else conditions.index(end)]
    if start == end:
        raise SettingsError(f"a change is between two conditions; both are {start}")
    return _between(embeddings, start, end, min_support)


def _between(embeddings: ConditionedEmbeddings, start: str, end: str, min_support: int) -> Drift:
    before, after = embeddings.matrix(start, min_support), embeddings.matrix(end, min_support)
    words, _, right = np.intersect1d(before.word, after.word, assume_unique=True, return_indices=True)
    carried = embeddings.carried([embeddings.words[word] for word in words], start, end)
    cosine = np.multiply(carried, after.unit[right], dtype=np.float64).sum(axis=1)
    ends = [np.full(len(words), embeddings.conditions.index(label)) for label in (start, end)]
    return _ranked(embeddings, start, end, words, 1 - cosine, ends[0], ends[1], min_support)


def _over_series(embeddings: ConditionedEmbeddings, min_support: int) -> Drift:
    total, _, conditions, _ = directions(embeddings, min_support)
    words = np.flatnonzero(conditions >= 2)
    nearest, farthest = np.full(len(embeddings), -np.inf), np.full(len(embeddings), np.inf)
    before, after = np.zeros((2, len(embeddings)), dtype=np.int64)
    for condition, label in enumerate(embeddings.conditions.labels):
        matrix = embeddings.matrix(label, min_support)
        word = matrix.word
        others = unit_rows((total[word] - matrix.unit).astype(np.float32))
        cosine = np.multiply(matrix.unit, others, dtype=np.float64).sum(axis=1)
        # Of two conditions both are as far from the other: the first is the typical one, the last the unusual.
        closer, further = cosine > nearest[word], cosine <= farthest[word] + 1e-9
        nearest[word[closer]], before[word[closer]] = cosine[closer], condition
        farthest[word[further]], after[word[further]] = cosine[further], condition
    return _ranked(embeddings, None, None, words, 1 - farthest[words], before[words], after[words], min_support)


def _ranked(
    embeddings: ConditionedEmbeddings,
    start: str | None,
    end: str | None,
    words: NDArray[np.int64],
    scores: NDArray[np.float64],
    before: NDArray[np.int64],
    after: NDArray[np.int64],
    min_support: int,
) -> Drift:
    """The words by falling score; of equals the first. Rounding makes no change less than none."""
    scores = np.maximum(scores, 0)
    order = np.lexsort((words, -scores))
    left_out = len(embeddings) - len(words)
    parts = (words[order], scores[order], before[order], after[order])
    return Drift(embeddings, start, end, *parts, left_out, min_support)
