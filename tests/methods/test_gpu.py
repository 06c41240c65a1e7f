"""`graph` on a GPU equals the CPU up to rounding. Without a GPU, test_graph runs the same code with NumPy and SciPy."""

from __future__ import annotations

import numpy as np
import pytest

import worlds
from chronotope.methods import GraphModel
from chronotope.methods.device import find_gpu
from chronotope.methods.graph.products import gpu_memory

GPU = find_gpu()
pytestmark = pytest.mark.skipif(isinstance(GPU, str), reason=f"needs a GPU: {GPU}")


@pytest.fixture(scope="module")
def grid(counts_of):
    return counts_of(worlds.time_and_place(documents=150), time="time", place="place", min_count=3)


@pytest.mark.parametrize("edges", [None, [("arlen", "borva"), ("borva", "celdon")]])
@pytest.mark.parametrize("dimensions", [1, 7, 50])
def test_a_fit_equals_that_of_the_cpu(grid, edges, dimensions):
    model = GraphModel(dimensions=dimensions, epochs=4, tolerance=0.0)
    cpu, gpu = (model.fit(grid, device=device, place_edges=edges) for device in ("cpu", "cuda"))
    losses = [[epoch["loss"] for epoch in found.provenance["training"]] for found in (cpu, gpu)]
    np.testing.assert_allclose(losses[0], losses[1], rtol=1e-4)
    for one, other in ((cpu.vectors, gpu.vectors), (cpu.contexts, gpu.contexts)):
        np.testing.assert_allclose(np.abs(one @ one.T), np.abs(other @ other.T), rtol=1e-2, atol=1e-2)
    assert gpu.provenance["device"].startswith("cuda (")
    assert "cupy" in gpu.provenance["versions"]


def test_training_takes_no_more_memory_than_was_estimated(grid):
    import cupy

    pool = cupy.get_default_memory_pool()
    pool.free_all_blocks()
    GraphModel(dimensions=50, epochs=2).fit(grid, device="cuda")
    words, pairs = len(grid.vocabulary), len(grid.vocabulary.support.word)
    assert pool.total_bytes() < gpu_memory(pairs, 2 * words, 50)
