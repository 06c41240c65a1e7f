"""The vocabulary, and the count of each word in each condition (its support)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from chronotope.config import CountSettings
from chronotope.errors import InputError, UnknownWordError, number_of

if TYPE_CHECKING:
    from chronotope.corpus.tokens import TokenStore


class Support(NamedTuple):
    """The count of each word in each condition; only pairs that occur are stored.

    The pairs are sorted by condition, then by word. All data of a word in a condition (a deviation, a bias, a vector)
    are arrays with one row per pair, so memory grows with the pairs that occur.
    """

    start: NDArray[np.int64]  # (C + 1,) the pairs of condition c are start[c] … start[c + 1] - 1
    word: NDArray[np.int32]  # (P,)
    count: NDArray[np.int64]  # type: ignore[assignment]  # (P,) hides tuple.count

    def words_in(self, condition: int) -> NDArray[np.int32]:
        """Return the words that occur in a condition, ascending."""
        return self.word[self.start[condition] : self.start[condition + 1]]

    def counts_in(self, condition: int) -> NDArray[np.int64]:
        """Return the count of each of `words_in`."""
        return self.count[self.start[condition] : self.start[condition + 1]]

    def find(self, word: int, condition: int) -> int:
        """Return the number of a pair, or -1 if the word is absent from the condition."""
        words = self.words_in(condition)
        position = int(np.searchsorted(words, word))
        found = position < len(words) and words[position] == word
        return int(self.start[condition]) + position if found else -1

    def of(self, word: int, condition: int) -> int:
        """Return the count of a word in a condition."""
        pair = self.find(word, condition)
        return int(self.count[pair]) if pair >= 0 else 0

    @property
    def condition(self) -> NDArray[np.int32]:
        """(P,) the condition of each pair."""
        return np.repeat(np.arange(len(self.start) - 1, dtype=np.int32), np.diff(self.start))

    def check(self, words: int, conditions: int) -> None:
        """Raise ValueError unless the pairs are sorted by condition, then by word, each once, and within range."""
        start, word, count = self
        if start.shape != (conditions + 1,):
            raise ValueError(f"the support is of {len(start) - 1} conditions, not {conditions}")
        if word.ndim != 1 or word.shape != count.shape:
            raise ValueError("the support needs one word and one count for each pair")
        if start[0] != 0 or start[-1] != len(word) or (np.diff(start) < 0).any():
            raise ValueError("the starts of the conditions do not fit the number of pairs")
        if len(word) and (word.min() < 0 or word.max() >= words):
            raise ValueError("the support names a word that does not exist")
        if (np.diff(self.condition * np.int64(words) + word) <= 0).any():
            raise ValueError("the support is not sorted by condition, then by word")
        if (count < 1).any():
            raise ValueError("a pair of the support has a count below 1")


@dataclass(frozen=True)
class Vocabulary:
    """The words of a run, most frequent first, with their support."""

    words: tuple[str, ...]  # a word's id is its place here
    support: Support
    min_count: int = 1  # the threshold that was applied
    dropped_words: int = 0  # the words below it
    dropped_tokens: int = 0  # and their occurrences
    # (P,) the number of documents that contain each pair of the support
    documents: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))

    def __len__(self) -> int:
        return len(self.words)

    @cached_property
    def _index(self) -> dict[str, int]:
        return dict(zip(self.words, range(len(self.words)), strict=True))

    def index(self, word: str) -> int:
        """Return the id of a word."""
        try:
            return self._index[word]
        except KeyError:
            raise UnknownWordError(word, self.words, len(self.words)) from None

    @cached_property
    def counts(self) -> NDArray[np.int64]:
        """(W,) the sum of each word's counts in all conditions."""
        return np.bincount(self.support.word, self.support.count, len(self.words)).astype(np.int64)

    def documents_in(self, conditions: Iterable[int]) -> NDArray[np.int64]:
        """(W,) the number of documents of some conditions that contain each word."""
        total = np.zeros(len(self.words), np.int64)
        for condition in conditions:
            first, last = self.support.start[condition : condition + 2]
            total[self.support.word[first:last]] += self.documents[first:last]
        return total


def default_min_count(tokens: int) -> int:
    """Return a threshold for a corpus: 5 up to a million tokens, 200 from fifty million on.

    >>> default_min_count(1_000_000), default_min_count(10_000_000), default_min_count(10**9)
    (5, 40, 200)
    """
    return int(np.clip(tokens // 250_000, 5, 200))


def build_vocabulary(store: TokenStore, counted: tuple[Any, Any], settings: CountSettings) -> Vocabulary:
    """Keep the most frequent words of a tokenized corpus, with their counts in each condition.

    A word's id is its rank in the lexicon, so the vocabulary is the first ids. `counted` are the (C, W) counts and
    document counts of all words.
    """
    threshold = settings.min_count or default_min_count(int(store.counts.sum()))
    size = int(np.searchsorted(-store.counts, -threshold, side="right"))
    if not size:
        most = store.words[0] if len(store.words) else "none"
        rare = f"no word occurs {number_of(threshold, 'times')} or more (the most frequent is '{most}')"
        raise InputError(f"{rare}; lower min_count (--min-count)")
    if settings.max_words:
        size = min(size, settings.max_words)
    counts, documents = (matrix[:, :size] for matrix in counted)
    dropped = store.counts[size:]
    return Vocabulary(
        words=tuple(store.words[:size]),
        support=Support(counts.indptr.astype(np.int64), counts.indices.astype(np.int32), counts.data),
        min_count=threshold,
        dropped_words=int(np.count_nonzero(dropped)),
        dropped_tokens=int(dropped.sum()),
        documents=documents.data,
    )
