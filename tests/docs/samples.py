"""The samples of a page: commands with what they print, Python with what it shows; run as they stand."""

from __future__ import annotations

import contextlib
import doctest
import io
import os
import re
import shlex
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from unittest import mock

from chronotope.cli import main

DOCS = Path(__file__).parents[2] / "docs"
BLOCK = re.compile(r"^```(\w+)[^\n]*\n(.*?)^```$", re.MULTILINE | re.DOTALL)
# Installing is tried in tests/docs/test_release.py; a server would not end.
NOT_RUN = ("pip ", "make ", "chronotope demo", "chronotope explore run", "chronotope --install-completion")


@dataclass(frozen=True)
class Step:
    """A command line, and what the page says that it prints (None: it does not say)."""

    command: str
    shown: str | None


def steps(page: Path) -> list[Step]:
    """The commands of a page in order; a block of text right after a block with one command is what that prints."""
    blocks = [(match[1], match[2], match.end()) for match in BLOCK.finditer(page.read_text(encoding="utf-8"))]
    found = []
    for number, (language, body, end) in enumerate(blocks):
        if language != "bash":
            continue
        lines = [line for line in body.replace("\\\n", " ").splitlines() if line and not line.startswith("#")]
        following = blocks[number + 1] if number + 1 < len(blocks) else None
        told = None
        if following and following[0] == "text" and len(lines) == 1:
            between = page.read_text(encoding="utf-8")[end : following[2] - len(following[1])]
            told = following[1] if not between.replace("```text", "").strip() else None
        found += [Step(line.strip(), told if line is lines[-1] else None) for line in lines]
    return found


def run(command: str, folder: Path) -> str:
    """What a command prints on stdout; it must end well."""
    if not command.startswith("chronotope "):
        words = shlex.split(command)
        words[0] = sys.executable if words[0] == "python" else words[0]
        done = subprocess.run(words, cwd=folder, capture_output=True, text=True, env={**os.environ, "PYTHONUTF8": "1"})
        assert done.returncode == 0, (command, done.stderr)
        return done.stdout
    out, talk = io.StringIO(), io.StringIO()
    with (
        mock.patch.object(sys, "argv", shlex.split(command)),
        contextlib.chdir(folder),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(talk),
    ):
        try:
            main()
        except SystemExit as stopped:
            assert not stopped.code, (command, talk.getvalue())
    return out.getvalue()


def plain(text: str) -> list[str]:
    """Lines without the blanks at their ends, and without empty lines at the end."""
    return "\n".join(line.rstrip() for line in text.splitlines()).rstrip().splitlines()


def run_page(page: Path, folder: Path) -> int:
    """Run the commands of a page and compare what they print; how many there were."""
    ran = 0
    for step in steps(page):
        if step.command.startswith(NOT_RUN):
            continue
        printed = run(step.command, folder)
        ran += 1
        if step.shown is not None:
            assert plain(printed) == plain(step.shown), f"{page.name}: {step.command} prints\n{printed}"
    return ran


def run_python(page: Path, folder: Path) -> int:
    """Run the Python of a page as a doctest; how many examples there were."""
    with contextlib.chdir(folder):
        failed, tried = doctest.testfile(str(page), module_relative=False)
    assert failed == 0
    return tried
