"""One stratum, side after side, on a GPU: equals `sides` up to rounding, and always gives the same bytes.

A block takes a word and goes through its groups, the word's vector in registers. The cells of a group are shared out
to its warps, whose lanes form slots, each of which reads one vector of the other side. These vectors are written out
before (`combine`), so that a cell costs one row of memory and no addition to shared numbers.

Needs CuPy, and neither numba nor Polars.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chronotope.methods.cw2v.kernels.sides import SIDES
from chronotope.methods.cw2v.parameters import Accumulators, Parameters
from chronotope.methods.cw2v.rows import CELLS_IN_A_GROUP, STRATA, RowCells
from chronotope.methods.device import Need, Shape, cupy, padded

SPLITS = 2048  # blocks that share the sum of the gradient

SOURCE = Path(__file__).with_suffix(".cu")


@cache
def _module(shape: Shape) -> Any:
    return cupy().RawModule(
        code=SOURCE.read_text(encoding="utf-8"), options=(*shape.options, f"-DWARPS={_warps(shape)}")
    )


def _warps(shape: Shape) -> int:
    """So many that the vectors which a lane waits for fit into its registers."""
    return 4 if shape.kept <= 2 else 8


class GpuSides:
    """All parameters but the condition vectors on the GPU, and the cells there or, stratum by stratum, from the host.

    Parameters
    ----------
    cells
        On the GPU (CuPy), or on the host (NumPy): then a stratum's cells travel each time they are visited.
    penalty_share
        (P,) how much of a pair's penalty each visited cell carries.
    """

    def __init__(
        self, cells: RowCells, parameters: Parameters, accumulators: Accumulators, penalty_share: NDArray[np.float32]
    ) -> None:
        cp = cupy()
        self.dimensions = parameters.word.shape[1]
        self.shape = Shape.of(self.dimensions)
        module = _module(self.shape)
        self._combine, self._move, self._sum = map(module.get_function, ("combine", "move_side", "sum_rows"))
        self._tensors = {f"p.{name}": padded(getattr(parameters, name), self.shape) for name in Parameters._fields}
        self._tensors |= {f"a.{name}": cp.array(getattr(accumulators, name)) for name in Accumulators._fields}
        self._share = cp.asarray(penalty_share)
        pairs, conditions = len(penalty_share), len(parameters.condition)
        self._other = cp.empty((pairs, self.shape.stored), dtype=cp.float32)
        self._gradient = cp.empty_like(self._other)
        self._squared = cp.empty(len(parameters.word))
        self._turns = cp.empty(1, dtype=cp.int32)
        self._blocks = cp.cuda.Device().attributes["MultiProcessorCount"] * 16

        self._cells = cells
        self._pair_word, self._pair_condition = cp.asarray(cells.pair_word), cp.asarray(cells.pair_condition)
        self._start = cp.searchsorted(self._pair_condition, cp.arange(conditions + 1)).astype(cp.int64)
        self._word_start = cp.asarray(cells.word_start)
        load = cp.diff(self._word_start, axis=1)
        self._by_load = cp.argsort(-load, axis=1).astype(cp.int32)
        self._words = (load > 0).sum(axis=1).get().tolist()
        # The kernel reads a few places past the end of these.
        self._group_start = cp.pad(cp.asarray(cells.group_start), (0, 3), mode="edge")
        self._group_pair = cp.pad(cp.asarray(cells.group_pair), (0, 3), mode="edge")
        firsts = np.append(self._word_start[:, 0].get(), len(cells.group_pair))
        self._cell_start = self._group_start[cp.asarray(firsts)].get().tolist()

    def move_stratum(
        self, stratum: int, condition: NDArray[np.float32], rate: float
    ) -> tuple[float, NDArray[np.float32]]:
        """See `alternating.Kernel`."""
        cp, named = cupy(), self._tensors
        named["p.condition"][:, : self.dimensions] = cp.asarray(condition)
        q, words, rows = named["p.condition"], self._words[stratum], len(self._share) * self.shape.row
        first, last = self._cell_start[stratum], self._cell_start[stratum + 1]
        # On the GPU these are views; from the host they travel.
        cells = [cp.asarray(column[first:last]) for column in self._cells[-3:]]
        self._gradient.fill(0)
        met = []
        for own, other in SIDES:
            arguments = (np.int64(rows), self._pair_word, self._pair_condition, named[f"p.{other}"], q,
                         named[f"p.{other}_deviation"], self._other)  # fmt: skip
            self._combine((self._blocks,), (256,), arguments)
            self._turns.fill(0)
            self._squared.fill(0)
            moved = [named[f"{kind}.{own}{part}"] for kind in "pa" for part in ("", "_deviation", "_bias")]
            self._move(
                (self._blocks,), (32 * _warps(self.shape),),
                (np.int32(words), self._by_load[stratum], self._turns, self._word_start[stratum], self._group_start,
                 self._group_pair, self._pair_condition, *cells, np.int64(first), q, self._other,
                 named[f"p.{other}_bias"], self._share, np.float32(rate), *moved, self._gradient, self._squared),
            )  # fmt: skip
            met.append(self._squared.sum())
        splits = max(1, SPLITS // len(q))
        sums = cp.empty((len(q), splits, self.shape.stored), dtype=cp.float32)
        self._sum((len(q) * splits,), (64,), (self._start, np.int32(splits), self._gradient, sums))
        return float(met[0]), sums.sum(axis=1)[:, : self.dimensions].get()

    def parameters(self, condition: NDArray[np.float32]) -> Parameters:
        """All parameters, on the host; the condition vectors as given."""
        found = {name: self._tensors[f"p.{name}"] for name in Parameters._fields if name != "condition"}
        whole = {
            name: (array if array.ndim == 1 else array[:, : self.dimensions]).get() for name, array in found.items()
        }
        return Parameters(condition=condition, **whole)

    def accumulators(self, condition: NDArray[np.float32]) -> Accumulators:
        """AdaGrad's memory, on the host; that of the condition vectors as given."""
        found = {name: self._tensors[f"a.{name}"].get() for name in Accumulators._fields if name != "condition"}
        return Accumulators(condition=condition, **found)


def memory_needed(pairs: int, words: int, conditions: int, cells: int, dimensions: int) -> Need:
    """What training takes on a GPU; `cells` in both directions."""
    row = 4 * Shape.of(dimensions).stored
    groups = cells // CELLS_IN_A_GROUP + pairs
    # Deviations of both sides, the vectors of the one that stands still, the gradient; words, contexts, conditions.
    parameters = (4 * pairs + 2 * words + conditions) * row + 48 * pairs + 12 * groups
    # Arranging holds the cells twice, with their places, and sorts one condition after the other.
    arranging = 40 * cells + 64 * groups + 100 * cells // max(conditions, 1)
    return Need(parameters, arranging, 2 * 12 * cells // STRATA)
