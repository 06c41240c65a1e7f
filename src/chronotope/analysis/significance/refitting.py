"""Vectors for resampled documents, with contexts that stay as they are.

Given the contexts the rows of `graph` are the solution of linear equations: one product of mutual information with the
contexts for each condition that was resampled (those of the others are kept), and one small system for each word.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from chronotope.analysis.significance.contexts import label_free_contexts
from chronotope.analysis.significance.measures import Words
from chronotope.analysis.significance.resampled_rows import resampled_rows
from chronotope.analysis.significance.shuffling import Resample
from chronotope.cooccurrence import Counts, PairMatrix
from chronotope.cooccurrence.association import context_totals, joined, rows_of
from chronotope.cooccurrence.cells import CellArrays
from chronotope.cooccurrence.counting import distance_weights
from chronotope.cooccurrence.vocabulary import Support
from chronotope.cooccurrence.weighting import scale_of_conditions
from chronotope.embeddings import ConditionedEmbeddings
from chronotope.embeddings.nearest import Floats, unit_rows
from chronotope.errors import InputError, SettingsError, some_of
from chronotope.methods import GraphModel
from chronotope.methods.graph import solver
from chronotope.methods.graph.links import make_problem

NO_CELLS = PairMatrix(np.zeros(1, np.int64), np.empty(0, np.int32), np.empty(0, np.float32), 0)


def check_refittable(embeddings: ConditionedEmbeddings, counts: Counts, compared: Iterable[int]) -> None:
    """Refuse a model without common contexts, a run that it was not trained on, and conditions that the run lacks.

    A model that was extended has conditions whose text is not in the run.
    """
    made = embeddings.provenance
    if not len(embeddings.contexts):
        raise SettingsError(
            f"permutations and bootstrap need a model with common contexts (graph or shared-context), and this is "
            f"{made.get('method', 'of unknown method')}; the plain columns need neither"
        )
    if made.get("run") != counts.checksum:
        raise InputError(f"the model was trained on another run than {counts.folder}; train it again")
    known = dict(enumerate(counts.conditions.labels))
    labels = embeddings.conditions.labels
    if added := [labels[number] for number in compared if known.get(number) != labels[number]]:
        raise SettingsError(
            f"the run has no text of {some_of(added)}, which came with `extend`: ask without permutations and "
            "bootstrap, compare others, or prepare and train with all the text"
        )


class Part(NamedTuple):
    """What one condition brings to the equations.

    Attributes
    ----------
    word, count
        (P,) the words that occur, ascending, and how often, as far as that decides how much they are trusted.
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
        For each condition that is compared, ascending, the words that count there.
    documents
        How many documents these conditions have.
    threads
        How many cores to use; the result does not depend on it.
    """

    def __init__(
        self,
        embeddings: ConditionedEmbeddings,
        counts: Counts,
        counted: Mapping[int, Words],
        documents: int,
        threads: int = 1,
    ) -> None:
        made = embeddings.provenance
        self._counts, self._counted, self._documents = counts, counted, documents
        self._settings = GraphModel(**made["settings"])
        self._edges = made.get("place_edges")
        self._contexts = label_free_contexts(counts, list(counted), self._settings, self._edges, threads)
        self._weights = distance_weights(counts.settings, counts.unit)
        self.words = len(counts.vocabulary)
        self._pooled = self._pooled_contexts() if self._settings.marginals == "pooled" else None
        self._compared = list(counted)
        others = [number for number in range(len(counts.conditions)) if number not in counted]
        with ThreadPoolExecutor(threads) as pool:
            self._kept = dict(zip(others, pool.map(self._as_it_is, others), strict=True))

    def refit(self, resample: Resample) -> Refit:
        """The vectors with these documents in the conditions that are compared.

        Fewer documents are trusted as much as all of them, so that the vectors of a draw lean on their neighbors no
        more than those of the run do.
        """
        rows = resampled_rows(
            self._counts.store,
            resample,
            len(self._compared),
            self.words,
            self._weights,
            self._settings.association,
            self._pooled,
        )
        product = np.empty((len(rows.word), self._contexts.shape[1]), dtype=np.float32)
        solver.multiply((0, len(product)), rows.matrix, self._contexts, product)
        parts, trust = {}, self._documents / len(resample.document)
        for place, condition in enumerate(self._compared):
            own = np.flatnonzero(rows.condition == place)
            parts[condition] = Part(rows.word[own], np.rint(trust * rows.count[own]).astype(np.int64), product[own])
        return self._solved(parts)

    def _as_it_is(self, condition: int) -> Part:
        """A condition that is not compared, from the counts of the run."""
        association, support = self._settings.association, self._counts.vocabulary.support
        word = support.words_in(condition)
        rows = rows_of(self._counts.cells(condition), self.words, association, self._pooled)
        matrix = joined([rows._replace(length=rows.length[word])], self.words, association)
        product = np.empty((len(word), self._contexts.shape[1]), dtype=np.float32)
        solver.multiply((0, len(product)), matrix, self._contexts, product)
        return Part(word, support.counts_in(condition), product)

    def _solved(self, resampled: Mapping[int, Part]) -> Refit:
        found = {**self._kept, **resampled}
        parts = [found[condition] for condition in range(len(found))]
        start = np.concatenate([[0], np.cumsum([len(part.word) for part in parts])]).astype(np.int64)
        support = Support(start, np.concatenate([p.word for p in parts]), np.concatenate([p.count for p in parts]))
        settings = self._settings
        problem = make_problem(
            NO_CELLS,
            support,
            self.words,
            self._counts.conditions,
            smoothness=settings.smoothness or 0.0,
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
