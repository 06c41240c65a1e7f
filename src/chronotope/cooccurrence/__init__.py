"""Token ids in, sparse counts out; each name is imported on first use, so that opening a model stays fast."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from chronotope.cooccurrence.association import Association, PairMatrix, scale_of_conditions, symmetric
    from chronotope.cooccurrence.cells import CellArrays
    from chronotope.cooccurrence.dataset import Counts, count

__all__ = ["Association", "CellArrays", "Counts", "PairMatrix", "count", "scale_of_conditions", "symmetric"]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module 'chronotope.cooccurrence' has no attribute '{name}'")
    module = {"CellArrays": "cells", "Counts": "dataset", "count": "dataset"}.get(name, "association")
    return getattr(import_module(f"chronotope.cooccurrence.{module}"), name)
