"""The samples of a page: commands with what they print, Python with what it shows; run as they stand.

Blocks marked bash are run; those marked sh are not (they install, wait for a browser, or take minutes).
"""

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
from itertools import zip_longest
from pathlib import Path
from unittest import mock

from chronotope.cli import main

DOCS = Path(__file__).parents[1] / "docs"
BLOCK = re.compile(r"^```(\w+)[^\n]*\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Step:
    """A command line, and what the page says that it prints (None: it does not say)."""

    command: str
    shown: str | None


def steps(page: Path) -> list[Step]:
    """The commands of a page in order; a block of text right after a block with one command is what that prints."""
    text = page.read_text(encoding="utf-8")
    blocks = list(BLOCK.finditer(text))
    found = []
    for block, following in zip_longest(blocks, blocks[1:]):
        if block[1] != "bash":
            continue
        lines = [line.strip() for line in block[2].splitlines() if line]
        tells = following and following[1] == "text" and not text[block.end() : following.start()].strip()
        found += [Step(line, following[2] if tells and len(lines) == 1 else None) for line in lines]
    return found


def run(command: str, folder: Path) -> str:
    """What a command prints on stdout; it must end well."""
    if not command.startswith("chronotope "):
        words = shlex.split(command)
        words[0] = sys.executable if words[0] == "python" else words[0]
        done = subprocess.run(words, cwd=folder, capture_output=True, text=True, env={**os.environ, "PYTHONUTF8": "1"})
        assert done.returncode == 0, (command, done.stderr)
        return done.stdout
    out, talk, code = io.StringIO(), io.StringIO(), None
    with (
        mock.patch.object(sys, "argv", shlex.split(command)),
        contextlib.chdir(folder),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(talk),
    ):
        try:
            main()
        except SystemExit as stopped:
            code = stopped.code
    assert not code, (command, talk.getvalue())
    return out.getvalue()


def plain(text: str) -> list[str]:
    """Lines without the blanks at their ends, and without empty lines at the end."""
    return "\n".join(line.rstrip() for line in text.splitlines()).rstrip().splitlines()


def is_same(printed: str, shown: str) -> bool:
    """Whether two texts say the same: the last digit of a number may be off by one, as on another processor.

    Examples
    --------
    >>> is_same("z 104.298", "z 104.299"), is_same("z 104.298", "z 104.300"), is_same("1 word", "2 words")
    (True, False, False)
    """
    number = re.compile(r"[0-9]+\.[0-9]+")
    lines = [plain(text) for text in (printed, shown)]
    if [number.sub("", line) for line in lines[0]] != [number.sub("", line) for line in lines[1]]:
        return False
    pairs = zip(*(number.findall("\n".join(text)) for text in lines), strict=True)
    return all(
        len(one.partition(".")[2]) == len(digits := other.partition(".")[2])
        and abs(float(one) - float(other)) < 1.5 * 10 ** -len(digits)
        for one, other in pairs
    )


def run_page(page: Path, folder: Path) -> int:
    """Run the commands of a page; compare what they print, and look at their pictures. How many commands there were."""
    ran = 0
    for step in steps(page):
        printed = run(step.command, folder)
        ran += 1
        if step.shown is not None:
            assert is_same(printed, step.shown), f"{page.name}: {step.command} prints\n{printed}"
        for picture in re.findall(r"\S+\.png", step.command):
            assert (folder / picture).stat().st_size > 10_000, picture
    return ran


def run_python(page: Path, folder: Path) -> int:
    """Run the Python of a page as a doctest; how many examples there were."""
    with contextlib.chdir(folder):
        failed, tried = doctest.testfile(str(page), module_relative=False)
    assert failed == 0
    return tried
