"""How fast `graph` trains: `python benchmarks/graph.py [--run RUN] [--device cuda] [--authors PATH]`.

The whole fit is timed. The baseline is the two products of each of its sweeps by SciPy on one thread; with `--authors`
also 40 epochs of the authors' program on the same counts, of which a few are timed.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

import authors
import numpy as np
from harness import peak_mb, record, timed
from invented import invented_counts

from chronotope.cooccurrence import Counts
from chronotope.methods import GraphModel
from chronotope.methods.graph.matrix import mutual_information
from chronotope.methods.graph.products import csr

EPOCHS_OF_THE_AUTHORS = 40


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--run", type=Path, help="a run, instead of invented counts")
    options.add_argument("--authors", type=Path, help="the authors' EWE_temporal, built elsewhere")
    options.add_argument("--device", default="cpu", choices=["cpu", "cuda"])
    options.add_argument("--dimensions", type=int, nargs="+", default=[50, 200])
    chosen = options.parse_args()
    counts = Counts.open(chosen.run) if chosen.run else invented_counts(5_000, 9, 400_000)
    GraphModel(dimensions=8, epochs=1).fit(invented_counts(200, 2, 2_000), device="cpu")  # compiles
    theirs = seconds_of_the_authors(chosen.authors, counts) if chosen.authors else None
    for dimensions in chosen.dimensions:
        for threads in (1, 2):
            measure(counts, dimensions, threads, chosen.device, theirs)


def measure(counts: Counts, dimensions: int, threads: int, device: str, theirs: float | None) -> None:
    """Time a fit, and the same products by SciPy."""
    model = GraphModel(dimensions=dimensions).with_defaults(counts)
    with timed() as ours:
        sweeps = len(model.fit(counts, threads=threads, device=device).provenance["training"])
    matrix = mutual_information(counts, model.association, threads=threads)
    plain = csr(matrix)
    contexts = np.random.default_rng(0).standard_normal((matrix.contexts, dimensions), dtype=np.float32)
    with timed() as products:
        _ = plain.T @ (plain @ contexts)
    record(
        "graph training", words=len(counts.vocabulary), conditions=len(counts.conditions), cells=2 * counts.size,
        positive_entries=len(matrix.value), contexts=matrix.contexts, dimensions=dimensions, threads=threads,
        device=device, sweeps=sweeps, seconds=ours.seconds, peak_mb=peak_mb(),
        ratio_to_scipy_products=sweeps * products.seconds / ours.seconds,
        **({"ratio_to_authors": theirs / ours.seconds} if theirs else {}),
    )  # fmt: skip


def seconds_of_the_authors(program: Path, counts: Counts, threads: int = 2) -> float:
    """Return the time of 40 epochs, from the difference between one epoch and three."""
    settings = authors.SAME_LOSS
    with tempfile.TemporaryDirectory() as name:
        authors.write_cells(counts, settings, Path(name))
        once, thrice = (
            authors.run_program(program, counts, settings, Path(name), epochs, threads) for epochs in (1, 3)
        )
    return (thrice.seconds - once.seconds) / 2 * EPOCHS_OF_THE_AUTHORS


if __name__ == "__main__":
    main()
