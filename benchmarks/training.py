"""How fast CW2V trains on the CPU: `python benchmarks/training.py [--full] [--authors PATH]`.

A cell is a nonzero count of a word with a context in a condition, in one direction; an epoch visits each once as a
word's and once as a context's, and counts it once. The authors' program visits each once an epoch, too.
"""

from __future__ import annotations

import argparse
import dataclasses
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import authors
import numpy as np
from harness import peak_mb, record, resident_mb
from invented_counts import HeldOutCells, hold_out, invented_counts
from training_ladder import one_cell_at_a_time

from chronotope.cooccurrence import Counts
from chronotope.model import ConditionedModel
from chronotope.model.cw2v.kernels.sides import ReferenceSides
from chronotope.model.cw2v.layout import make_layout
from chronotope.model.cw2v.parameters import initial_accumulators, initial_parameters
from chronotope.model.cw2v.penalties import Penalties, penalties_of
from chronotope.model.cw2v.rows import make_rows
from chronotope.model.cw2v.trainers import CpuTrainer, _cells
from chronotope.model.cw2v.training import State

FULL = {"words": 20_000, "conditions": 27, "draws": 720_000}  # about 20 million cells
BASE = {"words": 5_000, "conditions": 9, "draws": 400_000}  # about 3 million


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--full", action="store_true", help="20,000 words in 27 conditions, 20 million cells")
    options.add_argument("--authors", type=Path, help="the authors' EWE_temporal, built elsewhere")
    options.add_argument("--run", type=Path, help="a run to compare with the authors' program on, instead")
    options.add_argument("--epochs", type=int, default=5)
    chosen = options.parse_args()
    if chosen.full or chosen.authors:
        counts = Counts.open(chosen.run) if chosen.run else invented_counts(**FULL)
        against_authors(counts, chosen.authors, chosen.epochs)
    else:
        ladder()
        growth()


def against_authors(counts: Counts, program: Path | None, epochs: int, threads: int = 2) -> None:
    """The whole size, and if there is a program to compare with, both on the same cells."""
    settings = authors.SAME_LOSS
    train(invented_counts(300, 2, 3_000), settings, threads, 1)  # compiles
    seen, held_out = hold_out(counts, settings)
    before = resident_mb()
    seconds, cells, errors = train(seen, settings, threads, epochs, held_out)
    # What must be there: every parameter and every cell (its context, target and weight) once, four bytes a number.
    pairs, dimensions = len(counts.vocabulary.support.word), settings.dimensions
    rows_of_parameters = 2 * len(counts.vocabulary) + len(counts.conditions) + 2 * pairs
    needed = 4e-6 * (rows_of_parameters * dimensions + 2 * pairs + 3 * cells)
    ours = cells * epochs / sum(seconds)
    sizes = {"words": len(counts.vocabulary), "conditions": len(counts.conditions), "cells": cells, "threads": threads}
    record(
        "cw2v training", **sizes, dimensions=dimensions, cells_per_second=ours, held_out=errors[-1],
        peak_mb=peak_mb(), parameters_and_cells_mb=needed, memory_ratio=(peak_mb() - before) / needed,
    )  # fmt: skip
    if program is None:
        return
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        authors.write_cells(seen, settings, folder)
        once = authors.run_program(program, counts, settings, folder, 1, threads)
        all_of_them = authors.run_program(program, counts, settings, folder, epochs, threads)
        error = held_out.error(authors.read_parameters(counts, settings, folder), counts.vocabulary.support)
    theirs = cells * (epochs - 1) / (all_of_them - once)
    reached = next((number for number, own in enumerate(errors, 1) if own <= error), None)
    record(
        "cw2v training, the authors' program", **sizes, dimensions=50, epochs=epochs, cells_per_second=theirs,
        ratio=ours / theirs, held_out=error, our_held_out=errors, our_epochs_to_their_error=reached,
        ratio_of_times_to_their_error=cells * epochs / theirs / sum(seconds[:reached]) if reached else None,
    )  # fmt: skip


def train(
    counts: Counts, settings: ConditionedModel, threads: int, epochs: int, held_out: HeldOutCells | None = None
) -> tuple[list[float], int, list[float]]:
    """The seconds of each epoch, the cells of one, and the error on held-out cells after each."""
    settings = settings._for_axis("time")
    support = counts.vocabulary.support
    sizes = len(counts.vocabulary), len(counts.conditions), len(support.word)
    parameters = initial_parameters(*sizes, settings.dimensions, settings.seed)
    state = State(parameters, initial_accumulators(parameters, settings.accumulator))
    seconds, errors = [], []
    with ThreadPoolExecutor(threads) as pool:
        trainer = CpuTrainer(settings, counts, counts.conditions.graph(), state, pool, threads)
        for _ in range(epochs):
            begin = time.perf_counter()
            trainer.epoch(lambda: None)
            seconds.append(time.perf_counter() - begin)
            if held_out is not None:
                errors.append(held_out.error(parameters, support))
    # Each pair of words in both directions; on the diagonal there is only one.
    once = sum(int((cells.word == cells.context).sum()) for cells in map(counts.cells, range(sizes[1])))
    return seconds, 2 * counts.size - once, errors


def ladder() -> None:
    """Each version of the kernel with its time for a cell, on one thread."""
    counts = invented_counts(**BASE)
    model = ConditionedModel()._for_axis("time")
    small = invented_counts(300, 2, 3_000)
    found = []

    def start(counts: Counts) -> State:
        sizes = len(counts.vocabulary), len(counts.conditions), len(counts.vocabulary.support.word)
        parameters = initial_parameters(*sizes, model.dimensions, 1)
        return State(parameters, initial_accumulators(parameters, model.accumulator))

    state, support = start(small), small.vocabulary.support
    rows = make_rows(np, _cells(np, model, small), support.start, support.word, len(small.vocabulary), 1)
    share = np.full(len(support.word), 0.1, dtype=np.float32)
    reference = ReferenceSides(rows, state.parameters, state.accumulators, share)
    begin = time.perf_counter()
    for stratum in range(len(rows.word_start)):
        reference.move_stratum(stratum, state.parameters.condition, model.rate)
    found.append(("reference, NumPy", (time.perf_counter() - begin) / len(rows.target)))

    layout, state = make_layout(counts, model), start(counts)
    graph = counts.conditions.graph()
    penalties = Penalties.of(*penalties_of(model, layout, graph), layout, graph)
    word_pair = np.repeat(np.arange(len(layout.pair_word), dtype=np.int32), layout.pair_cells)
    order = np.random.default_rng(0).permutation(len(layout.target))
    by_row = np.arange(len(layout.target))
    for name, cells in (("one cell at a time, random order", order), ("one cell at a time, row by row", by_row)):
        arguments = (word_pair, layout, state.parameters, state.accumulators, penalties.share, model.rate)
        one_cell_at_a_time(cells[:10], *arguments)
        begin = time.perf_counter()
        one_cell_at_a_time(cells, *arguments)
        found.append((name, (time.perf_counter() - begin) / len(cells)))

    train(small, model, 1, 1)
    for threads in (1, 2):
        seconds, cells_of_epoch, _ = train(counts, model, threads, 3)
        name = f"side after side, 32 cells at once, {threads} thread{'s' * (threads > 1)}"
        found.append((name, min(seconds) / cells_of_epoch))
    for name, seconds_a_cell in found:
        record(
            "cw2v ladder", version=name, nanoseconds_a_cell=1e9 * seconds_a_cell,
            ratio=found[1][1] / seconds_a_cell, dimensions=model.dimensions,
        )  # fmt: skip


def growth() -> None:
    """How the time of an epoch grows with cells, dimensions, conditions and threads, everything else as in BASE."""
    model = ConditionedModel()
    base = invented_counts(**BASE)
    for number, draws in enumerate((100_000, 200_000, 400_000, 800_000, 1_600_000)):
        counts = base if draws == BASE["draws"] else invented_counts(**(BASE | {"draws": draws}))
        _grown("cells", counts, model, 2, warm=not number)
    for dimensions in (25, 50, 100, 200):
        _grown("dimensions", base, dataclasses.replace(model, dimensions=dimensions), 2)
    for conditions in (3, 9, 27, 81):
        # The same text, cut into more conditions.
        draws = BASE["draws"] * BASE["conditions"] // conditions
        counts = invented_counts(BASE["words"], conditions, draws)
        _grown("conditions", counts, model, 2)
    for threads in (1, 2):
        _grown("threads", base, model, threads)


def _grown(along: str, counts: Counts, model: ConditionedModel, threads: int, warm: bool = False) -> None:
    if warm:
        train(counts, model, threads, 1)
    seconds, cells, _ = train(counts, model, threads, 3)
    record(
        "cw2v growth", along=along, cells=cells, dimensions=model.dimensions, conditions=len(counts.conditions),
        threads=threads, seconds=min(seconds), cells_per_second=cells / min(seconds),
    )  # fmt: skip


if __name__ == "__main__":
    main()
