"""Answers: which words changed, which stayed; each a small frozen dataclass."""

from chronotope.analysis.company import Companion, Company, company
from chronotope.analysis.drift import Drift, DriftRow, drift
from chronotope.analysis.stability import Stability, StableWord, stable

__all__ = ["Companion", "Company", "Drift", "DriftRow", "Stability", "StableWord", "company", "drift", "stable"]
