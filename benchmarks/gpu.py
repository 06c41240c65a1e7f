"""How much faster `graph` trains on a GPU than on the CPU: `python benchmarks/gpu.py [--run RUN]`."""

from __future__ import annotations

import argparse
from pathlib import Path

from harness import record, timed
from invented_counts import invented_counts

from chronotope.cooccurrence import Counts
from chronotope.methods import GraphModel


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--run", type=Path, help="train on a run instead of invented counts")
    chosen = options.parse_args()
    counts = Counts.open(chosen.run) if chosen.run else invented_counts(words=20_000, conditions=27, draws=720_000)
    seconds = {}
    for device in ("cpu", "cuda"):
        GraphModel(dimensions=8, epochs=1).fit(invented_counts(200, 2, 2_000), device=device)  # compiles
        with timed() as timing:
            GraphModel().fit(counts, device=device)
        seconds[device] = timing.seconds
    record(
        "graph on a GPU", words=len(counts.vocabulary), conditions=len(counts.conditions), cells=2 * counts.size,
        seconds=seconds["cuda"], seconds_on_the_cpu=seconds["cpu"], ratio=seconds["cpu"] / seconds["cuda"],
    )  # fmt: skip


if __name__ == "__main__":
    main()
