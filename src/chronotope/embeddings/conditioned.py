"""ConditionedEmbeddings: one vector for each word in each condition, the result of every training method."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from chronotope.conditions import Conditions
from chronotope.config import at_least
from chronotope.cooccurrence.vocabulary import Support
from chronotope.embeddings import describe
from chronotope.embeddings.arrays import centers, float32, mean_vectors
from chronotope.embeddings.mapping import LocalLinearMap
from chronotope.embeddings.nearest import Floats
from chronotope.embeddings.retrieval import ConditionMatrix, Matches
from chronotope.embeddings.search import OVERALL, Search
from chronotope.embeddings.word_vectors import WordVectors
from chronotope.embeddings.words import check_word, check_words, spellings
from chronotope.errors import (
    AbsentWordError,
    InputError,
    SettingsError,
    UnknownWordError,
    number_of,
)
from chronotope.io.provenance import canonical_json

if TYPE_CHECKING:
    from chronotope.cooccurrence import Counts

Words = list[str] | tuple[str, ...]
Vector = NDArray[np.floating] | list[float]


class ConditionedEmbeddings:
    """One vector for each word in each condition, all in one space; immutable.

    `embeddings["apple", "1990"]` is the vector of a word in a condition, `embeddings["apple"]` its overall vector.
    Only (word, condition) pairs that occur have a vector. A question about a word that is absent from its condition
    raises AbsentWordError; with `fallback=True` the answer comes from its other conditions, by
    `common[word] * condition_factors[condition]`. Similarity is the cosine of centered vectors. An answer has the same
    bits alone or in a batch, on any number of threads.

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
    variances
        (P, D) posterior variances of the vectors, for methods that estimate them: `series` and `similarity` then give
        intervals.
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
    >>> embeddings["bank", "1990"].shape, embeddings["bank"].shape
    ((2,), (2,))
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
        variances: ArrayLike | None = None,
        query_mapping: LocalLinearMap | None = None,
        provenance: dict[str, Any] | None = None,
    ) -> None:
        self.words = tuple(words)
        self.conditions = conditions
        check_words(self.words)
        if len(set(conditions.labels)) != len(conditions):
            raise ValueError("two conditions have the same label")
        kinds = (np.int64, np.int32, np.int64)
        self.observed = Support(*map(np.asarray, support, kinds))
        self.observed.check(len(self.words), len(conditions))
        self.vectors = float32("vectors", vectors, len(self.observed.word))
        self.dimensions = size = int(self.vectors.shape[1])
        if common is None:
            common, _ = mean_vectors(self.observed, self.vectors, len(self.words), range(len(conditions)))
        factors = np.ones((len(conditions), size)) if condition_factors is None else condition_factors
        center = centers(self.observed, self.vectors) if center is None else center
        contexts = np.empty((0, size)) if contexts is None else contexts
        self.common = float32("common", common, len(self.words), size, finite=True)
        self.condition_factors = float32("condition_factors", factors, len(conditions), size, finite=True)
        self.center = float32("center", center, len(conditions), size, finite=True)
        self.contexts = float32("contexts", contexts, None, size)
        pairs = len(self.observed.word)
        self.variances = None if variances is None else float32("variances", variances, pairs, size)
        self.query_mapping = query_mapping
        # Through JSON, so that saving and loading gives the same data.
        self.provenance: dict[str, Any] = json.loads(canonical_json(provenance or {}))
        self.trained_on: Counts | Path | None = None
        self.search = Search(self)

    def __deepcopy__(self, _memo: dict[int, Any]) -> ConditionedEmbeddings:
        return self  # immutable

    def __len__(self) -> int:
        return len(self.words)

    def __contains__(self, word: object) -> bool:
        return word in self._index

    def __repr__(self) -> str:
        words, dimensions = number_of(len(self), "words"), number_of(self.dimensions, "dimensions")
        return f"<ConditionedEmbeddings: {words}, {self.conditions}, {dimensions}>"

    def _repr_html_(self) -> str:
        return describe.html_table(self)

    @property
    def counted(self) -> bool:
        """Whether the support holds real counts; models of other programs may have none (see `align`)."""
        return self.provenance.get("counted") is not False

    @property
    def counts(self) -> Counts:
        """The counts of the training text; raise InputError if they are not available."""
        from chronotope.cooccurrence import Counts
        from chronotope.embeddings.storage import run_folder

        if isinstance(self.trained_on, Path):
            self.trained_on = Counts.open(run_folder(self.trained_on))
        if self.trained_on is None:
            raise InputError("this needs the run that the model was trained on; open it with load(model, run=FOLDER)")
        return self.trained_on

    @property
    def signature(self) -> str:
        """One line with everything that could change an answer."""
        return describe.signature(self)

    @cached_property
    def _index(self) -> dict[str, int]:
        return {word: number for number, word in enumerate(self.words)}

    def index(self, word: str) -> int:
        """Return the id of a word: as typed, else in lower case, else without accents."""
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

    def __getitem__(self, key: str | tuple[str, str]) -> Floats:
        return self.vector(*key) if isinstance(key, tuple) else self.vector(key)

    def vector(self, word: str, at: str | None = None, *, fallback: bool = False) -> Floats:
        """Return the centered vector of a word in a condition, or overall.

        Raise AbsentWordError if it does not occur there; with `fallback`, answer from its other conditions.
        """
        _, rows, _ = self._queries(word, self._number(at), fallback)
        return np.asarray(rows[0])

    def rows(self, words: ArrayLike, at: str | None) -> Floats:
        """Return the (Q, D) centered vectors of word ids in a condition, or overall; absent words get a fallback."""
        return self.search.rows(np.asarray(words, dtype=np.int64), self._number(at))

    def parts(self, word: str, at: str) -> tuple[Floats, Floats]:
        """Return the vector of a word in a condition, not centered, as a sum of two: a shared part and its own part.

        The shared part changes only with the condition; the own part of an absent word is zero.
        """
        number, condition = self.index(word), self.conditions.index(at)
        shared = self.common[number] * self.condition_factors[condition]
        pair = self.observed.find(number, condition)
        return shared, self.vectors[pair] - shared if pair >= 0 else np.zeros_like(shared)

    def similarity(
        self, word: str, other: str, at: str | None = None, to: str | None = None, *, fallback: bool = False
    ) -> float:
        """Return the cosine of `word` in the condition `at` with `other` in the condition `to`, by default the same.

        Without `at` it is the cosine of the overall vectors. Raise AbsentWordError if a word does not occur in its
        condition; with `fallback`, answer from its other conditions.
        """
        source = self._number(at)
        target = source if to is None else self._number(to)
        first, second = self._queries(word, source, fallback), self._queries(other, target, fallback)
        unit = self.search.project(*first[:2], source, target), self.search.project(*second[:2], target, target)
        return float(np.multiply(unit[0][0], unit[1][0], dtype=np.float64).sum())

    def project(self, words: Words, at: str, to: str) -> Floats:
        """Return the (Q, D) centered unit vectors of words in the condition `at`, mapped to the space of `to`.

        Absent words get the vector of their other conditions.
        """
        numbers = np.array([self.index(word) for word in words], dtype=np.int64)
        source, target = self.conditions.index(at), self.conditions.index(to)
        return self.search.project(numbers, self.search.rows(numbers, source), source, target)

    def matrix(self, at: str | None, min_count: int = 1) -> ConditionMatrix:
        """Return the words with at least `min_count` occurrences in a condition, with their centered unit vectors.

        With `min_count` 0 it holds every word, also absent ones. None means all conditions together.
        """
        return self.search.matrix(self._number(at), min_count)

    def at(self, condition: str | None = None, min_count: int = 1) -> WordVectors:
        """Return the words with at least `min_count` occurrences in a condition, or overall, most frequent first.

        The result has the query methods of gensim. With `min_count` 0 it holds all words, also absent ones.
        """
        at_least("min_count", min_count, 0)
        number = self._number(condition)
        counts = self.search.counts(number)
        words = np.argsort(-counts, kind="stable")[: np.count_nonzero(counts >= min_count)]
        names = [self.words[word] for word in words.tolist()]
        label = "overall" if number == OVERALL else self.conditions.labels[number]
        return WordVectors(names, self.search.rows(words, number), counts[words], name=label)

    def allow_memory(self, limit: int) -> None:
        """Let the cache of matrices grow to at least `limit` bytes, for repeated questions on many conditions."""
        self.search.cache.limit = max(limit, self.search.cache.limit)

    @overload
    def neighbors(self, word: str | Vector, at: str | None = ..., top: int = ..., **options: Any) -> Matches: ...
    @overload
    def neighbors(self, word: Words, at: str | None = ..., top: int = ..., **options: Any) -> list[Matches]: ...
    def neighbors(  # type: ignore[misc]  # the overloads leave the options to this signature
        self,
        word: str | Vector | Words,
        at: str | None = None,
        top: int = 10,
        *,
        topn: int | None = None,
        min_count: int = 5,
        retrieval: str = "cosine",
        fallback: bool = False,
    ) -> Matches | list[Matches]:
        """Return the words nearest to `word` in the condition `at`, best first, without the word itself.

        Parameters
        ----------
        word
            A word or a vector; for a list of answers a list of words, or (Q, D) vectors.
        at
            The condition; by default all together, each word by its overall vector.
        top, topn
            Number of results; the two names mean the same.
        min_count
            Minimum count of a candidate in the condition; 0 includes absent words.
        retrieval
            'cosine' or 'csls'.
        fallback
            Answer from the other conditions if the word is absent; otherwise raise AbsentWordError.
        """
        condition, top = self._number(at), top if topn is None else topn
        at_least("top", top, 0)
        numbers, rows, several = self._queries(word, condition, fallback)
        best = self.search.best(numbers, rows, condition, condition, top + 1, min_count, retrieval)
        own = [self.words[number] if number >= 0 else None for number in numbers.tolist()]
        answers = [Matches([m for m in row if m.word != name][:top]) for name, row in zip(own, best, strict=True)]
        return answers if several else answers[0]

    @overload
    def equivalents(self, word: str | Vector, at: str, to: str, top: int = ..., **options: Any) -> Matches: ...
    @overload
    def equivalents(self, word: Words, at: str, to: str, top: int = ..., **options: Any) -> list[Matches]: ...
    def equivalents(  # type: ignore[misc]  # the overloads leave the options to this signature
        self,
        word: str | Vector | Words,
        at: str,
        to: str,
        top: int = 10,
        *,
        topn: int | None = None,
        min_count: int = 5,
        retrieval: str = "csls",
        fallback: bool = False,
        role_map: bool | None = None,
    ) -> Matches | list[Matches]:
        """Return the words that play in `to` the role of `word` in `at`, best first; the word itself may be one.

        The parameters are those of `neighbors`; candidates are the words with `min_count` occurrences in `to`.
        `role_map` moves the query by the map between words with the same role in both conditions; by default, between
        two places. `retrieval` may also be 'references': the mean of the cosine with the query and of the cosines of
        the differences from words near it that occur in both conditions (Zhang et al., 2016).
        """
        source, target = self.conditions.index(at), self.conditions.index(to)
        numbers, rows, several = self._queries(word, source, fallback)
        top = top if topn is None else topn
        answers = self.search.best(numbers, rows, source, target, top, min_count, retrieval, role_map)
        return answers if several else answers[0]

    def save(self, path: str | Path) -> None:
        """Write everything to one file; the same embeddings give the same bytes."""
        from chronotope.embeddings.storage import save

        save(self, path)

    def _number(self, at: str | None) -> int:
        """Return the number of a condition; OVERALL for None."""
        if at is not None:
            return self.conditions.index(at)
        if self.query_mapping is not None:
            method = self.provenance.get("method", "this method")
            raise SettingsError(f"{method} has a space of its own for each condition; name a condition (at)")
        return OVERALL

    def _queries(
        self, word: str | Vector | Words, condition: int, fallback: bool
    ) -> tuple[NDArray[np.int64], Floats, bool]:
        """Return the word ids (-1 for a vector) and centered vectors of queries, and whether they are several."""
        queries: Sequence[Any] = word if isinstance(word, list | tuple) else [word]
        if isinstance(word, np.ndarray) or (
            queries is word and queries and not any(isinstance(one, str) for one in queries)
        ):
            vectors = np.asarray(word, dtype=np.float32)
            if vectors.ndim not in (1, 2) or vectors.shape[-1] != self.dimensions or not np.isfinite(vectors).all():
                needed = f"a query vector needs {self.dimensions} finite numbers"
                raise SettingsError(f"{needed}; its shape is {vectors.shape}")
            rows = np.atleast_2d(vectors)
            return np.full(len(rows), -1), rows, vectors.ndim == 2
        numbers = np.array([self.index(one) for one in cast(Words, queries)], dtype=np.int64)
        for number in numbers.tolist() if not fallback else ():
            overall = condition == OVERALL
            if not (self.search.counts(OVERALL)[number] if overall else self.observed.of(number, condition)):
                label, counts = None if overall else self.conditions.labels[condition], self.count(self.words[number])
                raise AbsentWordError(self.words[number], label, [at for at, count in counts.items() if count])
        return numbers, self.search.rows(numbers, condition), queries is word
