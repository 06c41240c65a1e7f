"""The same pass as `reference`, compiled; it releases the interpreter lock, so blocks run on several threads."""

from __future__ import annotations

import math

import numba
import numpy as np

# Repeatable to the bit: sums over dimensions stand in loops that store nothing. Where a loop also stores, the compiler
# makes a vector form and a scalar form and chooses by how near to each other the arrays happen to lie in memory; a sum
# would be taken in another order, and would differ from run to run.
#
# All that fastmath=True allows except nnan and ninf: with those the compiler may assume that no NaN exists, and it
# deletes the divergence check.
FAST_BUT_NAN_SAFE = {"reassoc", "contract", "arcp", "nsz", "afn"}


@numba.njit(nogil=True, cache=True, fastmath=FAST_BUT_NAN_SAFE)
def visit_groups(groups, layout, parameters, accumulators, penalty_share, rate, condition_gradient):  # type: ignore[no-untyped-def]
    """See `reference.visit_groups`."""
    v, u, q, d, d_, b, b_ = parameters
    dimensions = v.shape[1]
    share = np.float32(1.0 / dimensions)
    rate = np.float32(rate)
    word_vector = np.empty(dimensions, dtype=np.float32)
    context_vector = np.empty(dimensions, dtype=np.float32)
    by_word_vector = np.empty(dimensions, dtype=np.float32)
    by_condition = np.empty(dimensions, dtype=np.float32)
    squared = 0.0
    for group in groups:
        pair = layout.group_pair[group]
        i, c = layout.pair_word[pair], layout.pair_condition[pair]
        for k in range(dimensions):
            word_vector[k] = v[i, k] * q[c, k] + d[pair, k]
            by_word_vector[k] = np.float32(0)
            by_condition[k] = np.float32(0)
        word_square = np.float32(0)
        step_square = np.float32(0)
        for k in range(dimensions):
            word_square += word_vector[k] * word_vector[k]
            step_square += (word_vector[k] * q[c, k]) * (word_vector[k] * q[c, k])
        word_square *= share
        step_square *= share
        bias = b[pair]
        by_bias = np.float32(0)
        for cell in range(layout.group_start[group], layout.group_start[group + 1]):
            other = layout.context_pair[cell]
            j = layout.pair_word[other]
            for k in range(dimensions):
                context_vector[k] = u[j, k] * q[c, k] + d_[other, k]
            error = bias + b_[other] - layout.target[cell]
            for k in range(dimensions):
                error += word_vector[k] * context_vector[k]
            weight = layout.weight[cell]
            slope = np.float32(2) * weight * error
            squared += weight * error * error
            by_bias += slope

            square = slope * slope
            accumulators.context[j] += square * step_square
            accumulators.context_deviation[other] += square * word_square
            accumulators.context_bias[other] += square
            context_step = slope * rate / math.sqrt(accumulators.context[j])
            deviation_rate = rate / math.sqrt(accumulators.context_deviation[other])
            deviation_step = deviation_rate * slope
            shrink = np.float32(1) / (np.float32(1) + deviation_rate * penalty_share[other])
            for k in range(dimensions):
                by_word_vector[k] += slope * context_vector[k]
                by_condition[k] += slope * u[j, k]
                u[j, k] -= context_step * (word_vector[k] * q[c, k])
                d_[other, k] = (d_[other, k] - deviation_step * word_vector[k]) * shrink
            b_[other] -= rate / math.sqrt(accumulators.context_bias[other]) * slope

        by_word_square = np.float32(0)
        by_vector_square = np.float32(0)
        for k in range(dimensions):
            value = by_word_vector[k] * q[c, k]
            by_word_square += value * value
            by_vector_square += by_word_vector[k] * by_word_vector[k]
        accumulators.word[i] += by_word_square * share
        accumulators.word_deviation[pair] += by_vector_square * share
        accumulators.word_bias[pair] += by_bias * by_bias
        word_step = rate / math.sqrt(accumulators.word[i])
        deviation_step = rate / math.sqrt(accumulators.word_deviation[pair])
        cells = np.float32(layout.group_start[group + 1] - layout.group_start[group])
        shrink = np.float32(1) / (np.float32(1) + deviation_step * penalty_share[pair] * cells)
        for k in range(dimensions):
            condition_gradient[c, k] += by_word_vector[k] * v[i, k] + by_condition[k] * word_vector[k]
            v[i, k] -= word_step * by_word_vector[k] * q[c, k]
            d[pair, k] = (d[pair, k] - deviation_step * by_word_vector[k]) * shrink
        b[pair] -= rate / math.sqrt(accumulators.word_bias[pair]) * by_bias
    return squared
