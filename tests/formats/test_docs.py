"""The samples of docs/formats.md do what the page says."""

from __future__ import annotations

import contextlib
import doctest
import io
import re
import shlex
import sys
from pathlib import Path
from unittest import mock

import pytest

import chronotope as ct
import worlds
from chronotope.cli import main

PAGE = Path(__file__).parents[2] / "docs" / "formats.md"


def test_the_python_samples_print_what_the_page_shows():
    failed, tried = doctest.testfile(str(PAGE), module_relative=False)
    assert tried > 8
    assert failed == 0


def test_the_commands_run_as_written(tmp_path):
    counts = ct.count(ct.read_corpus(worlds.planted_drift().records, time="time"), tmp_path / "run", min_count=5)
    ct.GraphModel(dimensions=20, epochs=3).fit(counts).save(tmp_path / "run" / "model.ct")
    blocks = re.findall(r"```bash\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    commands = [shlex.split(line) for block in blocks for line in block.splitlines() if line.startswith("chronotope ")]
    assert len(commands) >= 7
    for command in commands:
        with (
            mock.patch.object(sys, "argv", command),
            contextlib.chdir(tmp_path),
            contextlib.redirect_stdout(io.StringIO()),
            contextlib.redirect_stderr(io.StringIO()) as talk,
            pytest.raises(SystemExit) as stopped,
        ):
            main()
        assert not stopped.value.code, (command, talk.getvalue())
    assert (tmp_path / "bank.png").stat().st_size > 10_000
