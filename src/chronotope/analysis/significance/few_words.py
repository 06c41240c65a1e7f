"""The vectors of a few words in resampled documents, all else held as it is: thousands of draws in seconds.

Of all that a resample changes, a word's own company and how often its contexts occur overall matter to its vector; the
contexts of the model and the center of a condition rest on the vectors of all words, and hardly move. So only the rows
of the words in question are counted and solved again.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from chronotope.analysis.significance.refitting import NO_CELLS, check_refittable
from chronotope.analysis.significance.resampled_rows import Text
from chronotope.analysis.significance.resampling import Progress
from chronotope.analysis.significance.shuffling import BOOTSTRAP, take_part
from chronotope.config import from_dict
from chronotope.cooccurrence import Counts
from chronotope.cooccurrence.counting import distance_weights
from chronotope.cooccurrence.vocabulary import Support
from chronotope.cooccurrence.weighting import scale_of_conditions
from chronotope.embeddings import ConditionedEmbeddings
from chronotope.errors import SettingsError
from chronotope.methods import GraphModel
from chronotope.methods.graph.equations import Equations
from chronotope.methods.graph.links import make_problem
from chronotope.runtime.resources import cores, in_order

DOCUMENTS_AT_ONCE = 500

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
        self._settings = from_dict(GraphModel, embeddings.provenance["settings"])
        self._documents = take_part(counts, range(len(counts.conditions)), None)
        self._scale = scale_of_conditions(counts) if self._settings.marginals == "pooled" else None
        self._read([embeddings.index(word) for word in words])

    @property
    def documents(self) -> NDArray[np.int64]:
        """(K, C) in how many documents each word occurs."""
        return np.array(
            [np.bincount(self._documents.condition[held > 0], minlength=self._conditions) for held in self._hits.T]
        )

    def observed(self) -> Vectors:
        """(K, C, D) the centered vectors of the run itself; NaN where a word is absent."""
        return self._solved(np.ones(len(self._documents.number)))

    def drawn(
        self, many: int, seed: int, *, threads: int | None = None, progress: Progress | None = None
    ) -> NDArray[np.float32]:
        """(many, K, C, D) the centered vectors with the documents of each condition drawn again; NaN where absent."""
        vectors = np.empty((many, self._size, self._conditions, self._embeddings.dimensions), dtype=np.float32)
        threads = threads or cores()
        with ThreadPoolExecutor(threads) as pool:
            draws = in_order(pool, lambda turn: self._one(seed, turn), range(many), ahead=threads)
            for done, drawn in enumerate(draws):
                vectors[done] = drawn
                if progress:
                    progress("bootstrap", done + 1, many)
        return vectors

    @property
    def _conditions(self) -> int:
        return len(self._counts.conditions)

    def _read(self, words: Sequence[int]) -> None:
        """Note, document by document, what stands beside the words, and how often every context occurs."""
        counts, number, condition = self._counts, self._documents.number, self._documents.condition
        vocabulary, directional = len(counts.vocabulary), self._settings.association.directional_contexts
        weights, step = distance_weights(counts.settings, counts.unit), 1 + directional
        contexts = vocabulary * step
        asked = np.full(vocabulary + 1, -1, dtype=np.int64)
        asked[list(words)] = np.arange(len(words))
        hits, texts, entries = [], [], []
        for first in range(0, len(number), DOCUMENTS_AT_ONCE):
            here = number[first : first + DOCUMENTS_AT_ONCE]
            text = Text.of(counts.store, here, vocabulary, len(weights) - 1)
            context, often = text.context_weights(weights, directional)
            document = np.tile(text.document[text.at], step)
            often = often.astype(np.float32)
            texts.append(sparse.csr_array((often, (document, context)), shape=(len(here), contexts)))
            at = text.at[asked[text.token[text.at]] >= 0]
            word, document = asked[text.token[at]], text.document[at]
            hits.append(np.bincount(document * len(words) + word, minlength=len(here) * len(words)))
            row = word * self._conditions + condition[first + document]
            for distance in range(1, len(weights)):
                for neighbor, side in ((text.token[at + distance], 0), (text.token[at - distance], step - 1)):
                    known = neighbor < vocabulary
                    place = row[known] * contexts + neighbor[known] * step + side
                    weight = np.full(len(place), weights[distance])
                    entries.append(np.stack([place, first + document[known], weight]))
        self._hits = np.concatenate(hits).reshape(len(number), len(words))
        self._texts = sparse.csr_array(sparse.vstack(texts, format="csr"))
        places, document, weight = np.concatenate(entries, axis=1)
        place, which = np.unique(places, return_inverse=True)
        # What stands beside the words: a sum over documents for each row (word, condition) and context.
        self._row, self._context = np.divmod(place, contexts)
        self._company = sparse.csr_array(
            (weight.astype(np.float64), (which, document)), shape=(len(place), len(number))
        )

    def _one(self, seed: int, turn: int) -> Vectors:
        chosen = np.isin(self._documents.number, self._documents.resample(BOOTSTRAP, seed, turn).document)
        return self._solved(chosen.astype(np.float64), weight=len(chosen) / np.count_nonzero(chosen))

    def _solved(self, times: NDArray[np.float64], weight: float = 1.0) -> Vectors:
        """Return the vectors if each document occurs `times` times; the counts of rows are multiplied by `weight`."""
        shape = (self._size, self._conditions)
        total = np.zeros(shape, dtype=np.int64)
        np.add.at(total.T, self._documents.condition, (times[:, None] * self._hits).astype(np.int64))
        product = self._product(times).reshape(*shape, -1)
        condition, word = np.nonzero(total.T)
        start = np.searchsorted(condition, np.arange(self._conditions + 1)).astype(np.int64)
        support = Support(start, word.astype(np.int32), np.rint(weight * total[word, condition]).astype(np.int64))
        problem = make_problem(
            self._settings,
            NO_CELLS,
            support,
            self._size,
            self._counts.conditions,
            self._embeddings.provenance.get("place_edges"),
        )
        rows = product[word, condition].astype(np.float32)
        Equations(problem, 0, self._size).solve(rows, rows)
        vectors = np.full(product.shape, np.nan)
        vectors[word, condition] = rows - self._embeddings.center[condition]
        return vectors

    def _product(self, times: NDArray[np.float64]) -> NDArray[np.float64]:
        """(K · C, D) M B: the mutual information of the words' contexts times the contexts of the model."""
        rows, pmi_power = self._size * self._conditions, self._settings.pmi_power
        sums = np.asarray(self._company @ times)
        totals = np.bincount(self._row, sums, rows)
        with np.errstate(divide="ignore", invalid="ignore"):
            log_share = self._log_shares(times)[self._row % self._conditions, self._context]
            information = np.log(sums) - np.log(totals[self._row]) - log_share
            value = np.where((sums > 0) & (information > 0), information, 0) ** pmi_power
        matrix = sparse.csr_array(
            (value.astype(np.float32), self._context, np.searchsorted(self._row, np.arange(rows + 1))),
            shape=(rows, self._texts.shape[1]),
        )
        return np.asarray(matrix @ self._embeddings.contexts)

    def _log_shares(self, times: NDArray[np.float64]) -> NDArray[np.float64]:
        """(C, contexts) the logarithm of how often each context occurs, as the mutual information takes it."""
        place = np.arange(len(times))
        adding = sparse.csr_array((times, (self._documents.condition, place)), shape=(self._conditions, len(times)))
        totals = (adding @ self._texts).toarray()
        if self._scale is not None:
            totals = np.broadcast_to((self._scale[:, None] * totals).sum(axis=0), totals.shape)
        share = totals**self._settings.context_power
        return np.asarray(np.log(share / np.maximum(share.sum(axis=1, keepdims=True), 1)))
