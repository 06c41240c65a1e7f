"""The figures of the GPU: `python benchmarks/gpu.py` appends them to rows.jsonl. Needs CuPy, not numba or Polars.

`python benchmarks/gpu.py quality --device cpu` (or cuda) compares held-out errors of CW2V on the same invented cells,
and can run on two machines.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

# So that it also runs where chronotope cannot be installed, for want of what its other parts need.
sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[1] / "src")]
from harness import record  # noqa: E402

from chronotope.methods.cw2v.alternating import train_epoch  # noqa: E402
from chronotope.methods.cw2v.parameters import Parameters, initial_accumulators, initial_parameters  # noqa: E402
from chronotope.methods.cw2v.rows import CELLS_IN_A_GROUP, STRATA, RowCells, make_rows  # noqa: E402

RATE, ACCUMULATOR, BETA, ALPHA, CAP = 0.05, 0.1, 8.0, 1.5, 10.0  # what the figures in docs/gpu.md are for
TOPICS = 64


class Cells(NamedTuple):
    """Each pair of words once."""

    word: Any
    context: Any
    count: Any


def invented_cells(xp: Any, words: int, conditions: int, cells: int, seed: int = 0) -> list[Cells]:
    """Zipfian words in topics that drift from condition to condition; about `cells` cells, both directions counted."""
    random = xp.random.default_rng(seed)
    zipf = 1 / (xp.arange(words) + 2.7)
    taste, drift = random.standard_normal((2, TOPICS, words), dtype=xp.float32)
    wanted = cells // conditions // 2
    found = []
    for condition in range(conditions):
        chance = zipf * xp.exp(1.5 * taste + 0.7 * drift * (condition / conditions))
        below = xp.cumsum(chance / chance.sum(axis=1, keepdims=True), axis=1)
        common = xp.cumsum(zipf / zipf.sum())
        key, counts, many = xp.empty(0, dtype=xp.int64), None, 3 * wanted // TOPICS
        while counts is None or len(counts) < wanted:
            drawn = []
            for topic in range(TOPICS):
                a = xp.searchsorted(below[topic], random.random(many))
                of_topic = random.random(many) < 0.7
                b = xp.where(
                    of_topic,
                    xp.searchsorted(below[topic], random.random(many)),
                    xp.searchsorted(common, random.random(many)),
                )
                a, b = xp.minimum(a, words - 1), xp.minimum(b, words - 1)
                drawn.append(xp.minimum(a, b) * words + xp.maximum(a, b))
            key = xp.concatenate([key, *drawn])
            distinct, counts = xp.unique(key, return_counts=True)
        kept = xp.sort(xp.argsort(random.random(len(distinct)))[:wanted])
        distinct, counts = distinct[kept], counts[kept]
        found.append(
            Cells((distinct // words).astype(xp.int32), (distinct % words).astype(xp.int32), counts.astype(xp.float32))
        )
    return found


def targets(xp: Any, cells: Cells) -> tuple[Any, Any, Any, Any]:
    weight = xp.minimum(1.0, (cells.count / CAP) ** 0.75).astype(xp.float32)
    return cells.word, cells.context, xp.log(cells.count).astype(xp.float32), weight


def chain(conditions: int) -> sparse.csr_array:
    return sparse.csr_array(ALPHA * (np.eye(conditions, k=1) + np.eye(conditions, k=-1)))


def all_pairs(words: int, conditions: int) -> tuple[np.ndarray, np.ndarray]:
    return np.arange(conditions + 1) * words, np.tile(np.arange(words, dtype=np.int32), conditions)


def seconds_of(work: Callable[[], object], repeats: int) -> float:
    """The median time, the GPU's work included."""
    import cupy

    times = []
    for _ in range(repeats):
        cupy.cuda.Device().synchronize()
        begin = time.perf_counter()
        work()
        cupy.cuda.Device().synchronize()
        times.append(time.perf_counter() - begin)
    return statistics.median(times)


def copy_bandwidth() -> float:
    """TB/s of a copy on the device, bytes read plus bytes written."""
    import cupy

    source = cupy.random.random(1 << 29, dtype=cupy.float32)
    into = cupy.empty_like(source)
    cupy.copyto(into, source)
    return 2 * source.nbytes / seconds_of(lambda: cupy.copyto(into, source), 20) / 1e12


class Training:
    """CW2V on invented cells, ready to run epochs."""

    def __init__(
        self,
        xp: Any,
        cells: list[Cells],
        words: int,
        dimensions: int,
        kernel: Any,
        longest: int = CELLS_IN_A_GROUP,
        on_host: bool = False,
    ) -> None:
        conditions = len(cells)
        start, pair_word = all_pairs(words, conditions)
        begin = time.perf_counter()
        rows = make_rows(xp, (targets(xp, one) for one in cells), start, pair_word, words, seed=1, longest=longest)
        self.cells, self.groups = len(rows.target), len(rows.group_pair)
        self.weight = float(rows.weight.sum(dtype=np.float64))
        pair_cells = rows.pair_cells if xp is np else rows.pair_cells.get()
        self.arranging = time.perf_counter() - begin
        self.parameters = initial_parameters(words, conditions, len(pair_word), dimensions, 1)
        self.accumulators = initial_accumulators(self.parameters, ACCUMULATOR)
        share = (BETA / np.maximum(pair_cells, 1)).astype(np.float32)
        if on_host:
            rows = RowCells(*(array.get() for array in rows))
        self.kernel = kernel(rows, self.parameters, self.accumulators, share)
        self.neighbors = chain(conditions)
        self.epochs = 0

    def epoch(self) -> float:
        """The mean error met."""
        squared = train_epoch(
            self.kernel, self.parameters.condition, self.accumulators.condition, self.neighbors,
            epoch=self.epochs, strata=STRATA, rate=RATE,
        )  # fmt: skip
        self.epochs += 1
        return squared / self.weight


def measure_cw2v(words: int, conditions: int, sizes: list[int], dimensions: list[int], copy: float) -> None:
    import cupy

    from chronotope.methods.cw2v.kernels.gpu import GpuSides

    for size in sizes:
        cells = invented_cells(cupy, words, conditions, size)
        for number in dimensions if size == sizes[-1] else dimensions[:1]:
            training = Training(cupy, cells, words, number, GpuSides)
            first = training.epoch()
            seconds = seconds_of(training.epoch, 9)
            row = 16 * training.kernel.shape.row
            # From either side a cell costs its row, the other's bias and its own three numbers; a group reads and
            # writes its deviation and the gradient.
            moved = 2 * (training.cells * (row + 16) + training.groups * (4 * row + 64))
            figures = {
                "words": words, "conditions": conditions, "cells": training.cells, "dimensions": number,
                "groups": training.groups, "seconds_an_epoch": seconds, "cells_a_second": training.cells / seconds,
                "moved_gb": moved / 1e9, "moved_tb_a_second": moved / seconds / 1e12, "copy_tb_a_second": copy,
                "arranging_seconds": training.arranging, "registers": training.kernel._move.num_regs,
                "spilled_bytes": training.kernel._move.local_size_bytes, "error_first": first,
                "groups_of_the_longest_word": cupy.diff(training.kernel._word_start, axis=1).sum(axis=0).max(),
            }  # fmt: skip
            if size == sizes[-1] and number == dimensions[0]:
                whole = Training(cupy, cells, words, number, GpuSides)
                cupy.cuda.Device().synchronize()
                begin = time.perf_counter()
                errors = [whole.epoch() for _ in range(40)]
                figures |= {"seconds_40_epochs": time.perf_counter() - begin, "error_last": errors[-1]}
                record("gpu cw2v", cells_from="gpu", **figures)
                del whole
                training = Training(cupy, cells, words, number, GpuSides, on_host=True)
                training.epoch()
                seconds = seconds_of(training.epoch, 3)
                figures = {"words": words, "conditions": conditions, "cells": training.cells, "dimensions": number,
                           "seconds_an_epoch": seconds, "cells_a_second": training.cells / seconds}  # fmt: skip
                record("gpu cw2v", cells_from="host", **figures)
            else:
                record("gpu cw2v", cells_from="gpu", **figures)
            del training
            cupy.get_default_memory_pool().free_all_blocks()


def measure_ladder(words: int, conditions: int, size: int, dimensions: int) -> None:
    """Every version of the kernel that mattered, on the same cells."""
    import cupy
    from gpu_ladder import BlockSides, BothSides, PlainSides, WarpSides

    from chronotope.methods.cw2v.kernels.gpu import GpuSides

    cells, first = invented_cells(cupy, words, conditions, size), 0.0
    for version, kernel, longest in (
        ("1 both sides, cell by cell", BothSides, 1),
        ("2 both sides, groups of one row", BothSides, CELLS_IN_A_GROUP),
        ("3 side after side", PlainSides, CELLS_IN_A_GROUP),
        ("4 side after side, asked for ahead", WarpSides, CELLS_IN_A_GROUP),
        ("5 side after side, a block a word", BlockSides, CELLS_IN_A_GROUP),
        ("6 the same, cells two groups ahead", GpuSides, CELLS_IN_A_GROUP),
    ):
        training = Training(cupy, cells, words, dimensions, kernel, longest)
        errors = [training.epoch() for _ in range(3)]
        seconds = seconds_of(training.epoch, 5)
        figures = {"cells": training.cells, "dimensions": dimensions, "seconds_an_epoch": seconds}
        first = first or seconds
        figures |= {"cells_a_second": training.cells / seconds, "times_version_1": first / seconds}
        record("gpu ladder", version=version, **figures, error_3=errors[-1])
        del training
        cupy.get_default_memory_pool().free_all_blocks()


def measure_graph(words: int, conditions: int, size: int, dimensions: list[int], copy: float) -> None:
    import cupy

    problem = graph_problem(words, invented_cells(cupy, words, conditions, size))
    cupy.get_default_memory_pool().free_all_blocks()
    for number in dimensions:
        for streamed in (False, True) if number == dimensions[0] else (False,):
            figures = graph_figures(problem, number, streamed)
            record("gpu graph", words=words, conditions=conditions, **figures, copy_tb_a_second=copy)
            cupy.get_default_memory_pool().free_all_blocks()


def graph_figures(problem: Any, dimensions: int, streamed: bool) -> dict[str, Any]:
    """Ten sweeps, and what they are made of."""
    import cupy

    from chronotope.methods.graph.gpu import GpuSolver

    begin = time.perf_counter()
    solver = GpuSolver(problem, dimensions, streamed=streamed)
    cupy.cuda.Device().synchronize()
    arranging = time.perf_counter() - begin
    solver.start_contexts(1, rounds=1)  # compiles
    solver.solve_rows()

    def sweeps() -> None:
        for sweep in range(10):
            if sweep:
                solver.best_contexts()
            solver.solve_rows()

    contexts, cells = cupy.asarray(solver.contexts), len(problem.matrix.value)
    return {
        "cells": cells,
        "dimensions": dimensions,
        "cells_from": "host" if streamed else "gpu",
        "arranging_seconds": arranging,
        "start_seconds": seconds_of(lambda: solver.start_contexts(1), 1),
        "seconds_10_sweeps": seconds_of(sweeps, 3),
        "rows_seconds": seconds_of(solver.solve_rows, 3),
        "contexts_seconds": seconds_of(solver.best_contexts, 3),
        "polar_seconds": seconds_of(lambda: solver._orthonormal(contexts), 3),
        # Each of the two products reads a row for every cell; this passes mostly through the cache.
        "rows_read_gb_a_sweep": 2 * cells * (16 * solver.shape.row + 8) / 1e9,
    }


class Matrix(NamedTuple):
    start: np.ndarray
    context: np.ndarray
    value: np.ndarray
    contexts: int


def graph_problem(words: int, cells: list[Cells]) -> Any:
    """Rows of random positive values where the cells are; every word in every condition, links between neighbors."""
    import cupy as xp

    from chronotope.methods.graph.objective import GraphProblem

    conditions = len(cells)
    lengths, contexts, values = [], [], []
    for one in cells:
        back = xp.flatnonzero(one.word != one.context)
        word = xp.concatenate([one.word, one.context[back]])
        context = xp.concatenate([one.context, one.word[back]])
        order = xp.argsort(word.astype(xp.int64) * words + context)
        lengths.append(xp.bincount(word, minlength=words).get())
        contexts.append(context[order].get())
        values.append((xp.random.default_rng(1).random(len(order), dtype=xp.float32) * 4).get())
    pairs = words * conditions
    links = np.tile(np.arange(conditions - 1, dtype=np.int32), words)
    return GraphProblem(
        matrix=Matrix(
            np.concatenate([[0], np.cumsum(np.concatenate(lengths))]),
            np.concatenate(contexts),
            np.concatenate(values),
            contexts=words,
        ),
        weight=np.random.default_rng(0).uniform(0.3, 1, pairs).astype(np.float32),
        words=words,
        order=np.arange(pairs).reshape(conditions, words).T.reshape(-1).copy(),
        word_start=np.arange(words + 1) * conditions,
        link_start=np.arange(words + 1) * (conditions - 1),
        link_a=links,
        link_b=links + 1,
        link_weight=np.ones(len(links), dtype=np.float32),
        deviation_penalty=0.1,
        chains_only=True,
    )


def held_out_error(parameters: Parameters, held: list[Cells], words: int) -> float:
    """The mean weighted squared error over cells that training did not see, both directions."""
    squared, total = 0.0, 0.0
    for condition, one in enumerate(held):
        here = slice(condition * words, (condition + 1) * words)
        q = parameters.condition[condition]
        vectors = parameters.word * q + parameters.word_deviation[here]
        contexts = parameters.context * q + parameters.context_deviation[here]
        word, context, target, weight = targets(np, one)
        for i, j in ((word, context), (context, word)):
            predicted = np.einsum("nd,nd->n", vectors[i], contexts[j])
            predicted += parameters.word_bias[here][i] + parameters.context_bias[here][j]
            squared += float(weight @ (predicted - target) ** 2)
            total += float(weight.sum())
    return squared / total


def measure_quality(device: str, words: int = 3000, conditions: int = 9, size: int = 4_000_000) -> None:
    """Train on the same invented cells, here or on the GPU, and say the error on a twentieth that was set aside."""
    cells = invented_cells(np, words, conditions, size)
    random = np.random.default_rng(5)
    kept, held = [], []
    for one in cells:
        aside = random.random(len(one.word)) < 0.05
        held.append(Cells(*(array[aside] for array in one)))
        kept.append(Cells(*(array[~aside] for array in one)))
    epochs = (5, 15, 40)
    found: dict[str, float] = {}
    if device == "cuda":
        import cupy

        from chronotope.methods.cw2v.kernels.gpu import GpuSides

        on_gpu = [Cells(*(cupy.asarray(array) for array in one)) for one in kept]
        training = Training(cupy, on_gpu, words, 50, GpuSides)
        begin = time.perf_counter()
        for epoch in range(1, 41):
            found["error_last"] = training.epoch()
            if epoch in epochs:
                parameters = training.kernel.parameters(training.parameters.condition)
                found[f"held_out_{epoch}"] = held_out_error(parameters, held, words)
    else:
        from gpu_quality import train_on_cpu

        begin = time.perf_counter()
        for epoch, found["error_last"], parameters in train_on_cpu(kept, words, 40):
            if epoch in epochs:
                found[f"held_out_{epoch}"] = held_out_error(parameters, held, words)
    seconds = time.perf_counter() - begin
    record("gpu quality", device=device, words=words, conditions=conditions, cells=size, seconds=seconds, **found)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", nargs="?", default="all", choices=["all", "cw2v", "ladder", "graph", "quality"])
    parser.add_argument("--device", default="cuda", choices=["cpu", "cuda"])
    parser.add_argument("--words", type=int, default=20_000)
    parser.add_argument("--conditions", type=int, default=27)
    parser.add_argument("--cells", type=int, nargs="+", default=[10_000_000, 30_000_000, 100_000_000])
    parser.add_argument("--dimensions", type=int, nargs="+", default=[50, 100, 200, 300])
    given = parser.parse_args()
    copy = 0.0 if given.device == "cpu" else copy_bandwidth()
    if given.what in ("all", "cw2v"):
        measure_cw2v(given.words, given.conditions, given.cells, given.dimensions, copy)
    if given.what in ("all", "ladder"):
        measure_ladder(given.words, given.conditions, given.cells[-1], given.dimensions[0])
    if given.what in ("all", "graph"):
        measure_graph(given.words, given.conditions, given.cells[-1], [200, 50], copy)
    if given.what in ("all", "quality"):
        measure_quality(given.device)


if __name__ == "__main__":
    main()
