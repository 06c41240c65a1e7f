"""How fast `graph` trains on the CPU: `python benchmarks/graph.py [--run RUN] [--authors PATH]`.

A sweep is two products of all cells with the vectors of one side and a small system for each word. The baseline is the
same products by scipy on one thread; with `--authors` also 40 epochs of the authors' program on the same counts, of
which a few are timed.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import authors
import numpy as np
from harness import peak_mb, record
from invented_counts import invented_counts
from scipy import sparse

from chronotope.cooccurrence import Counts, positive_pmi
from chronotope.methods import GraphModel
from chronotope.methods.graph import solver
from chronotope.methods.graph.links import make_problem
from chronotope.methods.graph.objective import GraphProblem

SWEEPS = 10
EPOCHS_OF_THE_AUTHORS = 40


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--run", type=Path, help="a run, instead of invented counts")
    options.add_argument("--authors", type=Path, help="the authors' EWE_temporal, built elsewhere")
    options.add_argument("--dimensions", type=int, nargs="+", default=[50, 200])
    chosen = options.parse_args()
    counts = Counts.open(chosen.run) if chosen.run else invented_counts(5_000, 9, 400_000)
    GraphModel(dimensions=8, epochs=1).fit(invented_counts(200, 2, 2_000), device="cpu")  # compiles
    theirs = seconds_of_the_authors(chosen.authors, counts) if chosen.authors else None
    for dimensions in chosen.dimensions:
        for threads in (1, 2):
            measure(counts, dimensions, threads, theirs)


def measure(counts: Counts, dimensions: int, threads: int, theirs: float | None) -> None:
    """Ten sweeps with their start, and what comes before and after them."""
    begin = time.perf_counter()
    GraphModel(dimensions=dimensions, epochs=SWEEPS).fit(counts, threads=threads, device="cpu")
    whole = time.perf_counter() - begin
    problem = problem_of(counts, threads)
    matrix = problem.matrix
    rows = np.zeros((len(problem.weight), dimensions), dtype=np.float32)
    with ThreadPoolExecutor(threads) as pool:
        begin = time.perf_counter()
        contexts = solver.start_contexts(problem, dimensions, 1, pool)
        for sweep in range(SWEEPS):
            if sweep:
                contexts = solver.best_contexts(rows, problem, pool)
            solver.solve_rows(contexts, rows, problem, pool)
        seconds = time.perf_counter() - begin
    plain = sparse.csr_array((matrix.value, matrix.context, matrix.start), shape=(len(rows), matrix.contexts))
    begin = time.perf_counter()
    product = plain @ contexts
    _ = plain.T @ product
    by_scipy = (time.perf_counter() - begin) * (SWEEPS + 4)  # the start takes four such rounds
    figures = {"ratio_to_authors": theirs / seconds, "ratio_to_authors_whole_fit": theirs / whole} if theirs else {}
    record(
        "graph training", words=problem.words, conditions=len(counts.conditions), cells=2 * counts.size,
        positive_entries=len(matrix.value), contexts=matrix.contexts, dimensions=dimensions, threads=threads,
        sweeps=SWEEPS, seconds=seconds, seconds_whole_fit=whole, ratio_to_scipy_products=by_scipy / seconds,
        peak_mb=peak_mb(), **figures,
    )  # fmt: skip


def problem_of(counts: Counts, threads: int) -> GraphProblem:
    """What the sweeps are about, with the settings of the model."""
    model = GraphModel()._for_counts(counts)
    return make_problem(
        positive_pmi(counts, model.association, threads=threads), counts.vocabulary.support, len(counts.vocabulary),
        counts.conditions, smoothness=model.smoothness, deviation_penalty=model.deviation_penalty or 0.0,
        half_trust=model.half_trust,
    )  # fmt: skip


def seconds_of_the_authors(program: Path, counts: Counts, threads: int = 2) -> float:
    """Forty epochs, from the difference between one epoch and three."""
    settings = authors.SAME_LOSS
    with tempfile.TemporaryDirectory() as name:
        authors.write_cells(counts, settings, Path(name))
        once, thrice = (
            authors.run_program(program, counts, settings, Path(name), epochs, threads) for epochs in (1, 3)
        )
    return (thrice.wall - once.wall) / 2 * EPOCHS_OF_THE_AUTHORS


if __name__ == "__main__":
    main()
