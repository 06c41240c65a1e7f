"""One fit in a process of its own, so that its memory is its own and a crash costs only itself.

The child is this module as a program: a job comes in as JSON on stdin, steps and the outcome go out as JSON lines.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from chronotope.errors import ChronotopeError

OnStep = Callable[[int, int], None]

SECONDS_BETWEEN_STEPS = 0.2


@dataclass(frozen=True)
class Job:
    """What is to be trained.

    Attributes
    ----------
    run
        The folder with the counts.
    method, settings
        The method, and all its settings with the seed.
    model
        The file to write.
    threads
        How many cores; None: all.
    renamed
        Whether it is trained on the counts with words renamed.
    """

    run: str
    method: str
    settings: Mapping[str, Any]
    model: str
    threads: int | None = None
    renamed: bool = False


@dataclass(frozen=True)
class Cost:
    """What a fit took, and how it predicts.

    Attributes
    ----------
    seconds
        Of the fit alone, from opened counts to embeddings.
    peak_bytes
        The most memory that the process had by then; None where the system does not tell.
    held_out
        How well the method predicts held-out text: the mean log-likelihood of a context; None where no documents were
        set aside, or the method gives no probability.
    """

    seconds: float
    peak_bytes: int | None
    held_out: float | None = None


class FitFailed(ChronotopeError):
    """A method cannot be trained here; the message says why, in one line."""


def fit_apart(job: Job, on_step: OnStep | None = None) -> Cost:
    """Train in a process of its own and save the model; what the method refuses is a `FitFailed`.

    Parameters
    ----------
    job
        What is to be trained.
    on_step
        Called with (done, total) as training goes on.
    """
    # A session of its own: Ctrl-C reaches the parent alone, which then ends the child.
    child = subprocess.Popen(
        [sys.executable, "-m", __name__],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        start_new_session=True,
    )
    try:
        assert child.stdin is not None
        assert child.stdout is not None
        # A child that died at once is found out below.
        with suppress(BrokenPipeError), child.stdin as to_child:
            to_child.write(json.dumps(asdict(job)))
        answer: dict[str, Any] = {}
        for line in child.stdout:
            answer = json.loads(line)
            if on_step and "step" in answer:
                on_step(*answer["step"])
        code = child.wait()
    finally:
        child.kill()
        child.wait()
        if child.stdout:
            child.stdout.close()
    if "refused" in answer:
        raise FitFailed(answer["refused"])
    if code < 0:
        raise FitFailed(f"its process was ended by signal {-code}; it may have run out of memory")
    if "cost" not in answer:
        raise RuntimeError(f"the fit of {job.method} failed with the error shown above")
    return Cost(**answer["cost"])


def peak_memory() -> int | None:
    """The most bytes of memory that this process has had; None where the system does not tell."""
    try:
        # Not getrusage: on Linux that begins with the memory of the parent.
        for line in Path("/proc/self/status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    except OSError:
        pass
    try:
        import resource
    except ImportError:
        return None
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def _train(job: Job, send: Callable[[dict[str, Any]], None]) -> None:
    """Train, save, and tell what it took."""
    from chronotope.cooccurrence import Counts
    from chronotope.evaluation.renaming import renamed
    from chronotope.methods import method_class

    counts = Counts.open(job.run)
    if job.renamed:
        counts = renamed(counts).counts
    last = 0.0

    def on_step(done: int, total: int) -> None:
        nonlocal last
        if done == total or time.monotonic() - last > SECONDS_BETWEEN_STEPS:
            last = time.monotonic()
            send({"step": [done, total]})

    method = method_class(job.method)(**job.settings)
    began = time.perf_counter()
    embeddings = method.fit(counts, threads=job.threads, on_step=on_step)
    seconds = round(time.perf_counter() - began, 3)
    last_epoch = (embeddings.provenance.get("training") or [{}])[-1]
    cost = Cost(seconds, peak_memory(), last_epoch.get("held_out"))
    embeddings.save(job.model)
    send({"cost": asdict(cost)})


def main() -> None:
    """Be the child: read a job, do it, answer."""
    # What any library prints goes to stderr; stdout carries the answers only.
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)

    def send(answer: dict[str, Any]) -> None:
        out.write(json.dumps(answer) + "\n")
        out.flush()

    job = Job(**json.load(sys.stdin))
    try:
        _train(job, send)
    except ChronotopeError as error:
        send({"refused": str(error)})
    except BrokenPipeError:
        os._exit(1)  # the parent is gone: nobody waits for the model


if __name__ == "__main__":
    main()
