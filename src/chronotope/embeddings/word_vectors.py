"""WordVectors: the words of one condition, or of another program's model, with the query methods of gensim.

The methods have the names, parameters and answers of gensim's `KeyedVectors`, so that code written for it works on
`embeddings.at("1990")`; gensim itself is not needed.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from chronotope.embeddings.arrays import float32
from chronotope.embeddings.nearest import Floats, unit_rows
from chronotope.embeddings.words import check_word
from chronotope.errors import SettingsError, UnknownWordError, import_extra, number_of

if TYPE_CHECKING:
    from gensim.models import KeyedVectors

Key = str | ArrayLike  # a word, or a vector
Keys = str | ArrayLike | Sequence[Key | tuple[Key, float]] | None


class WordVectors:
    """Words with one vector each.

    Parameters
    ----------
    words, vectors
        The words, most frequent first if that is known, and (N, D) their vectors.
    counts
        (N,) their counts; None if unknown.
    name
        The label of a condition, or the name of a file.
    notes
        Messages about repaired or skipped words of a file.

    Examples
    --------
    >>> vectors = WordVectors(["river", "water", "money"], [[1, 0], [0.9, 0.2], [0, 1]], name="1990")
    >>> vectors
    <WordVectors 1990: 3 words, 2 dimensions>
    >>> vectors.most_similar("river", topn=1)[0][0]
    'water'
    """

    def __init__(
        self,
        words: Sequence[str],
        vectors: ArrayLike,
        counts: ArrayLike | None = None,
        *,
        name: str = "",
        notes: Sequence[str] = (),
    ) -> None:
        self.index_to_key = list(words)
        self.vectors = float32("vectors", vectors, len(self.index_to_key))
        self.vector_size = int(self.vectors.shape[1])
        self.counts = None if counts is None else np.asarray(counts, dtype=np.int64)
        self.name = name
        self.notes = tuple(notes)
        if self.counts is not None and self.counts.shape != (len(self.index_to_key),):
            raise ValueError(f"there are {len(self.counts):,} counts for {len(self.index_to_key):,} words")

    def __repr__(self) -> str:
        name = f" {self.name}" if self.name else ""
        return f"<WordVectors{name}: {number_of(len(self), 'words')}, {number_of(self.vector_size, 'dimensions')}>"

    def __len__(self) -> int:
        return len(self.index_to_key)

    def __contains__(self, key: object) -> bool:
        return key in self.key_to_index

    def __getitem__(self, key: str | Sequence[str]) -> Floats:
        numbers = self.get_index(key) if isinstance(key, str) else [self.get_index(one) for one in key]
        return np.asarray(self.vectors[numbers])

    @cached_property
    def key_to_index(self) -> dict[str, int]:
        """The position of each word."""
        return {word: number for number, word in enumerate(self.index_to_key)}

    @cached_property
    def unit(self) -> Floats:
        """(N, D) the vectors, scaled to length one."""
        return unit_rows(self.vectors)

    def get_index(self, key: str) -> int:
        """Return the position of a word."""
        check_word(key)
        try:
            return self.key_to_index[key]
        except KeyError:
            raise UnknownWordError(key, self.index_to_key, len(self), self.name or "this model") from None

    def get_vector(self, key: str, norm: bool = False) -> Floats:
        """Return the vector of a word, scaled to length one if `norm` is set."""
        return np.asarray((self.unit if norm else self.vectors)[self.get_index(key)])

    def get_vecattr(self, key: str, attr: str) -> int:
        """Return the count of a word; the only attribute is 'count'."""
        if attr != "count" or self.counts is None:
            reason = "their counts are unknown" if self.counts is None else "the only attribute is 'count'"
            raise SettingsError(f"the vectors have no attribute '{attr}'; {reason}")
        return int(self.counts[self.get_index(key)])

    def most_similar(
        self, positive: Keys = None, negative: Keys = None, topn: int = 10, restrict_vocab: int | None = None
    ) -> list[tuple[str, float]]:
        """Return the words nearest to the mean of some words minus others, with their cosines, best first.

        Parameters
        ----------
        positive, negative
            A word, a vector, or a list of these, each alone or as (word, weight).
        restrict_vocab
            Search only the first words, up to this number.
        """
        weighted = [*self._weighted(positive, 1.0), *self._weighted(negative, -1.0)]
        if not weighted:
            raise SettingsError("most_similar needs at least one word")
        parts = [weight * unit_rows(self._vector(key)[None])[0].astype(np.float64) for key, weight in weighted]
        own = {self.get_index(key) for key, _ in weighted if isinstance(key, str)}
        similarity = self._cosines(np.sum(parts, axis=0))[:restrict_vocab]
        order = np.argsort(-similarity, kind="stable")[: topn + len(own)]
        best = [number for number in order.tolist() if number not in own][:topn]
        return [(self.index_to_key[number], float(similarity[number])) for number in best]

    def similar_by_word(self, word: str, topn: int = 10, restrict_vocab: int | None = None) -> list[tuple[str, float]]:
        """Return the words nearest to a word, with their cosines."""
        return self.most_similar(word, topn=topn, restrict_vocab=restrict_vocab)

    def similar_by_vector(
        self, vector: ArrayLike, topn: int = 10, restrict_vocab: int | None = None
    ) -> list[tuple[str, float]]:
        """Return the words nearest to a vector, with their cosines."""
        return self.most_similar([np.asarray(vector)], topn=topn, restrict_vocab=restrict_vocab)

    def similarity(self, w1: str, w2: str) -> float:
        """Return the cosine of two words."""
        return float(np.multiply(self.get_vector(w1, True), self.get_vector(w2, True), dtype=np.float64).sum())

    def distance(self, w1: str, w2: str) -> float:
        """Return 1 − the cosine of two words."""
        return 1 - self.similarity(w1, w2)

    def distances(self, word_or_vector: Key, other_words: Iterable[str] = ()) -> NDArray[np.float64]:
        """Return 1 − the cosine of a word with each of some others, by default with all."""
        others = [self.get_index(word) for word in other_words]
        cosines = self._cosines(self._vector(word_or_vector))
        return 1 - (cosines[others] if others else cosines)

    def n_similarity(self, ws1: Sequence[str], ws2: Sequence[str]) -> float:
        """Return the cosine of the means of two sets of words."""
        if not (len(ws1) and len(ws2)):
            raise SettingsError("n_similarity needs two sets of at least one word")
        first, second = (self[list(words)].astype(np.float64).mean(axis=0) for words in (ws1, ws2))
        return float(_unit(first) @ _unit(second))

    def doesnt_match(self, words: Iterable[str]) -> str:
        """Return the word that is farthest from the mean of all; unknown words are ignored."""
        known = [word for word in words if word in self]
        if not known:
            raise SettingsError("none of these words is known")
        unit = self.unit[[self.get_index(word) for word in known]].astype(np.float64)
        return known[int(np.argmin(unit @ unit.mean(axis=0)))]

    def most_similar_to_given(self, key1: str, keys_list: Sequence[str]) -> str:
        """Return the word of a list that is nearest to a word."""
        return max(keys_list, key=lambda key: self.similarity(key1, key))

    def closer_than(self, key1: str, key2: str) -> list[str]:
        """Return the words that are nearer to the first word than the second is."""
        distances = self.distances(key1)
        own, limit = self.get_index(key1), distances[self.get_index(key2)]
        return [self.index_to_key[at] for at in np.flatnonzero(distances < limit).tolist() if at != own]

    def rank(self, key1: str, key2: str) -> int:
        """Return the rank of the second word among the neighbors of the first, from 1."""
        return len(self.closer_than(key1, key2)) + 1

    def to_gensim(self) -> KeyedVectors:
        """Convert to `KeyedVectors` of gensim, with the counts if known."""
        models = import_extra("gensim.models", "an object of gensim", "word2vec")
        vectors = models.KeyedVectors(self.vector_size, count=0)
        vectors.lifecycle_events = None  # it holds the time, which would make files differ
        vectors.add_vectors(self.index_to_key, np.array(self.vectors))
        if self.counts is not None:
            vectors.expandos["count"] = self.counts.copy()
        return vectors

    def _weighted(self, keys: Any, sign: float) -> list[tuple[Key, float]]:
        if keys is None:
            return []
        if isinstance(keys, str) or (isinstance(keys, np.ndarray) and keys.ndim == 1):
            keys = [keys]
        return [(one[0], sign * one[1]) if isinstance(one, tuple) else (one, sign) for one in keys]

    def _vector(self, key: Key) -> Floats:
        vector = self.get_vector(key) if isinstance(key, str) else np.asarray(key, dtype=np.float32)
        if vector.shape != (self.vector_size,):
            raise SettingsError(f"a vector of shape {vector.shape} cannot be compared with {self.vector_size} numbers")
        return vector

    def _cosines(self, vector: ArrayLike) -> NDArray[np.float64]:
        """Return the cosine of a vector with every word."""
        return np.asarray(self.unit @ _unit(np.asarray(vector, dtype=np.float64)).astype(np.float32), dtype=np.float64)


def _unit(vector: NDArray[np.float64]) -> NDArray[np.float64]:
    length = np.linalg.norm(vector)
    return vector / length if length else vector
