"""The GPU kernels equal the NumPy reference on odd shapes. Imports nothing that needs numba or Polars."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest
from scipy import sparse

from chronotope.methods.cw2v.alternating import train_epoch
from chronotope.methods.cw2v.kernels.sides import ReferenceSides
from chronotope.methods.cw2v.parameters import initial_accumulators, initial_parameters
from chronotope.methods.cw2v.rows import make_rows
from chronotope.methods.device import Need, find_gpu, train_on
from chronotope.methods.graph import objective
from chronotope.methods.graph.objective import GraphProblem

GPU = find_gpu()
pytestmark = pytest.mark.skipif(isinstance(GPU, str), reason=f"needs a GPU: {GPU}")


class Matrix(NamedTuple):
    start: np.ndarray
    context: np.ndarray
    value: np.ndarray
    contexts: int


def invented(words=61, conditions=5, draws=900, seed=0):
    """Cells of a few conditions, each with some of the words, the first of them in most cells."""
    random = np.random.default_rng(seed)
    chance = 1 / np.arange(1, words + 1)
    start, pair_word, cells = [0], [], []
    for _ in range(conditions):
        present = np.sort(random.choice(words, words - 7, replace=False)).astype(np.int32)
        p = chance[present] / chance[present].sum()
        a, b = random.choice(present, (2, draws), p=p)
        keys = np.unique(np.minimum(a, b) * words + np.maximum(a, b))
        cells.append(
            (
                (keys // words).astype(np.int32),
                (keys % words).astype(np.int32),
                random.normal(size=len(keys)).astype(np.float32),
                random.random(len(keys), dtype=np.float32),
            )
        )
        pair_word.append(present)
        start.append(start[-1] + len(present))
    return cells, start, np.concatenate(pair_word)


@pytest.mark.parametrize("on_host", [False, True], ids=["cells on the GPU", "cells from the host"])
@pytest.mark.parametrize(
    ("dimensions", "strata", "longest"), [(1, 1, 32), (7, 3, 5), (50, 8, 32), (65, 2, 16), (131, 4, 32), (300, 2, 9)]
)
def test_an_epoch_of_cw2v_equals_the_reference(dimensions, strata, longest, on_host):
    import cupy

    from chronotope.methods.cw2v.kernels.gpu import GpuSides

    cells, start, pair_word = invented()
    random = np.random.default_rng(1)
    share = random.random(len(pair_word), dtype=np.float32)
    neighbors = sparse.csr_array(np.eye(5, k=1) + np.eye(5, k=-1))
    found = []
    for xp in (np, np if on_host else cupy):
        rows = make_rows(xp, cells, start, pair_word, 61, 1, strata, longest)
        parameters = initial_parameters(61, 5, len(pair_word), dimensions, 1)
        accumulators = initial_accumulators(parameters, 0.1)
        kernel = (GpuSides if found else ReferenceSides)(rows, parameters, accumulators, share)
        condition, accumulated = parameters.condition, accumulators.condition
        squared = [
            train_epoch(kernel, condition, accumulated, neighbors, epoch=epoch, strata=strata, rate=0.05)
            for epoch in range(2)
        ]
        if found:
            parameters, accumulators = kernel.parameters(condition), kernel.accumulators(accumulated)
        found.append((squared, parameters, accumulators))
    assert found[1][0] == pytest.approx(found[0][0], rel=1e-4)
    for expected, tensors in zip(found[0][1:], found[1][1:], strict=True):
        for name, array in tensors._asdict().items():
            np.testing.assert_allclose(array, getattr(expected, name), rtol=2e-3, atol=2e-4, err_msg=name)


def test_what_is_not_learned_stays_as_it_is_and_the_same_seed_gives_the_same_bytes():
    import cupy

    from chronotope.methods.cw2v.kernels.gpu import GpuSides

    cells, start, pair_word = invented(words=400, draws=20_000)
    found = []
    for _ in range(2):
        parameters = initial_parameters(400, 5, len(pair_word), 20, 1)
        accumulators = initial_accumulators(parameters, 0.1, fixed=("word_deviation", "context_deviation"))
        rows = make_rows(cupy, cells, start, pair_word, 400, 1)
        kernel = GpuSides(rows, parameters, accumulators, np.ones(len(pair_word), dtype=np.float32))
        for epoch in range(3):
            train_epoch(
                kernel, parameters.condition, accumulators.condition, sparse.csr_array((5, 5)),
                epoch=epoch, strata=8, rate=0.05,
            )  # fmt: skip
        found.append(kernel.parameters(parameters.condition))
    assert np.abs(found[0].word_deviation).max() < 1e-15, "its accumulator is the largest number there is"
    for name, array in found[0]._asdict().items():
        assert array.tobytes() == getattr(found[1], name).tobytes(), name


def graph_problem(chains_only, words=83, conditions=6, seed=0, beta=0.3):
    """Every word in some of the conditions; links between consecutive ones, and a few more where asked for."""
    random = np.random.default_rng(seed)
    present = random.random((words, conditions)) < 0.7
    condition, word = np.nonzero(present.T)
    pairs = len(word)
    order = np.lexsort((condition, word))
    word_start = np.searchsorted(word[order], np.arange(words + 1))
    sizes = np.diff(word_start)
    a = [np.arange(max(size - 1, 0)) for size in sizes]
    b = [one + 1 for one in a]
    if not chains_only:
        a = [np.append(one, [0] if size > 2 else []) for one, size in zip(a, sizes, strict=True)]
        b = [np.append(one, [size - 1] if size > 2 else []) for one, size in zip(b, sizes, strict=True)]
    lengths = random.integers(0, 40, pairs)
    lengths[3] = 0
    columns = [np.sort(random.choice(2 * words, length, replace=False)) for length in lengths]
    context = np.concatenate(columns).astype(np.int32)
    return GraphProblem(
        matrix=Matrix(
            np.concatenate([[0], np.cumsum(lengths)]),
            context,
            random.random(len(context), dtype=np.float32),
            contexts=2 * words,
        ),
        weight=random.uniform(0.1, 1, pairs).astype(np.float32),
        words=words,
        order=order,
        word_start=word_start,
        link_start=np.concatenate([[0], np.cumsum([len(one) for one in a])]),
        link_a=np.concatenate(a).astype(np.int32),
        link_b=np.concatenate(b).astype(np.int32),
        link_weight=random.uniform(0.1, 2, sum(map(len, a))).astype(np.float32),
        deviation_penalty=beta,
        chains_only=chains_only,
    )


@pytest.mark.parametrize("streamed", [False, True], ids=["on the GPU", "from the host"])
@pytest.mark.parametrize("chains_only", [True, False], ids=["chains", "more links"])
@pytest.mark.parametrize("dimensions", [1, 6, 50, 77])
def test_a_sweep_of_graph_equals_the_specification(monkeypatch, dimensions, chains_only, streamed):
    from chronotope.methods.graph import gpu

    monkeypatch.setattr(gpu, "BLOCK_CELLS", 1000)
    monkeypatch.setattr(gpu, "STRETCH", 16)
    problem = graph_problem(chains_only)
    solver = gpu.GpuSolver(problem, dimensions, streamed=streamed)
    solver.start_contexts(seed=1)
    contexts = solver.contexts
    np.testing.assert_allclose(contexts.T @ contexts, np.eye(dimensions), atol=1e-5)
    gained = solver.solve_rows()
    rows = solver.rows
    np.testing.assert_allclose(rows, objective.best_rows(contexts, problem), rtol=1e-4, atol=1e-5)
    squares = problem.matrix.value.astype(np.float64) ** 2
    constant = float(np.repeat(problem.weight, np.diff(problem.matrix.start)) @ squares)
    assert constant + gained == pytest.approx(objective.loss(rows, contexts, problem), rel=1e-5)
    solver.best_contexts()
    np.testing.assert_allclose(solver.contexts, objective.best_contexts(rows, problem), rtol=1e-2, atol=1e-4)


def test_principal_axes_keep_all_distances():
    from chronotope.methods.graph.gpu import GpuSolver

    problem = graph_problem(chains_only=True)
    solver = GpuSolver(problem, 9)
    solver.start_contexts(seed=1)
    solver.solve_rows()
    rows, contexts = solver.rows, solver.contexts
    turned, turned_contexts = solver.principal()
    np.testing.assert_allclose(turned @ turned_contexts.T, rows @ contexts.T, rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(turned @ turned.T, rows @ rows.T, rtol=1e-4, atol=1e-5)
    spread = problem.weight @ turned**2
    assert (np.diff(spread) <= 1e-6).all()


def test_training_takes_no_more_memory_than_was_estimated():
    import cupy

    from chronotope.methods.cw2v.kernels.gpu import GpuSides, memory_needed
    from chronotope.methods.graph import gpu

    pool = cupy.get_default_memory_pool()
    pool.free_all_blocks()
    held = pool.total_bytes()
    words = 3000
    cells, start, pair_word = invented(words=words, draws=600_000)
    rows = make_rows(cupy, cells, start, pair_word, words, 1)
    need = memory_needed(len(pair_word), words, 5, len(rows.target), 20)
    parameters = initial_parameters(words, 5, len(pair_word), 20, 1)
    kernel = GpuSides(rows, parameters, initial_accumulators(parameters, 0.1), np.ones(len(pair_word), np.float32))
    kernel.move_stratum(0, parameters.condition, 0.05)
    assert pool.total_bytes() - held < need.parameters + need.cells
    del kernel, rows

    pool.free_all_blocks()
    held = pool.total_bytes()
    problem = graph_problem(chains_only=True, words=3000, conditions=20)
    solver = gpu.GpuSolver(problem, 20)
    solver.start_contexts(seed=1)
    solver.solve_rows()
    need = gpu.memory_needed(len(problem.weight), 6000, len(problem.matrix.value), 20)
    assert pool.total_bytes() - held < need.parameters + need.cells


def test_where_the_memory_runs_out_the_next_way_is_tried():
    import cupy

    pool = cupy.get_default_memory_pool()
    pool.free_all_blocks()
    lines = []

    def train(choice):
        if choice.device == "cuda":
            cupy.zeros(1 << (20 if choice.streamed else 28), dtype=cupy.uint8)
        return choice

    try:
        pool.set_limit(size=pool.total_bytes() + (1 << 24))
        choice = train_on("auto", Need(1, 1, 1), train, lines.append)
    finally:
        pool.set_limit(size=0)
    assert (choice.device, choice.streamed) == ("cuda", True)
    assert [line.split(":")[0] for line in lines[::2]] == [
        f"training on the GPU ({GPU.name})",
        "training on the GPU, the cells in parts from the host",
    ]
    assert "ran out" in lines[1]
