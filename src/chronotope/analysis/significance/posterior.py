"""Posterior intervals of cosines, for models that keep the variances of their vectors (`bayesian`)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from chronotope.config import BayesianSettings, from_dict
from chronotope.embeddings import ConditionedEmbeddings
from chronotope.errors import DamagedFileError
from chronotope.methods.bayesian import prior_precision
from chronotope.runtime.blas import one_blas_thread

Numbers = NDArray[np.float64]

DRAWS = 400
SWEEPS, TOLERANCE = 30, 1e-3
ENDS = 0.025, 0.975


class Posterior:
    """Draws from the posterior of single words, and intervals of their cosines."""

    note = (
        "Interval: 95 % of the posterior, extended to the similarity of the mean vectors. "
        "The posterior is mean field, which underestimates variances."
    )

    def __init__(self, model: ConditionedEmbeddings, seed: int = 1) -> None:
        assert model.variances is not None
        self._model, self._variances, self._seed = model, model.variances, seed
        graph = model.conditions.graph(model.provenance.get("place_edges"))
        settings = from_dict(BayesianSettings, model.provenance["settings"])
        self._prior: Numbers = np.asarray(np.linalg.inv(prior_precision(graph, settings)), dtype=np.float64)

    def drawn(self, word: int, conditions: NDArray[np.int64]) -> Numbers:
        """(draws, N, D) centered vectors of a word in some of the conditions where it occurs, drawn together."""
        observed = self._model.observed
        pairs = np.flatnonzero(observed.word == word)
        known = observed.condition[pairs]
        variance: Numbers = self._variances[pairs].astype(np.float64)
        if not (variance > 0).all() or not np.isfinite(variance).all():
            raise DamagedFileError(f"the variances of '{self._model.words[word]}' are damaged")
        asked = np.searchsorted(known, conditions)
        normal = np.random.Generator(np.random.PCG64([self._seed, word])).standard_normal
        with one_blas_thread():
            if len(asked) == 1:
                covariance = variance[asked].T[:, :, None]
            else:
                covariance = covariances(self._prior[np.ix_(known, known)], variance)[:, asked][:, :, asked]
            root = np.linalg.cholesky(covariance + 1e-9 * np.eye(len(asked)))
            noise = np.einsum("dij,mdj->mid", root, normal((DRAWS, len(root), len(asked))), optimize=True)
        return np.asarray(self._model.vectors[pairs[asked]] - self._model.center[conditions] + noise)

    @staticmethod
    def interval(first: Numbers, second: Numbers, value: Numbers) -> tuple[Numbers, Numbers]:
        """Return the ends of the intervals, (N,) each, of the cosines of (draws, N, D) vectors; NaN where one is NaN.

        Noise makes cosines small: `value`, the cosine of the mean vectors, may be larger than those of all draws.
        """
        lengths = np.sqrt(np.square(first).sum(axis=2) * np.square(second).sum(axis=2))
        low, high = np.quantile((first * second).sum(axis=2) / lengths, ENDS, axis=0)
        return np.minimum(low, value), np.maximum(high, value)


def covariances(prior: Numbers, variance: Numbers) -> Numbers:
    """(D, C, C) the posterior covariances over conditions, from those of the prior and the (C, D) variances.

    The likelihood adds only to the diagonal of the precision, so exactly one covariance has these variances. Each step
    adds the precision that makes one variance right.
    """
    found = np.repeat(prior[None], variance.shape[1], axis=0)
    for _ in range(SWEEPS):
        for at, wanted in enumerate(variance):
            column = found[:, :, at].copy()
            scale = (1 - wanted / column[:, at]) / column[:, at]
            found -= scale[:, None, None] * column[:, :, None] * column[:, None, :]
        if np.allclose(np.diagonal(found, axis1=1, axis2=2), variance.T, rtol=TOLERANCE):
            break
    return found
