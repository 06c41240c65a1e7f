"""`static`, `aligned` and `linear`: word2vec by gensim, of all the text or in each condition."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from chronotope.config import AlignedSettings, LinearSettings, StaticSettings
from chronotope.cooccurrence import Counts
from chronotope.embeddings import ConditionedEmbeddings, LocalLinearMap
from chronotope.methods.base import FitOptions, Method, uncentered
from chronotope.methods.word2vec.procrustes import align, anchor_words, linear_map, listed_anchors, rotation
from chronotope.methods.word2vec.training import epochs_for, gensim_version, train


@dataclass(frozen=True, repr=False)
class StaticWord2Vec(Method, StaticSettings):
    """word2vec (CBOW; Mikolov et al. 2013) of all the text together: no word changes.

    The fields are those of `chronotope.config.StaticSettings`. Vectors are not centered, as in the original. There is
    one model, hence one thread.
    """

    _name = "static"

    def _fit(self, counts: Counts, options: FitOptions) -> ConditionedEmbeddings:
        settings = replace(self, epochs=self.epochs or epochs_for(float(counts.tokens.sum())))
        provenance = settings.provenance(counts, options, packages=gensim_version())
        vectors = train(counts, settings, [range(len(counts.conditions))], options)[0]
        return uncentered(counts, vectors[counts.vocabulary.support.word], provenance, common=vectors)


@dataclass(frozen=True, repr=False)
class AlignedWord2Vec(Method, AlignedSettings):
    """word2vec in each condition, aligned by orthogonal Procrustes (Hamilton et al. 2016).

    The original uses skip-gram. The default here is CBOW, as in the comparison of Gong et al. (2020): conditions are
    often small, and with little text CBOW aligns better. Each time bin is rotated to the previous one, each place to
    the place with the most text; see `methods.word2vec.procrustes`. With `anchors`, rotations are fitted only to some
    words, like the maps of Zhang et al. (2016); their refinement by reference points is the retrieval 'references'. The
    fields are those of `chronotope.config.AlignedSettings`. Vectors are not centered, as in the original; an absent
    word gets its mean over the other conditions.
    """

    _name = "aligned"

    def _fit(self, counts: Counts, options: FitOptions) -> ConditionedEmbeddings:
        return _fit_aligned(self, counts, options, None, rotation)


@dataclass(frozen=True, repr=False)
class LinearWord2Vec(Method, LinearSettings):
    """word2vec in each condition; a query is mapped by a local linear map (Kulkarni et al. 2015).

    For each query, the map from one condition to another is fitted to the 1,000 nearest words that occur in both, as
    many as in the authors' program; see `chronotope.embeddings.LocalLinearMap`. The fields are those of
    `chronotope.config.LinearSettings`. Vectors are not centered.

    The vectors are stored rotated, like those of `aligned`, for absent words and for questions about all conditions.
    Rotations change neither the fit nor a cosine, so they affect no answer between two conditions.

    With `anchors`, each condition is stored mapped by one linear map, fitted to the anchors along the same chain as the
    rotations of `aligned` (Zhang et al. 2016), and queries are not mapped again.
    """

    _name = "linear"

    def _fit(self, counts: Counts, options: FitOptions) -> ConditionedEmbeddings:
        if self.anchors is None:
            local = LocalLinearMap(neighbors=self.neighbors, ridge=self.ridge)
            return _fit_aligned(self, counts, options, local, rotation)
        return _fit_aligned(self, counts, options, None, partial(linear_map, ridge=self.ridge))


def _fit_aligned(
    model: AlignedWord2Vec | LinearWord2Vec,
    counts: Counts,
    options: FitOptions,
    mapping: LocalLinearMap | None,
    fit: Callable[..., NDArray[np.float64]],
) -> ConditionedEmbeddings:
    """Train each condition separately, and map all into one space."""
    listed = listed_anchors(model.anchors, counts.vocabulary)  # a misspelled file is refused before the training
    settings = replace(model, epochs=model.epochs or epochs_for(float(counts.tokens.mean())))
    provenance = settings.provenance(counts, options, packages=gensim_version())
    support, conditions = counts.vocabulary.support, range(len(counts.conditions))
    trained = train(counts, settings, [[condition] for condition in conditions], options)
    vectors = np.concatenate([trained[condition][support.words_in(condition)] for condition in conditions])
    anchors = anchor_words(listed, counts, vectors, model.shrinkage)
    if anchors is not None:
        provenance["anchors"] = int(anchors.sum())
    words = len(counts.vocabulary)
    aligned = align(vectors, support, counts.conditions, words, model.shrinkage, anchors, fit=fit)
    return uncentered(counts, aligned, provenance, query_mapping=mapping)
