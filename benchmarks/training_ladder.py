"""Earlier ways to train CW2V on a CPU, kept to show what each step of the ladder brought."""

from __future__ import annotations

import math

import numba
import numpy as np

from chronotope.methods.cw2v.kernels.cpu import FAST_BUT_NAN_SAFE
from chronotope.methods.cw2v.rows import CELLS_IN_A_GROUP


@numba.njit(nogil=True, fastmath=FAST_BUT_NAN_SAFE)
def one_cell_at_a_time(order, word_pair, cells, parameters, accumulators, penalty_share, rate):  # type: ignore[no-untyped-def]
    """Both sides move at every cell, cells in random order: the usual stochastic gradient."""
    v, u, q, d, d_, b, b_ = parameters
    dimensions = v.shape[1]
    own = np.empty(dimensions, dtype=np.float32)
    other = np.empty(dimensions, dtype=np.float32)
    rate = np.float32(rate)
    squared = 0.0
    for cell in order:
        pair, facing = word_pair[cell], cells.context_pair[cell]
        i, j, c = cells.pair_word[pair], cells.pair_word[facing], cells.pair_condition[pair]
        for k in range(dimensions):
            own[k] = v[i, k] * q[c, k] + d[pair, k]
            other[k] = u[j, k] * q[c, k] + d_[facing, k]
        error = b[pair] + b_[facing] - cells.target[cell]
        own_square = np.float32(0)
        other_square = np.float32(0)
        for k in range(dimensions):
            error += own[k] * other[k]
            own_square += own[k] * own[k]
            other_square += other[k] * other[k]
        weight = cells.weight[cell]
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


@numba.njit(nogil=True, fastmath=FAST_BUT_NAN_SAFE)
def two_rows_a_cell(cells, moving, still, q, penalty_share, rate):  # type: ignore[no-untyped-def]
    """One side moves, group by group; the vectors of the other are put together from two rows at every cell."""
    base, deviation, bias, base_sum, deviation_sum, bias_sum = moving
    other_base, other_deviation, other_bias = still
    dimensions = base.shape[1]
    rate = np.float32(rate)
    vector = np.empty(dimensions, dtype=np.float32)
    by_vector = np.empty(dimensions, dtype=np.float32)
    others = np.empty((CELLS_IN_A_GROUP, dimensions), dtype=np.float32)
    for group in range(len(cells.group_pair)):
        pair = cells.group_pair[group]
        i, c = cells.pair_word[pair], cells.pair_condition[pair]
        first, size = cells.group_start[group], cells.group_start[group + 1] - cells.group_start[group]
        for k in range(dimensions):
            vector[k] = base[i, k] * q[c, k] + deviation[pair, k]
            by_vector[k] = np.float32(0)
        for number in range(size):
            facing = cells.context_pair[first + number]
            j = cells.pair_word[facing]
            for k in range(dimensions):
                others[number, k] = other_base[j, k] * q[c, k] + other_deviation[facing, k]
        by_bias = np.float32(0)
        for number in range(size):
            error = bias[pair] + other_bias[cells.context_pair[first + number]] - cells.target[first + number]
            for k in range(dimensions):
                error += vector[k] * others[number, k]
            slope = np.float32(2) * cells.weight[first + number] * error
            by_bias += slope
            for k in range(dimensions):
                by_vector[k] += slope * others[number, k]
        by_base_square = np.float32(0)
        by_vector_square = np.float32(0)
        for k in range(dimensions):
            by_base_square += (by_vector[k] * q[c, k]) * (by_vector[k] * q[c, k])
            by_vector_square += by_vector[k] * by_vector[k]
        base_sum[i] += by_base_square / dimensions
        deviation_sum[pair] += by_vector_square / dimensions
        bias_sum[pair] += by_bias * by_bias
        base_step = rate / math.sqrt(base_sum[i])
        step = rate / math.sqrt(deviation_sum[pair])
        shrink = np.float32(1) / (np.float32(1) + step * penalty_share[pair] * np.float32(size))
        for k in range(dimensions):
            base[i, k] -= base_step * by_vector[k] * q[c, k]
            deviation[pair, k] = (deviation[pair, k] - step * by_vector[k]) * shrink
        bias[pair] -= rate / math.sqrt(bias_sum[pair]) * by_bias
