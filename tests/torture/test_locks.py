"""Two processes on one run: the second is refused by name, the dead hold nothing, and readers never wait."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from chronotope.cooccurrence import Counts, count
from chronotope.corpus.source import read_corpus
from chronotope.errors import InUseError
from chronotope.io.locks import locked
from torture.conftest import chronotope

HOLD = """
import sys
from chronotope.io.locks import locked
with locked(sys.argv[1], "train", shared=sys.argv[2] == "shared"):
    print("held", flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def holder():
    """Starts processes that hold a lock until the test ends."""
    processes = []

    def hold(path, how="alone"):
        command = [sys.executable, "-c", HOLD, str(path), how]
        pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
        process = subprocess.Popen(command, **pipes, text=True)
        processes.append(process)
        assert process.stdout.readline() == "held\n", process.stderr.read()
        return process

    yield hold
    for process in processes:
        process.kill()
        process.communicate()


def prepared(home, run, **settings):
    return count(read_corpus(home / "speeches.jsonl", time="time"), run, **{"min_count": 3, **settings})


def test_the_second_writer_is_refused_and_told_who_was_first(home, tmp_path, holder):
    process = holder(tmp_path / "run")
    with pytest.raises(InUseError, match=rf"run is in use by process {process.pid} \(train\); wait until it has ended"):
        prepared(home, tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_a_lock_of_a_dead_process_is_taken_over(home, tmp_path, holder):
    process = holder(tmp_path / "run")
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    prepared(home, tmp_path / "run")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["run"], "the lock is cleared away"


def test_a_run_that_is_trained_on_is_not_replaced_but_read(home, run, holder):
    holder(run, "shared")
    before = {path.name: path.read_bytes() for path in run.iterdir()}
    with pytest.raises(InUseError):
        prepared(home, run, min_count=4, force=True)
    assert prepared(home, run).vocabulary.min_count == 3, "the same again needs no lock"
    assert {path.name: path.read_bytes() for path in run.iterdir()} == before
    assert Counts.open(run).size


def test_two_trainings_share_a_run_but_not_a_model(run, holder):
    holder(run, "shared")
    holder(run / "other.ct")
    taken = chronotope("train", run, "-o", run / "other.ct", "--dimensions", 4)
    assert taken.returncode == 2
    assert "other.ct is in use by process" in taken.stderr
    assert len(taken.stderr.splitlines()) == 1
    assert chronotope("train", run, "-o", run / "third.ct", "--dimensions", 4).returncode == 0


def test_a_lock_is_never_held_by_two(tmp_path):
    """Also while the lock file is removed and made again all the time."""
    inside, most = [], []

    def work(_):
        with contextlib.suppress(InUseError), locked(tmp_path / "thing", "test"):
            inside.append("one")
            most.append(len(inside))
            time.sleep(0)
            inside.pop()

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, range(400)))
    assert set(most) == {1}
    assert list(tmp_path.iterdir()) == []
