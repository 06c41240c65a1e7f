"""Counting on a real Dask cluster: a scheduler and worker processes on the loopback, and their accidents."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading

import pytest

import worlds
from chronotope.config import CountSettings
from chronotope.cooccurrence import count
from chronotope.cooccurrence.cells_file import write_cells
from chronotope.cooccurrence.merging import Limits, count_conditions
from chronotope.corpus.source import read_corpus
from chronotope.errors import ClusterError, InputError
from chronotope.runtime.resources import Resources
from worlds import contents, tokenize

FILES = 6


@pytest.fixture(scope="module")
def texts(tmp_path_factory):
    """A world in six files: JSONL and CSV."""
    folder = tmp_path_factory.mktemp("texts")
    records = worlds.planted_drift(documents=360).records
    for number in range(FILES):
        part = records[number * len(records) // FILES : (number + 1) * len(records) // FILES]
        (folder / f"{number}.jsonl").write_text("".join(json.dumps(record) + "\n" for record in part))
    return folder


def counted(texts, run, **resources):
    corpus = read_corpus(f"{texts}/*.jsonl", time="time", holdout=0.2, phrases="river bank")
    return count(corpus, run, min_count=3, **resources)


@pytest.fixture(scope="module")
def here(texts, tmp_path_factory):
    """What one machine makes of it."""
    return contents(counted(texts, tmp_path_factory.mktemp("here") / "run").folder)


class Cluster:
    """A scheduler and workers, each a process of its own."""

    def __init__(self) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.address = f"tcp://127.0.0.1:{self.port}"
        self.workers: list[subprocess.Popen[bytes]] = []
        self.start_scheduler()

    def start_scheduler(self) -> None:
        self.scheduler = self._start("scheduler", "--host", "127.0.0.1", "--port", str(self.port), "--no-dashboard")

    def start_worker(self) -> None:
        options = ["--nthreads", "1", "--no-nanny", "--no-dashboard", "--memory-limit", "0"]
        self.workers.append(self._start("worker", self.address, *options))

    def _start(self, *command: str) -> subprocess.Popen[bytes]:
        program = [sys.executable, "-m", "distributed.cli.dask_" + command[0], *command[1:]]
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        return subprocess.Popen(program, env=os.environ | {"POLARS_MAX_THREADS": "1"}, **quiet)

    def close(self) -> None:
        for process in (*self.workers, self.scheduler):
            process.kill()
            process.wait()


@pytest.fixture(scope="module")
def cluster():
    """The tests leave it as they found it: two workers that answer."""
    running = Cluster()
    for _ in range(2):
        running.start_worker()
    try:
        yield running
    finally:
        running.close()


def once_counting(action):
    """A progress callback that does something when a good part is counted."""
    done = threading.Event()

    def progress(stage, reached, total):
        if stage == "counting" and total and reached > total // 4 and not done.is_set():
            done.set()
            action()

    return progress


@pytest.fixture(scope="module")
def store(texts, tmp_path_factory):
    return tokenize(read_corpus(f"{texts}/*.jsonl", time="time"), tmp_path_factory.mktemp("store"))


def cells_of(store, path, cluster=None, action=lambda: None):
    """Count in many small tasks, so that there is a middle in which something can happen."""
    limits = Limits(tokens=600, rows=100, fan_in=3)
    with tempfile.TemporaryDirectory() as folder, Resources.of(1, cluster=cluster) as resources:
        cells = count_conditions(
            store, 100, CountSettings(), resources, folder, limits=limits, progress=once_counting(action)
        )
        write_cells(path, cells)
    return path.read_bytes()


def test_workers_of_this_machine_give_the_same_bytes(texts, here, tmp_path):
    assert contents(counted(texts, tmp_path / "run", workers=2).folder) == here
    assert [path.name for path in tmp_path.iterdir()] == ["run"]


def test_a_cluster_gives_the_same_bytes_when_a_worker_is_killed_in_the_middle(store, tmp_path, cluster):
    victim = cluster.workers.pop(0)
    cluster.start_worker()
    found = cells_of(store, tmp_path / "cluster", cluster.address, victim.kill)
    assert victim.wait() == -signal.SIGKILL
    assert found == cells_of(store, tmp_path / "here")


def test_work_goes_on_when_the_scheduler_comes_back(store, tmp_path, cluster):
    def restart():
        cluster.scheduler.kill()
        cluster.scheduler.wait()
        cluster.start_scheduler()
        for worker in cluster.workers:
            worker.kill()
            worker.wait()
        cluster.workers.clear()
        cluster.start_worker()

    assert cells_of(store, tmp_path / "cluster", cluster.address, restart) == cells_of(store, tmp_path / "here")


def test_a_run_that_was_interrupted_uses_what_the_workers_left(texts, here, tmp_path, cluster):
    def interrupt():
        raise KeyboardInterrupt

    spill = tmp_path / "shared"
    with pytest.raises(KeyboardInterrupt):
        counted(texts, tmp_path / "run", cluster=cluster.address, spill=str(spill), progress=once_counting(interrupt))
    left = {path: path.stat().st_mtime_ns for path in spill.rglob("cells-*.json")}
    seen = {}

    def watch(_, reached, total):
        if reached == total:
            seen.update({path: path.stat().st_mtime_ns for path in left})

    found = counted(texts, tmp_path / "run", cluster=cluster.address, spill=f"file://{spill}", progress=watch)
    assert contents(found.folder) == here
    assert left
    assert seen == left, "what was there was not made again"
    assert list(spill.iterdir()) == []


def test_a_folder_that_workers_cannot_see_is_refused(texts, tmp_path, cluster):
    with pytest.raises(ClusterError, match=r"does not see memory://nowhere/.*--spill"):
        counted(texts, tmp_path / "run", cluster=cluster.address, spill="memory://nowhere")


def test_an_error_of_a_worker_is_one_line(texts, tmp_path, cluster):
    (tmp_path / "good.jsonl").write_text((texts / "0.jsonl").read_text())
    corpus = read_corpus(str(tmp_path / "good.jsonl"), time="time")
    (tmp_path / "good.jsonl").unlink()
    with pytest.raises(InputError, match=r"good\.jsonl is not on .*, where a worker runs"):
        count(corpus, tmp_path / "run", cluster=cluster.address)
