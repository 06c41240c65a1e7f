"""One line for each measurement: what ran, on what machine, with which versions, and how fast.

A benchmark calls `record`; the lines gather in `benchmarks/rows.jsonl`, so that every figure in the documentation has
a row behind it. Imports nothing but the standard library, so that it also works on a machine with only a GPU stack.
"""

from __future__ import annotations

import json
import os
import platform
import resource
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any

ROWS = Path(__file__).parent / "rows.jsonl"
PACKAGES = ("chronotope", "numpy", "numba", "polars", "pyarrow", "scipy", "cupy-cuda12x", "cupy-cuda13x")


def record(benchmark: str, **figures: Any) -> None:
    """Append one measurement to `rows.jsonl`, and print it as one line.

    Parameters
    ----------
    benchmark
        What was measured, such as 'cw2v training'.
    figures
        Sizes, `seconds`, rates, ratios to a baseline of the same run, `peak_mb`; a name says its unit.
    """
    figures = {name: _plain(value) for name, value in figures.items()}
    # A load above what the benchmark itself makes says that others were at work, and that times are too long.
    about = machine() | {"load": round(os.getloadavg()[0], 1)}
    row = {"benchmark": benchmark, "versions": versions(), "machine": about, "figures": figures}
    with ROWS.open("a", encoding="utf-8") as file:
        file.write(json.dumps(row, sort_keys=True) + "\n")
    print(benchmark + ": " + ", ".join(f"{name} {_readable(value)}" for name, value in figures.items()), flush=True)


def rows(benchmark: str | None = None) -> list[dict[str, Any]]:
    """The measurements so far, of one benchmark or of all."""
    if not ROWS.exists():
        return []
    found = [json.loads(line) for line in ROWS.read_text(encoding="utf-8").splitlines()]
    return [row for row in found if benchmark in (None, row["benchmark"])]


@dataclass
class Timing:
    """How long the body of a `timed` block took."""

    seconds: float = 0.0


@contextmanager
def timed() -> Iterator[Timing]:
    """Measure a block: `with timed() as timing: ...`, then `timing.seconds`."""
    timing = Timing()
    begin = time.perf_counter()
    try:
        yield timing
    finally:
        timing.seconds = time.perf_counter() - begin


def peak_mb() -> float:
    """The most memory that this process has held so far, in megabytes."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (1e6 if platform.system() == "Darwin" else 1e3)


def resident_mb() -> float:
    """The memory that this process holds now, in megabytes; where the system does not tell, the most so far."""
    status = Path("/proc/self/statm")
    return int(status.read_text().split()[1]) * resource.getpagesize() / 1e6 if status.exists() else peak_mb()


@cache
def machine() -> dict[str, Any]:
    """The processor, the cores this process may use, and the graphics cards if there are any."""
    affinity = getattr(os, "sched_getaffinity", None)
    found: dict[str, Any] = {"cpu": _cpu_name(), "cores": len(affinity(0)) if affinity else os.cpu_count()}
    cards = _output("nvidia-smi", "--query-gpu=name", "--format=csv,noheader")
    if cards:
        found["gpu"] = cards.splitlines()
    return found


@cache
def versions() -> dict[str, str]:
    """Python, and the packages that are installed here of those that decide a figure."""
    found = {"python": platform.python_version()}
    for package in PACKAGES:
        try:
            found[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            continue
    return found


def _cpu_name() -> str:
    described = _output("lscpu")
    names = [line.split(":", 1)[1].strip() for line in described.splitlines() if line.startswith("Model name")]
    return names[0] if names else platform.processor() or platform.machine()


def _output(*command: str) -> str:
    """What a command prints; nothing where it does not exist or fails."""
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True, timeout=20).stdout.strip()
    except (OSError, subprocess.SubprocessError):
        return ""


def _plain(value: Any) -> Any:
    """NumPy's numbers as Python's, floats to five digits."""
    value = value.item() if hasattr(value, "item") else value
    return float(f"{value:.5g}") if isinstance(value, float) else value


def _readable(value: Any) -> str:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return str(value)
    return f"{value:,}" if isinstance(value, int) else f"{value:,.4g}"
