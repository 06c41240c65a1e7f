"""The vectors of a few words in resampled documents, all else held as it is: thousands of draws in seconds.

Of all that a resample changes, a word's own company and how often its contexts occur overall matter to its vector; the
contexts of the model and the center of a condition rest on the vectors of all words, and hardly move. So only the rows
of the words in question are counted and solved again.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from chronotope.analysis.significance.company_counts import CompanyCounts, company_counts
from chronotope.analysis.significance.refitting import NO_CELLS, check_refittable
from chronotope.analysis.significance.resampling import Progress
from chronotope.analysis.significance.shuffling import BOOTSTRAP, take_part
from chronotope.cooccurrence import Counts
from chronotope.cooccurrence.vocabulary import Support
from chronotope.cooccurrence.weighting import scale_of_conditions
from chronotope.embeddings import ConditionedEmbeddings
from chronotope.errors import SettingsError
from chronotope.methods import GraphModel
from chronotope.methods.graph import solver
from chronotope.methods.graph.links import make_problem
from chronotope.runtime.kernels import kernel
from chronotope.runtime.resources import cores

Vectors = NDArray[np.float64]


class FewWords:
    """Some words of a model whose vectors can be solved anew for any documents.

    Parameters
    ----------
    embeddings
        A model of method graph or shared-context.
    counts
        The run that it was trained on; None is an error that says so.
    words
        The words.
    """

    def __init__(self, embeddings: ConditionedEmbeddings, counts: Counts | None, words: Sequence[str]) -> None:
        if counts is None:
            raise SettingsError("a bootstrap counts the documents again: give the run (counts=)")
        check_refittable(embeddings, counts, range(len(embeddings.conditions)))
        self._embeddings, self._counts, self._size = embeddings, counts, len(words)
        self._settings = GraphModel(**embeddings.provenance["settings"])
        self._documents = take_part(counts, range(len(counts.conditions)), None)
        numbers = [embeddings.index(word) for word in words]
        association = self._settings.association
        self._company = company_counts(
            counts, numbers, self._documents.number, self._documents.condition, association.sides
        )
        self._scale = scale_of_conditions(counts) if self._settings.marginals == "pooled" else None

    @property
    def documents(self) -> NDArray[np.int64]:
        """(K, C) in how many documents each word occurs."""
        return np.array(
            [np.bincount(self._documents.condition[held > 0], minlength=self._conditions) for held in self._hits.T]
        )

    def observed(self) -> Vectors:
        """(K, C, D) the centered vectors of the run itself; NaN where a word is absent."""
        return self._solved(np.ones(len(self._documents.number), dtype=np.int64))

    def drawn(
        self, many: int, seed: int, *, threads: int | None = None, progress: Progress | None = None
    ) -> NDArray[np.float32]:
        """(many, K, C, D) the centered vectors with the documents of each condition drawn again; NaN where absent."""
        vectors = np.empty((many, self._size, self._conditions, self._embeddings.dimensions), dtype=np.float32)
        threads = threads or cores()
        ahead, waiting, turns = 2 * threads, deque[Future[Vectors]](), iter(range(many))
        with ThreadPoolExecutor(threads) as pool:
            for done in range(many):
                for turn in islice(turns, ahead - len(waiting)):
                    waiting.append(pool.submit(self._one, seed, turn))
                vectors[done] = waiting.popleft().result()
                if progress:
                    progress("bootstrap", done + 1, many)
        return vectors

    @property
    def _conditions(self) -> int:
        return len(self._counts.conditions)

    @property
    def _hits(self) -> NDArray[np.int32]:
        return self._company.hits

    def _one(self, seed: int, turn: int) -> Vectors:
        chosen = np.isin(self._documents.number, self._documents.resample(BOOTSTRAP, seed, turn).document)
        return self._solved(chosen.astype(np.int64), trust=len(chosen) / np.count_nonzero(chosen))

    def _solved(self, times: NDArray[np.int64], trust: float = 1.0) -> Vectors:
        """The vectors where each document stands so many times; an occurrence is trusted as `trust` of them."""
        settings, shape = self._settings, (self._size, self._conditions)
        total = np.zeros(shape, dtype=np.int64)
        np.add.at(total.T, self._documents.condition, times[:, None] * self._hits)
        product = np.zeros((self._size * self._conditions, self._embeddings.dimensions), dtype=np.float32)
        log_share, emphasis = self._log_shares(times), settings.association.emphasis
        _multiply(self._company, times, log_share, emphasis, self._embeddings.contexts, product)
        condition, word = np.nonzero(total.T)
        start = np.searchsorted(condition, np.arange(self._conditions + 1)).astype(np.int64)
        support = Support(start, word.astype(np.int32), np.rint(trust * total[word, condition]).astype(np.int64))
        problem = make_problem(
            NO_CELLS,
            support,
            self._size,
            self._counts.conditions,
            smoothness=settings.smoothness or 0.0,
            deviation_penalty=settings.deviation_penalty or 0.0,
            half_trust=settings.half_trust,
            place_edges=self._embeddings.provenance.get("place_edges"),
        )
        given = product.reshape(*shape, -1)[word, condition]
        rows = given if problem.chains_only else np.zeros_like(given)
        solver.solve_words((0, self._size), problem, given, rows)
        vectors = np.full((*shape, rows.shape[1]), np.nan)
        vectors[word, condition] = rows - self._embeddings.center[condition]
        return vectors

    def _log_shares(self, times: NDArray[np.int64]) -> NDArray[np.float64]:
        """(C, contexts) the logarithm of how often each context occurs, as the mutual information takes it."""
        totals = np.zeros((self._conditions, self._company.contexts))
        _add_texts(self._company, times, self._documents.condition, totals)
        if self._scale is not None:
            totals = np.broadcast_to((self._scale[:, None] * totals).sum(axis=0), totals.shape)
        share = totals**self._settings.association.context_power
        share /= np.maximum(share.sum(axis=1, keepdims=True), 1)
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(share))


@kernel()
def _add_texts(company: CompanyCounts, times, condition, totals):  # type: ignore[no-untyped-def]
    """Add up how often each context occurs in each condition."""
    for document in range(len(times)):
        here, many = totals[condition[document]], times[document]
        if many == 0:
            continue
        for at in range(company.text_start[document], company.text_start[document + 1]):
            here[company.text_context[at]] += many * company.text_weight[at]


@kernel()
def _multiply(company: CompanyCounts, times, log_share, emphasis, contexts, product):  # type: ignore[no-untyped-def]
    """product = M B for the rows of the words: mutual information of each context times the context."""
    sums = np.zeros(len(company.row))
    totals = np.zeros(len(product))
    for at in range(len(sums)):
        for entry in range(company.start[at], company.start[at + 1]):
            sums[at] += times[company.document[entry]] * company.weight[entry]
        totals[company.row[at]] += sums[at]
    for at in range(len(sums)):
        row, context = company.row[at], company.context[at]
        if sums[at] == 0:
            continue
        information = np.log(sums[at]) - np.log(totals[row]) - log_share[row % len(log_share), context]
        if information > 0:
            value = np.float32(information if emphasis == 1 else information**emphasis)
            for k in range(product.shape[1]):
                product[row, k] += value * contexts[context, k]
