"""Training with the cells on disk: the same bytes as in memory, nothing left behind, and the limit is kept."""

from __future__ import annotations

import os
from dataclasses import replace

import numpy as np
import pytest

from chronotope.errors import InputError, SettingsError
from chronotope.methods import ConditionedModel, GraphModel
from chronotope.methods.base import OVERHEAD, FitOptions
from chronotope.methods.graph.matrix import DiskArray
from chronotope.runtime.memory import Memory, resident

GB = 10**9
BORDERS = [("arlen", "borva"), ("borva", "celdon")]


class OnDisk(FitOptions):
    """Options that put the cells beside the checkpoint, whatever the memory."""

    def cells_folder(self, *_):
        return self.checkpoint.parent


def options(kind, **given):
    nothing = dict.fromkeys(("on_step", "on_epoch", "on_device"), lambda *_: None)
    plain = {"threads": 1, "device": "cpu", "memory": Memory(), "place_edges": None, "checkpoint": None}
    return kind(**{**plain, "resume": False, **nothing, **given})


@pytest.mark.parametrize(
    "model",
    [
        ConditionedModel(dimensions=9, epochs=2),
        ConditionedModel(dimensions=9, epochs=2, zeros=True),
        GraphModel(dimensions=9, epochs=3),
    ],
)
@pytest.mark.parametrize("edges", [None, BORDERS])
def test_cells_on_disk_give_the_same_bytes_as_in_memory(grid, tmp_path, model, edges):
    found = []
    for kind, threads in ((FitOptions, 1), (OnDisk, 1), (OnDisk, 3)):
        checkpoint = tmp_path / "model.ct.checkpoint"
        result = model._fit(grid, options(kind, threads=threads, place_edges=edges, checkpoint=checkpoint))
        found.append((result.vectors.tobytes(), result.provenance["training"]))
    assert found[0] == found[1] == found[2]
    assert not list(tmp_path.iterdir())


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no device that is always full")
def test_a_full_disk_is_one_clear_line(tmp_path):
    array = DiskArray(np.float32, tmp_path)
    array._file.close()
    with open("/dev/full", "wb", buffering=0) as full:
        array._file = full
        with pytest.raises(InputError, match=r"is full; make room"):
            array[0:3] = np.zeros(3, dtype=np.float32)


def test_the_cells_go_to_disk_only_where_they_do_not_fit(tmp_path):
    lines = []
    beside = tmp_path / "model.ct.checkpoint"
    free = options(FitOptions, checkpoint=beside, on_device=lines.append)
    limited = replace(free, memory=Memory(resident() + OVERHEAD + 2 * GB))
    assert free.cells_folder(10 * GB, 10 * GB) is None
    assert limited.cells_folder(GB // 2, GB // 2) is None
    assert not lines
    assert limited.cells_folder(GB, 5 * GB) == tmp_path
    assert "(5.0 GB) are read from" in lines[0]
    with pytest.raises(SettingsError, match=r"training does not fit into .* it needs"):
        limited.cells_folder(5 * GB, GB)
