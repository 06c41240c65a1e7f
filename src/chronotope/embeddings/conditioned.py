"""ConditionedEmbeddings: one vector for each word in each condition, the result of every training method."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from chronotope.conditions import Conditions
from chronotope.config import at_least, one_of
from chronotope.cooccurrence.vocabulary import Support
from chronotope.embeddings import describe
from chronotope.embeddings.arrays import LRUCache, centers, common_vectors, float32
from chronotope.embeddings.mapping import LocalLinearMap, SharedWords
from chronotope.embeddings.nearest import Floats, unit_rows
from chronotope.embeddings.retrieval import (
    POOL_WORDS,
    RETRIEVALS,
    ConditionMatrix,
    Matches,
    cosine_matches,
    csls_matches,
    reference_pool,
)
from chronotope.embeddings.word_vectors import WordVectors
from chronotope.embeddings.words import check_word, check_words, spellings
from chronotope.errors import DamagedFileError, InputError, UnknownWordError, number_of
from chronotope.io.provenance import canonical_json

if TYPE_CHECKING:
    from chronotope.cooccurrence import Counts

Words = list[str] | tuple[str, ...]

CACHE_BYTES = 256 << 20


class ConditionedEmbeddings:
    """One vector for each word in each condition, all in one space; it never changes.

    Only (word, condition) pairs that occur have a vector. A word that is absent from a condition is answered from its
    other conditions, by `common[word] * condition_factors[condition]`, and has support 0. Similarity is the cosine of
    centered vectors. A question gets the same answer, to the last bit, alone or in a batch, on any number of threads.

    Parameters
    ----------
    words, conditions
        The words, whose ids are their positions, and the conditions.
    support
        The count of each word in each condition.
    vectors
        (P, D) the vector of each pair of `support`, not centered.
    common
        (W, D) the common vector of each word; by default the mean of its vectors, weighted by count.
    condition_factors
        (C, D) the scale of each dimension in each condition; by default 1.
    center
        (C, D) subtracted from every vector of a condition; by default the mean vector of its words.
    contexts
        (K, D) context vectors that the vectors were fitted to, for methods that have them.
    query_mapping
        Maps a word from one condition to another if the conditions do not share a space. Used by `equivalents`, and by
        `similarity` and `project` between conditions.
    provenance
        Method, settings, seed, versions and run, as plain data.

    Examples
    --------
    >>> support = Support(np.array([0, 3, 5]), np.array([0, 1, 2, 0, 1]), np.array([2, 1, 1, 1, 2]))
    >>> vectors = [[1, 0], [0.9, 0.1], [0, 1], [1, 0], [0, 1]]
    >>> embeddings = ConditionedEmbeddings(
    ...     ["bank", "river", "money"], Conditions.of_times(["1990", "2000"]), support, vectors)
    >>> embeddings
    <ConditionedEmbeddings: 3 words, 2 conditions (time, 1990 … 2000), 2 dimensions>
    >>> embeddings.neighbors("bank", at="1990", top=1, min_count=1)[0].word
    'river'
    >>> embeddings.count("money")
    {'1990': 1, '2000': 0}
    """

    def __init__(
        self,
        words: Sequence[str],
        conditions: Conditions,
        support: Support,
        vectors: ArrayLike,
        *,
        common: ArrayLike | None = None,
        condition_factors: ArrayLike | None = None,
        center: ArrayLike | None = None,
        contexts: ArrayLike | None = None,
        query_mapping: LocalLinearMap | None = None,
        provenance: dict[str, Any] | None = None,
    ) -> None:
        self.words = tuple(words)
        self.conditions = conditions
        check_words(self.words)
        if len(set(conditions.labels)) != len(conditions):
            raise ValueError("two conditions have the same label")
        self.observed = Support(
            np.asarray(support.start, dtype=np.int64),
            np.asarray(support.word, dtype=np.int32),
            np.asarray(support.count, dtype=np.int64),
        )
        self.observed.check(len(self.words), len(conditions))
        self.vectors = float32("vectors", vectors, len(self.observed.word))
        size = self.dimensions
        common = common_vectors(self.observed, self.vectors, len(self.words)) if common is None else common
        factors = np.ones((len(conditions), size)) if condition_factors is None else condition_factors
        center = centers(self.observed, self.vectors) if center is None else center
        contexts = np.empty((0, size)) if contexts is None else contexts
        self.common = float32("common", common, len(self.words), size, finite=True)
        self.condition_factors = float32("condition_factors", factors, len(conditions), size, finite=True)
        self.center = float32("center", center, len(conditions), size, finite=True)
        self.contexts = float32("contexts", contexts, None, size)
        self.query_mapping = query_mapping
        # Through JSON, so that saving and loading gives the same data.
        self.provenance: dict[str, Any] = json.loads(canonical_json(provenance or {}))
        self.trained_on: Counts | Path | None = None
        self._cache = LRUCache(CACHE_BYTES)

    def __deepcopy__(self, _memo: dict[int, Any]) -> ConditionedEmbeddings:
        return self  # it never changes

    def __len__(self) -> int:
        return len(self.words)

    def __contains__(self, word: object) -> bool:
        return word in self._index

    def __repr__(self) -> str:
        labels = self.conditions.labels
        span = f"{labels[0]} … {labels[-1]}" if len(labels) > 1 else labels[0]
        return (
            f"<ConditionedEmbeddings: {number_of(len(self), 'words')}, {number_of(len(labels), 'conditions')} "
            f"({self.conditions.axis}, {span}), {number_of(self.dimensions, 'dimensions')}>"
        )

    def _repr_html_(self) -> str:
        return describe.html_table(self)

    @property
    def dimensions(self) -> int:
        """Length of a vector."""
        return int(self.vectors.shape[1])

    @property
    def counted(self) -> bool:
        """Whether the support holds real counts; models from elsewhere may come without (see `align`)."""
        return self.provenance.get("counted") is not False

    @property
    def counts(self) -> Counts:
        """The counts that it was trained on; raise InputError if they are not at hand."""
        from chronotope.cooccurrence import Counts
        from chronotope.embeddings.storage import run_folder

        if isinstance(self.trained_on, Path):
            self.trained_on = Counts.open(run_folder(self.trained_on))
        if self.trained_on is None:
            raise InputError("this needs the run that the model was trained on; open it with load(model, run=FOLDER)")
        return self.trained_on

    @property
    def signature(self) -> str:
        """Everything that could change an answer, in one line."""
        return describe.signature(self)

    @cached_property
    def _index(self) -> dict[str, int]:
        return {word: number for number, word in enumerate(self.words)}

    def index(self, word: str) -> int:
        """Return the id of a word, as typed or else in lower case or without accents."""
        check_word(word)
        for spelling in spellings(word):
            if spelling in self._index:
                return self._index[spelling]
        raise UnknownWordError(word, self.words, len(self))

    @overload
    def count(self, word: str) -> dict[str, int]: ...
    @overload
    def count(self, word: str, at: str) -> int: ...
    def count(self, word: str, at: str | None = None) -> int | dict[str, int]:
        """Return the count of a word in a condition, or in each."""
        number = self.index(word)
        if at is not None:
            return self.observed.of(number, self.conditions.index(at))
        return {label: self.observed.of(number, place) for place, label in enumerate(self.conditions.labels)}

    def vector(self, word: str, at: str) -> Floats:
        """Return the centered vector of a word in a condition; an absent word is answered from its other conditions."""
        return np.asarray(self.rows([self.index(word)], at)[0])

    def rows(self, words: ArrayLike, at: str) -> Floats:
        """Return the (Q, D) centered vectors of word ids in a condition; see `vector`."""
        return self._rows(np.asarray(words, dtype=np.int64), self.conditions.index(at))

    def parts(self, word: str, at: str) -> tuple[Floats, Floats]:
        """Return the vector of a word in a condition, not centered, as a sum of two: a shared part and its own part.

        The shared part changes only with the condition; the own part of an absent word is zero.
        """
        number, condition = self.index(word), self.conditions.index(at)
        shared = self.common[number] * self.condition_factors[condition]
        pair = self.observed.find(number, condition)
        return shared, self.vectors[pair] - shared if pair >= 0 else np.zeros_like(shared)

    def similarity(self, word: str, other: str, at: str, to: str | None = None) -> float:
        """Return the cosine of `word` in the condition `at` with `other` in the condition `to`, by default the same."""
        to = at if to is None else to
        first, second = self.project([word], at, to)[0], self.project([other], to, to)[0]
        return float(np.multiply(first, second, dtype=np.float64).sum())

    def project(self, words: Words, at: str, to: str) -> Floats:
        """Return the (Q, D) centered unit vectors of words in the condition `at`, mapped to the space of `to`."""
        numbers = np.array([self.index(word) for word in words], dtype=np.int64)
        return self._project(numbers, self.conditions.index(at), self.conditions.index(to))

    def matrix(self, at: str, min_count: int = 1) -> ConditionMatrix:
        """Return the words with at least `min_count` occurrences in a condition, with their centered unit vectors.

        With `min_count` 0 it holds every word, also absent ones.
        """
        at_least("min_count", min_count, 0)
        return self._matrix(self.conditions.index(at), min_count)

    def at(self, condition: str, min_count: int = 1) -> WordVectors:
        """Return the words with at least `min_count` occurrences in a condition, most frequent first.

        They have the query methods of gensim. With `min_count` 0 they are all words, also absent ones.
        """
        at_least("min_count", min_count, 0)
        number = self.conditions.index(condition)
        counts = self._counts(number)
        words = np.argsort(-counts, kind="stable")[: np.count_nonzero(counts >= min_count)]
        names = [self.words[word] for word in words.tolist()]
        return WordVectors(names, self._rows(words, number), counts[words], name=self.conditions.labels[number])

    def allow_memory(self, limit: int) -> None:
        """Let the cache of matrices grow to at least `limit` bytes, for repeated questions on many conditions."""
        self._cache.limit = max(limit, self._cache.limit)

    @overload
    def neighbors(
        self, word: str, at: str, top: int = ..., *, min_count: int = ..., retrieval: str = ...
    ) -> Matches: ...
    @overload
    def neighbors(
        self, word: Words, at: str, top: int = ..., *, min_count: int = ..., retrieval: str = ...
    ) -> list[Matches]: ...
    def neighbors(
        self, word: str | Words, at: str, top: int = 10, *, min_count: int = 5, retrieval: str = "cosine"
    ) -> Matches | list[Matches]:
        """Return the words nearest to `word` in the condition `at`, best first, without the word itself.

        Parameters
        ----------
        word
            A word, or a list of words for a list of answers.
        min_count
            Minimum count of a candidate in the condition; 0 includes absent words.
        retrieval
            'cosine' or 'csls'.
        """
        at_least("top", top, 0)
        words = [word] if isinstance(word, str) else word
        own = [self.words[self.index(one)] for one in words]
        found = self._search(words, at, at, top + 1, min_count, retrieval)
        answers = [Matches([m for m in row if m.word != name][:top]) for name, row in zip(own, found, strict=True)]
        return answers[0] if isinstance(word, str) else answers

    @overload
    def equivalents(
        self, word: str, at: str, to: str, top: int = ..., *, min_count: int = ..., retrieval: str = ...
    ) -> Matches: ...
    @overload
    def equivalents(
        self, word: Words, at: str, to: str, top: int = ..., *, min_count: int = ..., retrieval: str = ...
    ) -> list[Matches]: ...
    def equivalents(
        self, word: str | Words, at: str, to: str, top: int = 10, *, min_count: int = 5, retrieval: str = "csls"
    ) -> Matches | list[Matches]:
        """Return the words that play in `to` the role of `word` in `at`, best first; the word itself may be one.

        The parameters are those of `neighbors`; candidates are the words with enough support in `to`.
        """
        words = [word] if isinstance(word, str) else word
        answers = self._search(words, at, to, top, min_count, retrieval)
        return answers[0] if isinstance(word, str) else answers

    def save(self, path: str | Path) -> None:
        """Write everything to one file; the same embeddings give the same bytes."""
        from chronotope.embeddings import storage

        storage.save(self, path)

    @staticmethod
    def load(path: str | Path) -> ConditionedEmbeddings:
        """Open a file that `save` wrote; vectors are read when they are needed."""
        from chronotope.embeddings import storage

        return storage.load(path)

    def _search(self, words: Words, at: str, to: str, top: int, min_count: int, retrieval: str) -> list[Matches]:
        """Return the best candidates of `to` for each word of `at`; the word itself is a candidate."""
        one_of("retrieval", retrieval, RETRIEVALS)
        at_least("top", top, 0)
        numbers = np.array([self.index(word) for word in words], dtype=np.int64)
        source, target = self.conditions.index(at), self.conditions.index(to)
        candidates = self.matrix(to, min_count)
        queries = self._project(numbers, source, target)
        if retrieval == "cosine":
            return cosine_matches(self.words, queries, candidates, top)
        r = self._cache.get(("r", source, target, min_count), lambda: np.full(len(candidates.word), np.nan))
        pools = self._projected_pool(source, target, min_count), self._pool(target, min_count)
        own = numbers if source == target else None
        return csls_matches(self.words, queries, candidates, top, *pools, r, own)

    def _project(self, words: NDArray[np.int64], source: int, target: int) -> Floats:
        rows = self._rows(words, source)
        if self.query_mapping is None or source == target:
            return unit_rows(rows)
        return self.query_mapping.project(words, rows, self._shared(source, target, self.query_mapping.min_count))

    def _shared(self, source: int, target: int, min_count: int) -> SharedWords:
        """Return the words with enough support in both conditions, with both vectors."""
        counts = np.minimum(self._counts(source), self._counts(target))
        words = np.flatnonzero(counts >= min_count)
        return SharedWords(words, self._rows(words, source), self._rows(words, target))

    def _pool(self, condition: int, min_count: int) -> ConditionMatrix:
        """Return the reference words of a condition for CSLS."""
        matrix = self._matrix(condition, min_count)
        if len(matrix.word) <= POOL_WORDS:
            return matrix
        pool: ConditionMatrix = self._cache.get(("pool", condition, min_count), lambda: reference_pool(matrix))
        return pool

    def _projected_pool(self, source: int, target: int, min_count: int) -> ConditionMatrix:
        """Return the reference words of the source in the space of the target; a query mapping moves all by one map."""
        pool, mapping = self._pool(source, min_count), self.query_mapping
        if mapping is None or source == target:
            return pool

        def make() -> ConditionMatrix:
            shared = self._shared(source, target, mapping.min_count)
            return replace(pool, unit=mapping.project_together(pool.unit, shared))

        moved: ConditionMatrix = self._cache.get(("projected pool", source, target, min_count), make)
        return moved

    def _matrix(self, condition: int, min_count: int) -> ConditionMatrix:
        def make() -> ConditionMatrix:
            counts = self._counts(condition)
            words = np.flatnonzero(counts >= min_count)
            return ConditionMatrix(words, counts[words], unit_rows(self._rows(words, condition)))

        matrix: ConditionMatrix = self._cache.get(("matrix", condition, min_count), make)
        return matrix

    def _counts(self, condition: int) -> NDArray[np.int64]:
        """Return the (W,) count of each word in a condition."""
        counts = np.zeros(len(self), dtype=np.int64)
        counts[self.observed.words_in(condition)] = self.observed.counts_in(condition)
        return counts

    def _rows(self, words: NDArray[np.int64], condition: int) -> Floats:
        """Return the (Q, D) centered vectors of words in a condition; see `vector`."""
        present = self.observed.words_in(condition)
        place = np.searchsorted(present, words)
        seen = place < len(present)
        seen[seen] = present[place[seen]] == words[seen]
        rows = np.empty((len(words), self.dimensions), dtype=np.float32)
        rows[seen] = self.vectors[self.observed.start[condition] + place[seen]]
        rows[~seen] = self.common[words[~seen]] * self.condition_factors[condition]
        rows -= self.center[condition]
        if not np.isfinite(rows).all():
            raise DamagedFileError(
                f"the vectors of {self.conditions.labels[condition]} hold values that are not numbers"
            )
        return rows
