"""What a setting may be: each check names the setting that it refuses."""

from __future__ import annotations

import math
from typing import Any

from chronotope.errors import SettingsError, did_you_mean


def one_of(name: str, value: str, allowed: tuple[str, ...]) -> None:
    """Refuse a value that is not among the allowed ones."""
    if value not in allowed:
        raise SettingsError(f"{name} must be {' or '.join(allowed)}, not '{value}'{did_you_mean(str(value), allowed)}")


def only(method: str, name: str, value: Any, allowed: Any, instead: str) -> None:
    """Refuse another value of a setting that makes a method what it is."""
    if value != allowed:
        raise SettingsError(f"{name} is {allowed} in {method}, not {value}; to choose it, train {instead}")


def at_least(name: str, value: float, least: float) -> None:
    """Refuse a number below the least sensible one, and what is no number."""
    if not value >= least or math.isinf(value):
        raise SettingsError(f"{name} must be a number of at least {least}, not {value}")
