"""A rig for accidents: commands run in children of a warm process, which are killed, starved or cut off.

A child is forked from a process that has imported everything and started nothing: no thread pool of a library survives
a fork, so the parent computes nothing itself. What it wants to know of a result, it asks another child.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

# What a command imports only when it runs is imported once, here.
import chronotope.analysis.significance.tests
import chronotope.cli
import chronotope.cooccurrence.dataset
import chronotope.embeddings.storage
import chronotope.methods.cw2v.model
import chronotope.methods.extend
import chronotope.methods.graph.model
import chronotope.views.tables
from chronotope.cli.app import app  # noqa: F401

with contextlib.suppress(ImportError):
    import pandas  # noqa: F401  # pyarrow looks for it

NEVER = 1200.0


def warm_up() -> None:
    """Load every kernel that was compiled before, so that no child has to."""
    for name, module in list(sys.modules.items()):
        for kernel in vars(module).values() if name.startswith("chronotope.") else ():
            with contextlib.suppress(Exception):
                for signature, *_ in kernel._cache._cache_file._load_index():
                    kernel.compile(signature)


def command(*arguments: object, setup: Callable[[], None] | None = None) -> Callable[[], None]:
    """A job that is the command line with these arguments, in silence; it fails as the command does."""

    def job() -> None:
        if setup:
            setup()
        sys.argv = ["chronotope", *map(str, arguments)]
        try:
            chronotope.cli.main()
        except SystemExit as ending:
            if ending.code:
                raise RuntimeError(f"{sys.argv[1:]} ended with {ending.code}") from None

    return job


def started(job: Callable[[], None], log: Path) -> int:
    """The number of a new process that runs a job and ends with 0 if it ended well; what it says goes to the log."""
    process = os.fork()
    if process:
        return process
    code = 1
    try:
        os.setpgid(0, 0)
        handle = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(handle, 1)
        os.dup2(handle, 2)
        job()
        code = 0
    except BaseException:
        traceback.print_exc()
    finally:
        with contextlib.suppress(Exception):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(code)


def ended(process: int, seconds: float = NEVER) -> int:
    """How a process ended: its exit code, or the negative number of a signal; one that never ends is killed."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        found, status = os.waitpid(process, os.WNOHANG)
        if found:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.002)
    os.kill(process, signal.SIGKILL)
    os.waitpid(process, 0)
    raise TimeoutError(f"process {process} did not end within {seconds} seconds")


def run(job: Callable[[], None], log: Path) -> None:
    """Run a job to its end; what it said is in the error if it fails."""
    if code := ended(started(job, log)):
        raise AssertionError(f"ended with {code}:\n{log.read_text(errors='replace')}")


def killed_after(job: Callable[[], None], seconds: float, log: Path) -> bool:
    """Run a job and kill it after so many seconds; whether it was still running then."""
    process = started(job, log)
    time.sleep(seconds)
    with contextlib.suppress(ProcessLookupError):
        os.kill(process, signal.SIGKILL)
    code = ended(process)
    if code not in (0, -signal.SIGKILL):
        raise AssertionError(f"ended with {code}:\n{log.read_text(errors='replace')}")
    return code != 0


@contextlib.contextmanager
def crash_at(step: int) -> Iterator[None]:
    """Within the block the process dies before (step 1, 3, …) or after (2, 4, …) a change of the disk."""
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

    names = ("replace", "rename", "fsync", "unlink", "rmdir", "mkdir", "chmod", "truncate")
    before = {name: getattr(os, name) for name in names}
    for name, function in before.items():
        setattr(os, name, dying(function))
    try:
        yield
    finally:
        for name, function in before.items():
            setattr(os, name, function)


def contents(folder: Path) -> dict[str, bytes]:
    """Every file below a folder, by its name."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}
