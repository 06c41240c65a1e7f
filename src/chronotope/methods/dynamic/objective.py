"""The loss of `dynamic` in plain NumPy: the specification.

    F = ½ Σ_c ‖Y_c − V_c U_cᵀ‖²  +  γ/2 Σ_c ‖V_c − U_c‖²  +  λ/2 Σ_c (‖V_c‖² + ‖U_c‖²)
        + τ/2 Σ_(a,b)∈E (‖V_a − V_b‖² + ‖U_a − U_b‖²)

Y_c is the positive mutual information of condition c, zeros included and the same in both directions (context
frequencies are not raised to any power, as in Yao et al. 2018); V_c are its words, U_c its contexts, over the whole
vocabulary: the rows of a word that is absent are pulled to zero by its empty row of Y, and to its neighbors by τ.
E are the neighboring conditions: consecutive bins, all pairs of places.

Given all the rest F is quadratic in one V_c, and its least value is where

    V_c (U_cᵀ U_c + (γ + λ + τ degree(c)) I) = Y_c U_c + γ U_c + τ Σ_b V_b,    b the neighbors of c,

and the same with V and U exchanged: each step is exact, so every sweep lowers the loss. (All conditions have the same
weights but for their numbers of neighbors: the first and the last bin have one.)
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse


class Factorization(NamedTuple):
    """All of the loss but V and U.

    Attributes
    ----------
    matrices
        For each condition Y in blocks of rows, each (rows, W); the blocks of all conditions have their own limits.
    limits
        For each condition the (B + 1,) rows at which the blocks begin.
    neighbors
        For each condition the numbers of its neighbors.
    size_penalty, smoothness, agreement
        λ, τ and γ.
    """

    matrices: list[list[sparse.csr_array[np.float32]]]
    limits: list[NDArray[np.int64]]
    neighbors: list[list[int]]
    size_penalty: float
    smoothness: float
    agreement: float

    @property
    def words(self) -> int:
        """The size of the vocabulary."""
        return int(self.limits[0][-1])


def loss(words: NDArray[np.floating], contexts: NDArray[np.floating], problem: Factorization) -> float:
    """The loss, by its definition (dense, for small problems); V and U are (C, W, D)."""
    total = problem.agreement / 2 * float(((words - contexts) ** 2).sum())
    for factor in (words, contexts):
        total += problem.size_penalty / 2 * float((factor**2).sum())
        for condition, neighbors in enumerate(problem.neighbors):
            for other in neighbors:
                # Each edge is met from both its ends.
                total += problem.smoothness / 4 * float(((factor[condition] - factor[other]) ** 2).sum())
    for condition, blocks in enumerate(problem.matrices):
        dense = np.concatenate([block.toarray() for block in blocks])
        total += float(((dense - words[condition] @ contexts[condition].T) ** 2).sum()) / 2
    return total


def best(
    own: NDArray[np.floating], other: NDArray[np.floating], condition: int, problem: Factorization
) -> NDArray[np.float64]:
    """(W, D) the V of a condition that minimizes the loss, given all the rest; or the U, with V as the other."""
    neighbors = problem.neighbors[condition]
    strength = problem.agreement + problem.size_penalty + problem.smoothness * len(neighbors)
    dense = np.concatenate([block.toarray() for block in problem.matrices[condition]])
    here = other[condition]
    right = dense @ here + problem.agreement * here + problem.smoothness * own[neighbors].sum(axis=0)
    return np.asarray(np.linalg.solve(here.T @ here + strength * np.eye(here.shape[1]), right.T).T)
