"""The loss of CW2V in plain NumPy: the specification, to be read beside the paper.

For word i, context j and condition c, with X the scaled co-occurrence counts,

    L = Σ_cells weight · ((v_i ⊙ q_c + d_ic) · (u_j ⊙ q_c + d'_jc) + b_ic + b'_jc − target)²
      + ½ Σ_(a,b)∈E α_ab ‖q_a − q_b‖²  +  ½ Σ_pairs β_p (‖d_p‖² + ‖d'_p‖²)

In the paper weight = 1, target = log X, and α_ab = α, β_p = β. The authors' program adds both penalties again at every
visited cell; that is the same loss with α and β multiplied by numbers of cells.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from chronotope.methods.cw2v.cells import Cells
from chronotope.methods.cw2v.parameters import Parameters


def loss(
    parameters: Parameters, cells: Cells, edges: NDArray[np.int32], alpha: NDArray[Any], beta: NDArray[Any]
) -> float:
    """Return the loss in float64.

    `edges` are the (E, 2) pairs of neighboring conditions, `alpha` (E,) the penalty of each, `beta` (P,) the penalty on
    the deviations of each pair of word and condition.
    """
    v, u, q, d, d_, b, b_ = (array.astype(np.float64) for array in parameters)
    word, condition = cells.pair_word, cells.pair_condition
    i, j = np.repeat(cells.rows, cells.pair_cells[cells.rows]), cells.context  # pairs (word, c) and (context, c)
    target, weight = cells.values[cells.value].astype(np.float64).T
    own, other = v[word] * q[condition] + d, u[word] * q[condition] + d_
    errors = np.einsum("nd,nd->n", own[i], other[j]) + b[i] + b_[j] - target
    apart = q[edges[:, 0]] - q[edges[:, 1]]
    penalty = alpha @ (apart**2).sum(axis=1) + beta @ (d**2 + d_**2).sum(axis=1)
    return float(weight @ errors**2 + penalty / 2)
