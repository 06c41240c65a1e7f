"""`show_progress` takes every kind of report, shows bars in a terminal, and is silent in a log."""

from __future__ import annotations

import io
import sys

from rich.console import Console

from chronotope.methods import Epoch
from chronotope.runtime.progress import ShownProgress, show_progress


def shown_by(reports):
    """Return the last state of the bars that reports lead to on a terminal."""
    console = Console(file=io.StringIO(), force_terminal=True, width=200)
    with ShownProgress(console) as show:
        for report in reports:
            show(*report)
    return console.file.getvalue().rsplit("\r", 2)[-2]


def test_every_report_of_the_library_is_understood():
    shown = shown_by([("counting", 5, 10), (2, 3), (Epoch(2, 3, 0.25, -6.5),)])
    assert "counting" in shown
    assert "training" in shown
    assert "loss 0.2500, held-out -6.5000" in shown


def test_a_log_stays_silent(capsys):
    with show_progress() as show:
        show("counting", 1, 2)
    assert capsys.readouterr() == ("", "")


def test_a_log_of_a_command_gets_a_line_for_each_tenth_and_few_in_all():
    for seconds, lines in ((0, 10), (3600, 0)):
        console = Console(file=io.StringIO())
        with ShownProgress(console, seconds=seconds) as show:
            for done in range(1, 1001):
                show("counting", done, 1000)
        shown = console.file.getvalue().splitlines()
        assert len(shown) == lines
        assert all(line.startswith("counting ") and " %, " in line for line in shown)


def test_a_terminal_shows_bars_on_stderr(capsys, monkeypatch):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setenv("TERM", "xterm")
    with show_progress() as show:
        show("counting", 4, 4)
        show(1, 2)
    out, err = capsys.readouterr()
    assert out == ""
    assert "counting" in err
    assert "training" in err
