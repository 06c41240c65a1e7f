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
from typing import NamedTuple

import authors
import numpy as np
from harness import peak_mb, record, resident_mb
from invented_counts import HeldOutCells, hold_out, invented_counts
from training_ladder import one_cell_at_a_time, two_rows_a_cell

from chronotope.conditions import Conditions
from chronotope.cooccurrence import Counts
from chronotope.methods import ConditionedModel
from chronotope.methods.cw2v.kernels.cpu import side_of
from chronotope.methods.cw2v.kernels.sides import SIDES, ReferenceSides
from chronotope.methods.cw2v.parameters import initial_accumulators, initial_parameters
from chronotope.methods.cw2v.rows import make_rows
from chronotope.methods.cw2v.trainers import CpuTrainer, _cells
from chronotope.methods.cw2v.training import State

FULL = {"words": 20_000, "conditions": 27, "draws": 720_000}  # about 20 million cells
DIMENSIONS = 50
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
        forms()
        from_disk()
        growth()


def against_authors(counts: Counts, program: Path | None, epochs: int, threads: int = 2) -> None:
    """The whole size, and if there is a program to compare with, both on the same cells."""
    settings = authors.SAME_LOSS
    train(invented_counts(300, 2, 3_000), settings, threads, 1)  # compiles
    seen, held_out = hold_out(counts, settings)
    before = resident_mb()
    trained = train(seen, settings, threads, epochs, held_out)
    seconds, cells, errors = trained.seconds, trained.cells, trained.errors
    # What must be there: every parameter and every cell (its context and its count) once, four bytes a number.
    pairs, dimensions = len(counts.vocabulary.support.word), settings.dimensions
    rows_of_parameters = 2 * len(counts.vocabulary) + len(counts.conditions) + 2 * pairs
    needed = 4e-6 * (rows_of_parameters * dimensions + 2 * pairs + 2 * cells)
    ours = cells * epochs / sum(seconds)
    busy = cells * epochs / sum(trained.processor_seconds)
    sizes = {"words": len(counts.vocabulary), "conditions": len(counts.conditions), "cells": cells, "threads": threads}
    record(
        "cw2v training", **sizes, dimensions=dimensions, cells_per_second=ours, cells_per_processor_second=busy,
        held_out=errors[-1], peak_mb=peak_mb(), parameters_and_cells_mb=needed,
        memory_ratio=(peak_mb() - before) / needed,
    )  # fmt: skip
    if program is None:
        return
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        authors.write_cells(seen, settings, folder)
        once = authors.run_program(program, counts, settings, folder, 1, threads)
        all_of_them = authors.run_program(program, counts, settings, folder, epochs, threads)
        error = held_out.error(authors.read_parameters(counts, settings, folder), counts.vocabulary.support)
    theirs = cells * (epochs - 1) / (all_of_them.wall - once.wall)
    theirs_busy = cells * (epochs - 1) / (all_of_them.busy - once.busy)
    reached = next((number for number, own in enumerate(errors, 1) if own <= error), None)
    record(
        "cw2v training, the authors' program", **sizes, dimensions=50, epochs=epochs, cells_per_second=theirs,
        ratio=ours / theirs, cells_per_processor_second=theirs_busy, ratio_of_processor_time=busy / theirs_busy,
        held_out=error, our_held_out=errors, our_epochs_to_their_error=reached,
        ratio_of_times_to_their_error=cells * epochs / theirs / sum(seconds[:reached]) if reached else None,
    )  # fmt: skip


class Trained(NamedTuple):
    """What came of it: an entry for each epoch, and the cells of one."""

    seconds: list[float]
    processor_seconds: list[float]  # of all threads together
    cells: int
    errors: list[float]  # on held-out cells


def train(
    counts: Counts,
    settings: ConditionedModel,
    threads: int,
    epochs: int,
    held_out: HeldOutCells | None = None,
    folder: Path | None = None,
) -> Trained:
    """Train for some epochs; with a `folder` the cells lie there."""
    settings = settings._for_axis("time")
    support = counts.vocabulary.support
    sizes = len(counts.vocabulary), len(counts.conditions), len(support.word)
    parameters = initial_parameters(*sizes, settings.dimensions, settings.seed)
    state = State(parameters, initial_accumulators(parameters, settings.accumulator))
    trained = Trained([], [], _cells_in_both_directions(counts), [])
    with ThreadPoolExecutor(threads) as pool:
        trainer = CpuTrainer(settings, counts, counts.conditions.graph(), state, pool, threads, folder)
        for _ in range(epochs):
            begin, before = time.perf_counter(), time.process_time()
            trainer.epoch(lambda: None)
            trained.seconds.append(time.perf_counter() - begin)
            trained.processor_seconds.append(time.process_time() - before)
            if held_out is not None:
                trained.errors.append(held_out.error(parameters, support))
    return trained


def _cells_in_both_directions(counts: Counts) -> int:
    """Each pair of words in both directions; on the diagonal there is only one."""
    once = sum(int((cells.word == cells.context).sum()) for cells in map(counts.cells, range(len(counts.conditions))))
    return 2 * counts.size - once


def ladder() -> None:
    """Each version of the kernel with its time for a cell, on one thread: time of the processor, not of the clock."""
    counts = invented_counts(**BASE)
    model = ConditionedModel(dimensions=DIMENSIONS)._for_axis("time")
    small = invented_counts(300, 2, 3_000)
    found = []

    def start(counts: Counts) -> State:
        sizes = len(counts.vocabulary), len(counts.conditions), len(counts.vocabulary.support.word)
        parameters = initial_parameters(*sizes, model.dimensions, 1)
        return State(parameters, initial_accumulators(parameters, model.accumulator))

    state, support = start(small), small.vocabulary.support
    few = make_rows(np, _cells(np, model, small), support.start, support.word, len(small.vocabulary), 1)
    share = np.full(len(support.word), 0.1, dtype=np.float32)
    reference = ReferenceSides(few, state.parameters, state.accumulators, share)
    begin = time.process_time()
    for stratum in range(len(few.word_start)):
        reference.move_stratum(stratum, state.parameters.condition, model.rate)
    found.append(("reference, NumPy", (time.process_time() - begin) / len(few.target)))

    state, support = start(counts), counts.vocabulary.support
    # In one stratum, so that the groups of a word follow each other.
    rows = make_rows(np, _cells(np, model, counts), support.start, support.word, len(counts.vocabulary), 1, strata=1)
    share = (model.deviation_penalty / np.maximum(rows.pair_cells, 1)).astype(np.float32)
    word_pair = np.repeat(rows.group_pair, np.diff(rows.group_start))
    order = np.random.default_rng(0).permutation(len(rows.target))
    by_row = np.arange(len(rows.target))
    for name, cells in (("one cell at a time, random order", order), ("one cell at a time, row by row", by_row)):
        arguments = (word_pair, rows, state.parameters, state.accumulators, share, model.rate)
        one_cell_at_a_time(cells[:10], *arguments)
        begin = time.process_time()
        one_cell_at_a_time(cells, *arguments)
        found.append((name, (time.process_time() - begin) / len(cells)))
    for timed in (False, True):
        begin, state = time.process_time(), start(counts if timed else small)
        for own, other in SIDES:
            moving = (*side_of(state.parameters, own), *side_of(state.accumulators, own))
            still = tuple(side_of(state.parameters, other))
            cells = rows if timed else few
            two_rows_a_cell(cells, moving, still, state.parameters.condition, share, model.rate)
    found.append(("side after side, two rows a cell", (time.process_time() - begin) / len(rows.target)))

    train(small, model, 1, 1)
    trained = train(counts, model, 1, 3)
    found.append(("side after side, one written row a cell", min(trained.processor_seconds) / trained.cells))
    for name, seconds_a_cell in found:
        record(
            "cw2v ladder", version=name, nanoseconds_a_cell=1e9 * seconds_a_cell,
            ratio=found[1][1] / seconds_a_cell, dimensions=model.dimensions,
        )  # fmt: skip


def forms() -> None:
    """The same cells as times, as places and as times in places, with the defaults and both presets."""
    counts, three, nine = invented_counts(**BASE), list("abc"), list("abcdefghi")
    axes = (
        Conditions.of_times(nine),
        Conditions.of_places(nine),
        Conditions(tuple(three), tuple(three), tuple(np.repeat(range(3), 3).tolist()), tuple(range(3)) * 3),
    )
    usual = None
    for conditions in axes:
        here = dataclasses.replace(counts, conditions=conditions)
        for name in ("default", "paper", "authors"):
            model = ConditionedModel() if name == "default" else ConditionedModel.preset(name, conditions.axis)
            model = dataclasses.replace(model, dimensions=DIMENSIONS)
            train(here, model, 2, 1)  # compiles
            trained = train(here, model, 2, 3)
            usual = usual or min(trained.processor_seconds)
            record(
                "cw2v forms", axis=conditions.axis, settings=name, cells=trained.cells, seconds=min(trained.seconds),
                processor_seconds=min(trained.processor_seconds), ratio=usual / min(trained.processor_seconds),
            )  # fmt: skip


def from_disk() -> None:
    """The time of an epoch with the cells on disk, against the same in memory."""
    counts, model = invented_counts(**BASE), ConditionedModel(dimensions=DIMENSIONS)._for_axis("time")
    train(counts, model, 2, 1)  # compiles
    with tempfile.TemporaryDirectory() as name:
        memory = train(counts, model, 2, 5)
        disk = train(counts, model, 2, 5, folder=Path(name))
    record(
        "cw2v from disk", cells=memory.cells, dimensions=model.dimensions, threads=2, seconds=min(disk.seconds),
        seconds_in_memory=min(memory.seconds), share_of_the_speed_in_memory=min(memory.seconds) / min(disk.seconds),
        share_in_processor_time=min(memory.processor_seconds) / min(disk.processor_seconds),
    )  # fmt: skip


def growth() -> None:
    """How the time of an epoch grows with cells, dimensions, conditions and threads, everything else as in BASE."""
    model = ConditionedModel(dimensions=DIMENSIONS)
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
    trained = train(counts, model, threads, 3)
    seconds, processor, cells = min(trained.seconds), min(trained.processor_seconds), trained.cells
    record(
        "cw2v growth", along=along, cells=cells, dimensions=model.dimensions, conditions=len(counts.conditions),
        threads=threads, seconds=seconds, processor_seconds=processor, cells_per_second=cells / seconds,
    )  # fmt: skip


if __name__ == "__main__":
    main()
