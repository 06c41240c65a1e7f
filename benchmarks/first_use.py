"""The cost of compilation on first use: `python benchmarks/first_use.py [COMMAND …]`, by default `demo`.

The command runs twice in a temporary folder, first with an empty cache of compiled kernels. Printed are the kernels
that were compiled with their processor seconds (including kernels that they call), and the processor seconds of both
runs with their ratio.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from harness import record, timed

PROGRAM = """
import atexit, json, sys, time
from numba.core import event

class Seconds(event.Listener):
    def __init__(self):
        self.begin, self.found = {}, {}

    def on_start(self, one):
        self.begin[one.data["dispatcher"]] = time.thread_time()

    def on_end(self, one):
        kernel = one.data["dispatcher"]
        name = f"{kernel.py_func.__module__}.{kernel.py_func.__qualname__}"
        self.found[name] = self.found.get(name, 0) + time.thread_time() - self.begin[kernel]

output, seconds = sys.argv.pop(1), Seconds()
event.register("numba:compile", seconds)
atexit.register(lambda: open(output, "w").write(json.dumps(seconds.found)))
from chronotope.cli import main
main()
"""


def run(command: list[str], folder: Path) -> tuple[float, dict[str, float]]:
    """Run a command; return its processor seconds and the seconds of each kernel that was compiled."""
    environment = os.environ | {"NUMBA_CACHE_DIR": str(folder / "cache")}
    arguments = [sys.executable, "-c", PROGRAM, str(folder / "kernels.json"), *command]
    with timed() as timing:
        subprocess.run(arguments, cwd=folder, env=environment, check=True, capture_output=True)
    compiled = json.loads((folder / "kernels.json").read_text())
    kernels = {name: seconds for name, seconds in compiled.items() if name.startswith("chronotope")}
    return timing.cpu_seconds, kernels


def main() -> None:
    """Measure a command twice."""
    command = sys.argv[1:] or ["demo"]
    with tempfile.TemporaryDirectory() as folder:
        first, kernels = run([*command, "-o", "first"], Path(folder))
        second, again = run([*command, "-o", "second"], Path(folder))
    for name, seconds in sorted(kernels.items(), key=lambda item: -item[1]):
        print(f"{seconds:7.2f} s  {name}")
    record(
        f"first use, {command[0]}", kernels=len(kernels), compiled_again=len(again), first_cpu_seconds=first,
        second_cpu_seconds=second, compiling_cpu_seconds=first - second, ratio=first / second,
    )  # fmt: skip


if __name__ == "__main__":
    main()
