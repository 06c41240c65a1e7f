"""The training methods by name: what `train --method` and `reproduce` choose from.

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


class Method(Protocol):
    """Settings, and what they are for."""

    def fit(self, counts: Counts, **options: Any) -> ConditionedEmbeddings:
        """Train on counts, and return the embeddings."""
        ...


# name: where its class is, and what it is.
METHODS: dict[str, tuple[str, str]] = {
    "graph": ("chronotope.model:GraphModel", "our own model: mutual information smoothed along the graph"),
    "cw2v": ("chronotope.model:ConditionedModel", "the paper's model: word ⊙ condition + deviation"),
    "static": ("chronotope.baselines:StaticWord2Vec", "word2vec of all the text: the same vector everywhere"),
    "linear": ("chronotope.baselines:LinearWord2Vec", "word2vec in each condition, a linear map for each query"),
    "aligned": ("chronotope.baselines:AlignedWord2Vec", "word2vec in each condition, turned by Procrustes"),
    "compass": ("chronotope.baselines:CompassWord2Vec", "word2vec in each condition against frozen common contexts"),
    "dynamic": ("chronotope.baselines:DynamicFactorization", "mutual information factorized jointly (Yao et al.)"),
    "shared-context": ("chronotope.model:GraphModel", "graph without smoothing: mutual information, common contexts"),
    "covariate": ("chronotope.model:ConditionedModel", "cw2v without deviations: word ⊙ condition"),
    "additive": ("chronotope.model:ConditionedModel", "cw2v without condition vectors: word + deviation"),
}


def method_class(name: str) -> type[Any]:
    """The class of a method.

    Examples
    --------
    >>> method_class("graph").__name__
    'GraphModel'
    """
    one_of("method", name, tuple(METHODS))
    module, attribute = METHODS[name][0].split(":")
    found: type[Any] = getattr(import_module(module), attribute)
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
