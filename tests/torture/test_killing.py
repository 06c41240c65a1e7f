"""A dozen kills of each kind; `make torture` has hundreds."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="children are forked")

TESTS = Path(__file__).parents[1]


def killed(*arguments: object) -> str:
    command = [sys.executable, "-m", "torture.killing", *map(str, arguments)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(TESTS), os.environ.get("PYTHONPATH", "")])}
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


def test_killed_at_random_moments_every_result_is_whole_or_absent_and_comes_out_the_same():
    assert "nothing lost" in killed("--moments", 8, "--steps", 80)


def test_killed_at_steps_of_a_replacement_the_old_run_or_the_new_one_is_there_and_notes_stay():
    assert "nothing lost" in killed("--moments", 1, "--steps", 12, "prepare --force")
