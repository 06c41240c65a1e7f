"""The steps of training: move the rows of one side while the other side is fixed.

A group is up to 32 cells of one row. The row moves once per group by AdaGrad, with one accumulator per row. The
gradient of the condition vectors is only summed; it is applied between strata. The pull of deviations toward zero is
implicit (divide by 1 + step · penalty), which is stable for any penalty; each visited cell applies its share.

Loops that sum over dimensions store nothing: only then does the compiler add in the same order in every run.
"""

import math
from typing import NamedTuple, Self

import numpy as np

from chronotope.methods.base import FAST_BUT_NAN_SAFE, Floats
from chronotope.methods.cw2v.cells import PARTS
from chronotope.methods.cw2v.parameters import Parameters
from chronotope.runtime.kernels import kernel

GROUP = 32


class Side(NamedTuple):
    """The parameters of words, or of contexts, and their accumulators."""

    base: Floats
    deviation: Floats
    bias: Floats
    base_sum: Floats
    deviation_sum: Floats
    bias_sum: Floats

    @classmethod
    def of(cls, name: str, parameters: Parameters, accumulators: Parameters) -> Self:
        """Return the side 'word' or 'context'."""
        fields = (name, f"{name}_deviation", f"{name}_bias")
        return cls(*(getattr(tensors, field) for tensors in (parameters, accumulators) for field in fields))


@kernel(fastmath=FAST_BUT_NAN_SAFE)
def write_vectors(first, last, offset, cells, side, condition, vectors):  # type: ignore[no-untyped-def]
    """Write base ⊙ condition + deviation of the pairs first … last to `vectors`, whose first row is pair `offset`."""
    for pair in range(first, last):
        i, c = cells.pair_word[pair], cells.pair_condition[pair]
        for k in range(condition.shape[1]):
            vectors[pair - offset, k] = side.base[i, k] * condition[c, k] + side.deviation[pair, k]


@kernel(error_model="numpy", fastmath=FAST_BUT_NAN_SAFE, forceinline=True)
def move_rows(first, last, cells, side, share, vectors, offset, other_bias, q, rate, gradient):  # type: ignore[no-untyped-def]
    """Move the rows first … last, all of one condition q; return the weighted squared error before the steps.

    `vectors` are those of the fixed side, padded with zeros; row 0 is pair `offset`. Adds to `gradient` of q.
    """
    dimensions, width = len(q), vectors.shape[1]
    rate, squared = np.float32(rate), 0.0
    buffer = np.zeros((5, width), dtype=np.float32)
    here, v, d, vector, by_vector = buffer[0], buffer[1], buffer[2], buffer[3], buffer[4]
    here[:dimensions] = q
    slope = np.empty(GROUP, dtype=np.float32)
    for row in range(first, last):
        pair = cells.rows[row]
        i, b = cells.pair_word[pair], side.bias[pair]
        v[:dimensions] = side.base[i]
        d[:dimensions] = side.deviation[pair]
        for begin in range(cells.cell_start[row], cells.cell_start[row + 1], GROUP):
            size = min(GROUP, cells.cell_start[row + 1] - begin)
            for k in range(width):
                vector[k] = v[k] * here[k] + d[k]
                by_vector[k] = np.float32(0)
            by_bias = np.float32(0)
            for n in range(size):
                other, value = cells.context[begin + n], cells.value[begin + n]
                error = b + other_bias[other] - cells.values[value, 0]
                for k in range(width):
                    error += vector[k] * vectors[other - offset, k]
                slope[n] = np.float32(2) * cells.values[value, 1] * error
                squared += cells.values[value, 1] * error * error
                by_bias += slope[n]
            for n in range(size):
                other = cells.context[begin + n] - offset
                for k in range(width):
                    by_vector[k] += slope[n] * vectors[other, k]
            by_base_square, by_vector_square = np.float32(0), np.float32(0)
            for k in range(width):
                by_base_square += (by_vector[k] * here[k]) * (by_vector[k] * here[k])
                by_vector_square += by_vector[k] * by_vector[k]
            side.base_sum[i] += by_base_square / np.float32(dimensions)
            side.deviation_sum[pair] += by_vector_square / np.float32(dimensions)
            side.bias_sum[pair] += by_bias * by_bias
            base_step = rate / math.sqrt(side.base_sum[i])
            step = rate / math.sqrt(side.deviation_sum[pair])
            shrink = np.float32(1) / (np.float32(1) + step * share[pair] * np.float32(size))
            b -= rate / math.sqrt(side.bias_sum[pair]) * by_bias
            for k in range(dimensions):
                gradient[k] += by_vector[k] * v[k]
            for k in range(width):
                v[k] -= base_step * by_vector[k] * here[k]
                d[k] = (d[k] - step * by_vector[k]) * shrink
        side.base[i] = v[:dimensions]
        side.deviation[pair] = d[:dimensions]
        side.bias[pair] = b
    return squared


@kernel()
def move_block(  # type: ignore[no-untyped-def]
    thread, threads, stratum, conditions, cells, side, share, vectors, offset, other_bias, condition, rate, gradient,
    squared,
):  # fmt: skip
    """Move a thread's parts of some conditions; sum by part, so that the number of threads does not matter."""
    for c in conditions:
        for part in range(thread, PARTS, threads):
            at = (stratum * len(condition) + c) * PARTS + part
            squared[part] += move_rows(
                cells.row_start[at], cells.row_start[at + 1], cells, side, share, vectors, offset, other_bias,
                condition[c], rate, gradient[part, c],
            )  # fmt: skip
