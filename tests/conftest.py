"""Fixtures for all tests: worlds that are counted once, and one Hypothesis profile."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

import worlds
from chronotope.cooccurrence import Counts, count
from chronotope.corpus import read_corpus
from chronotope.datasets.invented import World

# A busy machine is slow, and no reason to fail.
settings.register_profile("patient", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("patient")

_counted: dict[tuple[Any, ...], Counts] = {}


def counted(world: World, time: str | None = None, place: str | None = None, **settings: Any) -> Counts:
    """The counts of a world by time, place or both; each made once."""
    key = (id(world), time, place, tuple(sorted(settings.items())))
    if key not in _counted:
        holdout = settings.pop("holdout", 0.0)
        corpus = read_corpus(world.records, time=time, place=place, holdout=holdout)
        _counted[key] = count(corpus, **{"min_count": 5, **settings})
    return _counted[key]


@pytest.fixture(scope="session")
def counts_of() -> Callable[..., Counts]:
    return counted


@pytest.fixture(scope="session")
def drifting() -> Counts:
    """Ten years in which 'bank' moves from rivers to money, and nothing else moves."""
    return counted(worlds.planted_drift(), time="time")


@pytest.fixture(scope="session")
def small() -> Counts:
    """A world small enough for slow reference code: three years, a few hundred sentences."""
    return counted(worlds.planted_drift(documents=60), time="time", min_count=3)
