"""What this machine can do at most, beside what the kernels reach: `python benchmarks/roofline.py`.

Two numbers bound a kernel: the bytes it moves over the memory's bandwidth, and its operations over the processor's
peak. Bandwidth is that of adding two arrays far larger than the caches, the peak that of a product of two matrices.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numba
import numpy as np
from graph import problem_of
from harness import record
from invented_counts import invented_counts
from threadpoolctl import threadpool_limits
from training import BASE, train

from chronotope.methods import ConditionedModel
from chronotope.methods.cw2v.kernels.cpu import width_of
from chronotope.methods.graph import solver

THREADS = 2
DIMENSIONS = 50


def best_seconds(work: Callable[[], object], repeats: int = 5) -> float:
    times = []
    for _ in range(repeats):
        begin = time.perf_counter()
        work()
        times.append(time.perf_counter() - begin)
    return min(times)


@numba.njit(nogil=True)
def _add(a, b, out):  # type: ignore[no-untyped-def]
    for k in range(len(out)):
        out[k] = a[k] + b[k]


def bandwidth() -> float:
    """GB/s, bytes read plus bytes written."""
    size = 1 << 26
    a, b, out = np.ones((3, size), dtype=np.float32)
    parts = [slice(first, first + size // THREADS) for first in range(0, size, size // THREADS)]
    with ThreadPoolExecutor(THREADS) as pool:
        return 12 * size / best_seconds(lambda: list(pool.map(lambda p: _add(a[p], b[p], out[p]), parts))) / 1e9


def peak() -> float:
    """Gflop/s in float32, by the best matrix product at hand."""
    size = 2048
    a, b = np.random.default_rng(0).random((2, size, size), dtype=np.float32)
    with threadpool_limits(THREADS):
        return 2 * size**3 / best_seconds(lambda: a @ b) / 1e9


def main() -> None:
    gigabytes, gigaflops = bandwidth(), peak()
    record("roofline machine", threads=THREADS, gb_per_second=gigabytes, gflop_per_second=gigaflops)

    counts = invented_counts(**BASE)
    model = ConditionedModel(dimensions=DIMENSIONS)
    trained = train(counts, model, THREADS, 4)
    cells = trained.cells
    # A side of a cell: the product, and the sum of the gradient: two multiply-adds.
    flops = 2 * cells * 2 * 2 * DIMENSIONS
    # If no vector stayed in a cache: the written row of the other side, and the four bytes of the cell.
    most = 2 * cells * (4 * width_of(DIMENSIONS) + 4)
    record_kernel("cw2v epoch", min(trained.seconds), flops, 2 * cells * 4, most, gigabytes, gigaflops)

    problem = problem_of(counts, THREADS)
    rows = np.zeros((len(problem.weight), DIMENSIONS), dtype=np.float32)
    with ThreadPoolExecutor(THREADS) as pool:
        contexts = solver.start_contexts(problem, DIMENSIONS, 1, pool)
        solver.solve_rows(contexts, rows, problem, pool)
        for name, work in (
            ("graph rows", lambda: solver.solve_rows(contexts, rows, problem, pool)),
            ("graph contexts", lambda: solver.best_contexts(rows, problem, pool)),
        ):
            size = len(problem.matrix.value)
            record_kernel(
                name, best_seconds(work), 2 * size * DIMENSIONS, 8 * size, size * (8 + 4 * DIMENSIONS),
                gigabytes, gigaflops,
            )  # fmt: skip


def record_kernel(
    name: str, seconds: float, flops: float, least: float, most: float, gigabytes: float, gigaflops: float
) -> None:
    """The time, beside what it would be if only memory or only arithmetic mattered."""
    record(
        "roofline kernel", kernel=name, milliseconds=1e3 * seconds, gflop_per_second=flops / seconds / 1e9,
        share_of_peak=flops / seconds / 1e9 / gigaflops,
        milliseconds_if_arithmetic=1e3 * flops / gigaflops / 1e9,
        milliseconds_if_memory_cached=1e3 * least / gigabytes / 1e9,
        milliseconds_if_memory_uncached=1e3 * most / gigabytes / 1e9,
    )  # fmt: skip


if __name__ == "__main__":
    main()
