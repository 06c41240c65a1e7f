"""Where training runs, what it says about it, and that `graph` on a GPU equals the CPU up to rounding.

Without a GPU, test_graph runs the code of the GPU with NumPy and SciPy.
"""

from __future__ import annotations

import numpy as np
import pytest

from chronotope.errors import ChronotopeError, SettingsError
from chronotope.methods import DynamicFactorization, GraphModel
from chronotope.methods.device import Gpu, choose, find_gpu
from chronotope.methods.graph.products import gpu_memory

GB = 10**9
GPU = find_gpu()
with_gpu = pytest.mark.skipif(isinstance(GPU, str), reason=f"needs a GPU: {GPU}")
without_gpu = pytest.mark.skipif(not isinstance(GPU, str), reason="a GPU is there")


def test_the_gpu_is_taken_if_it_is_there_and_large_enough():
    large, small = Gpu("Large", 80 * GB), Gpu("Small", 12 * GB)
    assert choose("auto", 30 * GB, large).recorded == "cuda (Large)"
    assert choose("cuda", 30 * GB, large).line == "training on the GPU (Large)"
    assert choose("cpu", 30 * GB, large).recorded == "cpu"
    choice = choose("cuda", 30 * GB, small)
    assert choice.line == "training on the CPU: Small has 12.0 GB free and this takes 30.5 GB"
    assert choice.recorded == "cpu"
    with pytest.raises(SettingsError, match="did you mean cuda"):
        choose("cude", 1, large)


@without_gpu
def test_a_fit_says_where_it_runs_and_records_it(small):
    lines, model = [], GraphModel(dimensions=4, epochs=1)
    made = model.fit(small, on_device=lines.append).provenance
    assert len(lines) == 1
    assert lines[0].startswith("training on the CPU: ")
    assert made["device"] == "cpu"
    assert "cupy" not in made["versions"]
    assert model.fit(small, device="cpu").provenance == made
    with pytest.raises(ChronotopeError, match="chronotope\\[gpu\\]"):
        model.fit(small, device="cuda")
    with pytest.raises(SettingsError, match="dynamic trains only on the CPU; leave out --device cuda"):
        DynamicFactorization(dimensions=4).fit(small, device="cuda")


@with_gpu
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


@with_gpu
def test_training_takes_no_more_memory_than_was_estimated(grid):
    import cupy

    pool = cupy.get_default_memory_pool()
    pool.free_all_blocks()
    GraphModel(dimensions=50, epochs=2).fit(grid, device="cuda")
    words, pairs = len(grid.vocabulary), len(grid.vocabulary.support.word)
    assert pool.total_bytes() < gpu_memory(pairs, 2 * words, 50)
