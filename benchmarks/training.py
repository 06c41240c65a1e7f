"""How fast CW2V trains, as a ratio to the authors' program: `python benchmarks/training.py [--authors PROGRAM]`.

A cell is a nonzero count of a word with a context in a condition, in one direction. An epoch of ours visits each cell
twice, once from either side, and counts it once; an epoch of the authors' program visits it once.
"""

from __future__ import annotations

import argparse
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

import authors
from harness import peak_mb, record, resident_mb, timed
from invented import HeldOutCells, hold_out, invented_counts

from chronotope.cooccurrence import Counts
from chronotope.methods import ConditionedModel
from chronotope.methods.cw2v.cells import STRATA, arrange_cells
from chronotope.methods.cw2v.training import Trainer

SIZE = {"words": 20_000, "conditions": 27, "draws": 720_000}  # about 20 million cells


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--authors", type=Path, help="the authors' EWE_temporal, built elsewhere")
    options.add_argument("--run", type=Path, help="train on a run instead of invented counts")
    options.add_argument("--epochs", type=int, default=5)
    options.add_argument("--threads", type=int, default=2)
    chosen = options.parse_args()
    settings = authors.SAME_LOSS
    counts = Counts.open(chosen.run) if chosen.run else invented_counts(**SIZE)
    train(invented_counts(300, 2, 3_000), settings, chosen.threads, 1)  # compiles
    seen, held_out = hold_out(counts, settings)
    before = resident_mb()
    ours = train(seen, settings, chosen.threads, chosen.epochs, held_out)
    # Every parameter and every cell (context and count) once, four bytes a number.
    pairs, dimensions = len(counts.vocabulary.support.word), settings.dimensions
    rows = 2 * len(counts.vocabulary) + len(counts.conditions) + 2 * pairs
    needed = 4e-6 * (rows * dimensions + 2 * pairs + 2 * ours.cells)
    record(
        "cw2v training", words=len(counts.vocabulary), conditions=len(counts.conditions), cells=ours.cells,
        threads=chosen.threads, dimensions=dimensions, cells_per_second=ours.cells / ours.seconds,
        cells_per_cpu_second=ours.cells / ours.cpu_seconds, held_out=ours.errors[-1],
        parameters_and_cells_mb=needed, memory_ratio=(peak_mb() - before) / needed,
    )  # fmt: skip
    if chosen.authors is None:
        return
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        authors.write_cells(seen, settings, folder)
        # The difference leaves out starting and saving.
        once = authors.run_program(chosen.authors, counts, settings, folder, 1, chosen.threads)
        every = authors.run_program(chosen.authors, counts, settings, folder, chosen.epochs, chosen.threads)
        error = held_out.error(authors.read_parameters(counts, settings, folder), counts.vocabulary.support)
    seconds = (every.seconds - once.seconds) / (chosen.epochs - 1)
    cpu_seconds = (every.cpu_seconds - once.cpu_seconds) / (chosen.epochs - 1)
    record(
        "cw2v training, the authors' program", cells=ours.cells, threads=chosen.threads, epochs=chosen.epochs,
        cells_per_second=ours.cells / seconds, ratio=seconds / ours.seconds,
        ratio_of_cpu_time=cpu_seconds / ours.cpu_seconds, held_out=error, our_held_out=ours.errors[-1],
    )  # fmt: skip


class Trained(NamedTuple):
    """Mean figures of an epoch."""

    seconds: float
    cpu_seconds: float  # of all threads
    cells: int
    errors: list[float]  # on held-out cells, after each epoch


def train(
    counts: Counts, model: ConditionedModel, threads: int, epochs: int, held_out: HeldOutCells | None = None
) -> Trained:
    """Train for some epochs from a random start."""
    seconds = cpu_seconds = 0.0
    errors = []
    parameters, accumulators = model._start(counts)
    with ThreadPoolExecutor(threads) as pool:
        cells = arrange_cells(counts, model, pool)
        trainer = Trainer(model, cells, counts.conditions.graph(), parameters, accumulators, pool, threads)
        for _ in range(epochs):
            with timed() as timing:
                for stratum in range(STRATA):
                    trainer.move_stratum(stratum)
            seconds += timing.seconds
            cpu_seconds += timing.cpu_seconds
            if held_out is not None:
                errors.append(held_out.error(parameters, counts.vocabulary.support))
    return Trained(seconds / epochs, cpu_seconds / epochs, len(cells.context), errors)


if __name__ == "__main__":
    main()
