"""The training methods by name: the choices of `train --method`.

Each class is imported on first use. Some methods are special cases of our models: the same class with other defaults,
which `chronotope.config` holds under the name of the method.
"""

from dataclasses import asdict
from importlib import import_module
from typing import Any

from chronotope.config import Config, one_of

# Name: class, description.
METHODS: dict[str, tuple[str, str]] = {
    "graph": ("graph.model.GraphModel", "our own model: mutual information smoothed along the graph"),
    "cw2v": ("cw2v.model.ConditionedModel", "the paper's model: word ⊙ condition + deviation"),
    "static": ("word2vec.models.StaticWord2Vec", "word2vec of all the text: the same vector everywhere"),
    "linear": ("word2vec.models.LinearWord2Vec", "word2vec in each condition, a linear map for each query"),
    "aligned": ("word2vec.models.AlignedWord2Vec", "word2vec in each condition, aligned by rotations (Procrustes)"),
    "compass": ("word2vec.compass.CompassWord2Vec", "word2vec in each condition against frozen common contexts"),
    "dynamic": ("dynamic.DynamicFactorization", "mutual information factorized jointly (Yao et al.)"),
    "bayesian": ("bayesian.BayesianModel", "skip-gram with a Gaussian prior along the graph (Bamler and Mandt)"),
    "continuous": ("continuous.ContinuousModel", "skip-gram with vectors as functions of time (Rosenfeld and Erk)"),
    "contextual": (
        "contextual.model.ContextualModel",
        "mean contextual vectors of an encoder (Hugging Face, ONNX, any callable)",
    ),
    "shared-context": ("graph.model.GraphModel", "graph without smoothing: mutual information, common contexts"),
    "covariate": ("cw2v.model.ConditionedModel", "cw2v without deviations: word ⊙ condition"),
    "additive": ("cw2v.model.ConditionedModel", "cw2v without condition vectors: word + deviation"),
}

_CLASSES = {
    path.rpartition(".")[2]: path for path in ("base.Epoch", "base.Method", *(path for path, _ in METHODS.values()))
}


def __getattr__(name: str) -> Any:
    if name not in _CLASSES:
        raise AttributeError(f"module 'chronotope.methods' has no attribute '{name}'")
    return getattr(import_module(f"chronotope.methods.{_CLASSES[name].rpartition('.')[0]}"), name)


def method_class(name: str) -> type[Any]:
    """Return the class of a method."""
    one_of("method", name, tuple(METHODS))
    value: type[Any] = __getattr__(METHODS[name][0].rpartition(".")[2])
    return value


def default_settings(name: str) -> dict[str, Any]:
    """Return the default settings of a method."""
    one_of("method", name, tuple(METHODS))
    return asdict(Config().of_method(name))
