"""Vectors for resampled documents, with fixed contexts.

Given the contexts, the rows of `graph` solve linear equations: a product of mutual information with the contexts for
each condition, and a small system for each word. Only the compared conditions are resampled. The others are eliminated
from the equations once, so that a resample solves for a few rows of each word.

The contexts of a model are fitted to its conditions, noise included: with them the observed labels would look a little
more different than random ones. So they are fitted again, to a random division of the documents.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from chronotope.analysis.measures import Rows, Words
from chronotope.analysis.params import trained_on
from chronotope.analysis.significance.resample import Resample, Text, resampled_rows
from chronotope.config import from_dict
from chronotope.cooccurrence import CellArrays, Counts, PairMatrix
from chronotope.cooccurrence.association import pmi_matrix, pooled_contexts
from chronotope.cooccurrence.cells import sum_of
from chronotope.cooccurrence.cells_file import CellsFile
from chronotope.cooccurrence.counting import count_cells, distance_weights
from chronotope.cooccurrence.vocabulary import Support
from chronotope.embeddings import ConditionedEmbeddings
from chronotope.embeddings.nearest import Floats, unit_rows
from chronotope.errors import SettingsError, some_of
from chronotope.methods.graph.equations import Equations
from chronotope.methods.graph.links import make_problem
from chronotope.methods.graph.model import GraphModel
from chronotope.methods.graph.objective import GraphProblem
from chronotope.methods.graph.products import multiply
from chronotope.runtime.resources import even_blocks

NO_CELLS = PairMatrix(np.zeros(1, np.int64), np.empty(0, np.int32), np.empty(0, np.float32), 0)
FEW_CONDITIONS = 8  # compared; with more, eliminating the others saves little
PAIRS_AT_ONCE = 10_000
TOKENS_AT_ONCE = 2_000_000  # their cells take about half a gigabyte


def refittable_run(model: ConditionedEmbeddings, compared: Iterable[int]) -> Counts:
    """Return the run; raise SettingsError without common contexts, or if the run lacks a condition (after `extend`)."""
    if not len(model.contexts):
        needed = "permutations and bootstrap need a model with common contexts (graph or shared-context)"
        method = model.provenance.get("method", "of unknown method")
        raise SettingsError(f"{needed}, and this is {method}; ask without them")
    counts = trained_on(model)
    known, labels = dict(enumerate(counts.conditions.labels)), model.conditions.labels
    if added := [labels[number] for number in compared if known.get(number) != labels[number]]:
        raise SettingsError(
            f"the run has no text of {some_of(added)}, which came with `extend`: ask without permutations and "
            "bootstrap, compare others, or prepare and train with all the text"
        )
    return counts


class DividedCells(CellsFile):
    """The cells of a file, with others for some conditions."""

    def __init__(self, file: CellsFile, cells: Mapping[int, CellArrays]) -> None:
        sizes = [len(cells[number].word) if number in cells else size for number, size in enumerate(file.sizes)]
        super().__init__(file.path, sizes, file.words)
        self._file, self._cells = file, cells

    def read(self, condition: int) -> CellArrays:
        """Return the cells of a condition."""
        return self._cells[condition] if condition in self._cells else self._file.read(condition)

    def parts(self, condition: int) -> Iterator[CellArrays]:
        """Yield the cells of a condition, all at once."""
        yield self.read(condition)


def divide(counts: Counts, conditions: Sequence[int], division: Resample) -> Counts:
    """Return the counts with the documents of some conditions distributed among them as in `division`."""
    store, support, words = counts.store, counts.vocabulary.support, len(counts.vocabulary)
    weights, cells = distance_weights(counts.settings, counts.unit), {}
    found = [(support.words_in(number), support.counts_in(number)) for number in range(len(counts.conditions))]
    for place, condition in enumerate(conditions):
        documents, parts = division.document[division.condition == place], []
        total, size = np.zeros(words, dtype=np.int64), store.starts[documents + 1] - store.starts[documents]
        for here in np.split(documents, np.flatnonzero(np.diff(np.cumsum(size) // TOKENS_AT_ONCE)) + 1):
            text = Text.of(store, here, words, 0)
            ends = np.cumsum(np.bincount(text.document, minlength=len(here)))
            parts.append(count_cells(text.token[text.at], ends, words, weights))
            total += np.bincount(text.token[text.at], minlength=words)
        cells[condition] = sum_of(parts)
        found[condition] = np.flatnonzero(total).astype(np.int32), total[total > 0]
    start = np.cumsum([0, *(len(word) for word, _ in found)])
    support = Support(start, *(np.concatenate(column) for column in zip(*found, strict=True)))
    pairs, tokens = counts.pairs.copy(), counts.tokens.copy()
    for condition, part in cells.items():
        pairs[condition], tokens[condition] = part.total(), found[condition][1].sum()
    vocabulary = replace(counts.vocabulary, support=support)
    files = DividedCells(counts._cells, cells)
    return replace(counts, vocabulary=vocabulary, pairs=pairs, tokens=tokens, _cells=files, _held_out=None)


def refit_rows(vectors: Mapping[int, tuple[Words, Floats]], tested: Mapping[int, Words]) -> Rows:
    """Return the centered unit vectors of the tested words that occur in each compared condition of a resample."""
    found = {}
    for condition, (word, rows) in vectors.items():
        center = rows.mean(axis=0, dtype=np.float64).astype(np.float32)
        own, place, _ = np.intersect1d(word, tested[condition], assume_unique=True, return_indices=True)
        found[condition] = own.astype(np.int64), unit_rows(rows[place] - center)

    def project(words: Words, condition: int, _: int) -> Floats:
        own, unit = found[condition]
        return unit[np.searchsorted(own, words)]  # all conditions are in one space

    return Rows(found.__getitem__, project)


class Part(NamedTuple):
    """The part of a condition in the equations: word ids (ascending), counts, and M B (rows times contexts)."""

    word: NDArray[np.int32]
    count: NDArray[np.int64]  # type: ignore[assignment]  # hides tuple.count, which nobody needs here
    product: Floats


class FrozenModel:
    """A model of method `graph` or `shared-context` whose rows can be solved again for any documents.

    `tested` are the words to measure in each compared condition, ascending, and `documents` the number of documents in
    these conditions. The contexts are fitted to `division`, or are those of the model. With at most `few_conditions`
    compared conditions, all others are eliminated once: faster, and equal up to rounding.
    """

    def __init__(
        self,
        model: ConditionedEmbeddings,
        counts: Counts,
        tested: Mapping[int, Words],
        documents: int,
        division: Resample | None = None,
        threads: int = 1,
        few_conditions: int = FEW_CONDITIONS,
    ) -> None:
        self._counts, self._tested, self._documents = counts, tested, documents
        self._settings = from_dict(GraphModel, model.provenance["settings"])
        self._edges = model.provenance.get("place_edges")
        self._contexts = np.ascontiguousarray(model.contexts)
        if division is not None:
            divided = divide(counts, list(tested), division)
            fitted = self._settings.fit(divided, threads=threads, device="cpu", place_edges=self._edges)
            self._contexts = fitted.contexts
        self._weights = distance_weights(counts.settings, counts.unit)
        self.words = len(counts.vocabulary)
        directional, pooled = self._settings.directional_contexts, self._settings.marginals == "pooled"
        # Permuting documents changes only the scaling of these counts.
        self._pooled = pooled_contexts(counts, directional) if pooled else None
        others = [number for number in range(len(counts.conditions)) if number not in tested]
        with ThreadPoolExecutor(threads) as pool:
            self._others = dict(zip(others, pool.map(self._unchanged, others), strict=True))
        self._reduced = self._eliminate() if len(tested) <= few_conditions else None

    def refit(self, resample: Resample) -> Rows:
        """Return the vectors with these documents in the compared conditions.

        Fewer documents get the weight of all, so that neighbors influence a draw no more than they influence the run.
        """
        association, weight = self._settings.association, self._documents / len(resample.document)
        rows = resampled_rows(
            self._counts.store, resample, len(self._tested), self.words, self._weights, association, self._pooled
        )
        product = self._product(rows.matrix)
        parts = {}
        for place, condition in enumerate(self._tested):
            own = np.flatnonzero(rows.condition == place)
            parts[condition] = Part(rows.word[own], np.rint(weight * rows.count[own]).astype(np.int64), product[own])
        vectors = self._solve(parts) if self._reduced is None else self._reduced.solve(list(parts.values()))
        return refit_rows(dict(zip(parts, vectors, strict=True)), self._tested)

    def _product(self, matrix: PairMatrix) -> Floats:
        product = np.empty((len(matrix.start) - 1, self._contexts.shape[1]), dtype=np.float32)
        multiply(matrix, self._contexts, product)
        return product

    def _unchanged(self, condition: int) -> Part:
        """Return a condition that is not compared, from the counts of the run."""
        support = self._counts.vocabulary.support
        word = support.words_in(condition)
        matrix = pmi_matrix(self._counts.cells(condition), self.words, self._settings.association, self._pooled)
        start = np.append(0, np.cumsum(np.diff(matrix.indptr)[word]))
        product = self._product(PairMatrix(start, matrix.indices, matrix.data, len(self._contexts)))
        return Part(word, support.counts_in(condition), product)

    def _problem(self, parts: Mapping[int, Part]) -> tuple[Support, GraphProblem]:
        """Return the equations of all conditions, with `parts` for the compared ones."""
        ordered = [part for _, part in sorted({**self._others, **parts}.items())]
        start = np.cumsum([0, *(len(part.word) for part in ordered)])
        support = Support(start, *(np.concatenate([part[column] for part in ordered]) for column in (0, 1)))
        conditions = self._counts.conditions
        return support, make_problem(self._settings, NO_CELLS, support, self.words, conditions, self._edges)

    def _solve(self, parts: Mapping[int, Part]) -> list[tuple[Words, Floats]]:
        """Solve the equations of all conditions; return words and vectors of the compared ones."""
        support, problem = self._problem(parts)
        rows = np.concatenate([part.product for _, part in sorted({**self._others, **parts}.items())])
        for first, last in _word_blocks(problem):
            Equations(problem, first, last).solve(rows, rows)
        stretches = [slice(support.start[at], support.start[at + 1]) for at in parts]
        return [(support.word[own].astype(np.int64), rows[own]) for own in stretches]

    def _eliminate(self) -> Reduced:
        """Give every word a row in each compared condition, and eliminate the others."""
        everything, size = np.arange(self.words, dtype=np.int32), self._contexts.shape[1]
        nothing = Part(everything, np.ones(self.words, np.int64), np.empty((self.words, size), np.float32))
        support, problem = self._problem(dict.fromkeys(self._tested, nothing))
        place = np.full(len(self._counts.conditions), -1)
        place[list(self._tested)] = np.arange(len(self._tested))
        product = np.empty((len(support.word), size), dtype=np.float32)
        while self._others:  # frees their memory
            condition, part = self._others.popitem()
            product[support.start[condition] : support.start[condition + 1]] = part.product
        return Reduced(problem, product, place[support.condition], len(self._tested), self._settings.shrinkage)


class Reduced:
    """The equations of all words for a few free conditions, the fixed ones eliminated (Schur complements).

    A word that is absent from a free condition has a row there without weight: along a chain it changes nothing. (P, D)
    `product` is M B of the fixed rows; (P,) `place` the number of a row's free condition, −1 for fixed rows.
    """

    def __init__(
        self, problem: GraphProblem, product: Floats, place: NDArray[np.int64], free: int, shrinkage: float
    ) -> None:
        order, words, size = problem.order, problem.words, product.shape[1]
        self._penalty, self._shrinkage = problem.deviation_penalty, shrinkage
        place = place[order]
        word = np.repeat(np.arange(words), np.diff(problem.word_start))
        link_word = np.repeat(np.arange(words), np.diff(problem.link_start))
        tau = problem.link_weight.astype(np.float64)
        ends = np.stack([problem.link_a, problem.link_b]) + problem.word_start[link_word]
        fixed = place < 0
        weight, pairs = problem.weight[order[fixed]], order[fixed]
        number = np.cumsum(fixed) - 1  # of each fixed row
        inner = fixed[ends].all(axis=0)
        # The Laplacian among free rows, and the links of fixed rows to free ones.
        laplacian = np.zeros((words, free, free))
        border = np.zeros((int(fixed.sum()), free), dtype=np.float32)
        pull = np.zeros(len(border))
        for a, b in (ends, ends[::-1]):
            to_free = ~fixed[a]
            np.add.at(laplacian, (link_word[to_free], place[a][to_free], place[a][to_free]), tau[to_free])
            both = to_free & ~fixed[b]
            np.add.at(laplacian, (link_word[both], place[a][both], place[b][both]), -tau[both])
            across = fixed[a] & ~fixed[b]
            np.add.at(border, (number[a[across]], place[b][across]), -tau[across])
            np.add.at(pull, number[a[across]], tau[across])
        start = np.searchsorted(word[fixed], np.arange(words + 1))
        remaining = problem._replace(
            weight=(weight + pull).astype(np.float32),
            order=np.arange(len(border)),
            word_start=start,
            link_start=np.searchsorted(link_word[inner], np.arange(words + 1)),
            link_a=(number[ends[0][inner]] - start[link_word[inner]]).astype(np.int32),
            link_b=(number[ends[1][inner]] - start[link_word[inner]]).astype(np.int32),
            link_weight=problem.link_weight[inner],
        )
        self._size = np.diff(start)
        self._system = laplacian
        self._border = np.zeros((words, free))  # 1ᵀ T⁻¹ border
        self._inner = np.zeros(words)  # 1ᵀ T⁻¹ 1
        self._total = np.zeros((words, size), dtype=np.float32)  # 1ᵀ T⁻¹ right
        self._right = np.zeros((words, free, size), dtype=np.float32)  # borderᵀ T⁻¹ right
        for first, last in _word_blocks(remaining):
            own, at = slice(start[first], start[last]), slice(first, last)
            if own.start == own.stop:
                continue
            block = Equations(remaining, first, last)
            edge, right = border[own], weight[own, None] * product[pairs[own]]
            found = block.invert(np.hstack([right, edge, np.ones((len(edge), 1), np.float32)]))
            solved, coupled, ones = found[:, :size], found[:, size:-1], found[:, -1]
            self._total[at], self._border[at], self._inner[at] = (
                block.adding @ part for part in (solved, coupled, ones)
            )
            for number_free in range(free):
                touching = edge[:, number_free, None]
                self._right[at, number_free] = block.adding @ (touching * solved)
                self._system[at, number_free] -= block.adding @ (touching * coupled)

    def solve(self, parts: list[Part]) -> list[tuple[Words, Floats]]:
        """Return the words of each part and their vectors."""
        shape = self._right.shape
        present, weight, right = np.zeros(shape[:2]), np.zeros(shape[:2]), -self._right
        for place, part in enumerate(parts):
            share = part.count / (part.count + self._shrinkage)
            present[part.word, place], weight[part.word, place] = 1, share
            right[part.word, place] += share[:, None].astype(np.float32) * part.product
        system, diagonal = self._system.copy(), np.arange(shape[1])
        # A small number keeps the system regular where an absent row has no links.
        system[:, diagonal, diagonal] += weight + self._penalty * present + 1e-9 * (1 - present)
        inverse = np.linalg.inv(system)
        rows = inverse.astype(np.float32) @ right
        members = present - self._border
        ones = np.einsum("wij,wj->wi", inverse, members)
        total = self._total + np.einsum("wi,wid->wd", members.astype(np.float32), rows)
        norm = self._inner + (members * ones).sum(axis=1)
        share = self._penalty / np.maximum(self._size + present.sum(axis=1), 1)
        scale = share / (1 - share * norm)
        rows += (scale[:, None] * ones).astype(np.float32)[:, :, None] * total[:, None, :]
        return [(part.word.astype(np.int64), rows[part.word, place]) for place, part in enumerate(parts)]


def _word_blocks(problem: GraphProblem) -> list[tuple[int, int]]:
    """Return blocks of words whose rows fit the cache."""
    size = int(problem.word_start[-1])
    return even_blocks(problem.word_start, min(max(1, size // PAIRS_AT_ONCE), max(1, problem.words)))
