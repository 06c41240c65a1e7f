"""Time a block, read the memory of a process, and record a measurement with the machine and versions behind it."""

from __future__ import annotations

import json
import os
import platform
import resource
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

import psutil

ROWS = Path(__file__).parent / "rows.jsonl"
PACKAGES = ("chronotope", "numpy", "numba", "polars", "pyarrow", "scipy", "cupy-cuda12x", "cupy-cuda13x")


def record(benchmark: str, **figures: Any) -> None:
    """Print one measurement, and append it to `rows.jsonl`, which git ignores.

    Parameters
    ----------
    benchmark
        What was measured, such as 'cw2v training'.
    figures
        Sizes, `seconds`, rates, ratios to a baseline of the same run, `peak_mb`; a name says its unit.
    """
    figures = {name: _short(value) for name, value in figures.items()}
    # A load above the benchmark's own means that others were at work, and that times are too long.
    machine = {"processor": _processor(), "cores": os.cpu_count(), "load": round(os.getloadavg()[0], 1)}
    row = {"benchmark": benchmark, "versions": _versions(), "machine": machine, "figures": figures}
    with ROWS.open("a", encoding="utf-8") as file:
        file.write(json.dumps(row, sort_keys=True) + "\n")
    print(f"{benchmark}: " + ", ".join(f"{name} {value}" for name, value in figures.items()), flush=True)


@dataclass
class Timing:
    """The wall-clock and processor time of a `timed` block."""

    seconds: float = 0.0
    cpu_seconds: float = 0.0  # of all threads and finished children


@contextmanager
def timed() -> Iterator[Timing]:
    """Measure a block: `with timed() as timing: ...`, then `timing.seconds`."""
    timing = Timing()
    begin, cpu = time.perf_counter(), _cpu_seconds()
    try:
        yield timing
    finally:
        timing.seconds, timing.cpu_seconds = time.perf_counter() - begin, _cpu_seconds() - cpu


def peak_mb(who: int = resource.RUSAGE_SELF) -> float:
    """Return the peak memory of this process, or of its largest finished child, in megabytes."""
    return resource.getrusage(who).ru_maxrss / (1e6 if platform.system() == "Darwin" else 1e3)


def resident_mb(process: int | None = None) -> float:
    """Return the memory that a process, by default this one, holds now, in megabytes."""
    return float(psutil.Process(process).memory_info().rss / 1e6)


def _cpu_seconds() -> float:
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


def _versions() -> dict[str, str]:
    installed = {name: dist.version for dist in metadata.distributions() if (name := dist.name) in PACKAGES}
    return {"python": platform.python_version()} | installed


def _processor() -> str:
    path = Path("/proc/cpuinfo")
    lines = path.read_text().splitlines() if path.exists() else []
    names = (line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    return next(names, platform.processor() or platform.machine())


def _short(value: Any) -> Any:
    """Turn NumPy's numbers into Python's, floats to five digits."""
    value = value.item() if hasattr(value, "item") else value
    return float(f"{value:.5g}") if isinstance(value, float) else value
