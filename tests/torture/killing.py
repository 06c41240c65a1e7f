"""Kill commands at any moment: what is left is whole or absent, and the same command then gives the same bytes.

    PYTHONPATH=tests python -m torture.killing --moments 200

Each command is killed at random moments of its life, and at steps: just before or after one of its changes of the disk.
It runs in a child, forked from a process that has imported everything and started nothing: no thread pool of a library
survives a fork, so the parent computes nothing itself.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import multiprocessing
import os
import random
import shlex
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

# What a command imports only when it runs is imported once, here.
import chronotope.analysis.significance.tests
import chronotope.cooccurrence.dataset
import chronotope.embeddings.formats.export
import chronotope.methods.checkpoint as checkpoint
import chronotope.methods.cw2v.model
import chronotope.methods.extend
import chronotope.methods.graph.model
import chronotope.views.tables  # noqa: F401
from chronotope.cli import main
from chronotope.cli.app import make_app
from chronotope.datasets.invented import invented_world
from chronotope.embeddings import load
from chronotope.io.atomic import recover_folder
from chronotope.io.run_folder import verify_run
from worlds import contents

with contextlib.suppress(ImportError):
    import pandas  # noqa: F401  # pyarrow looks for it

NEVER = 1200.0
NOTES = {"notes.txt": b"precious", "plan/a.txt": b"deep"}
PREPARE = "prepare speeches.jsonl --time time --threads 2 --min-count 3 -o"
TRAIN = "train run --method cw2v --epochs 3 --dimensions 8 --threads 2"
EXPORT = "export graph --format word2vec -o vectors"


class Accident(NamedTuple):
    """A command, what lies in its folder before it, and what is added to it to go on after a kill."""

    command: str
    before: tuple[str, ...]
    again: str = ""


ACCIDENTS = {
    "prepare": Accident(f"{PREPARE} run", ("speeches.jsonl",)),
    "prepare --force": Accident(f"{PREPARE} older --no-text --force", ("speeches.jsonl", "older")),
    "train": Accident(TRAIN, ("run",), "--force --resume"),
    "train --force": Accident(f"{TRAIN} --force", ("trained",), "--resume"),
    "extend": Accident("extend graph later.jsonl", ("graph", "later.jsonl"), "--force"),
    "export": Accident(EXPORT, ("graph",), "--force"),
    "export --force": Accident(f"{EXPORT} --force", ("graph", "vectors")),
    "drift": Accident("drift graph --permutations 6 --bootstrap 3 --min-count 5 --threads 2 --json", ("graph",)),
}


def warm_up() -> None:
    """Import every command, and load every kernel that was compiled before, so that no child has to."""
    make_app()
    for name, module in list(sys.modules.items()):
        for kernel in vars(module).values() if name.startswith("chronotope.") else ():
            with contextlib.suppress(Exception):
                for signature, *_ in kernel._cache._cache_file._load_index():
                    kernel.compile(signature)


def run(job: Callable[[], None], log: Path, seconds: float | None = None, codes: tuple[int, ...] = (0,)) -> int:
    """Run a job in a child that is killed after so many seconds; its exit code, or the negative number of a signal."""

    def child() -> None:
        os.dup2(os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), 1)
        os.dup2(1, 2)
        job()

    process = multiprocessing.get_context("fork").Process(target=child)
    process.start()
    process.join(NEVER if seconds is None else seconds)
    process.kill()
    process.join()
    assert process.exitcode in codes, f"ended with {process.exitcode}:\n{log.read_text(errors='replace')}"
    return process.exitcode


def command(line: str, here: Path, step: int = 0) -> None:
    """A command line in a folder; it dies before (step 1, 3, …) or after (2, 4, …) a change of the disk."""
    done = 0

    def dying(function: Callable[..., Any]) -> Callable[..., Any]:
        def called(*arguments: Any, **named: Any) -> Any:
            nonlocal done
            done += 2
            mine = done  # other threads count on
            if mine - 1 == step:
                os.kill(os.getpid(), signal.SIGKILL)
            try:
                return function(*arguments, **named)
            finally:
                if mine == step:
                    os.kill(os.getpid(), signal.SIGKILL)

        return called

    if step:
        for name in ("replace", "rename", "fsync", "unlink", "rmdir", "mkdir", "chmod", "truncate"):
            setattr(os, name, dying(getattr(os, name)))
    # The state is saved at every occasion, and not every half minute.
    checkpoint.SECONDS_BETWEEN, checkpoint.TIME_SHARE = 0.0, 1.0
    os.chdir(here)
    sys.argv = ["chronotope", *shlex.split(line)]
    main()


def make_world(home: Path) -> None:
    """Text, runs and models: all that the commands begin with."""
    world = invented_world(years=range(1990, 1994), places=("arlen",), documents=80)
    for name, late in (("speeches.jsonl", False), ("later.jsonl", True)):
        records = [record for record in world.records if (record["time"] > "1992") == late]
        (home / name).write_text("".join(json.dumps(record) + "\n" for record in records))

    def do(line: str) -> None:
        run(partial(command, line, home), home / "log")

    do(f"{PREPARE} run")
    do(f"{PREPARE} older --holdout 0.2")
    for name, content in NOTES.items():
        (home / "older" / name).parent.mkdir(exist_ok=True)
        (home / "older" / name).write_bytes(content)
    for name, dimensions in (("graph", 8), ("trained", 4)):
        shutil.copytree(home / "run", home / name)
        do(f"train {name} --dimensions {dimensions} --threads 1")
    shutil.copy(home / "graph" / "model.ct", home / "older" / "model.ct")
    do("export graph --format glove -o vectors")


def laid_out(accident: Accident, home: Path, here: Path) -> None:
    """The folder as it is before the command."""
    for name in accident.before:
        source, target = home / name, here / ("run" if name == "trained" else name)
        shutil.copytree(source, target) if source.is_dir() else shutil.copy(source, target)


def check_whole(here: Path, before: dict[str, bytes], after: dict[str, bytes]) -> None:
    """What a kill left: every run and model is whole, and is the old one or the new one; the rest is untouched."""
    recover_folder(here / "vectors")
    for path in here.iterdir():
        if path.is_dir() and path.name != "vectors" and not path.name.startswith("."):
            verify_run(path)
    for model in here.rglob("*.ct"):
        load(model, verify=True)
    now = contents(here)
    own = {name for name in {*before, *after} if before.get(name) != after.get(name)}
    for name, content in before.items():
        assert name in own or now.get(name) == content, f"{name} was changed"
    visible = {name: now.get(name) for name in own if not name.endswith(".resamples")}
    old, new = ({name: side.get(name) for name in visible} for side in (before, after))
    assert visible in (old, new), f"neither old nor new: {[name for name in visible if visible[name] != new[name]]}"


def check_same(here: Path, after: dict[str, bytes]) -> None:
    """The folder is as after an undisturbed command, but for a lock that nobody holds: the next one takes it over."""
    now, after = (
        {name: of[name] for name in of if not name.endswith((".lock", ".shared"))} for of in (contents(here), after)
    )
    assert sorted(now) == sorted(after), f"left behind: {sorted(set(now) ^ set(after))}"
    assert now == after, f"other bytes: {[name for name in after if now[name] != after[name]]}"


def one_kill(
    accident: Accident, home: Path, after: dict[str, bytes], seconds: float | None = None, step: int = 0
) -> bool:
    """Kill a command once, look at what it left, run it again, compare; whether it was killed at all."""
    log = home / "log"
    with tempfile.TemporaryDirectory(dir=home) as folder:
        here = Path(folder)
        laid_out(accident, home, here)
        before = contents(here)
        was_killed = run(partial(command, accident.command, here, step), log, seconds, (0, -signal.SIGKILL)) != 0
        if was_killed:
            run(partial(check_whole, here, before, after), log)
            run(partial(command, f"{accident.command} {accident.again}", here), log)
        check_same(here, after)
    return was_killed


def undisturbed(accident: Accident, home: Path) -> tuple[dict[str, bytes], float]:
    """The folder after the command, and how long it took."""
    with tempfile.TemporaryDirectory(dir=home) as folder:
        here = Path(folder)
        laid_out(accident, home, here)
        began = time.monotonic()
        run(partial(command, accident.command, here), home / "log")
        return contents(here), time.monotonic() - began


def torture(moments: int, steps: int, seed: int, names: list[str]) -> int:
    """Kill each command so often; 0 steps: at every one. The number of kills."""
    warm_up()
    kills, chosen = 0, random.Random(seed)
    with tempfile.TemporaryDirectory(prefix="torture-") as folder:
        home = Path(folder)
        make_world(home)
        names = names or list(ACCIDENTS)
        for name in names:
            accident = ACCIDENTS[name]
            undisturbed(accident, home)  # compiles what was not compiled yet
            warm_up()
            after, seconds = undisturbed(accident, home)
            mine = sum(
                one_kill(accident, home, after, chosen.uniform(0, 1.1 * seconds))
                for _ in range(-(-moments // len(names)))
            )
            step = 1
            while (not steps or step <= 400) and one_kill(accident, home, after, step=step):
                mine += 1
                step += chosen.randint(1, 2 * steps - 1) if steps else 1
            kills += mine
            print(f"{name}: killed {mine} times, {seconds:.2f} s undisturbed", flush=True)
    return kills


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--moments", type=int, default=200, help="kills at random moments, over all commands")
    parser.add_argument("--steps", type=int, default=0, help="about every so-many-th change of the disk; 0: every one")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("names", nargs="*", help="which commands; all")
    given = parser.parse_args()
    print(f"{torture(given.moments, given.steps, given.seed, given.names)} kills, nothing lost")
