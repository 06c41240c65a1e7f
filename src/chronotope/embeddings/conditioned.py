"""ConditionedEmbeddings: the result of every training method. It is queried, saved and exported, never changed."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from chronotope.conditions import Conditions
from chronotope.config import at_least, one_of
from chronotope.cooccurrence.vocabulary import Support
from chronotope.embeddings import checks, defaults
from chronotope.embeddings.cache import BoundedCache
from chronotope.embeddings.display import embeddings_html
from chronotope.embeddings.mapping import LocalLinearMap, SharedWords
from chronotope.embeddings.nearest import Floats, unit_rows
from chronotope.embeddings.retrieval import (
    POOL,
    RETRIEVALS,
    ConditionMatrix,
    Match,
    Matches,
    Neighborhoods,
    cosine_matches,
    csls_matches,
    reference_pool,
)
from chronotope.embeddings.spelling import spellings
from chronotope.embeddings.word_vectors import WordVectors
from chronotope.errors import DamagedFile, UnknownWord
from chronotope.io.provenance import canonical_json, checksum_of, package_version
from chronotope.wording import number_of

Words = list[str] | tuple[str, ...]

MATRIX_MEMORY = 256 << 20
NEIGHBORHOOD_MEMORY = 64 << 20
# The nearest words of a word in a condition are asked for by one answer after the other: so many are found at once.
NEIGHBORS_KEPT = 10
LISTS_KEPT = 20_000
REMEMBERED = ("_matrices", "_neighborhoods", "_lists")


class ConditionedEmbeddings:
    """One vector for each word in each condition, all in one space.

    Only the vectors of pairs that occur are stored. A word that is absent from a condition has no evidence of its own
    there: it is answered from what it shares with its other conditions, `common[word] * condition_factors[condition]`,
    and its support is 0. Similarity is the cosine of centered vectors.

    The same question gets the same answer, to the last bit, whether it is asked alone or among thousands, and for any
    number of threads.

    Parameters
    ----------
    words
        The words; a word's number is its place here.
    conditions
        The conditions.
    support
        Which words occur in which condition, and how often.
    vectors
        (P, D) the vector of each pair of `support`, not centered.
    common
        (W, D) what each word means everywhere; by default the mean of its vectors, weighted by count.
    condition_factors
        (C, D) how each condition scales the dimensions; by default 1.
    center
        (C, D) taken off every vector of a condition; by default the mean over the words that occur in it.
    contexts
        (K, D) what the vectors were fitted to, where the method has it: a vector times a context is what the method
        says of that context.
    query_mapping
        How a word of one condition is carried to another where the vectors themselves are not in one space: made anew
        for each query, used by `equivalents`, by `similarity` and `carried` between conditions; by default not at all.
    provenance
        How the vectors were made: method, settings, seed, versions, run; plain data.

    Examples
    --------
    >>> support = Support(np.array([0, 3, 5]), np.array([0, 1, 2, 0, 1]), np.array([2, 1, 1, 1, 2]))
    >>> vectors = [[1, 0], [0.9, 0.1], [0, 1], [1, 0], [0, 1]]
    >>> embeddings = ConditionedEmbeddings(
    ...     ["bank", "river", "money"], Conditions.of_times(["1990", "2000"]), support, vectors)
    >>> embeddings
    <ConditionedEmbeddings: 3 words, 2 conditions (time, 1990 … 2000), 2 dimensions>
    >>> embeddings.neighbors("bank", at="1990", top=1, min_support=1)[0].word
    'river'
    >>> embeddings.support("money")
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
        self.observed = Support(
            np.asarray(support.start, dtype=np.int64),
            np.asarray(support.word, dtype=np.int32),
            np.asarray(support.count, dtype=np.int64),
        )
        self.vectors = checks.float32(vectors)
        checks.words(self.words)
        checks.support(self.observed, len(self.words), conditions.labels)
        pairs = len(self.observed.word)
        checks.shape("vectors", self.vectors, (pairs, None))
        size = self.vectors.shape[1]
        self.common = checks.float32(
            defaults.common(self.observed, self.vectors, len(self.words)) if common is None else common
        )
        self.condition_factors = checks.float32(
            np.ones((len(conditions), size)) if condition_factors is None else condition_factors
        )
        self.center = checks.float32(defaults.center(self.observed, self.vectors) if center is None else center)
        self.contexts = checks.float32(np.empty((0, size)) if contexts is None else contexts)
        checks.shape("contexts", self.contexts, (len(self.contexts), size))
        checks.shape("common", self.common, (len(self.words), size))
        checks.shape("condition_factors", self.condition_factors, (len(conditions), size))
        checks.shape("center", self.center, (len(conditions), size))
        for name in ("common", "condition_factors", "center"):
            checks.finite(name, getattr(self, name))
        self.query_mapping = query_mapping
        # Through JSON, so that what is saved and loaded again is the same.
        self.provenance: dict[str, Any] = json.loads(canonical_json(provenance or {}))
        self._remember()

    def _remember(self) -> None:
        """Begin with nothing kept of earlier questions."""
        self._matrices = BoundedCache[ConditionMatrix](MATRIX_MEMORY, lambda matrix: matrix.nbytes)
        self._neighborhoods = BoundedCache[Neighborhoods](NEIGHBORHOOD_MEMORY, lambda r: r.nbytes)
        self._lists = BoundedCache[tuple[Match, ...]](LISTS_KEPT, lambda _: 1)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name not in REMEMBERED}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._remember()

    def __deepcopy__(self, _memo: dict[int, Any]) -> ConditionedEmbeddings:
        # Nothing of it ever changes: a copy would only cost memory.
        return self

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
        return embeddings_html(self)

    @property
    def dimensions(self) -> int:
        """The length of a vector."""
        return int(self.vectors.shape[1])

    @property
    def counted(self) -> bool:
        """Whether the support is what was counted; models from elsewhere may come without (see `align`)."""
        return self.provenance.get("counted") is not False

    @property
    def signature(self) -> str:
        """All that could change an answer, in one line."""
        made = self.provenance
        versions = made.get("versions")
        parts = [
            f"chronotope {versions.get('chronotope') if isinstance(versions, dict) else package_version()}",
            made.get("method"),
            f"{self.dimensions} dimensions",
            f"{len(self.conditions):,} conditions",
            f"{len(self):,} words",
            f"seed {made['seed']}" if "seed" in made else None,
            f"settings {checksum_of(made['settings'])[:8]}" if made.get("settings") else None,
            f"edges {checksum_of(made['place_edges'])[:8]}" if made.get("place_edges") else None,
            f"extended {checksum_of(made['extended'])[:8]}" if made.get("extended") else None,
            made["device"] if made.get("device", "cpu") != "cpu" else None,
            f"run {str(made['run'])[:8]}" if made.get("run") else None,
            None if self.counted else "no counts",
        ]
        return "|".join(str(part) for part in parts if part)

    @cached_property
    def _index(self) -> dict[str, int]:
        return dict(zip(self.words, range(len(self.words)), strict=True))

    def index(self, word: str) -> int:
        """The number of a word, as it is typed or, if that is not there, in lower case or without accents."""
        checks.word(word)
        for spelling in spellings(word):
            if spelling in self._index:
                return self._index[spelling]
        raise UnknownWord(word, self.words, len(self))

    def _indices(self, words: Words) -> NDArray[np.int64]:
        """The numbers of words. Most of them stand there as they are typed, which is looked at without a call."""
        known = self._index
        numbers = [known[word] if type(word) is str and word in known else self.index(word) for word in words]
        return np.array(numbers, dtype=np.int64)

    @overload
    def support(self, word: str) -> dict[str, int]: ...
    @overload
    def support(self, word: str, at: str) -> int: ...
    def support(self, word: str, at: str | None = None) -> int | dict[str, int]:
        """How often a word occurs in a condition, or in each."""
        number = self.index(word)
        if at is not None:
            return self.observed.of(number, self.conditions.index(at))
        return {label: self.observed.of(number, place) for place, label in enumerate(self.conditions.labels)}

    def vector(self, word: str, at: str) -> Floats:
        """The centered vector of a word in a condition; where it is absent, what it means elsewhere."""
        row: Floats = self._rows(np.array([self.index(word)]), self.conditions.index(at))[0]
        return row

    def parts(self, word: str, at: str) -> tuple[Floats, Floats]:
        """The vector of a word in a condition as the sum of two: what it shares with the others, and its own.

        The shared part moves only as the whole condition moves; the own part is zero where the word is absent. The
        center is not taken off.
        """
        number, condition = self.index(word), self.conditions.index(at)
        shared = self.common[number] * self.condition_factors[condition]
        pair = self.observed.find(number, condition)
        return shared, self.vectors[pair] - shared if pair >= 0 else np.zeros_like(shared)

    def similarity(self, word: str, other: str, at: str, to: str | None = None) -> float:
        """The cosine of `word` in the condition `at` with `other` in the condition `to`, by default the same."""
        to = at if to is None else to
        first = self.carried([word], at, to)[0].astype(np.float64)
        second = unit_rows(self.vector(other, to)[None])[0].astype(np.float64)
        return float((first * second).sum())

    def carried(self, words: Words, at: str, to: str) -> Floats:
        """(Q, D) the vectors of words in the condition `at` as they stand among those of `to`, of length one.

        They are the centered vectors themselves, unless the embeddings have a query mapping.
        """
        numbers = self._indices(words)
        return self._carried(numbers, self.conditions.index(at), self.conditions.index(to))

    def matrix(self, at: str, min_support: int = 1) -> ConditionMatrix:
        """The words with at least `min_support` occurrences in a condition, with their centered unit vectors.

        With `min_support` 0 it holds every word; those that are absent are there with their fallbacks.
        """
        at_least("min_support", min_support, 0)
        condition = self.conditions.index(at)
        return self._matrices.get((condition, min_support), lambda: self._built(condition, min_support))

    def at(self, condition: str, min_support: int = 1) -> WordVectors:
        """The words of one condition with their centered vectors, most frequent first, to be asked as gensim is.

        Parameters
        ----------
        condition
            The condition.
        min_support
            The words that occur there at least so often; 0: all, also those that are absent.
        """
        at_least("min_support", min_support, 0)
        number = self.conditions.index(condition)
        counts = np.zeros(len(self), dtype=np.int64)
        counts[self.observed.words_in(number)] = self.observed.counts_in(number)
        words = np.argsort(-counts, kind="stable")[: np.count_nonzero(counts >= min_support)]
        found = [self.words[word] for word in words.tolist()]
        name = self.conditions.labels[number]
        return WordVectors(found, self._rows(words, number), counts[words], name=name)

    def rows(self, words: ArrayLike, at: str) -> Floats:
        """(Q, D) the centered vectors of words, given by number, in a condition; see `vector`."""
        return self._rows(np.asarray(words, dtype=np.int64), self.conditions.index(at))

    def allow_memory(self, matrices: int) -> None:
        """Keep up to so many bytes of what `matrix` made, so that many conditions can be asked again and again."""
        self._matrices.allow(matrices)

    @overload
    def neighbors(
        self, word: str, at: str, top: int = ..., *, min_support: int = ..., retrieval: str = ...
    ) -> Matches: ...
    @overload
    def neighbors(
        self, word: Words, at: str, top: int = ..., *, min_support: int = ..., retrieval: str = ...
    ) -> list[Matches]: ...
    def neighbors(
        self, word: str | Words, at: str, top: int = 10, *, min_support: int = 5, retrieval: str = "cosine"
    ) -> Matches | list[Matches]:
        """The words nearest to `word` within one condition, best first, without the word itself.

        Parameters
        ----------
        word
            A word, or a list of words: then the answer is a list of lists.
        at
            The condition.
        top
            How many; fewer where there are fewer candidates.
        min_support
            A candidate occurs at least so often in the condition; 0: any word.
        retrieval
            'cosine' or 'csls'.
        """
        at_least("top", top, 0)
        if isinstance(word, str):
            size = max(top, NEIGHBORS_KEPT)
            key = (self.index(word), self.conditions.index(at), min_support, retrieval, size)
            found = self._lists.get(key, lambda: self._nearest([word], at, size, min_support, retrieval)[0])
            return Matches(found[:top])
        return [Matches(found) for found in self._nearest(word, at, top, min_support, retrieval)]

    @overload
    def equivalents(
        self, word: str, at: str, to: str, top: int = ..., *, min_support: int = ..., retrieval: str = ...
    ) -> Matches: ...
    @overload
    def equivalents(
        self, word: Words, at: str, to: str, top: int = ..., *, min_support: int = ..., retrieval: str = ...
    ) -> list[Matches]: ...
    def equivalents(
        self,
        word: str | Words,
        at: str,
        to: str,
        top: int = 10,
        *,
        min_support: int = 5,
        retrieval: str = "csls",
    ) -> Matches | list[Matches]:
        """The words that play in `to` the part that `word` plays in `at`, best first; the word itself may be one.

        The parameters are those of `neighbors`; candidates are the words with enough support in `to`.
        """
        asked = [word] if isinstance(word, str) else word
        answers = self._asked(asked, at, to, top, min_support, retrieval)
        return answers[0] if isinstance(word, str) else answers

    def save(self, path: str | Path) -> None:
        """Write everything to one file; the same embeddings give the same bytes."""
        from chronotope.embeddings import storage

        storage.save(self, path)

    @staticmethod
    def load(path: str | Path) -> ConditionedEmbeddings:
        """The embeddings in a file that `save` wrote; the vectors are read when they are needed."""
        from chronotope.embeddings import storage

        return storage.load(path)

    def _nearest(self, asked: Words, at: str, top: int, min_support: int, retrieval: str) -> list[tuple[Match, ...]]:
        """The nearest words of each word within one condition, without the word itself."""
        found = self._asked(asked, at, at, top + 1, min_support, retrieval)
        return [
            tuple(match for match in matches if match.word != self.words[self.index(query)])[:top]
            for query, matches in zip(asked, found, strict=True)
        ]

    def _asked(self, asked: Words, at: str, to: str, top: int, min_support: int, retrieval: str) -> list[Matches]:
        """The answers to queries; the query word is among the candidates."""
        one_of("retrieval", retrieval, RETRIEVALS)
        at_least("top", top, 0)
        numbers = self._indices(asked)
        source, target = self.conditions.index(at), self.conditions.index(to)
        candidates = self.matrix(to, min_support)
        queries = self._carried(numbers, source, target)
        if retrieval == "cosine":
            return cosine_matches(self.words, queries, candidates, top)
        known = self._neighborhoods.get((source, target, min_support), lambda: Neighborhoods(len(candidates.word)))
        pools = self._pool_carried(source, target, min_support), self._pool(target, min_support)
        own = numbers if source == target else None
        return csls_matches(self.words, queries, candidates, top, *pools, known, own)

    def _pool(self, condition: int, min_support: int) -> ConditionMatrix:
        """The words of a condition that the r of CSLS is measured against."""
        matrix = self.matrix(self.conditions.labels[condition], min_support)
        if len(matrix.word) <= POOL:
            return matrix
        return self._matrices.get((condition, min_support, "pool"), lambda: reference_pool(matrix))

    def _carried(self, words: NDArray[np.int64], source: int, target: int) -> Floats:
        rows = self._rows(words, source)
        if self.query_mapping is None or source == target:
            return unit_rows(rows)
        return self.query_mapping.carry(words, rows, self._shared(source, target, self.query_mapping.min_support))

    def _shared(self, source: int, target: int, min_support: int) -> SharedWords:
        """The words with enough support in both conditions, and their vectors there."""
        before, after = (self.matrix(self.conditions.labels[at], min_support).word for at in (source, target))
        words = np.intersect1d(before, after, assume_unique=True)
        return SharedWords(words, self._rows(words, source), self._rows(words, target))

    def _pool_carried(self, source: int, target: int, min_support: int) -> ConditionMatrix:
        """The pool of the source as it stands among the words of the target.

        A query mapping carries all of it by one map: a map for each of thousands of words would take a minute for
        every two conditions.
        """
        pool, mapping = self._pool(source, min_support), self.query_mapping
        if mapping is None or source == target:
            return pool
        return self._matrices.get(
            (source, target, min_support, "carried"),
            lambda: replace(
                pool, unit=mapping.carry_together(pool.unit, self._shared(source, target, mapping.min_support))
            ),
        )

    def _built(self, condition: int, min_support: int) -> ConditionMatrix:
        if min_support == 0:
            word = np.arange(len(self), dtype=np.int64)
            support = np.zeros(len(self), dtype=np.int64)
            support[self.observed.words_in(condition)] = self.observed.counts_in(condition)
        else:
            enough = self.observed.counts_in(condition) >= min_support
            word = self.observed.words_in(condition)[enough].astype(np.int64)
            support = self.observed.counts_in(condition)[enough]
        return ConditionMatrix(word, support, unit_rows(self._rows(word, condition)))

    def _rows(self, words: NDArray[np.int64], condition: int) -> Floats:
        """(Q, D) the centered vectors of words in a condition, fallbacks for those that are absent."""
        present = self.observed.words_in(condition)
        place = np.searchsorted(present, words)
        seen = place < len(present)
        seen[seen] = present[place[seen]] == words[seen]
        rows = np.empty((len(words), self.dimensions), dtype=np.float32)
        rows[seen] = self.vectors[self.observed.start[condition] + place[seen]]
        rows[~seen] = self.common[words[~seen]] * self.condition_factors[condition]
        rows -= self.center[condition]
        if not np.isfinite(rows).all():
            raise DamagedFile(f"the vectors of {self.conditions.labels[condition]} hold values that are not numbers")
        return rows
