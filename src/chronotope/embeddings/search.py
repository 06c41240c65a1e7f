"""Search the words of one condition, or of all together, for the nearest to words of another."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from chronotope.config import at_least, one_of
from chronotope.embeddings.arrays import LRUCache
from chronotope.embeddings.counterparts import Bar, calibrate, excess_of_removed, own_similarity
from chronotope.embeddings.mapping import ROLE_MIN_COUNT, ROLE_WORDS, SharedWords, fit_role_map, move, move_together
from chronotope.embeddings.nearest import Floats, nearest, unit_rows
from chronotope.embeddings.retrieval import (
    BETWEEN,
    POOL_WORDS,
    REFERENCES,
    RETRIEVALS,
    ConditionMatrix,
    Matches,
    cosine_matches,
    csls_matches,
    reference_matches,
    reference_pool,
)
from chronotope.errors import DamagedFileError

if TYPE_CHECKING:
    from chronotope.embeddings.conditioned import ConditionedEmbeddings

OVERALL = -1  # in place of a condition number: all conditions together
CACHE_BYTES = 256 << 20


class Search:
    """The centered vectors of each condition, and of all together (OVERALL), and the search in them."""

    def __init__(self, embeddings: ConditionedEmbeddings) -> None:
        self._model = embeddings
        self._mapping = embeddings.query_mapping
        self.cache = LRUCache(CACHE_BYTES)

    def counts(self, condition: int) -> NDArray[np.int64]:
        """Return the (W,) count of each word in a condition."""
        if condition == OVERALL:
            return self._overall[0]
        counts, observed = np.zeros(len(self._model), dtype=np.int64), self._model.observed
        counts[observed.words_in(condition)] = observed.counts_in(condition)
        return counts

    def rows(self, words: NDArray[np.int64], condition: int) -> Floats:
        """Return the (Q, D) centered vectors of word ids in a condition; absent words from their other conditions."""
        model, observed = self._model, self._model.observed
        if condition == OVERALL:
            return np.asarray(self._common(words) - self._overall[1])
        present = observed.words_in(condition)
        place = np.searchsorted(present, words)
        occurs = place < len(present)
        occurs[occurs] = present[place[occurs]] == words[occurs]
        rows = np.empty((len(words), model.dimensions), dtype=np.float32)
        rows[occurs] = model.vectors[observed.start[condition] + place[occurs]]
        rows[~occurs] = model.common[words[~occurs]] * model.condition_factors[condition]
        rows -= model.center[condition]
        if not np.isfinite(rows).all():
            label = model.conditions.labels[condition]
            raise DamagedFileError(f"the vectors of {label} hold values that are not numbers")
        return rows

    @cached_property
    def _overall(self) -> tuple[NDArray[np.int64], Floats]:
        """The (W,) total counts, and the (D,) mean of the overall vectors of the words that occur."""
        observed = self._model.observed
        counts = np.bincount(observed.word, observed.count, len(self._model)).astype(np.int64)
        counts //= self._model.conditions.levels  # each text counts once in each level of its place
        present = np.flatnonzero(counts)
        mean = self._common(present).mean(axis=0, dtype=np.float64) if len(present) else self._model.common[0] * 0
        return counts, mean.astype(np.float32)

    def _common(self, words: NDArray[np.int64]) -> Floats:
        """Return the (Q, D) overall vectors: the common ones, as in the mean condition."""
        factors = self._model.condition_factors.mean(axis=0, dtype=np.float64)
        return np.asarray(self._model.common[words] * factors, dtype=np.float32)

    def matrix(self, condition: int, min_count: int) -> ConditionMatrix:
        """Return the words with at least `min_count` occurrences in a condition."""
        at_least("min_count", min_count, 0)

        def make() -> ConditionMatrix:
            counts = self.counts(condition)
            words = np.flatnonzero(counts >= min_count)
            return ConditionMatrix(words, counts[words], unit_rows(self.rows(words, condition)))

        return self.cache.get(("matrix", condition, min_count), make)

    def takes_role_map(self, source: int, target: int, role_map: bool | None) -> bool:
        """Return whether a role map moves the queries: `role_map`, or by default if the conditions are places."""
        if source == target or self._mapping is not None:
            return False
        return self._model.conditions.axis == "place" if role_map is None else role_map

    def project(self, words: NDArray[np.int64], rows: Floats, source: int, target: int, roles: bool = False) -> Floats:
        """Return vectors of the source condition as (Q, D) unit vectors in the space of the target condition."""
        if source == target or (self._mapping is None and not roles):
            return unit_rows(rows)
        if self._mapping is None:
            return move(rows, self.role_map(source, target))
        return self._mapping.project(words, rows, self._shared_words(source, target, self._mapping.min_count))

    def role_map(self, source: int, target: int) -> NDArray[np.float64]:
        """Return the (D, D) role map between two conditions."""

        def make() -> NDArray[np.float64]:
            matrices = (self.matrix(condition, ROLE_MIN_COUNT) for condition in (source, target))
            one, other = (reference_pool(matrix, ROLE_WORDS).unit for matrix in matrices)
            return fit_role_map(one, other)

        return self.cache.get(("role map", source, target), make)

    def best(
        self,
        words: NDArray[np.int64],
        rows: Floats,
        source: int,
        target: int,
        top: int,
        min_count: int,
        retrieval: str,
        role_map: bool | None = False,
    ) -> list[Matches]:
        """Return the best candidates of the target for each vector of the source; the word itself is a candidate."""
        roles = self.takes_role_map(source, target, role_map)
        one_of("retrieval", retrieval, RETRIEVALS if source == target else BETWEEN)
        at_least("top", top, 0)
        candidates = self.matrix(target, min_count)
        queries = self.project(words, rows, source, target, roles)
        if retrieval == "cosine":
            return cosine_matches(self._model.words, queries, candidates, top)
        if retrieval == "references":
            here, names = self.matrix(source, min_count), self._model.words
            shared, at, there = np.intersect1d(here.word, candidates.word, assume_unique=True, return_indices=True)
            found = []
            for word, unit, query in zip(words, unit_rows(rows), queries, strict=True):
                near = nearest(unit[None], here.unit[at], REFERENCES + 1).row[0]
                near = near[shared[near] != word][:REFERENCES]
                moved = self.project(shared[near], self.rows(shared[near], source), source, target, roles)
                found.append(reference_matches(names, query, candidates, top, moved, candidates.unit[there[near]]))
            return found
        r = self.cache.get(("r", source, target, min_count, roles), lambda: np.full(len(candidates.word), np.nan))
        pools = self._projected_pool(source, target, min_count, roles), self.pool(target, min_count)
        own = words if source == target else None
        return csls_matches(self._model.words, queries, candidates, top, *pools, r, own)

    def bar(
        self, source: int, target: int, chance: float = 0.05, min_count: int = 5, role_map: bool | None = None
    ) -> Bar:
        """Return the margins by which a counterpart must be nearer than its rivals; see `counterparts`."""
        roles = self.takes_role_map(source, target, role_map)

        def make() -> NDArray[np.float64]:
            pool, moved = self.pool(source, min_count), self._projected_pool(source, target, min_count, roles)
            return excess_of_removed(pool, moved.unit, self.matrix(target, min_count))

        return calibrate(self.cache.get(("removed", source, target, min_count, roles), make), chance)

    def needed(
        self,
        word: int,
        candidates: NDArray[np.int64],
        source: int,
        target: int,
        bar: Bar,
        min_count: int,
        role_map: bool | None,
    ) -> list[float]:
        """Return the similarity that each candidate of the target needs to be the counterpart of a word."""
        roles, number = self.takes_role_map(source, target, role_map), np.array([word])
        pool, there_pool = self.pool(source, min_count), self._projected_pool(source, target, min_count, roles)
        own = own_similarity(number, unit_rows(self.rows(number, source)), pool)
        query = self.project(number, self.rows(number, source), source, target, roles)[0].astype(np.float64)
        there = self.matrix(target, min_count)
        unit = there.unit[np.searchsorted(there.word, candidates)]
        # The word itself may be too rare for the pool.
        back = np.maximum(nearest(unit, there_pool.unit, 1).cosine.max(axis=1, initial=-1), unit @ query)
        return list(map(float, (own + back) / 2 + bar.margin(int(self.counts(source)[word]))))

    def _shared_words(self, source: int, target: int, min_count: int) -> SharedWords:
        """Return the words that occur often enough in both conditions, with both vectors."""
        counts = np.minimum(self.counts(source), self.counts(target))
        words = np.flatnonzero(counts >= min_count)
        return SharedWords(words, self.rows(words, source), self.rows(words, target))

    def pool(self, condition: int, min_count: int) -> ConditionMatrix:
        """Return the reference words of a condition for CSLS."""
        matrix = self.matrix(condition, min_count)
        if len(matrix.word) <= POOL_WORDS:
            return matrix
        return self.cache.get(("pool", condition, min_count), lambda: reference_pool(matrix))

    def _projected_pool(self, source: int, target: int, min_count: int, roles: bool) -> ConditionMatrix:
        """Return the reference words of the source in the space of the target; a query mapping moves all by one map."""
        pool, mapping = self.pool(source, min_count), self._mapping
        if source == target or (mapping is None and not roles):
            return pool

        def make() -> ConditionMatrix:
            if mapping is None:
                return replace(pool, unit=move_together(pool.unit, self.role_map(source, target)))
            shared = self._shared_words(source, target, mapping.min_count)
            return replace(pool, unit=mapping.project_together(pool.unit, shared))

        return self.cache.get(("projected pool", source, target, min_count, roles), make)
