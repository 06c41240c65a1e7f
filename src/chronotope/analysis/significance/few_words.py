"""Bootstrap draws for a few words, and cosines corrected for noise: thousands of draws in seconds.

Only the rows of these words are counted and solved again. The contexts of the model and the centers of the conditions
are kept: they depend on all words and hardly move.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from chronotope.analysis.params import Progress
from chronotope.analysis.significance.refit import NO_CELLS, refittable_run
from chronotope.analysis.significance.resample import BOOTSTRAP, DOCUMENTS_AT_ONCE, Documents, Text
from chronotope.config import from_dict
from chronotope.cooccurrence.association import scale_of_conditions
from chronotope.cooccurrence.counting import distance_weights
from chronotope.cooccurrence.vocabulary import Support
from chronotope.embeddings import ConditionedEmbeddings
from chronotope.methods.graph.equations import Equations
from chronotope.methods.graph.links import make_problem
from chronotope.methods.graph.model import GraphModel
from chronotope.methods.graph.objective import GraphProblem
from chronotope.runtime.blas import one_blas_thread
from chronotope.runtime.resources import cores, in_order

Numbers = NDArray[np.float64]
Drawn = NDArray[np.floating]

COVERAGE = 0.95
FEWEST_DOCUMENTS = 5  # draws of fewer do not show the sampling error
MOST_NOISE = 0.9  # share of a squared length; above it, the direction is unknown
SCATTERS = 200  # draws


class FewWords:
    """Some words of a model of method graph or shared-context, whose vectors can be solved again for any documents."""

    def __init__(self, model: ConditionedEmbeddings, words: Sequence[str]) -> None:
        counts = refittable_run(model, range(len(model.conditions)))
        self._model, self._counts, self._shape = model, counts, (len(words), len(counts.conditions))
        self._settings = from_dict(GraphModel, model.provenance["settings"])
        self._documents = Documents.of(counts, range(len(counts.conditions)))
        self._scale = scale_of_conditions(counts) if self._settings.marginals == "pooled" else None
        self.words = [model.index(word) for word in words]
        self._read()

    @property
    def documents(self) -> NDArray[np.int64]:
        """(K, C) the number of documents that contain each word."""
        condition = self._documents.condition
        return np.array([np.bincount(condition[hits > 0], minlength=self._shape[1]) for hits in self._hits.T])

    def observed(self) -> Numbers:
        """(K, C, D) the centered vectors of the run itself; NaN where a word is absent."""
        return self._solve(np.ones(len(self._documents.number)))

    def drawn(
        self, many: int, seed: int, *, threads: int | None = None, progress: Progress = None
    ) -> NDArray[np.float32]:
        """(many, K, C, D) the centered vectors for draws of the documents of each condition; NaN where absent."""
        vectors = np.empty((many, *self._shape, self._model.dimensions), dtype=np.float32)
        threads = threads or cores()

        def draw(turn: int) -> Numbers:
            chosen = np.isin(self._documents.number, self._documents.resample(BOOTSTRAP, seed, turn).document)
            return self._solve(chosen.astype(np.float64), weight=len(chosen) / np.count_nonzero(chosen))

        with ThreadPoolExecutor(threads) as pool:
            for done, found in enumerate(in_order(pool, draw, range(many), ahead=threads)):
                vectors[done] = found
                if progress:
                    progress("bootstrap", done + 1, many)
        return vectors

    def scattered(self, seed: int) -> NDArray[np.float32]:
        """(SCATTERS, K, C, D) the centered vectors for draws of the words' mutual information around the model.

        Given the contexts, the vectors are linear in the mutual information, so no document is drawn. Each cell varies
        independently by its residual; variation that cells of one document share is not included.
        """
        times, contexts = np.ones(len(self._documents.number)), self._model.contexts
        support, problem = self._problem(times)
        information, vectors = self._information(times), self._solve(times)
        drawn = np.full((SCATTERS, *vectors.shape), np.nan, dtype=np.float32)
        noise = np.empty((len(support.word), SCATTERS * contexts.shape[1]), dtype=np.float32)
        with one_blas_thread():
            for pair, (word, condition) in enumerate(zip(support.word, support.condition, strict=True)):
                row = word * self._shape[1] + condition
                cells = slice(*information.indptr[row : row + 2])
                own = contexts[information.indices[cells]]
                residual = information.data[cells] - own @ (vectors[word, condition] + self._model.center[condition])
                random = np.random.Generator(np.random.PCG64([seed, self.words[word], condition]))
                normal = random.standard_normal((SCATTERS, len(own)), dtype=np.float32)
                noise[pair] = ((normal * residual) @ own).ravel()
        Equations(problem, 0, self._shape[0]).solve(noise, noise)
        moved = noise.reshape(len(noise), SCATTERS, -1).swapaxes(0, 1)
        drawn[:, support.word, support.condition] = vectors[support.word, support.condition] + moved
        return drawn

    def _read(self) -> None:
        """Read, document by document, the neighbors of the words, and the counts of all contexts."""
        counts, words, number, condition = self._counts, self.words, self._documents.number, self._documents.condition
        vocabulary, directional = len(counts.vocabulary), self._settings.association.directional_contexts
        weights, step = distance_weights(counts.settings, counts.unit), 1 + directional
        contexts = vocabulary * step
        asked = np.full(vocabulary + 1, -1, dtype=np.int64)
        asked[words] = np.arange(len(words))
        hits, texts, entries = [], [], []
        for first in range(0, len(number), DOCUMENTS_AT_ONCE):
            here = number[first : first + DOCUMENTS_AT_ONCE]
            text = Text.of(counts.store, here, vocabulary, len(weights) - 1)
            context, often = text.context_weights(weights, directional)
            document = np.tile(text.document[text.at], step)
            texts.append(sparse.csr_array((often.astype(np.float32), (document, context)), shape=(len(here), contexts)))
            at = text.at[asked[text.token[text.at]] >= 0]
            word, document = asked[text.token[at]], text.document[at]
            hits.append(np.bincount(document * len(words) + word, minlength=len(here) * len(words)))
            row = word * len(counts.conditions) + condition[first + document]
            for distance in range(1, len(weights)):
                for neighbor, side in ((text.token[at + distance], 0), (text.token[at - distance], step - 1)):
                    known = neighbor < vocabulary
                    cell = row[known] * contexts + neighbor[known] * step + side
                    entries.append(np.stack([cell, first + document[known], np.full(len(cell), weights[distance])]))
        self._hits = np.concatenate(hits).reshape(len(number), len(words))
        self._texts = sparse.csr_array(sparse.vstack(texts, format="csr"))
        cells, document, weight = np.concatenate(entries, axis=1)
        cell, which = np.unique(cells, return_inverse=True)
        # (cells, documents): the neighbors of each row (word, condition), by context.
        self._row, self._context = np.divmod(cell, contexts)
        self._near = sparse.csr_array((weight.astype(np.float64), (which, document)), shape=(len(cell), len(number)))

    def _solve(self, times: Numbers, weight: float = 1.0) -> Numbers:
        """Return the vectors if each document occurs `times` times; the counts of rows are multiplied by `weight`."""
        support, problem = self._problem(times, weight)
        product = np.asarray(self._information(times) @ self._model.contexts).reshape(*self._shape, -1)
        rows = product[support.word, support.condition]
        Equations(problem, 0, self._shape[0]).solve(rows, rows)
        vectors = np.full(product.shape, np.nan)
        vectors[support.word, support.condition] = rows - self._model.center[support.condition]
        return vectors

    def _problem(self, times: Numbers, weight: float = 1.0) -> tuple[Support, GraphProblem]:
        """Return where the words occur, and the equations of their vectors."""
        total = np.zeros(self._shape, dtype=np.int64)
        np.add.at(total.T, self._documents.condition, (times[:, None] * self._hits).astype(np.int64))
        condition, word = np.nonzero(total.T)
        start = np.searchsorted(condition, np.arange(self._shape[1] + 1)).astype(np.int64)
        support = Support(start, word.astype(np.int32), np.rint(weight * total[word, condition]).astype(np.int64))
        edges = self._model.provenance.get("place_edges")
        return support, make_problem(self._settings, NO_CELLS, support, self._shape[0], self._counts.conditions, edges)

    def _information(self, times: Numbers) -> sparse.csr_array[np.float32]:
        """(K · C, contexts) M: the mutual information of the words with their contexts."""
        rows = self._shape[0] * self._shape[1]
        sums = np.asarray(self._near @ times)
        totals = np.bincount(self._row, sums, rows)
        with np.errstate(divide="ignore", invalid="ignore"):
            log_share = self._log_shares(times)[self._row % self._shape[1], self._context]
            information = np.log(sums) - np.log(totals[self._row]) - log_share
            value = np.where((sums > 0) & (information > 0), information, 0) ** self._settings.pmi_power
        start = np.searchsorted(self._row, np.arange(rows + 1))
        shape = rows, self._texts.shape[1]
        return sparse.csr_array((value.astype(np.float32), self._context, start), shape=shape)

    def _log_shares(self, times: Numbers) -> Numbers:
        """(C, contexts) the logarithm of each context's share, for the mutual information."""
        place = np.arange(len(times))
        adding = sparse.csr_array((times, (self._documents.condition, place)), shape=(self._shape[1], len(times)))
        totals = (adding @ self._texts).toarray()
        if self._scale is not None:
            totals = np.broadcast_to((self._scale[:, None] * totals).sum(axis=0), totals.shape)
        share = totals**self._settings.context_power
        return np.asarray(np.log(share / np.maximum(share.sum(axis=1, keepdims=True), 1)))


class Noiseless(NamedTuple):
    """Cosines corrected for noise, with the ends of their 95 % intervals, (N,) each; NaN where unknown.

    Noise lengthens vectors, so cosines are smaller than with unlimited text. Draws of documents measure the noise,
    which is subtracted from the squared lengths, and from the product if both vectors share text: the correction for
    attenuation of Spearman (1904), for directions. The interval has the spread of the drawn cosines, with the same
    correction; Student's t accounts for few documents.
    """

    value: Numbers
    low: Numbers
    high: Numbers

    @classmethod
    def cosines(
        cls, first: Numbers, second: Numbers, drawn_first: Drawn, drawn_second: Drawn, documents: NDArray[np.int64]
    ) -> Noiseless:
        """Return the row-wise cosines of two (N, D) arrays.

        The drawn vectors are (draws, N, D), NaN where a draw has none; (N,) `documents` of the rarer of the two.

        >>> x, y = np.array([[2.0, 0.0]]), np.array([[2.0, 1.0]])
        >>> noise = np.array([[[0.5, 0.5]], [[-0.5, -0.5]], [[0.5, -0.5]], [[-0.5, 0.5]]])
        >>> found = Noiseless.cosines(x, y, x + noise, y + noise[[1, 2, 0, 3]], np.array([30]))
        >>> round(float((x * y).sum() / np.sqrt((x**2).sum() * (y**2).sum())), 3), found.value.round(3).tolist()
        (0.894, [1.0])
        """
        with np.errstate(invalid="ignore", divide="ignore"):
            squares = np.square(first).sum(axis=1), np.square(second).sum(axis=1)
            kept = [1 - _covariance(drawn_first, drawn_first) / squares[0]]
            kept.append(1 - _covariance(drawn_second, drawn_second) / squares[1])
            reliable = (np.minimum(*kept) >= 1 - MOST_NOISE) & (documents >= FEWEST_DOCUMENTS)
            scale = np.sqrt(np.where(reliable, kept[0] * kept[1], np.nan))
            product = (first * second).sum(axis=1) - _covariance(drawn_first, drawn_second)
            value = product / (np.sqrt(squares[0] * squares[1]) * scale)
            drawn = _cosines(drawn_first, drawn_second)[:, :, None]
            reach = student(documents) * np.sqrt(_covariance(drawn, drawn)) / scale
        return cls(*(np.clip(part, -1, 1) for part in (value, value - reach, value + reach)))


def _cosines(first: Drawn, second: Drawn) -> Numbers:
    product = np.multiply(first, second, dtype=np.float64).sum(axis=2)
    lengths = (np.square(part, dtype=np.float64).sum(axis=2) for part in (first, second))
    return np.asarray(product / np.sqrt(np.multiply(*lengths)))


def _covariance(first: Drawn, second: Drawn) -> Numbers:
    """(N,) the covariance of drawn vectors, summed over dimensions, over the draws that have both."""
    known = np.isfinite(first[:, :, 0]) & np.isfinite(second[:, :, 0])
    many = known.sum(axis=0)
    one, other = (np.where(known[:, :, None], part, 0).astype(np.float64) for part in (first, second))
    product = (one * other).sum(axis=(0, 2)) - (one.sum(axis=0) * other.sum(axis=0)).sum(axis=1) / many
    return np.asarray(product / (many - 1))


def student(documents: NDArray[np.int64]) -> Numbers:
    """(N,) half the width of a 95 % interval in standard deviations; NaN where documents are too few.

    >>> student(np.array([4, 5, 30, 1000])).round(2).tolist()
    [nan, 2.78, 2.05, 1.96]
    """
    from scipy.special import stdtrit

    reach = stdtrit(np.maximum(documents, 2) - 1.0, (1 + COVERAGE) / 2)
    return np.where(documents >= FEWEST_DOCUMENTS, reach, np.nan)
