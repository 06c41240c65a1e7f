"""A few kills of each kind; `make torture` has hundreds."""

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


def test_killed_at_any_moment_every_result_is_whole_or_absent_and_comes_out_the_same():
    assert "nothing lost" in killed("--moments", 8, "--steps", 60)
