"""The progress record and its callbacks, until every method takes them from `base`."""

from __future__ import annotations

from chronotope.methods.base import Epoch, OnEpoch, OnStep

__all__ = ["Epoch", "OnEpoch", "OnStep"]
