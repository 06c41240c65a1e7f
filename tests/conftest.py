"""Fixtures for all tests: worlds that are counted once, and one Hypothesis profile."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import HealthCheck, settings

import worlds
from chronotope.cli import main
from chronotope.cooccurrence import Counts, count
from chronotope.corpus.source import read_corpus
from chronotope.datasets.invented import World
from chronotope.methods import GraphModel

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


@pytest.fixture(scope="session")
def grid() -> Counts:
    """Time × place, where some words are missing from some conditions."""
    return counted(worlds.time_and_place(documents=150), time="time", place="place", min_count=3)


@pytest.fixture(scope="session")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Small runs with their models: by time, by place, by both, and of one time bin only."""
    made = {
        "time": (worlds.planted_drift(documents=400).records, {"time": "time"}),
        "place": (worlds.places(documents=400).records, {"place": "place"}),
        "both": (worlds.time_and_place(documents=600).records, {"time": "time", "place": "place"}),
        "one": (worlds.planted_drift(documents=400).records, {"time": "time", "every": "10y"}),
    }
    folder = tmp_path_factory.mktemp("runs")
    for name, (records, fields) in made.items():
        counts = count(read_corpus(records, **fields), folder / name, min_count=5)
        GraphModel(dimensions=20, epochs=4).fit(counts).save(folder / name / "model.ct")
    return {name: folder / name for name in made}


class Done(NamedTuple):
    """What a command printed."""

    stdout: str
    stderr: str


@pytest.fixture
def chronotope(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Callable[..., Done]:
    """Runs a command in this process; checks its exit code, and that a mistake gets one line."""

    def run(*arguments: object, code: int = 0) -> Done:
        monkeypatch.setattr(sys, "argv", ["chronotope", *map(str, arguments)])
        capsys.readouterr()
        with pytest.raises(SystemExit) as left:
            main()
        done = Done(*capsys.readouterr())
        assert (left.value.code or 0) == code, done.stderr
        if code:
            assert done.stdout == ""
            assert len(done.stderr.strip().splitlines()) == 1, done.stderr
        return done

    return run
