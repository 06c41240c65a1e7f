"""From counts to conditioned embeddings: the paper's CW2V, and our own `graph`."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from chronotope.model.cw2v.model import ConditionedModel
    from chronotope.model.extending import extend
    from chronotope.model.graph.model import GraphModel
    from chronotope.model.progress import Epoch

# Loaded when first used: the GPU kernels below this package need neither numba nor polars.
_HOME = {"ConditionedModel": "cw2v.model", "GraphModel": "graph.model", "Epoch": "progress", "extend": "extending"}

__all__ = ["ConditionedModel", "Epoch", "GraphModel", "extend"]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'chronotope.model' has no attribute '{name}'")
    return getattr(import_module(f"chronotope.model.{_HOME[name]}"), name)
