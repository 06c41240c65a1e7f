"""The loss of `graph` in plain NumPy: the specification.

    L = Σ_ic w_ic ‖M_ic − A_ic Bᵀ‖²  +  β Σ_ic ‖A_ic − mean_c A_ic‖²  +  Σ_links τ_ab ‖A_a − A_b‖²,    BᵀB = I

M_ic is the row of positive mutual information of word i in condition c with each of K contexts, zeros included; A_ic is
the word's vector there, B the contexts. i, c run over the pairs that occur: an absent word has no row. The links of a
word join its consecutive time bins in each place; if k bins are missing between two of them, the weight of the link is
divided by k + 1, as if there were free vectors in between. A complete graph of places would be the same penalty as β's,
so it needs no links.

Given B the loss is quadratic in A, given A the best B is the orthonormal factor of Σ w A M: each step is exact, so
every sweep lowers the loss.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray


class GraphProblem(NamedTuple):
    """All of the loss but A and B. The pairs are sorted by condition; `order` sorts them by word, place and time."""

    matrix: Any  # M: a `PairMatrix` with one row per pair; its columns may be on disk
    weight: NDArray[np.float32]  # (P,) w
    words: int
    order: NDArray[np.int64]  # (P,) pairs, word after word
    word_start: NDArray[np.int64]  # (W + 1,) the range of each word in `order`
    link_start: NDArray[np.int64]  # (W + 1,) its links
    link_a: NDArray[np.int32]  # (L,) positions within the word's range
    link_b: NDArray[np.int32]  # (L,)
    link_weight: NDArray[np.float32]  # (L,) τ of each link
    deviation_penalty: float  # β
    chains_only: bool  # whether every link joins neighbors in a range


def loss(rows: NDArray[np.floating], contexts: NDArray[np.floating], problem: GraphProblem) -> float:
    """Return the loss by its definition (dense, for small problems)."""
    matrix = problem.matrix
    dense = np.zeros((len(problem.weight), matrix.contexts))
    dense[np.repeat(np.arange(len(dense)), np.diff(matrix.start)), matrix.context] = matrix.value
    total = float(problem.weight @ ((dense - rows @ contexts.T) ** 2).sum(axis=1))
    for word in range(problem.words):
        own = rows[problem.order[problem.word_start[word] : problem.word_start[word + 1]]]
        links = slice(problem.link_start[word], problem.link_start[word + 1])
        if len(own):
            total += problem.deviation_penalty * float(((own - own.mean(axis=0)) ** 2).sum())
        apart = own[problem.link_a[links]] - own[problem.link_b[links]]
        total += float(problem.link_weight[links] @ (apart**2).sum(axis=1))
    return total
