"""A small run with a model, made once, and the command line as another process."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import worlds

MAIN = "from chronotope.cli import main; main()"


def chronotope(*arguments: object, before: str = "", **options: Any) -> subprocess.CompletedProcess[str]:
    """Run a command to its end; `before` is Python that runs first."""
    command = [sys.executable, "-c", f"{before}\n{MAIN}", *map(str, arguments)]
    return subprocess.run(command, **{"capture_output": True, "text": True, "timeout": 900, **options})


@pytest.fixture(scope="session")
def home(tmp_path_factory) -> Path:
    """A folder with speeches.jsonl, and `run` made from it with a model in it."""
    from chronotope.cooccurrence import count
    from chronotope.corpus.source import read_corpus
    from chronotope.methods import GraphModel

    folder = tmp_path_factory.mktemp("torture")
    worlds.planted_drift(documents=120).write_records(folder / "speeches.jsonl")
    counts = count(read_corpus(folder / "speeches.jsonl", time="time"), folder / "run", min_count=3)
    GraphModel(dimensions=8).fit(counts).save(folder / "run" / "model.ct")
    return folder


@pytest.fixture
def run(home, tmp_path) -> Path:
    """A copy of the run that a test may spoil."""
    import shutil

    shutil.copytree(home / "run", tmp_path / "run")
    return tmp_path / "run"
