"""Charts and tables; no computation here."""

from __future__ import annotations

from importlib import import_module
from typing import Any

# Loaded when first used, so that `ct.views.charts` needs no import of its own.
_PARTS = (
    "answer_tables", "bump", "charts", "collocate_chart", "evidence_tables", "frequency_chart", "lines", "map_chart",
    "plane", "ranked", "score_charts", "score_tables", "tables", "tiles",
)  # fmt: skip


def __getattr__(name: str) -> Any:
    if name not in _PARTS:
        raise AttributeError(f"module 'chronotope.views' has no attribute '{name}'")
    return import_module(f"chronotope.views.{name}")
