"""The answer of `drift`: a row a word, made when it is asked for."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chronotope.analysis.old_answer import Answer
from chronotope.analysis.significance.judged import FIGURES, Judged, Resampling
from chronotope.analysis.significance.matched import Numbers
from chronotope.analysis.significance.measures import own_share
from chronotope.config import at_least
from chronotope.embeddings import ConditionedEmbeddings, Match

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
    """The change of one word; what was not asked for, or cannot be told, is None.

    Attributes
    ----------
    word
        The word.
    score
        How much it changed: 0 not at all, 1 to something unrelated.
    z
        How far the score stands out among words of like frequency, in robust standard deviations.
    own
        The share of the movement from `before` to `after` that is the word's own, not that of all words together.
    before, after
        The two conditions compared; over steps, the two bins of the largest step; over a series or places, the one
        where the word is nearest to its common meaning, and the one where it is farthest from it.
    corrected
        The score less the noise.
    noise
        The score that a word of its frequency and company has without any change.
    low, high
        The ends of a 95 % interval of the corrected score.
    p, q
        How often chance does as much, and the share of false discoveries among words at least as clear.
    stability
        The share of the draws of documents in which the word is among the most changed.
    seed_stability
        The share of the models, this one and those of other seeds, in which the word is among the most changed.
    seed_spread
        The standard deviation of the score over these models.
    """

    word: str
    score: float
    z: float
    own: float
    before: Side
    after: Side
    corrected: float | None = None
    noise: float | None = None
    low: float | None = None
    high: float | None = None
    p: float | None = None
    q: float | None = None
    stability: float | None = None
    seed_stability: float | None = None
    seed_spread: float | None = None

    def to_dict(self) -> dict[str, Any]:
        """As plain data for JSON."""
        figures = {name: getattr(self, name) for name in ("score", "z", "own", *FIGURES)}
        return {"word": self.word, **figures, "before": self.before.to_dict(), "after": self.after.to_dict()}


@dataclass(frozen=True, eq=False)
class Drift(Answer):
    """The change of every word with enough support.

    Attributes
    ----------
    over
        What was measured (see `drift`).
    start, end
        The conditions compared; None where the change is over several conditions.
    words
        (N,) the numbers of the words, the most changed first (by the corrected score where there is one).
    scores, z
        (N,) how much each changed, and how far that stands out among words of like frequency.
    before, after
        (N,) the numbers of the conditions at the two ends of each word's change.
    judged
        What resamples say of them, in the same order.
    resampling
        How much was resampled, and how.
    left_out
        How many words have too little support to tell.
    min_count
        What is enough.
    span
        The first and the last time bin that take part, where the change is over several and not over all conditions.
    """

    embeddings: ConditionedEmbeddings = field(repr=False)
    over: str
    start: str | None
    end: str | None
    words: NDArray[np.int64] = field(repr=False)
    scores: Numbers = field(repr=False)
    z: Numbers = field(repr=False)
    before: NDArray[np.int64] = field(repr=False)
    after: NDArray[np.int64] = field(repr=False)
    judged: Judged = field(repr=False)
    resampling: Resampling
    left_out: int
    min_count: int
    span: tuple[str, str] | None = None

    def __len__(self) -> int:
        return len(self.words)

    @property
    def signature(self) -> str:
        """How the embeddings were made, and what was resampled."""
        asked = self.resampling
        parts = [f"{name} {getattr(asked, name)}" for name in ("permutations", "bootstrap") if getattr(asked, name)]
        if parts:
            parts += [f"within {asked.within}"] * bool(asked.within) + [f"seed {asked.seed}"]
        parts += [f"other seeds {asked.seeds}"] * bool(asked.seeds)
        return "|".join([self.embeddings.signature, *parts])

    def discoveries(self, level: float = 0.05) -> int:
        """How many words have a q of at most `level`; 0 where nothing was permuted."""
        return 0 if self.judged.q is None else int(np.count_nonzero(self.judged.q <= level))

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
        asked, (first, last) = self.resampling, self.span or (self.start, self.end)
        return {
            "over": self.over,
            "from": first,
            "to": last,
            "rows": [row.to_dict() for row in self.top(top)],
            "words": len(self),
            "left_out": self.left_out,
            "min_count": self.min_count,
            "permutations": asked.permutations,
            "bootstrap": asked.bootstrap,
            "within": asked.within,
            "seed": asked.seed,
            "seeds": asked.seeds,
            "discoveries": self.discoveries() if asked.permutations else None,
            "signature": self.signature,
        }

    def _rows(self, places: NDArray[np.int64], neighbors: int) -> list[DriftRow]:
        before, after = self._sides(places, self.before, neighbors), self._sides(places, self.after, neighbors)
        own = self.own(places)
        return [
            DriftRow(
                self.embeddings.words[self.words[place]],
                float(self.scores[place]),
                float(self.z[place]),
                float(share),
                old,
                new,
                **{name: _told(getattr(self.judged, name), place) for name in FIGURES},
            )
            for place, share, old, new in zip(places.tolist(), own, before, after, strict=True)
        ]

    def own(self, places: NDArray[np.int64]) -> Numbers:
        """The own share of some rows; those that share their two conditions are asked for together."""
        own = np.zeros(len(places))
        ends = np.stack([self.before[places], self.after[places]])
        for before, after in np.unique(ends, axis=1).T.tolist():
            here = (ends[0] == before) & (ends[1] == after)
            own[here] = own_share(self.embeddings, self.words[places[here]], before, after, self.min_count)
        return own

    def _sides(self, places: NDArray[np.int64], conditions: NDArray[np.int64], neighbors: int) -> list[Side]:
        """One end of the change of each row; the words that share a condition are asked for together."""
        sides: dict[int, Side] = {}
        for condition in np.unique(conditions[places]).tolist():
            label = self.embeddings.conditions.labels[condition]
            here = places[conditions[places] == condition].tolist()
            words = [self.embeddings.words[self.words[place]] for place in here]
            near = self.embeddings.neighbors(words, label, neighbors, min_count=self.min_count)
            for place, word, matches in zip(here, words, near, strict=True):
                sides[place] = Side(label, self.embeddings.count(word, label), tuple(matches))
        return [sides[place] for place in places.tolist()]


def _told(values: Numbers | None, place: int) -> float | None:
    """A figure of a row; None where it was not asked for or cannot be told."""
    return None if values is None or not np.isfinite(values[place]) else float(values[place])
