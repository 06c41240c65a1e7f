"""Training with the cells on disk: the same bytes as in memory, nothing left behind, and the limit is kept."""

from __future__ import annotations

import os

import numpy as np
import pytest

import worlds
from chronotope.errors import InputError, SettingsError
from chronotope.methods import ConditionedModel, GraphModel
from chronotope.methods.cw2v.kernels import cpu
from chronotope.methods.device import Choice
from chronotope.methods.graph import matrix
from chronotope.methods.stretches import BESIDE, HostNeed, InFile, InMemory, cells_on_disk
from chronotope.runtime.memory import Memory, resident

CPU = Choice("cpu", "")
GB = 10**9


@pytest.fixture(scope="module")
def grid(counts_of):
    """Time × place, where some words are missing from some conditions."""
    return counts_of(worlds.time_and_place(documents=150), time="time", place="place", min_count=3)


@pytest.mark.parametrize("model", [ConditionedModel(dimensions=9, epochs=2), GraphModel(dimensions=9, epochs=3)])
@pytest.mark.parametrize("edges", [None, [("arlen", "borva"), ("borva", "celdon")]])
def test_cells_on_disk_give_the_same_bytes_as_in_memory(grid, tmp_path, monkeypatch, model, edges):
    model = model._for_axis("time place") if isinstance(model, ConditionedModel) else model._for_counts(grid)
    found = []
    # So few at a time that every stretch is cut many times.
    monkeypatch.setattr(cpu, "WRITTEN_AT_ONCE", 20_000)
    monkeypatch.setattr(matrix, "CELLS_AT_ONCE", 500)
    for folder, threads in ((None, 1), (tmp_path, 1), (tmp_path, 3)):
        result = model._fit(grid, CPU, threads, folder, edges, None, False, None, None)
        found.append((result.vectors.tobytes(), result.provenance["training"]))
    assert found[0] == found[1] == found[2]
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "make", [lambda _: InMemory((10, 2), np.uint16), lambda folder: InFile((2,), np.uint16, folder)]
)
def test_what_was_put_comes_back_in_any_order(tmp_path, make):
    numbers = np.random.default_rng(0).integers(0, 1 << 16, (10, 2)).astype(np.uint16)
    kept = make(tmp_path)
    for first in (6, 0, 3):
        kept.put(first, numbers[first : first + 4 if first == 6 else first + 3])
    asked = [(0, 10), (3, 3), (9, 10), (2, 7)]
    # A stretch is good only until the next is asked for.
    found = [part.copy() for part in kept.stream(asked)]
    assert all(np.array_equal(part, numbers[first:last]) for part, (first, last) in zip(found, asked, strict=True))
    assert list(kept.stream([])) == []


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no device that is always full")
def test_a_full_disk_is_one_clear_line(tmp_path):
    kept = InFile((), np.float32, tmp_path)
    kept._file.close()
    with open("/dev/full", "wb", buffering=0) as full:
        kept._file = full
        with pytest.raises(InputError, match=r"is full; make room"):
            kept.put(0, np.zeros(3, dtype=np.float32))


def test_the_cells_go_to_disk_only_where_they_do_not_fit(tmp_path):
    lines = []
    here = resident()
    limit = Memory(here + BESIDE + 2 * GB)
    beside = tmp_path / "model.ct.checkpoint"
    assert cells_on_disk(Memory(None), HostNeed(10 * GB, 10 * GB), beside) is None
    assert cells_on_disk(limit, HostNeed(GB // 2, GB // 2), beside, lines.append) is None
    assert not lines
    assert cells_on_disk(limit, HostNeed(GB, 5 * GB), beside, lines.append) == tmp_path
    assert "(5.0 GB) are read from" in lines[0]
    with pytest.raises(SettingsError, match=r"training does not fit into .* it needs"):
        cells_on_disk(limit, HostNeed(5 * GB, GB), beside)
