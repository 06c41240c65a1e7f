"""What both transformers share: the embeddings, given as an object or as a file, and how scikit-learn sees them."""

from __future__ import annotations

import os
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from chronotope.embeddings import ConditionedEmbeddings, load
from chronotope.errors import InputError

MISSING = ("error", "zero")


class EmbeddingTransformer(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """A transformer that looks vectors up; its subclasses say of what."""

    embeddings: Any

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[np.object_]:  # noqa: ARG002
        """The names of the columns: dimension0, dimension1, …"""
        check_is_fitted(self)
        return np.array([f"dimension{at}" for at in range(self.embeddings_.dimensions)], dtype=object)

    def _open(self) -> ConditionedEmbeddings:
        if isinstance(self.embeddings, str | PathLike):
            return load(os.fspath(self.embeddings))
        if not isinstance(self.embeddings, ConditionedEmbeddings):
            raise InputError(f"embeddings must be a model or its file, not {type(self.embeddings).__name__}")
        return self.embeddings

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        tags.input_tags.string = True
        tags.no_validation = True
        return tags
