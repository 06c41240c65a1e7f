"""Vectors for resampled documents, with contexts that stay as they are.

Given the contexts the rows of `graph` are the solution of linear equations: one product of mutual information with the
contexts for each condition that was resampled (those of the others are kept), and one small system for each word.
"""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from chronotope.analysis.significance.contexts import label_free_contexts
from chronotope.analysis.significance.measures import Words
from chronotope.analysis.significance.recounting import Recount, recount
from chronotope.cooccurrence import Counts, PairMatrix
from chronotope.cooccurrence.association import context_totals, joined, rows_of
from chronotope.cooccurrence.counting import CellArrays, distance_weights
from chronotope.cooccurrence.weighting import scale_of_conditions
from chronotope.embeddings import ConditionedEmbeddings
from chronotope.embeddings.nearest import Floats, unit_rows
from chronotope.errors import InputError, SettingsError
from chronotope.model import GraphModel
from chronotope.model.graph import solver
from chronotope.model.graph.links import make_problem
from chronotope.vocabulary import Support

NO_CELLS = PairMatrix(np.zeros(1, np.int64), np.empty(0, np.int32), np.empty(0, np.float32), 0)


class Part(NamedTuple):
    """What one condition brings to the equations.

    Attributes
    ----------
    word, count
        (P,) the words that occur, ascending, and how often.
    product
        (P, D) their mutual information times the contexts.
    """

    word: NDArray[np.int32]
    count: NDArray[np.int64]  # type: ignore[assignment]  # hides tuple.count, which nobody needs here
    product: Floats


class Refit:
    """The vectors of one resample, as `measures.Rows`."""

    def __init__(self, support: Support, rows: Floats, counted: Mapping[int, Words]) -> None:
        self._support, self._rows, self._counted = support, rows, counted

    def at(self, condition: int) -> tuple[Words, Floats]:
        """The words that count in a condition and occur in the resample, and their centered unit vectors."""
        stretch = slice(self._support.start[condition], self._support.start[condition + 1])
        words, place, _ = np.intersect1d(
            self._support.word[stretch], self._counted[condition], assume_unique=True, return_indices=True
        )
        rows = self._rows[stretch]
        center = rows.mean(axis=0, dtype=np.float64).astype(np.float32)
        return words.astype(np.int64), unit_rows(rows[place] - center)

    def carried(self, words: Words, condition: int, to: int) -> Floats:  # noqa: ARG002
        """The vectors themselves: all conditions are in one space."""
        own, unit = self.at(condition)
        return unit[np.searchsorted(own, words)]


class FrozenModel:
    """A model of method `graph` or `shared-context` whose rows can be solved anew.

    Parameters
    ----------
    embeddings
        The model.
    counts
        The run that it was trained on.
    counted
        For each condition that is compared, the words that count there.
    threads
        How many cores to use; the result does not depend on it.
    """

    def __init__(
        self, embeddings: ConditionedEmbeddings, counts: Counts, counted: Mapping[int, Words], threads: int = 1
    ) -> None:
        made = embeddings.provenance
        if not len(embeddings.contexts):
            raise SettingsError(
                f"permutations and bootstrap need a model with common contexts (graph or shared-context), and this is "
                f"{made.get('method', 'of unknown method')}; the plain columns need neither"
            )
        if made.get("run") != counts.checksum:
            raise InputError(f"the model was trained on another run than {counts.folder}; train it again")
        self._counts, self._counted = counts, counted
        self._settings = GraphModel(**made["settings"])
        self._edges = made.get("place_edges")
        self._contexts = label_free_contexts(counts, list(counted), self._settings, self._edges, threads)
        self._weights = distance_weights(counts.settings)
        self.words = len(counts.vocabulary)
        self._pooled = self._pooled_contexts() if self._settings.marginals == "pooled" else None
        conditions = range(len(counts.conditions))
        with ThreadPoolExecutor(threads) as pool:
            self._kept = dict(zip(conditions, pool.map(self._observed, conditions), strict=True))

    def observed(self) -> Refit:
        """The vectors of the run itself, by the same arithmetic as those of the resamples."""
        return self._solved({})

    def refit(self, documents: Mapping[int, NDArray[np.int64]]) -> Refit:
        """The vectors with other documents in some conditions."""
        store = self._counts.store
        parts = {}
        for condition, numbers in documents.items():
            found = recount(store, numbers, self.words, self._weights)
            parts[condition] = self._part(found)
        return self._solved(parts)

    def _observed(self, condition: int) -> Part:
        support = self._counts.vocabulary.support
        cells = self._counts.cells(condition)
        return self._part(Recount(cells, support.words_in(condition), support.counts_in(condition)))

    def _part(self, found: Recount) -> Part:
        association = self._settings.association
        rows = rows_of(found.cells, self.words, association, self._pooled)
        matrix = joined([rows._replace(length=rows.length[found.word])], self.words, association)
        product = np.empty((len(found.word), self._contexts.shape[1]), dtype=np.float32)
        solver.multiply((0, len(product)), matrix, self._contexts, product)
        return Part(found.word, found.count, product)

    def _solved(self, resampled: Mapping[int, Part]) -> Refit:
        parts = [resampled.get(condition, part) for condition, part in self._kept.items()]
        start = np.concatenate([[0], np.cumsum([len(part.word) for part in parts])]).astype(np.int64)
        support = Support(start, np.concatenate([p.word for p in parts]), np.concatenate([p.count for p in parts]))
        settings = self._settings
        problem = make_problem(
            NO_CELLS,
            support,
            self.words,
            self._counts.conditions,
            smoothness=settings.smoothness,
            deviation_penalty=settings.deviation_penalty or 0.0,
            half_trust=settings.half_trust,
            place_edges=self._edges,
        )
        product = np.concatenate([part.product for part in parts])
        rows = product if problem.chains_only else np.zeros_like(product)
        solver.solve_words((0, self.words), problem, product, rows)
        return Refit(support, rows, self._counted)

    def _pooled_contexts(self) -> NDArray[np.float64]:
        """How often each context occurs in the run: exchanging documents does not change it but for its scaling."""
        scale, sides = scale_of_conditions(self._counts), self._settings.association.sides

        def totals(cells: CellArrays) -> NDArray[np.float64]:
            return context_totals(cells, self.words, sides)

        parts = [scale[number] * totals(self._counts.cells(number)) for number in range(len(scale))]
        return np.asarray(np.sum(parts, axis=0))
