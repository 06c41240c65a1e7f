"""Kill commands at any moment: what is left is whole or absent, and the same command then gives the same bytes.

    PYTHONPATH=tests python -m torture.killing --moments 200

The jobs are prepare, prepare --force over an older run with a model and notes in it, train with checkpoints, train
--force over an older model, extend, export, and drift with resamples. Each is killed at random moments of its life, and
at steps: just before or after one of its changes of the disk (renames, removals, forced writes).
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import chronotope.analysis.significance.tests
import chronotope.embeddings.formats.export
import chronotope.methods.checkpoint
from chronotope.datasets.invented import invented_world
from chronotope.embeddings import load
from chronotope.io.atomic import recover_folder
from chronotope.io.run_folder import verify_run
from torture import rig
from torture.rig import command, contents

NOTES = {"notes.txt": b"precious", "plan/a.txt": b"deep"}
READ = ("--time", "time", "--threads", 2)


@dataclass(frozen=True)
class Accident:
    """A command, what must be there before it, and what may be there after it was killed.

    Attributes
    ----------
    name
        What it is called.
    job
        The command, run in a folder `here`.
    again
        The command that goes on after a kill.
    before
        The names of what lies in the folder before, copied from the folder of all results.
    writes
        The name of the run or model that it writes.
    """

    name: str
    job: Callable[[Path], Callable[[], None]]
    again: Callable[[Path], Callable[[], None]]
    before: tuple[str, ...]
    writes: str
    finished: dict[str, bytes] = field(default_factory=dict)


def often() -> None:
    """Save the state at every occasion, and not every half minute."""
    chronotope.methods.checkpoint.SECONDS_BETWEEN = 0.0
    chronotope.methods.checkpoint.TIME_SHARE = 1.0


def prepare(run: str, *more: object) -> Callable[[Path], Callable[[], None]]:
    return lambda here: command("prepare", here / "speeches.jsonl", "-o", here / run, *READ, "--min-count", 3, *more)


def train(*more: object) -> Callable[[Path], Callable[[], None]]:
    arguments = ("--method", "cw2v", "--epochs", 3, "--dimensions", 8, "--threads", 2)
    return lambda here: command("train", here / "run", *arguments, *more, setup=often)


def extend(*more: object) -> Callable[[Path], Callable[[], None]]:
    return lambda here: command("extend", here / "graph", here / "later.jsonl", *more)


def export(*more: object) -> Callable[[Path], Callable[[], None]]:
    return lambda here: command("export", here / "graph", "--format", "word2vec", "-o", here / "vectors", *more)


def drift(here: Path) -> Callable[[], None]:
    arguments = ("--permutations", 6, "--bootstrap", 3, "--min-count", 5, "--threads", 2, "--json")
    return command("drift", here / "graph", *arguments, setup=often)


ACCIDENTS = (
    Accident("prepare", prepare("run"), prepare("run"), ("speeches.jsonl",), "run"),
    Accident(
        "prepare --force",
        prepare("older", "--no-text", "--force"),
        prepare("older", "--no-text", "--force"),
        ("speeches.jsonl", "older"),
        "older",
    ),
    Accident("train", train(), train("--resume"), ("run",), "run/model.ct"),
    Accident("train --force", train("--force"), train("--force", "--resume"), ("trained",), "run/model.ct"),
    Accident("extend", extend(), extend("--force"), ("graph", "later.jsonl"), "graph/model-extended.ct"),
    Accident("export", export(), export("--force"), ("graph",), "vectors"),
    Accident("export --force", export("--force"), export("--force"), ("graph", "vectors"), "vectors"),
    Accident("drift", drift, drift, ("graph",), "graph"),
)


def make_world(home: Path) -> None:
    """Text, runs and models: all that the jobs begin with."""
    world = invented_world(years=range(1990, 1994), places=("arlen",), documents=80)
    for name, late in (("speeches.jsonl", False), ("later.jsonl", True)):
        records = [record for record in world.records if (record["time"] > "1992") == late]
        (home / name).write_text("".join(json.dumps(record) + "\n" for record in records))
    log = home / "log"
    rig.run(prepare("run")(home), log)
    rig.run(prepare("older", "--holdout", 0.2)(home), log)
    for name, content in NOTES.items():
        (home / "older" / name).parent.mkdir(exist_ok=True)
        (home / "older" / name).write_bytes(content)
    for name in ("graph", "trained"):
        shutil.copytree(home / "run", home / name)
    rig.run(command("train", home / "graph", "--dimensions", 8, "--threads", 1), log)
    rig.run(command("train", home / "trained", "--dimensions", 4, "--threads", 1), log)
    shutil.copy(home / "graph" / "model.ct", home / "older" / "model.ct")
    rig.run(command("export", home / "graph", "--format", "glove", "-o", home / "vectors"), log)


def laid_out(accident: Accident, home: Path, here: Path) -> None:
    """The folder as it is before the command."""
    for name in accident.before:
        source, target = home / name, here / ("run" if name == "trained" else name)
        shutil.copytree(source, target) if source.is_dir() else shutil.copy(source, target)


def check_whole(here: Path, before: dict[str, bytes], after: dict[str, bytes]) -> None:
    """What a kill left: every run and model is whole, and is the old one or the new one; the rest is untouched."""
    recover_folder(here / "vectors")
    for run in (path for path in here.iterdir() if path.is_dir() and path.name != "vectors"):
        if not run.name.startswith("."):
            verify_run(run)
    for model in here.rglob("*.ct"):
        load(model, verify=True)
    now = contents(here)
    own = {name for name in {*before, *after} if before.get(name) != after.get(name)}
    for name, content in before.items():
        assert name in own or now.get(name) == content, f"{name} was changed"
    visible = {name: now.get(name) for name in own if not name.endswith(".resamples")}
    old, new = ({name: side.get(name) for name in visible} for side in (before, after))
    assert visible in (old, new), (
        f"neither old nor new: {sorted(name for name in visible if visible[name] != new[name])}"
    )


def check_same(here: Path, after: dict[str, bytes]) -> None:
    # A killed process may leave a lock that nobody holds: the next one takes it over.
    now, after = (
        {name: of[name] for name in of if not name.endswith((".lock", ".shared"))} for of in (contents(here), after)
    )
    assert sorted(now) == sorted(after), f"left behind: {sorted(set(now) ^ set(after))}"
    assert now == after, f"other bytes: {[name for name in after if now[name] != after[name]]}"


def one_kill(
    accident: Accident, home: Path, kill: Callable[[Callable[[], None], Path], bool], after: dict[str, bytes]
) -> bool:
    """Kill a command once, look at what it left, run it again, compare; whether it was killed at all."""
    log = home / "log"
    with tempfile.TemporaryDirectory(dir=home) as folder:
        here = Path(folder)
        laid_out(accident, home, here)
        before = contents(here)
        was_killed = kill(accident.job(here), log)
        if was_killed:
            rig.run(lambda: check_whole(here, before, after), log)
            finished = contents(here).get(accident.writes) == after.get(accident.writes, b"")
            if finished and accident.name in ("train", "extend", "export"):
                remove_spent(here)
            else:
                rig.run(accident.again(here), log)
        check_same(here, after)
    return was_killed


def remove_spent(here: Path) -> None:
    """A command that is killed when its result has its name, but before it is done, may leave what is of no more use.

    The checkpoint of a training, and a lock that nobody holds; both go when something is written there again.
    """
    for path in (*here.rglob("*.checkpoint"), *here.rglob(".*.lock"), *here.rglob(".*.shared")):
        path.unlink()


def undisturbed(accident: Accident, home: Path) -> tuple[dict[str, bytes], float]:
    """The folder after the command, and how long it took."""
    with tempfile.TemporaryDirectory(dir=home) as folder:
        here = Path(folder)
        laid_out(accident, home, here)
        began = time.monotonic()
        rig.run(accident.job(here), home / "log")
        return contents(here), time.monotonic() - began


def at_steps(step: int) -> Callable[[Callable[[], None], Path], bool]:
    def kill(job: Callable[[], None], log: Path) -> bool:
        def crashing() -> None:
            with rig.crash_at(step):
                job()

        code = rig.ended(rig.started(crashing, log))
        assert code in (0, -9), log.read_text(errors="replace")
        return code != 0

    return kill


def torture(moments: int, steps: int, seed: int, names: list[str]) -> int:
    """Kill each command so often; 0 steps: at every one. The number of kills."""
    rig.warm_up()
    kills = 0
    chosen = random.Random(seed)
    with tempfile.TemporaryDirectory(prefix="torture-") as folder:
        home = Path(folder)
        make_world(home)
        accidents = [accident for accident in ACCIDENTS if not names or accident.name in names]
        for accident in accidents:
            undisturbed(accident, home)  # compiles what was not compiled yet
            rig.warm_up()
            after, seconds = undisturbed(accident, home)
            mine = 0
            for _ in range(-(-moments // len(accidents))):
                moment = chosen.uniform(0, 1.1 * seconds)
                mine += one_kill(accident, home, lambda job, log, at=moment: rig.killed_after(job, at, log), after)
            step = 1
            while not steps or step <= 400:
                if not one_kill(accident, home, at_steps(step), after):
                    break
                mine += 1
                step += chosen.randint(1, 2 * steps - 1) if steps else 1
            kills += mine
            print(f"{accident.name}: killed {mine} times, {seconds:.2f} s undisturbed", flush=True)
    return kills


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--moments", type=int, default=200, help="kills at random moments, over all commands")
    parser.add_argument("--steps", type=int, default=0, help="about every so-many-th change of the disk; 0: every one")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("names", nargs="*", help="which commands; all")
    given = parser.parse_args()
    print(f"{torture(given.moments, given.steps, given.seed, given.names)} kills, nothing lost")
    sys.exit(0)
