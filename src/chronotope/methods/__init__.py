"""The training methods by name: what `train --method` chooses from.

A method is a frozen dataclass that holds its settings and has `fit(counts, ...) -> ConditionedEmbeddings`. Each is
loaded only when it is asked for, so that a missing extra hurts nobody else. Some methods are special cases of our
models: the same class, with the settings that `chronotope.config` has under the method's name.
"""

from __future__ import annotations

from dataclasses import asdict
from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol

from chronotope.config import Config, one_of

if TYPE_CHECKING:
    from chronotope.cooccurrence import Counts
    from chronotope.embeddings import ConditionedEmbeddings
    from chronotope.methods.cw2v.model import ConditionedModel
    from chronotope.methods.dynamic.model import DynamicFactorization
    from chronotope.methods.extend import extend
    from chronotope.methods.graph.model import GraphModel
    from chronotope.methods.progress import Epoch
    from chronotope.methods.word2vec.aligned import AlignedWord2Vec
    from chronotope.methods.word2vec.compass import CompassWord2Vec
    from chronotope.methods.word2vec.linear import LinearWord2Vec
    from chronotope.methods.word2vec.static import StaticWord2Vec

# Loaded when first used, so that a missing extra hurts nobody else.
_HOME = {
    "ConditionedModel": "cw2v.model",
    "GraphModel": "graph.model",
    "StaticWord2Vec": "word2vec.static",
    "LinearWord2Vec": "word2vec.linear",
    "AlignedWord2Vec": "word2vec.aligned",
    "CompassWord2Vec": "word2vec.compass",
    "DynamicFactorization": "dynamic.model",
    "Epoch": "progress",
    "extend": "extend",
}

__all__ = [
    "METHODS",
    "AlignedWord2Vec",
    "CompassWord2Vec",
    "ConditionedModel",
    "DynamicFactorization",
    "Epoch",
    "GraphModel",
    "LinearWord2Vec",
    "Method",
    "StaticWord2Vec",
    "default_settings",
    "extend",
    "method_class",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'chronotope.methods' has no attribute '{name}'")
    found = getattr(import_module(f"chronotope.methods.{_HOME[name]}"), name)
    globals()[name] = found  # before a submodule of the same name
    return found


class Method(Protocol):
    """Settings, and what they are for."""

    def fit(self, counts: Counts, **options: Any) -> ConditionedEmbeddings:
        """Train on counts, and return the embeddings."""
        ...


# name: its class, and what it is.
METHODS: dict[str, tuple[str, str]] = {
    "graph": ("GraphModel", "our own model: mutual information smoothed along the graph"),
    "cw2v": ("ConditionedModel", "the paper's model: word ⊙ condition + deviation"),
    "static": ("StaticWord2Vec", "word2vec of all the text: the same vector everywhere"),
    "linear": ("LinearWord2Vec", "word2vec in each condition, a linear map for each query"),
    "aligned": ("AlignedWord2Vec", "word2vec in each condition, turned by Procrustes"),
    "compass": ("CompassWord2Vec", "word2vec in each condition against frozen common contexts"),
    "dynamic": ("DynamicFactorization", "mutual information factorized jointly (Yao et al.)"),
    "shared-context": ("GraphModel", "graph without smoothing: mutual information, common contexts"),
    "covariate": ("ConditionedModel", "cw2v without deviations: word ⊙ condition"),
    "additive": ("ConditionedModel", "cw2v without condition vectors: word + deviation"),
}


def method_class(name: str) -> type[Any]:
    """The class of a method.

    Examples
    --------
    >>> method_class("graph").__name__
    'GraphModel'
    """
    one_of("method", name, tuple(METHODS))
    found: type[Any] = getattr(import_module("chronotope.methods"), METHODS[name][0])
    return found


def default_settings(name: str) -> dict[str, Any]:
    """The settings that a method has unless told.

    Examples
    --------
    >>> default_settings("covariate")["deviations"]
    False
    """
    one_of("method", name, tuple(METHODS))
    return asdict(Config().of_method(name))
