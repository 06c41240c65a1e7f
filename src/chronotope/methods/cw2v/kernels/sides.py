"""One stratum, side after side, in plain NumPy: slow, legible, and what the fast kernels must equal.

A group is a handful of cells of one row, which moves once a group by AdaGrad with one accumulator a row; both sides
take the same step. The gradient by the condition vector is only summed, to be applied between strata. The pull of
deviations toward zero is implicit (divide by 1 + step · penalty), which is stable for any penalty; each visit of a cell
takes its share of it, so that an epoch applies it once.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from chronotope.methods.cw2v.parameters import Accumulators, Parameters
from chronotope.methods.cw2v.rows import RowCells

SIDES = (("word", "context"), ("context", "word"))


class ReferenceSides:
    """Moves `parameters` and `accumulators` in place; their condition vectors are not used.

    Parameters
    ----------
    penalty_share
        (P,) how much of a pair's penalty each visited cell carries.
    """

    def __init__(
        self, cells: RowCells, parameters: Parameters, accumulators: Accumulators, penalty_share: NDArray[np.float32]
    ) -> None:
        self.cells = cells
        self.parameters = parameters
        self.accumulators = accumulators
        self.share = penalty_share

    def move_stratum(
        self, stratum: int, condition: NDArray[np.float32], rate: float
    ) -> tuple[float, NDArray[np.float32]]:
        """See `alternating.Kernel`."""
        gradient = np.zeros_like(condition)
        met = [self._move(own, other, stratum, condition, rate, gradient) for own, other in SIDES]
        return met[0], gradient

    def _move(
        self, own: str, other: str, stratum: int, q: NDArray[np.float32], rate: float, gradient: NDArray[np.float32]
    ) -> float:
        cells = self.cells
        base, deviation, bias = _side(self.parameters, own)
        base_sum, deviation_sum, bias_sum = _side(self.accumulators, own)
        other_base, other_deviation, other_bias = _side(self.parameters, other)
        others = other_base[cells.pair_word] * q[cells.pair_condition] + other_deviation
        squared = 0.0
        for group in range(cells.word_start[stratum, 0], cells.word_start[stratum, -1]):
            pair = cells.group_pair[group]
            i, c = cells.pair_word[pair], cells.pair_condition[pair]
            visited = slice(cells.group_start[group], cells.group_start[group + 1])
            facing, weight = others[cells.context_pair[visited]], cells.weight[visited]
            vector = base[i] * q[c] + deviation[pair]
            error = facing @ vector + bias[pair] + other_bias[cells.context_pair[visited]] - cells.target[visited]
            squared += float(weight @ error**2)
            slope = 2 * weight * error  # the derivative of the weighted squared error by the prediction
            by_vector, by_bias = slope @ facing, slope.sum()
            by_base = by_vector * q[c]
            gradient[c] += by_vector * base[i]

            base_sum[i] += np.mean(by_base**2)
            deviation_sum[pair] += np.mean(by_vector**2)
            bias_sum[pair] += by_bias**2
            base[i] -= rate / np.sqrt(base_sum[i]) * by_base
            step = rate / np.sqrt(deviation_sum[pair])
            deviation[pair] = (deviation[pair] - step * by_vector) / (1 + step * self.share[pair] * len(weight))
            bias[pair] -= rate / np.sqrt(bias_sum[pair]) * by_bias
        return squared


def _side(tensors: Parameters | Accumulators, name: str) -> tuple[NDArray[np.float32], ...]:
    """The base, the deviations and the biases of a side."""
    return tuple(getattr(tensors, field) for field in (name, f"{name}_deviation", f"{name}_bias"))
