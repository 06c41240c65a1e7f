"""`static`: the same vector in every condition, which is what a method that knows of no conditions can do."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from chronotope.config import StaticSettings
from chronotope.cooccurrence import Counts, count
from chronotope.embeddings import ConditionedEmbeddings
from chronotope.methods.sweeps import OnStep, OnSweep
from chronotope.methods.word2vec import training as word2vec


@dataclass(frozen=True)
class StaticWord2Vec(StaticSettings):
    """word2vec (CBOW; Mikolov et al. 2013) of all the text together: no word changes.

    The fields are those of `chronotope.config.StaticSettings`. Vectors are not centered, as in the original.

    Examples
    --------
    >>> StaticWord2Vec().algorithm
    'cbow'
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

        The parameters are those of `GraphModel.fit`; there is one model, hence one thread, it is not resumed but
        trained anew, and it has no edges between places.
        """
        if not isinstance(counts, Counts):
            counts = count(counts)
        settings = replace(self, epochs=self.epochs or word2vec.epochs_for(float(counts.tokens.sum())))
        provenance = word2vec.provenance("static", settings, counts, place_edges)
        everything = range(len(counts.conditions))
        vectors = word2vec.train(counts, settings, [everything], threads, on_step)[0]
        support = counts.vocabulary.support
        return ConditionedEmbeddings(
            counts.vocabulary.words,
            counts.conditions,
            support,
            vectors[support.word],
            common=vectors,
            center=np.zeros((len(counts.conditions), self.dimensions)),
            provenance=provenance,
        )
