"""Earlier versions of the GPU kernel of CW2V, kept to be measured beside the present one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import cupy
import numpy as np

from chronotope.methods.cw2v.kernels.gpu import GpuSides

THREADS = 128

HERE = Path(__file__).parent


def compiled(name: str, shape: Any, at_once: int = 4) -> Any:
    options = (*shape.options, f"-DTHREADS={THREADS}", f"-DAT_ONCE={at_once}", "-DWARPS=4")
    code = "".join((HERE / f"{part}.cu").read_text(encoding="utf-8") for part in ("head", name))
    return cupy.RawModule(code=code, options=options)


class BothSides(GpuSides):
    """Both sides at every cell, with atomic additions."""

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self._visit = compiled("both_sides", self.shape).get_function("visit")
        self._random = cupy.random.default_rng(0)

    def move_stratum(self, stratum: int, condition: Any, rate: float) -> tuple[float, Any]:
        named = self._tensors
        named["p.condition"][:, : self.dimensions] = cupy.asarray(condition)
        first, last = (int(self._word_start[stratum, end]) for end in (0, -1))
        order = cupy.argsort(self._random.random(last - first)) + first
        self._gradient.fill(0)
        squared = cupy.zeros(1)
        sides = [
            named[f"{kind}.{side}{part}"]
            for side in ("word", "context")
            for kind in "pa"
            for part in ("", "_deviation", "_bias")
        ]
        self._visit(
            (self._blocks,), (THREADS,),
            (np.int64(last - first), order, self._group_start, self._group_pair, self._pair_word, self._pair_condition,
             *self._cells[-3:], named["p.condition"], self._share, np.float32(rate), *sides, self._gradient, squared),
        )  # fmt: skip
        splits = max(1, 2048 // len(condition))
        sums = cupy.empty((len(condition), splits, self.shape.stored), dtype=cupy.float32)
        self._sum((len(condition) * splits,), (64,), (self._start, np.int32(splits), self._gradient, sums))
        return float(squared[0]), sums.sum(axis=1)[:, : self.dimensions].get()


class PlainSides(GpuSides):
    """Side after side, a warp a word, nothing asked for ahead but cells."""

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self._move = compiled("sides", self.shape).get_function("move_side")


class WarpSides(GpuSides):
    """Side after side, a warp a word, everything asked for ahead."""

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self._move = compiled("warp_a_word", self.shape, at_once=8).get_function("move_side")


class BlockSides(GpuSides):
    """Side after side, a block a word, cells and vectors asked for one group ahead."""

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self._move = compiled("block_a_word", self.shape).get_function("move_side")
