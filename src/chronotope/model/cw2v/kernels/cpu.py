"""One stratum, side after side, on the cores of a CPU: equals `sides` up to rounding, on any number of threads.

While one side stands still, the rows of the other have nothing in common; each thread takes some parts of the stratum
and keeps the row it moves at hand. All predictions of a group are made at once, before the row moves: so the processor
has up to 32 independent products in flight, instead of waiting for each step before it can begin the next.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import numba
import numpy as np
from numpy.typing import NDArray

from chronotope.model.cw2v.kernels.sides import SIDES
from chronotope.model.cw2v.layout import PARTS, Layout
from chronotope.model.cw2v.parameters import Accumulators, Parameters
from chronotope.model.cw2v.rows import CELLS_IN_A_GROUP

# Repeatable to the bit: sums over dimensions stand in loops that store nothing. Where a loop also stores, the compiler
# makes a vector form and a scalar form and chooses by how near to each other the arrays happen to lie in memory; a sum
# would be taken in another order, and would differ from run to run.
#
# All that fastmath=True allows except nnan and ninf: with those the compiler may assume that no NaN exists, and it
# deletes the divergence check.
FAST_BUT_NAN_SAFE = {"reassoc", "contract", "arcp", "nsz", "afn"}


class CpuSides:
    """Moves `parameters` and `accumulators` in place; their condition vectors are not used.

    Parameters
    ----------
    penalty_share
        (P,) how much of a pair's penalty each visited cell carries.
    pool, threads
        Where the parts run, and how many of its threads to use; the result does not depend on it.
    """

    def __init__(
        self,
        layout: Layout,
        parameters: Parameters,
        accumulators: Accumulators,
        penalty_share: NDArray[np.float32],
        pool: ThreadPoolExecutor,
        threads: int,
    ) -> None:
        self._layout, self._parameters, self._accumulators = layout, parameters, accumulators
        self._share, self._pool = penalty_share, pool
        threads = min(threads, PARTS)
        self._shares_of_parts = [np.arange(first, PARTS, threads) for first in range(threads)]
        self._gradient = np.empty((PARTS, *parameters.condition.shape), dtype=np.float32)
        self._squared = np.empty(PARTS)

    def move_stratum(
        self, stratum: int, condition: NDArray[np.float32], rate: float
    ) -> tuple[float, NDArray[np.float32]]:
        """See `alternating.Kernel`."""
        self._gradient[:] = 0
        met = []
        for own, other in SIDES:
            moving = (*_side(self._parameters, own), *_side(self._accumulators, own))
            still = tuple(_side(self._parameters, other))

            def move(parts: NDArray[np.int64], moving: tuple = moving, still: tuple = still) -> None:  # type: ignore[type-arg]
                _move_rows(
                    parts, stratum, self._layout, moving, still, condition, self._share, rate,
                    self._squared, self._gradient,
                )  # fmt: skip

            list(self._pool.map(move, self._shares_of_parts))
            met.append(float(self._squared.sum()))
        return met[0], self._gradient.sum(axis=0)


def _side(tensors: Parameters | Accumulators, name: str) -> Iterator[NDArray[np.float32]]:
    """The base, the deviations and the biases of a side."""
    return (getattr(tensors, field) for field in (name, f"{name}_deviation", f"{name}_bias"))


@numba.njit(nogil=True, cache=True, error_model="numpy", fastmath=FAST_BUT_NAN_SAFE)
def _move_rows(parts, stratum, layout, moving, still, q, penalty_share, rate, squared, gradient):  # type: ignore[no-untyped-def]
    """Move the rows of some parts of a stratum toward their targets; see `sides.ReferenceSides`."""
    base, deviation, bias, base_sum, deviation_sum, bias_sum = moving
    other_base, other_deviation, other_bias = still
    dimensions = base.shape[1]
    per_dimension = np.float32(1.0 / dimensions)
    rate = np.float32(rate)
    # Small arrays of its own for all that the inner loops use, filled up with zeros to whole vectors of the processor:
    # the loops over them have no odd ends, and the compiler sees that they do not overlap.
    width = (dimensions + 15) // 16 * 16
    here = np.zeros(width, dtype=np.float32)
    v = np.zeros(width, dtype=np.float32)
    d = np.zeros(width, dtype=np.float32)
    vector = np.zeros(width, dtype=np.float32)
    by_vector = np.zeros(width, dtype=np.float32)
    by_condition = np.zeros(width, dtype=np.float32)
    others = np.zeros((CELLS_IN_A_GROUP, width), dtype=np.float32)
    slope = np.empty(CELLS_IN_A_GROUP, dtype=np.float32)
    squared[parts] = 0
    for c in layout.order[stratum]:
        here[:dimensions] = q[c]
        for part in parts:
            met = 0.0
            for row in range(layout.row_start[stratum, part, c], layout.row_start[stratum, part, c + 1]):
                pair = layout.rows[row]
                i = layout.pair_word[pair]
                for k in range(dimensions):
                    v[k] = base[i, k]
                    d[k] = deviation[pair, k]
                    by_condition[k] = np.float32(0)
                b = bias[pair]
                for first in range(layout.start[pair], layout.start[pair + 1], CELLS_IN_A_GROUP):
                    cells = min(CELLS_IN_A_GROUP, layout.start[pair + 1] - first)
                    for k in range(width):
                        vector[k] = v[k] * here[k] + d[k]
                        by_vector[k] = np.float32(0)
                    for number in range(cells):
                        facing = layout.context_pair[first + number]
                        j = layout.pair_word[facing]
                        for k in range(dimensions):
                            others[number, k] = other_base[j, k] * here[k] + other_deviation[facing, k]
                    by_bias = np.float32(0)
                    for number in range(cells):
                        error = b + other_bias[layout.context_pair[first + number]] - layout.target[first + number]
                        for k in range(width):
                            error += vector[k] * others[number, k]
                        weight = layout.weight[first + number]
                        slope[number] = np.float32(2) * weight * error
                        by_bias += slope[number]
                        met += weight * error * error
                    # Four at a time: the sum is read and written a quarter as often.
                    fours = cells // 4 * 4
                    for number in range(0, fours, 4):
                        w, x, y, z = slope[number], slope[number + 1], slope[number + 2], slope[number + 3]
                        for k in range(width):
                            by_vector[k] += (w * others[number, k] + x * others[number + 1, k]) + (
                                y * others[number + 2, k] + z * others[number + 3, k]
                            )
                    for number in range(fours, cells):
                        w = slope[number]
                        for k in range(width):
                            by_vector[k] += w * others[number, k]

                    by_base_square = np.float32(0)
                    by_vector_square = np.float32(0)
                    for k in range(width):
                        by_base_square += (by_vector[k] * here[k]) * (by_vector[k] * here[k])
                        by_vector_square += by_vector[k] * by_vector[k]
                    base_sum[i] += by_base_square * per_dimension
                    deviation_sum[pair] += by_vector_square * per_dimension
                    bias_sum[pair] += by_bias * by_bias
                    base_step = rate / math.sqrt(base_sum[i])
                    step = rate / math.sqrt(deviation_sum[pair])
                    shrink = np.float32(1) / (np.float32(1) + step * penalty_share[pair] * np.float32(cells))
                    for k in range(width):
                        by_condition[k] += by_vector[k] * v[k]
                        v[k] -= base_step * by_vector[k] * here[k]
                        d[k] = (d[k] - step * by_vector[k]) * shrink
                    b -= rate / math.sqrt(bias_sum[pair]) * by_bias
                for k in range(dimensions):
                    base[i, k] = v[k]
                    deviation[pair, k] = d[k]
                    gradient[part, c, k] += by_condition[k]
                bias[pair] = b
            squared[part] += met
