"""Vectors for resampled documents, with contexts that stay as they are.

Given the contexts, the rows of `graph` solve linear equations: a product of mutual information with the contexts for
each condition, and a small system for each word. Only the conditions that are compared are resampled. The others are
eliminated from the equations once, so that a resample solves for a few rows of each word.

The contexts of a model were fitted to its conditions as they are, noise included: with them the observed division of
the documents would look a little more different than any random one. So they are fitted anew, with the conditions that
are compared joined into one; then the observed division is one among all others.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chronotope.analysis.significance.measures import Words
from chronotope.analysis.significance.reduced import Part, Reduced, word_blocks
from chronotope.analysis.significance.resampled_rows import resampled_rows
from chronotope.analysis.significance.shuffling import Resample
from chronotope.conditions import Conditions
from chronotope.config import from_dict
from chronotope.cooccurrence import CellArrays, Counts, PairMatrix
from chronotope.cooccurrence.association import context_totals, rows_of
from chronotope.cooccurrence.cells import sum_of
from chronotope.cooccurrence.cells_file import CellsFile
from chronotope.cooccurrence.counting import distance_weights
from chronotope.cooccurrence.vocabulary import Support
from chronotope.cooccurrence.weighting import scale_of_conditions
from chronotope.embeddings import ConditionedEmbeddings
from chronotope.embeddings.nearest import Floats, unit_rows
from chronotope.errors import InputError, SettingsError, some_of
from chronotope.methods import GraphModel
from chronotope.methods.graph.equations import Equations
from chronotope.methods.graph.links import make_problem
from chronotope.methods.graph.objective import GraphProblem
from chronotope.methods.graph.products import multiply

NO_CELLS = PairMatrix(np.zeros(1, np.int64), np.empty(0, np.int32), np.empty(0, np.float32), 0)
# With more conditions to compare, eliminating the others saves little.
FEW_CONDITIONS = 8


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


class JoinedCells(CellsFile):
    """The cells of some conditions of a file, those that are joined as one."""

    def __init__(self, file: CellsFile, groups: Sequence[Sequence[int]]) -> None:
        super().__init__(file.path, [sum(file.sizes[number] for number in group) for group in groups], file.words)
        self._file, self._groups = file, groups

    def read(self, condition: int) -> CellArrays:
        """The cells of a condition, or the sum of those that are joined."""
        found = [self._file.read(number) for number in self._groups[condition]]
        if len(found) == 1:
            return found[0]
        # What is read may not be written to; the sums may, and the compiler wants both alike.
        return sum_of([CellArrays._make([column.copy() for column in cells]) for cells in found])

    def parts(self, condition: int) -> Iterator[CellArrays]:
        """The same, all at once."""
        yield self.read(condition)


def join_conditions(counts: Counts, together: Sequence[int]) -> Counts:
    """The counts with some conditions as one, which stands in the place of the first of them."""
    alone = [[number] for number in range(len(counts.conditions)) if number not in together]
    groups = sorted([sorted(together), *alone])
    words, support = len(counts.vocabulary), counts.vocabulary.support
    found, count = [], []
    for group in groups:
        total = np.zeros(words, dtype=np.int64)
        for number in group:
            total[support.words_in(number)] += support.counts_in(number)
        found.append(np.flatnonzero(total).astype(np.int32))
        count.append(total[found[-1]])
    start = np.concatenate([[0], np.cumsum([len(part) for part in found])]).astype(np.int64)
    given, first = counts.conditions, [group[0] for group in groups]
    return replace(
        counts,
        conditions=Conditions(
            given.times,
            given.places,
            tuple(given.time_of[number] for number in first) if given.times else (),
            tuple(given.place_of[number] for number in first) if given.places else (),
        ),
        vocabulary=replace(counts.vocabulary, support=Support(start, np.concatenate(found), np.concatenate(count))),
        pairs=np.array([counts.pairs[group].sum() for group in groups]),
        tokens=np.array([counts.tokens[group].sum() for group in groups]),
        _cells=JoinedCells(counts._cells, groups),
        _held_out=None,
    )


def label_free_contexts(
    counts: Counts, together: Sequence[int], settings: GraphModel, place_edges: Any, threads: int
) -> Floats:
    """(K, D) contexts fitted by the model's own settings with the conditions `together` as one."""
    joined = join_conditions(counts, together)
    return settings.fit(joined, threads=threads, device="cpu", place_edges=place_edges).contexts


class Refit:
    """The vectors of one resample, as `measures.Rows`.

    Parameters
    ----------
    found
        For each condition that is compared, the words that occur there, ascending, and their vectors.
    counted
        For each of these conditions the words that count.
    """

    def __init__(self, found: Mapping[int, tuple[Words, Floats]], counted: Mapping[int, Words]) -> None:
        self._at = {}
        for condition, (word, rows) in found.items():
            center = rows.mean(axis=0, dtype=np.float64).astype(np.float32)
            own, place, _ = np.intersect1d(word, counted[condition], assume_unique=True, return_indices=True)
            self._at[condition] = own.astype(np.int64), unit_rows(rows[place] - center)

    def at(self, condition: int) -> tuple[Words, Floats]:
        """The words that count in a condition and occur in the resample, and their centered unit vectors."""
        return self._at[condition]

    def project(self, words: Words, condition: int, to: int) -> Floats:  # noqa: ARG002
        """The vectors themselves: all conditions are in one space."""
        own, unit = self._at[condition]
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
        The number of documents in these conditions.
    threads
        Number of cores; the result does not depend on it.
    few_conditions
        Up to this number of compared conditions, eliminate all others once: faster, and equal up to rounding.
    """

    def __init__(
        self,
        embeddings: ConditionedEmbeddings,
        counts: Counts,
        counted: Mapping[int, Words],
        documents: int,
        threads: int = 1,
        few_conditions: int = FEW_CONDITIONS,
    ) -> None:
        made = embeddings.provenance
        self._counts, self._counted, self._documents = counts, counted, documents
        self._settings, self._edges = from_dict(GraphModel, made["settings"]), made.get("place_edges")
        self._contexts = label_free_contexts(counts, list(counted), self._settings, self._edges, threads)
        self._weights = distance_weights(counts.settings, counts.unit)
        self.words = len(counts.vocabulary)
        self._pooled = self._pooled_contexts() if self._settings.marginals == "pooled" else None
        others = [number for number in range(len(counts.conditions)) if number not in counted]
        with ThreadPoolExecutor(threads) as pool:
            self._others = dict(zip(others, pool.map(self._unchanged, others), strict=True))
        self._reduced = self._eliminate() if len(counted) <= few_conditions else None

    def refit(self, resample: Resample) -> Refit:
        """Return the vectors with these documents in the conditions that are compared.

        Fewer documents get the weight of all of them, so that the vectors of a draw lean on their neighbors no more
        than those of the run do.
        """
        association = self._settings.association
        rows = resampled_rows(
            self._counts.store, resample, len(self._counted), self.words, self._weights, association, self._pooled
        )
        product = np.empty((len(rows.word), self._contexts.shape[1]), dtype=np.float32)
        multiply(rows.matrix, self._contexts, product)
        parts, weight = {}, self._documents / len(resample.document)
        for place, condition in enumerate(self._counted):
            own = np.flatnonzero(rows.condition == place)
            parts[condition] = Part(rows.word[own], np.rint(weight * rows.count[own]).astype(np.int64), product[own])
        found = self._solve(parts) if self._reduced is None else self._reduced.solve(list(parts.values()))
        return Refit(dict(zip(parts, found, strict=True)), self._counted)

    def _unchanged(self, condition: int) -> Part:
        """A condition that is not compared, from the counts of the run."""
        association, support = self._settings.association, self._counts.vocabulary.support
        word = support.words_in(condition)
        rows = rows_of(self._counts.cells(condition), self.words, association, self._pooled)
        start = np.append(0, np.cumsum(rows.length[word]))
        matrix = PairMatrix(start, rows.context, rows.value, len(self._contexts))
        product = np.empty((len(word), self._contexts.shape[1]), dtype=np.float32)
        multiply(matrix, self._contexts, product)
        return Part(word, support.counts_in(condition), product)

    def _problem(self, parts: Mapping[int, Part]) -> tuple[Support, GraphProblem]:
        """The equations of all conditions, the parts in the place of those that are compared."""
        found = {**self._others, **parts}
        ordered = [found[condition] for condition in range(len(found))]
        start = np.cumsum([0, *(len(part.word) for part in ordered)])
        support = Support(start, *(np.concatenate([part[column] for part in ordered]) for column in (0, 1)))
        return support, make_problem(
            self._settings, NO_CELLS, support, self.words, self._counts.conditions, self._edges
        )

    def _solve(self, parts: Mapping[int, Part]) -> list[tuple[Words, Floats]]:
        """Solve the equations of all conditions; return words and vectors of those that are compared."""
        support, problem = self._problem(parts)
        rows = np.concatenate([{**self._others, **parts}[at].product for at in range(len(support.start) - 1)])
        for first, last in word_blocks(problem):
            Equations(problem, first, last).solve(rows, rows)
        stretches = {at: slice(support.start[at], support.start[at + 1]) for at in parts}
        return [(support.word[own].astype(np.int64), rows[own]) for own in stretches.values()]

    def _eliminate(self) -> Reduced:
        """Let every word have a row in each condition that is compared, and eliminate the others."""
        everything = np.arange(self.words, dtype=np.int32)
        size = self._contexts.shape[1]
        nothing = Part(everything, np.ones(self.words, np.int64), np.empty((self.words, size), np.float32))
        support, problem = self._problem(dict.fromkeys(self._counted, nothing))
        place = np.full(len(self._counts.conditions), -1)
        place[list(self._counted)] = np.arange(len(self._counted))
        product = np.empty((len(support.word), size), dtype=np.float32)
        while self._others:  # they are not needed any more, and large
            condition, part = self._others.popitem()
            product[support.start[condition] : support.start[condition + 1]] = part.product
        return Reduced(problem, product, place[support.condition], len(self._counted), self._settings.shrinkage)

    def _pooled_contexts(self) -> NDArray[np.float64]:
        """How often each context occurs in the run: exchanging documents does not change it but for its scaling."""
        scale, directional = scale_of_conditions(self._counts), self._settings.association.directional_contexts
        parts = [
            scale[number] * context_totals(self._counts.cells(number), self.words, directional)
            for number in range(len(scale))
        ]
        return np.asarray(np.sum(parts, axis=0))
