"""Earlier ways to train CW2V on a CPU, kept to show what each step of the ladder brought."""

from __future__ import annotations

import math

import numba
import numpy as np

from chronotope.model.cw2v.kernels.cpu import FAST_BUT_NAN_SAFE


@numba.njit(nogil=True, fastmath=FAST_BUT_NAN_SAFE)
def one_cell_at_a_time(order, word_pair, layout, parameters, accumulators, penalty_share, rate):  # type: ignore[no-untyped-def]
    """Both sides move at every cell, cells in random order: the usual stochastic gradient."""
    v, u, q, d, d_, b, b_ = parameters
    dimensions = v.shape[1]
    own = np.empty(dimensions, dtype=np.float32)
    other = np.empty(dimensions, dtype=np.float32)
    rate = np.float32(rate)
    squared = 0.0
    for cell in order:
        pair, facing = word_pair[cell], layout.context_pair[cell]
        i, j, c = layout.pair_word[pair], layout.pair_word[facing], layout.pair_condition[pair]
        for k in range(dimensions):
            own[k] = v[i, k] * q[c, k] + d[pair, k]
            other[k] = u[j, k] * q[c, k] + d_[facing, k]
        error = b[pair] + b_[facing] - layout.target[cell]
        own_square = np.float32(0)
        other_square = np.float32(0)
        for k in range(dimensions):
            error += own[k] * other[k]
            own_square += own[k] * own[k]
            other_square += other[k] * other[k]
        weight = layout.weight[cell]
        squared += weight * error * error
        slope = np.float32(2) * weight * error
        square = slope * slope / dimensions
        accumulators.word[i] += square * other_square
        accumulators.context[j] += square * own_square
        accumulators.word_deviation[pair] += square * other_square
        accumulators.context_deviation[facing] += square * own_square
        accumulators.word_bias[pair] += slope * slope
        accumulators.context_bias[facing] += slope * slope
        word_step = rate * slope / math.sqrt(accumulators.word[i])
        context_step = rate * slope / math.sqrt(accumulators.context[j])
        own_rate = rate / math.sqrt(accumulators.word_deviation[pair])
        other_rate = rate / math.sqrt(accumulators.context_deviation[facing])
        own_shrink = np.float32(1) / (np.float32(1) + own_rate * penalty_share[pair])
        other_shrink = np.float32(1) / (np.float32(1) + other_rate * penalty_share[facing])
        for k in range(dimensions):
            v[i, k] -= word_step * q[c, k] * other[k]
            u[j, k] -= context_step * q[c, k] * own[k]
            d[pair, k] = (d[pair, k] - own_rate * slope * other[k]) * own_shrink
            d_[facing, k] = (d_[facing, k] - other_rate * slope * own[k]) * other_shrink
        b[pair] -= rate * slope / math.sqrt(accumulators.word_bias[pair])
        b_[facing] -= rate * slope / math.sqrt(accumulators.context_bias[facing])
    return squared
