"""`dynamic`: from counts to conditioned embeddings by factorizing all conditions together."""

from __future__ import annotations

from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from chronotope import config
from chronotope.config import DynamicSettings
from chronotope.cooccurrence import Counts, count
from chronotope.embeddings import ConditionedEmbeddings
from chronotope.errors import SettingsError
from chronotope.io.provenance import versions
from chronotope.methods.dynamic.solver import constant, make_problem, start_vectors, sweep
from chronotope.methods.sweeps import OnStep, OnSweep, Sweep
from chronotope.runtime.blas import one_blas_thread
from chronotope.runtime.resources import cores


@dataclass(frozen=True)
class DynamicFactorization(DynamicSettings):
    """Positive mutual information factorized in all conditions at once, neighbors held together (Yao et al. 2018).

    The fields are those of `chronotope.config.DynamicSettings`; λ = 10, τ = 50, γ = 100, 50 dimensions and five
    sweeps are those of the original. All conditions start from the same vectors, those of the mean matrix, as they
    do there. For places every two conditions are neighbors, as in Gong et al. (2020). Vectors are not centered.

    It keeps two vectors for each word in each condition, absent or not: memory grows with words × conditions.

    Examples
    --------
    >>> DynamicFactorization(epochs=10).smoothness
    50.0
    """

    def fit(
        self,
        counts: Counts | Any,
        *,
        threads: int | None = None,
        place_edges: Iterable[tuple[str, str]] | None = None,
        checkpoint: str | Path | None = None,  # noqa: ARG002
        resume: bool = False,  # noqa: ARG002
        on_step: OnStep | None = None,
        on_epoch: OnSweep | None = None,
    ) -> ConditionedEmbeddings:
        """Train, and return the embeddings.

        The parameters are those of `GraphModel.fit`; training is not resumed but begun anew.
        """
        if not isinstance(counts, Counts):
            counts = count(counts)
        if self.dimensions > len(counts.vocabulary):
            raise SettingsError(
                f"{self.dimensions} dimensions are more than the {len(counts.vocabulary)} words; ask for fewer"
            )
        edges = None if place_edges is None else list(place_edges)
        problem = make_problem(
            counts,
            size_penalty=self.size_penalty,
            smoothness=self.smoothness,
            agreement=self.agreement,
            place_edges=edges,
        )
        whole = constant(problem)
        history: list[dict[str, float]] = []
        with ThreadPoolExecutor(threads or cores()) as pool, one_blas_thread():
            start = start_vectors(problem, self.dimensions, self.seed, pool)
            words = np.repeat(start[None], len(counts.conditions), axis=0)
            contexts = words.copy()
            for number in range(1, self.epochs + 1):
                loss = whole + sweep(words, contexts, problem, pool)
                done = Sweep(number, self.epochs, loss / whole if whole else 0.0)
                history.append({"loss": done.loss})
                if on_step:
                    on_step(number, self.epochs)
                if on_epoch:
                    on_epoch(done)
        support = counts.vocabulary.support
        return ConditionedEmbeddings(
            counts.vocabulary.words,
            counts.conditions,
            support,
            words[support.condition, support.word],
            center=np.zeros((len(counts.conditions), self.dimensions)),
            provenance={
                "method": "dynamic",
                "settings": config.to_dict(self),
                "seed": self.seed,
                "run": counts.checksum,
                "min_count": counts.vocabulary.min_count,
                "window": counts.settings.window,
                "place_edges": edges,
                "device": "cpu",
                "versions": versions(),
                "training": history,
            },
        )
