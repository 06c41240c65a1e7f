"""`show_progress` takes every kind of report, shows bars in a terminal, and is silent in a log."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from chronotope.methods import Epoch
from chronotope.runtime.progress import ShownProgress, Stage, show_progress

SCRIPT = """
import chronotope as ct
with ct.show_progress() as show:
    for done in range(5):
        show("counting", done, 4)
    show(1, 2)
    show(2, 2)
print("the answer")
"""


class Recorder:
    """A display that remembers what it was shown."""

    def __init__(self) -> None:
        self.seen: list[dict[str, tuple[float, float | None, str]]] = []

    def moved(self) -> bool:
        return False

    def close(self) -> None:
        pass

    def show(self, stages: list[Stage]) -> None:
        self.seen.append({stage.name: (stage.done, stage.total, stage.note) for stage in stages})


def test_every_report_of_the_library_is_understood():
    recorder = Recorder()
    show = ShownProgress(recorder)
    show("reading", 5, None)
    show("counting", 10, 10)
    show(3, 3)
    show(Epoch(3, 3, 0.25, -6.5))
    assert recorder.seen[-1]["counting"] == (10, 10, "")
    assert recorder.seen[-1]["training"] == (3, 3, "loss 0.2500, held-out -6.5000")


def test_a_thousand_reports_are_a_few_updates():
    recorder = Recorder()
    show = ShownProgress(recorder)
    for done in range(1000):
        show("counting", done, 1000)
    assert len(recorder.seen) < 500
    show("counting", 1000, 1000)
    assert recorder.seen[-1]["counting"][0] == 1000, "the end is shown whatever came before"


def test_a_stage_without_an_end_is_over_when_the_next_begins():
    recorder = Recorder()
    with ShownProgress(recorder) as show:
        show("getting ready", 0)
        show("training", 2, 2, "loss 0.5")
    assert recorder.seen[-1] == {"training": (2, 2, "loss 0.5")}


def test_a_name_is_never_run():
    assert "<b>" not in Stage("<b>bold", 1, 2, "<b>").html()


def test_a_log_stays_silent(capsys):
    with show_progress() as show:
        show("counting", 1, 2)
    assert capsys.readouterr() == ("", "")


@pytest.mark.skipif(os.name != "posix", reason="a terminal of its own needs POSIX")
def test_a_terminal_shows_bars_on_stderr():
    import pty

    ours, theirs = pty.openpty()
    done = subprocess.run([sys.executable, "-c", SCRIPT], stdout=subprocess.PIPE, stderr=theirs, text=True, check=True)
    os.close(theirs)
    shown = b""
    while True:
        try:
            part = os.read(ours, 65536)
        except OSError:
            break
        if not part:
            break
        shown += part
    os.close(ours)
    assert done.stdout == "the answer\n"
    assert b"counting" in shown
    assert b"training" in shown
