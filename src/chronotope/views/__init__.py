"""Charts, tables and the explorer; no computation here."""

from __future__ import annotations

from importlib import import_module
from typing import Any

# Imported when first used: `ct.views.charts` needs no import statement.
_PARTS = ("answer_tables", "charts", "evidence_tables", "score_tables", "tables")


def __getattr__(name: str) -> Any:
    if name not in _PARTS:
        raise AttributeError(f"module 'chronotope.views' has no attribute '{name}'")
    return import_module(f"chronotope.views.{name}")
