"""Test pairs and scores."""

from __future__ import annotations

from importlib import import_module
from typing import Any

# Loaded when first used, so that `ct.evaluation.pairs` needs no import of its own.
_PARTS = ("bootstrap", "compare", "evaluate", "metrics", "pairs", "renaming", "scores")


def __getattr__(name: str) -> Any:
    if name not in _PARTS:
        raise AttributeError(f"module 'chronotope.evaluation' has no attribute '{name}'")
    return import_module(f"chronotope.evaluation.{name}")
