"""Accidents of one command: a full disk, a closed pipe, Ctrl-C, input that changes, no power, no place for kernels."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from chronotope.cooccurrence import CellArrays, count
from chronotope.cooccurrence.cells_file import write_cells
from chronotope.corpus.source import read_corpus
from chronotope.errors import InputError
from chronotope.io.atomic import disk_errors
from chronotope.methods import ConditionedModel
from torture.conftest import MAIN, chronotope
from worlds import contents

# No file may grow beyond so many bytes: a full disk for which nobody has to be root.
FULL = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, ({0}, {0}))"


def said(done):
    """What a command that failed said: one line, and nothing on stdout."""
    assert done.returncode == 2, done.stderr
    assert done.stdout == ""
    assert len(done.stderr.splitlines()) == 1, done.stderr
    return done.stderr


@pytest.mark.parametrize("room", [0, 20_000])
def test_a_disk_that_is_full_while_preparing(home, tmp_path, room):
    done = chronotope(
        "prepare", home / "speeches.jsonl", "-o", tmp_path / "run", "--time", "time", before=FULL.format(room)
    )
    line = next(line for line in done.stderr.splitlines() if line.startswith("error"))
    assert done.returncode == 2
    assert "too large" in line.lower() or "no space" in line.lower()
    assert "Traceback" not in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_disk_that_is_full_while_saving_a_model_keeps_the_old_one(run):
    before = contents(run)
    done = chronotope("train", run, "--dimensions", 8, "--force", before=FULL.format(5_000))
    assert done.returncode == 2
    assert "model.ct: File too large" in done.stderr.splitlines()[-1]
    assert contents(run) == before


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no such device")
def test_every_library_that_writes_tells_of_a_full_disk(tmp_path):
    """With its number and the name of what was to be written."""
    table, cells = pl.DataFrame({"a": [1]}), CellArrays.of([0], [1], [2], [1])
    for write in (
        lambda: table.write_parquet("/dev/full"),
        lambda: write_cells(Path("/dev/full"), [[cells]]),
        lambda: np.save(open("/dev/full", "wb"), np.zeros(100_000)),  # noqa: SIM115
        lambda: Path("/dev/full").write_text("x"),
    ):
        with pytest.raises(OSError, match="No space left on device") as caught, disk_errors(tmp_path / "run"):
            write()
        assert caught.value.errno == errno.ENOSPC
        assert caught.value.filename == str(tmp_path / "run")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no such device")
def test_output_to_a_full_disk_is_an_error(home):
    with open("/dev/full", "w") as full:
        done = chronotope("drift", home / "run", "--json", stdout=full, capture_output=False, stderr=subprocess.PIPE)
    assert done.returncode == 2
    assert "No space left" in done.stderr
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="no folder that not even root can write to")
def test_a_folder_that_cannot_be_written_to(home):
    preparing = chronotope("prepare", home / "speeches.jsonl", "-o", "/proc/self/run", "--time", "time")
    assert "cannot write to /proc/" in said(preparing)
    assert "/proc" in said(chronotope("train", home / "run", "-o", "/proc/self/model.ct"))


@pytest.mark.skipif(not hasattr(signal, "SIGPIPE"), reason="no such signal")
@pytest.mark.parametrize("form", ["--json", None])
def test_a_reader_that_goes_away_ends_a_command_as_it_ends_others(home, form):
    arguments = ["drift", str(home / "run"), "--top", "300", *([form] if form else [])]
    process = subprocess.Popen(
        [sys.executable, "-c", MAIN, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    process.stdout.close()
    assert "rror" not in process.stderr.read()
    assert process.wait(600) == -signal.SIGPIPE


# At its first rename a command says so, and waits.
WAIT = """
import os, sys
replace = os.replace
def wait(*arguments):
    print("at work", file=sys.stderr, flush=True)
    sys.stdin.read()
    replace(*arguments)
os.replace = wait
"""


def test_ctrl_c_while_preparing_says_one_line_and_leaves_nothing(home, tmp_path):
    command = [sys.executable, "-c", WAIT + MAIN, "prepare", home / "speeches.jsonl", "-o", "run", "--time", "time"]
    pipes = {"stdin": subprocess.PIPE, "stderr": subprocess.PIPE}
    process = subprocess.Popen(command, cwd=tmp_path, **pipes, text=True)
    before = next(line for line in process.stderr if line == "at work\n" or "error" in line)
    assert before == "at work\n"
    assert list(tmp_path.iterdir())
    process.send_signal(signal.SIGINT)
    last = process.communicate(timeout=600)[1]
    assert process.returncode == 130, last
    assert last.splitlines()[-1] == "stopped"
    assert "Traceback" not in last
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(sys.platform != "linux", reason="a limit on addresses needs Linux")
@pytest.mark.parametrize(
    ("gigabytes", "arguments", "told"),
    [
        (1, ("prepare", "SPEECHES", "-o", "new", "--time", "time"), "1.0 GB of addresses"),
        (1, ("train", "RUN"), "1.0 GB of addresses"),
        (8, ("frequency", "RUN", "bank", "-o", "bank.svg"), "8.0 GB of addresses, and 100 GB are needed"),
    ],
    ids=["prepare", "train", "a picture"],
)
def test_a_tight_limit_on_addresses_is_one_line(home, tmp_path, gigabytes, arguments, told):
    """The library that makes pictures does not survive a limit that others do."""
    names = {"SPEECHES": home / "speeches.jsonl", "RUN": home / "run"}
    limit = f"import resource; resource.setrlimit(resource.RLIMIT_AS, ({gigabytes} * 10**9,) * 2)"
    done = chronotope(*(names.get(argument, argument) for argument in arguments), before=limit, cwd=tmp_path)
    assert f"out of memory: ulimit -v allows {told}" in said(done)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(sys.platform != "linux", reason="a limit on addresses needs Linux")
def test_help_works_under_a_tight_limit_on_addresses():
    limit = "import resource; resource.setrlimit(resource.RLIMIT_AS, (10**9, 10**9))"
    done = chronotope("train", "--help", before=limit)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_terminal_that_vanishes_does_not_stop_what_nohup_protects(run, tmp_path):
    pty = pytest.importorskip("pty")
    ours, theirs = pty.openpty()
    ignoring = "import signal; signal.signal(signal.SIGHUP, signal.SIG_IGN)"
    arguments = ["train", str(run), "-o", str(tmp_path / "m.ct"), "--dimensions", "8"]
    process = subprocess.Popen([sys.executable, "-c", f"{ignoring}\n{MAIN}", *arguments], stdout=theirs, stderr=theirs)
    os.close(theirs)
    os.close(ours)
    assert process.wait(600) == 0
    assert (tmp_path / "m.ct").exists()


def test_input_that_grows_while_it_is_read_is_refused(home, tmp_path):
    path = tmp_path / "growing.jsonl"
    path.write_bytes((home / "speeches.jsonl").read_bytes())

    def grow(stage, *_):
        if stage == "reading":
            with open(path, "a") as file:
                file.write('{"text": "one more line", "time": "1995"}\n')

    with pytest.raises(InputError, match=r"growing\.jsonl was changed while it was read"):
        count(read_corpus(path, time="time"), tmp_path / "run", min_count=3, progress=grow)
    assert [path.name for path in tmp_path.iterdir()] == ["growing.jsonl"]


def test_input_that_vanishes_is_an_error_of_one_line(home, tmp_path):
    path = tmp_path / "brief.jsonl"
    path.write_bytes((home / "speeches.jsonl").read_bytes())

    def vanish(stage, *_):
        if stage == "reading":
            path.unlink(missing_ok=True)

    with pytest.raises((InputError, OSError), match=r"brief\.jsonl"):
        count(read_corpus(path, time="time"), tmp_path / "run", min_count=3, progress=vanish)
    assert list(tmp_path.iterdir()) == []


def test_results_are_on_the_disk_before_they_have_a_name(home, tmp_path, monkeypatch):
    """Every rename to a name that does not begin with a dot is watched: its bytes come first, then the name itself."""
    fsync, replace = os.fsync, os.replace
    sizes: dict[tuple[int, int], int] = {}  # of what is on the disk
    renamed, faults, only_in_memory = [], [], set()

    def synced(handle):
        fsync(handle)
        found = os.fstat(handle)
        sizes[found.st_dev, found.st_ino] = found.st_size
        only_in_memory.difference_update(
            [folder for folder in only_in_memory if os.path.samestat(os.stat(folder), found)]
        )

    def replaced(source, target, **named):
        source, target = Path(source), Path(target)
        final = target.is_relative_to(tmp_path) and not target.name.startswith(".")
        final = final and not any(part.endswith(".partial") for part in target.parts)
        for path in [source, *source.rglob("*")] if final else []:
            found = path.stat()
            # A folder may be changed by what is renamed into it: that is forced to the disk in its own turn.
            if sizes.get((found.st_dev, found.st_ino)) != found.st_size:
                faults.append(f"{path.name} was not on the disk when it became {target}")
        replace(source, target, **named)
        if final:
            renamed.append(target.name)
            only_in_memory.add(target.parent.resolve())

    monkeypatch.setattr("chronotope.methods.checkpoint.SECONDS_BETWEEN", -1.0)
    monkeypatch.setattr(os, "fsync", synced)
    monkeypatch.setattr(os, "replace", replaced)
    corpus = read_corpus(home / "speeches.jsonl", time="time")
    counts = count(corpus, tmp_path / "run", min_count=3)
    model = ConditionedModel(dimensions=4, epochs=1).fit(counts, checkpoint=tmp_path / "state")
    model.save(tmp_path / "model.ct")
    count(corpus, tmp_path / "run", min_count=4, force=True)
    assert {"run", "state", "model.ct"} <= set(renamed)
    assert (faults, only_in_memory) == ([], set())


def test_kernels_run_where_nothing_can_be_kept():
    program = "from chronotope.runtime.kernels import kernel\nprint(kernel()(lambda x: x + 1)(41))"
    environment = {**os.environ, "XDG_CACHE_HOME": "/proc/self/nowhere", "HOME": "/proc/self/nowhere"}
    environment.pop("NUMBA_CACHE_DIR", None)
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True)
    assert done.stdout == "42\n", done.stderr
