"""A few kills of each kind, and a few hundred files with mistakes in them; `make torture` has many more."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from torture import fuzzing

TESTS = Path(__file__).parents[1]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="children are forked")
def test_killed_at_any_moment_every_result_is_whole_or_absent_and_comes_out_the_same():
    command = [sys.executable, "-m", "torture.killing", "--moments", "8", "--steps", "60"]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(TESTS), os.environ.get("PYTHONPATH", "")])}
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-3000:]
    assert "nothing lost" in done.stdout


def test_strange_files_are_read_or_refused_with_one_line(tmp_path):
    ends, faults = fuzzing.fuzz(models=300, corpora=150, runs=60, seed=7, kept=tmp_path / "kept", folder=tmp_path)
    assert not faults
    assert ends["read"] > 50
    assert ends["refused"] > 50
