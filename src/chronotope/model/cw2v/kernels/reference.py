"""One pass over groups of cells in plain NumPy: slow, legible, and what the fast kernels must equal.

The step is AdaGrad with one accumulator a row. A group is a handful of cells of one (word, condition): the context's
side moves at every cell, the word's side once a group, and the condition's gradient is only summed, to be applied
between strata. The pull of deviations toward zero is taken implicitly (divide by 1 + step · penalty), which is stable
for any penalty; each visit of a cell takes its share of it, so that an epoch applies it once.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from chronotope.model.cw2v.layout import Layout
from chronotope.model.cw2v.parameters import Accumulators, Parameters


def visit_groups(
    groups: NDArray[np.int64],
    layout: Layout,
    parameters: Parameters,
    accumulators: Accumulators,
    penalty_share: NDArray[np.float32],
    rate: float,
    condition_gradient: NDArray[np.float32],
) -> float:
    """Move the parameters toward the targets of some groups, in order; return the weighted squared error met.

    Parameters
    ----------
    groups
        The groups to visit, in order.
    penalty_share
        (P,) how much of a pair's penalty each visited cell carries.
    condition_gradient
        (C, D) where the gradient by the condition vectors is added.
    """
    v, u, q, d, d_, b, b_ = parameters
    squared = 0.0
    for group in groups:
        pair = layout.group_pair[group]
        i, c = layout.pair_word[pair], layout.pair_condition[pair]
        word_vector = v[i] * q[c] + d[pair]
        context_step = word_vector * q[c]
        by_word_vector = np.zeros_like(word_vector)
        by_bias = np.float32(0)
        for cell in range(layout.group_start[group], layout.group_start[group + 1]):
            other = layout.context_pair[cell]
            j = layout.pair_word[other]
            context_vector = u[j] * q[c] + d_[other]
            error = word_vector @ context_vector + b[pair] + b_[other] - layout.target[cell]
            squared += float(layout.weight[cell]) * float(error) ** 2
            slope = 2 * layout.weight[cell] * error  # the derivative of the weighted squared error by the prediction
            by_word_vector += slope * context_vector
            by_bias += slope
            condition_gradient[c] += slope * u[j] * word_vector

            u[j] -= _step(accumulators.context, j, rate, slope**2 * np.mean(context_step**2)) * slope * context_step
            step = _step(accumulators.context_deviation, other, rate, slope**2 * np.mean(word_vector**2))
            d_[other] = (d_[other] - step * slope * word_vector) / (1 + step * penalty_share[other])
            b_[other] -= _step(accumulators.context_bias, other, rate, slope**2) * slope

        cells = np.float32(layout.group_start[group + 1] - layout.group_start[group])
        condition_gradient[c] += by_word_vector * v[i]
        by_word = by_word_vector * q[c]
        v[i] -= _step(accumulators.word, i, rate, np.mean(by_word**2)) * by_word
        step = _step(accumulators.word_deviation, pair, rate, np.mean(by_word_vector**2))
        d[pair] = (d[pair] - step * by_word_vector) / (1 + step * penalty_share[pair] * cells)
        b[pair] -= _step(accumulators.word_bias, pair, rate, by_bias**2) * by_bias
    return squared


def _step(accumulator: NDArray[np.float32], row: int, rate: float, mean_square: np.floating | float) -> np.float32:
    """Remember a gradient's mean square, and give the step that AdaGrad takes after it."""
    accumulator[row] += mean_square
    return np.float32(rate / np.sqrt(accumulator[row]))
