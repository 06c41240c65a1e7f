"""The loss of CW2V and its gradient in plain NumPy: the specification, written to be read beside the paper.

For word i, context j and condition c, with X the scaled co-occurrence counts,

    L = Σ_cells weight · ((v_i ⊙ q_c + d_ic) · (u_j ⊙ q_c + d'_jc) + b_ic + b'_jc − target)²
      + ½ Σ_(a,b)∈E α_ab ‖q_a − q_b‖²  +  ½ Σ_pairs β_p (‖d_p‖² + ‖d'_p‖²)

In the paper weight = 1, target = log X, and α_ab = α, β_p = β for all edges and pairs. The authors' program adds the
two penalties again at every cell that it visits; that is the same loss with α and β multiplied by numbers of cells,
so both are data here.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from chronotope.methods.cw2v.parameters import Parameters

Array = NDArray[Any]


class Problem(NamedTuple):
    """The cells to predict and the penalties: all of the loss but the parameters."""

    pair_word: NDArray[np.int32]  # (P,) the word of each pair that occurs
    pair_condition: NDArray[np.int32]  # (P,) its condition
    word_pair: NDArray[np.int32]  # (N,) for each cell the pair (word, condition)
    context_pair: NDArray[np.int32]  # (N,) and the pair (context, condition)
    target: NDArray[np.float32]  # (N,)
    weight: NDArray[np.float32]  # (N,)
    edges: NDArray[np.int32]  # (E, 2)
    smoothness: NDArray[np.float64]  # (E,) α of each edge
    deviation_penalty: NDArray[np.float64]  # (P,) β of each pair


def conditioned(base: Array, condition: Array, deviation: Array, problem: Problem) -> Array:
    """v_i ⊙ q_c + d_ic for every pair: (P, D)."""
    return np.asarray(base[problem.pair_word] * condition[problem.pair_condition] + deviation)


def errors(parameters: Parameters, problem: Problem) -> NDArray[np.float64]:
    """(N,) prediction minus target for each cell."""
    v, u, q, d, d_, b, b_ = parameters
    i, j = problem.word_pair, problem.context_pair
    predicted = np.einsum("nd,nd->n", conditioned(v, q, d, problem)[i], conditioned(u, q, d_, problem)[j])
    return np.asarray(predicted + b[i] + b_[j] - problem.target, dtype=np.float64)


def loss(parameters: Parameters, problem: Problem) -> float:
    """The loss: weighted squared errors plus both penalties."""
    squared = np.sum(problem.weight * errors(parameters, problem) ** 2, dtype=np.float64)
    return float(squared) + penalty(parameters, problem)


def penalty(parameters: Parameters, problem: Problem) -> float:
    """½ Σ α_ab ‖q_a − q_b‖² + ½ Σ β_p (‖d_p‖² + ‖d'_p‖²)."""
    q = parameters.condition.astype(np.float64)
    apart = q[problem.edges[:, 0]] - q[problem.edges[:, 1]]
    own = np.einsum("pd,pd->p", parameters.word_deviation, parameters.word_deviation, dtype=np.float64)
    own += np.einsum("pd,pd->p", parameters.context_deviation, parameters.context_deviation, dtype=np.float64)
    return float(0.5 * problem.smoothness @ (apart**2).sum(axis=1) + 0.5 * problem.deviation_penalty @ own)


def gradient(parameters: Parameters, problem: Problem) -> Parameters:
    """The derivative of the loss by every parameter."""
    v, u, q, d, d_, b, b_ = parameters
    i, j = problem.word_pair, problem.context_pair
    word_vector = conditioned(v, q, d, problem)
    context_vector = conditioned(u, q, d_, problem)
    by_prediction = 2 * problem.weight * errors(parameters, problem)

    by_word_vector: Array = np.zeros(d.shape)  # the derivative by v_i ⊙ q_c + d_ic
    by_context_vector: Array = np.zeros(d_.shape)
    np.add.at(by_word_vector, i, by_prediction[:, None] * context_vector[j])
    np.add.at(by_context_vector, j, by_prediction[:, None] * word_vector[i])

    words, conditions = problem.pair_word, problem.pair_condition
    by_v: Array = np.zeros(v.shape)
    by_u: Array = np.zeros(u.shape)
    by_q: Array = np.zeros(q.shape)
    np.add.at(by_v, words, by_word_vector * q[conditions])
    np.add.at(by_u, words, by_context_vector * q[conditions])
    np.add.at(by_q, conditions, by_word_vector * v[words] + by_context_vector * u[words])
    pull = problem.smoothness[:, None] * (q[problem.edges[:, 0]] - q[problem.edges[:, 1]])
    np.add.at(by_q, problem.edges[:, 0], pull)
    np.add.at(by_q, problem.edges[:, 1], -pull)

    beta = problem.deviation_penalty[:, None]
    return Parameters(
        word=by_v,
        context=by_u,
        condition=by_q,
        word_deviation=np.asarray(by_word_vector + beta * d, dtype=d.dtype),
        context_deviation=np.asarray(by_context_vector + beta * d_, dtype=d_.dtype),
        word_bias=np.bincount(i, by_prediction, len(b)).astype(b.dtype),
        context_bias=np.bincount(j, by_prediction, len(b_)).astype(b_.dtype),
    )
