"""Token ids in, sparse counts out; each name is imported on first use, so that opening a model stays fast."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from chronotope.cooccurrence.association import Association, PairMatrix
    from chronotope.cooccurrence.cells import CellArrays
    from chronotope.cooccurrence.dataset import Counts, count
    from chronotope.cooccurrence.weighting import scale_of_conditions, symmetric, targets, weights

_MODULES = {
    "Association": "association",
    "CellArrays": "cells",
    "Counts": "dataset",
    "PairMatrix": "association",
    "count": "dataset",
    "scale_of_conditions": "weighting",
    "symmetric": "weighting",
    "targets": "weighting",
    "weights": "weighting",
}

__all__ = [
    "Association", "CellArrays", "Counts", "PairMatrix", "count", "scale_of_conditions", "symmetric", "targets",
    "weights",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module 'chronotope.cooccurrence' has no attribute '{name}'")
    return getattr(import_module(f"chronotope.cooccurrence.{_MODULES[name]}"), name)
