"""Models of invented worlds, each trained once."""

from __future__ import annotations

import pytest

import worlds
from chronotope.methods import GraphModel


@pytest.fixture(scope="session")
def over_time(counts_of):
    """Ten years; 'bank' moves from rivers to money in 1995, and nothing else moves."""
    return GraphModel(dimensions=50).fit(counts_of(worlds.planted_drift(), time="time"))


@pytest.fixture(scope="session")
def over_places(counts_of):
    """Six places; 'chips' means another thing in borva, 'boot' in arlen; every place has its own capital."""
    return GraphModel(dimensions=50).fit(counts_of(worlds.places(documents=3000), place="place"))


@pytest.fixture(scope="session")
def over_both(counts_of):
    """Six years in three places; 'gas' changes in arlen alone, in 1993."""
    return GraphModel(dimensions=50).fit(counts_of(worlds.time_and_place(documents=3600), time="time", place="place"))
