"""Finding a word by the first letters, or by what it holds, with how often it occurs."""

from __future__ import annotations

import difflib
from dataclasses import dataclass

import numpy as np

from chronotope.analysis.old_answer import Answer
from chronotope.config import at_least
from chronotope.embeddings import ConditionedEmbeddings

# Of these many words of about the right length, the most frequent ones, those are sought that may have been meant.
MOST_ALIKE = 20_000
ALIKE = 5


@dataclass(frozen=True)
class FoundWord(Answer):
    """A word, how often it occurs in all conditions together, and in how many of them."""

    word: str
    count: int
    conditions: int


@dataclass(frozen=True)
class Lookup(Answer):
    """The words that a few letters may stand for.

    Attributes
    ----------
    query
        The letters.
    total
        How many words begin with them or hold them.
    matches
        The first of these: those that begin with the letters, then those that hold them, the most frequent first.
    did_you_mean
        Words that are written much like the query, where no word holds it.
    """

    query: str
    total: int
    matches: tuple[FoundWord, ...]
    did_you_mean: tuple[FoundWord, ...]


class WordIndex:
    """The words of embeddings, to be searched while a person types.

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
        # The most frequent first, so that the first that fit are the best.
        self._order = np.lexsort((np.arange(words), -self._count)).tolist()
        self._folded = [self._words[number].casefold() for number in self._order]

    def find(self, query: str, limit: int = 10) -> Lookup:
        """The words that begin with the letters or hold them, in any case; the most frequent words for none.

        Parameters
        ----------
        query
            The letters.
        limit
            How many words at most.
        """
        at_least("limit", limit, 1)
        letters = query.strip().casefold()
        exact: list[int] = []
        first: list[int] = []
        inside: list[int] = []
        for number, word in zip(self._order, self._folded, strict=True):
            if letters in word:
                (exact if word == letters else first if word.startswith(letters) else inside).append(number)
        found = exact + first + inside
        return Lookup(
            query, len(found), tuple(self._row(number) for number in found[:limit]), () if found else self.alike(query)
        )

    def alike(self, word: str) -> tuple[FoundWord, ...]:
        """The words that are written much like one that is not there, the most frequent first."""
        letters = word.strip().casefold()
        near = [place for place, word in enumerate(self._folded[:MOST_ALIKE]) if abs(len(word) - len(letters)) <= 2]
        close = set(difflib.get_close_matches(letters, [self._folded[place] for place in near], ALIKE, 0.7))
        return tuple(self._row(self._order[place]) for place in near if self._folded[place] in close)[:ALIKE]

    def _row(self, number: int) -> FoundWord:
        return FoundWord(self._words[number], int(self._count[number]), int(self._conditions[number]))
