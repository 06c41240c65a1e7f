"""`linear`: word2vec in each condition, and for each query a linear map fitted to the words around it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from chronotope.config import LinearSettings
from chronotope.cooccurrence import Counts, count
from chronotope.embeddings import ConditionedEmbeddings, LocalLinearMap
from chronotope.methods.sweeps import OnStep, OnSweep
from chronotope.methods.word2vec import training as word2vec
from chronotope.methods.word2vec.procrustes import align


@dataclass(frozen=True)
class LinearWord2Vec(LinearSettings):
    """word2vec in each condition; a query is carried by a local linear map (Kulkarni et al. 2015).

    The map from one condition to another is fitted to the 1,000 words nearest to the query (the number in the
    authors' program) that occur in both; `chronotope.embeddings.LocalLinearMap` says how. It belongs to the query, so
    it is made anew for each. The fields are those of `chronotope.config.LinearSettings`. Vectors are not centered.

    The vectors are stored turned into one space as those of `aligned` are. No answer between two conditions depends
    on it, since a rotation of either changes neither the fit nor a cosine, but it gives a word that is absent from a
    condition something to stand in for it, and everything that looks at all conditions at once a space to look at.

    Examples
    --------
    >>> LinearWord2Vec().neighbors
    1000
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
        on_epoch: OnSweep | None = None,  # noqa: ARG002
    ) -> ConditionedEmbeddings:
        """Train, and return the embeddings.

        The parameters are those of `GraphModel.fit`; training is not resumed but begun anew, and there are no edges
        between places, since any two conditions are compared directly.
        """
        if not isinstance(counts, Counts):
            counts = count(counts)
        settings = replace(self, epochs=self.epochs or word2vec.epochs_for(float(counts.tokens.mean())))
        provenance = word2vec.provenance("linear", settings, counts, place_edges)
        vectors = word2vec.train_conditions(counts, settings, threads, on_step)
        return ConditionedEmbeddings(
            counts.vocabulary.words,
            counts.conditions,
            counts.vocabulary.support,
            align(vectors, counts, self.half_trust),
            center=np.zeros((len(counts.conditions), self.dimensions)),
            query_mapping=LocalLinearMap(neighbors=self.neighbors, ridge=self.ridge),
            provenance=provenance,
        )
