"""WordVectors: the words of one condition, or of one model from elsewhere, with the query methods of gensim.

The methods have the names, the parameters and the answers of gensim's `KeyedVectors`, so that code written for it works
on `embeddings.at("1990")`; gensim itself is not needed.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from chronotope.embeddings.arrays import float32
from chronotope.embeddings.nearest import Floats, unit_rows
from chronotope.embeddings.words import check_word
from chronotope.errors import MissingExtra, SettingsError, UnknownWord
from chronotope.wording import number_of

if TYPE_CHECKING:
    from gensim.models import KeyedVectors

Key = str | ArrayLike  # a word, or a vector


class WordVectors:
    """Words with one vector each.

    Parameters
    ----------
    words
        The words, most frequent first where that is known.
    vectors
        (N, D) their vectors.
    counts
        (N,) how often each occurs; None where that is not known.
    name
        What they are of: the label of a condition, the name of a file.
    notes
        What was mended or left out when they were read, a line each.

    Examples
    --------
    >>> given = WordVectors(["river", "water", "money"], [[1, 0], [0.9, 0.2], [0, 1]], name="1990")
    >>> given
    <WordVectors 1990: 3 words, 2 dimensions>
    >>> given.most_similar("river", topn=1)[0][0]
    'water'
    >>> given.doesnt_match(["river", "water", "money"])
    'money'
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

    @overload
    def __getitem__(self, key: str) -> Floats: ...
    @overload
    def __getitem__(self, key: Sequence[str]) -> Floats: ...
    def __getitem__(self, key: str | Sequence[str]) -> Floats:
        if isinstance(key, str):
            return self.get_vector(key)
        return np.asarray(self.vectors[[self.get_index(one) for one in key]])

    @cached_property
    def key_to_index(self) -> dict[str, int]:
        """The place of each word."""
        return {word: number for number, word in enumerate(self.index_to_key)}

    @cached_property
    def unit(self) -> Floats:
        """(N, D) the vectors, scaled to length one."""
        return unit_rows(self.vectors)

    @property
    def vector_size(self) -> int:
        """The length of a vector."""
        return int(self.vectors.shape[1])

    def get_index(self, key: str) -> int:
        """The place of a word."""
        check_word(key)
        try:
            return self.key_to_index[key]
        except KeyError:
            raise UnknownWord(key, self.index_to_key, len(self), self.name or "this model") from None

    def get_vector(self, key: str, norm: bool = False) -> Floats:
        """The vector of a word, as it is or scaled to length one."""
        return np.asarray((self.unit if norm else self.vectors)[self.get_index(key)])

    def get_vecattr(self, key: str, attr: str) -> int:
        """How often a word occurs; 'count' is the only attribute there is."""
        if self.counts is None:
            raise SettingsError(f"the vectors have no attribute '{attr}'; their counts are not known")
        if attr != "count":
            raise SettingsError(f"the vectors have no attribute '{attr}'; there is 'count' alone")
        return int(self.counts[self.get_index(key)])

    def most_similar(
        self,
        positive: str | ArrayLike | Sequence[Key | tuple[Key, float]] | None = None,
        negative: str | ArrayLike | Sequence[Key | tuple[Key, float]] | None = None,
        topn: int = 10,
        restrict_vocab: int | None = None,
    ) -> list[tuple[str, float]]:
        """The words nearest to the mean of some words less that of others, with their cosines, best first.

        Parameters
        ----------
        positive, negative
            A word, a vector, or a list of these, each alone or as (word, weight).
        topn
            How many.
        restrict_vocab
            Look among the first so many words only.
        """
        weighted = [*self._weighted(positive, 1.0), *self._weighted(negative, -1.0)]
        if not weighted:
            raise SettingsError("most_similar needs at least one word")
        parts = [(unit_rows(self._vector(key)[None])[0], weight) for key, weight in weighted]
        mean = np.sum([weight * vector.astype(np.float64) for vector, weight in parts], axis=0)
        given = {self.get_index(key) for key, _ in weighted if isinstance(key, str)}
        similarity = self._cosines(mean)[:restrict_vocab]
        order = np.argsort(-similarity, kind="stable")[: topn + len(given)]
        found = [number for number in order.tolist() if number not in given][:topn]
        return [(self.index_to_key[number], float(similarity[number])) for number in found]

    def similar_by_word(self, word: str, topn: int = 10, restrict_vocab: int | None = None) -> list[tuple[str, float]]:
        """The words nearest to a word, with their cosines."""
        return self.most_similar(word, topn=topn, restrict_vocab=restrict_vocab)

    def similar_by_vector(
        self, vector: ArrayLike, topn: int = 10, restrict_vocab: int | None = None
    ) -> list[tuple[str, float]]:
        """The words nearest to a vector, with their cosines."""
        return self.most_similar([np.asarray(vector)], topn=topn, restrict_vocab=restrict_vocab)

    def similarity(self, w1: str, w2: str) -> float:
        """The cosine of two words."""
        first, second = (self.get_vector(word, norm=True).astype(np.float64) for word in (w1, w2))
        return float((first * second).sum())

    def distance(self, w1: str, w2: str) -> float:
        """One less the cosine of two words."""
        return 1 - self.similarity(w1, w2)

    def distances(self, word_or_vector: Key, other_words: Iterable[str] = ()) -> NDArray[np.float64]:
        """One less the cosine of a word with each of some others, by default with all."""
        others = [self.get_index(word) for word in other_words]
        cosines = self._cosines(self._vector(word_or_vector))
        return 1 - (cosines[others] if others else cosines)

    def n_similarity(self, ws1: Sequence[str], ws2: Sequence[str]) -> float:
        """The cosine of the means of two sets of words."""
        if not (len(ws1) and len(ws2)):
            raise SettingsError("n_similarity needs two sets of at least one word")
        first, second = (self[list(words)].astype(np.float64).mean(axis=0) for words in (ws1, ws2))
        return float(_unit(first) @ _unit(second))

    def doesnt_match(self, words: Iterable[str]) -> str:
        """The word that is farthest from the mean of all; words that are not known are left out."""
        known = [word for word in words if word in self]
        if not known:
            raise SettingsError("none of these words is known")
        unit = self.unit[[self.get_index(word) for word in known]].astype(np.float64)
        return known[int(np.argmin(unit @ unit.mean(axis=0)))]

    def most_similar_to_given(self, key1: str, keys_list: Sequence[str]) -> str:
        """The one of some words that is nearest to a word."""
        return max(keys_list, key=lambda key: self.similarity(key1, key))

    def closer_than(self, key1: str, key2: str) -> list[str]:
        """The words that are nearer to the first than the second is."""
        distances = self.distances(key1)
        own, limit = self.get_index(key1), distances[self.get_index(key2)]
        return [self.index_to_key[at] for at in np.flatnonzero(distances < limit).tolist() if at != own]

    def rank(self, key1: str, key2: str) -> int:
        """The place of the second word among the nearest of the first, from 1."""
        return len(self.closer_than(key1, key2)) + 1

    def to_gensim(self) -> KeyedVectors:
        """The same words as a `KeyedVectors` of gensim, with their counts where they are known."""
        try:
            from gensim.models import KeyedVectors
        except ImportError:
            raise MissingExtra("an object of gensim", "word2vec") from None
        made = KeyedVectors(self.vector_size, count=0)
        made.lifecycle_events = None  # no record of when and where, which would differ from file to file
        made.add_vectors(self.index_to_key, np.array(self.vectors))
        if self.counts is not None:
            made.expandos["count"] = self.counts.copy()
        return made

    def _weighted(self, keys: Any, sign: float) -> list[tuple[Key, float]]:
        if keys is None:
            return []
        if isinstance(keys, str) or (isinstance(keys, np.ndarray) and keys.ndim == 1):
            keys = [keys]
        return [(one[0], sign * one[1]) if isinstance(one, tuple) else (one, sign) for one in keys]

    def _vector(self, key: Key) -> Floats:
        vector = self.get_vector(key) if isinstance(key, str) else np.asarray(key, dtype=np.float32)
        if vector.shape != (self.vector_size,):
            raise SettingsError(
                f"a vector of the shape {vector.shape} cannot be compared with {self.vector_size} numbers"
            )
        return vector

    def _cosines(self, vector: ArrayLike) -> NDArray[np.float64]:
        """(N,) the cosine of a vector with every word."""
        return np.asarray(self.unit @ _unit(np.asarray(vector, dtype=np.float64)).astype(np.float32), dtype=np.float64)


def _unit(vector: NDArray[np.float64]) -> NDArray[np.float64]:
    length = np.linalg.norm(vector)
    return vector / length if length else vector
