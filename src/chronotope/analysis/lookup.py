"""Find words by their first letters, or by a part of them."""

from __future__ import annotations

import difflib
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from chronotope.config import at_least
from chronotope.embeddings import ConditionedEmbeddings

# Words of similar spelling are sought among this many of about the right length, the most frequent ones.
COMPARED = 20_000
PROPOSED = 5


@dataclass(frozen=True)
class FoundWord:
    """A word, its count over all conditions, and the number of conditions in which it occurs."""

    word: str
    count: int
    conditions: int


@dataclass(frozen=True)
class Lookup:
    """The words that some letters may stand for."""

    query: str
    total: int  # words that contain the letters
    matches: tuple[FoundWord, ...]  # words that begin with the letters, then the others, most frequent first
    did_you_mean: tuple[FoundWord, ...]  # words of similar spelling, if no word contains the letters

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return asdict(self)


class WordIndex:
    """The words of a model, to be searched while a person types.

    Examples
    --------
    >>> from chronotope.conditions import Conditions
    >>> from chronotope.cooccurrence.vocabulary import Support
    >>> support = Support(np.array([0, 3]), np.arange(3), np.array([9, 7, 5]))
    >>> year = Conditions.of_times(["1990"])
    >>> index = WordIndex(ConditionedEmbeddings(["Bank", "embank", "river"], year, support, np.eye(3)))
    >>> [match.word for match in index.find("ban").matches]
    ['Bank', 'embank']
    """

    def __init__(self, embeddings: ConditionedEmbeddings) -> None:
        words, observed = len(embeddings), embeddings.observed
        self._words = embeddings.words
        self._count = np.bincount(observed.word, observed.count, words).astype(np.int64)
        self._conditions = np.bincount(observed.word, minlength=words)
        # Most frequent first, so that the first matches are the best.
        self._order = np.lexsort((np.arange(words), -self._count)).tolist()
        self._folded = [self._words[number].casefold() for number in self._order]

    def find(self, query: str, limit: int = 10) -> Lookup:
        """Return up to `limit` words that contain the letters, in any case; without letters the most frequent words."""
        at_least("limit", limit, 1)
        letters = query.strip().casefold()
        found = [(word, number) for word, number in zip(self._folded, self._order, strict=True) if letters in word]
        found.sort(key=lambda one: (one[0] != letters, not one[0].startswith(letters)))
        matches = tuple(self._row(number) for _, number in found[:limit])
        return Lookup(query, len(found), matches, () if found else self.alike(query))

    def alike(self, word: str) -> tuple[FoundWord, ...]:
        """Return words of similar spelling, most frequent first."""
        letters = word.strip().casefold()
        near = [place for place, word in enumerate(self._folded[:COMPARED]) if abs(len(word) - len(letters)) <= 2]
        close = set(difflib.get_close_matches(letters, [self._folded[place] for place in near], PROPOSED, 0.7))
        return tuple(self._row(self._order[place]) for place in near if self._folded[place] in close)[:PROPOSED]

    def _row(self, number: int) -> FoundWord:
        return FoundWord(self._words[number], int(self._count[number]), int(self._conditions[number]))
