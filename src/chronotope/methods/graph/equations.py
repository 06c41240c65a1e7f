"""The linear equations of the rows: one small system for each word, the same in every sweep.

A word's system is T − β 11ᵀ/n with T = diag(w + β) + L, where L is the Laplacian of its links. T is tridiagonal if
every link joins neighbors; other links are solved by conjugate gradients. The rank-one term uses the Sherman–Morrison
formula. `xp` is NumPy or CuPy; `put` copies an array or a SciPy matrix to its device.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import sparse

from chronotope.methods.graph.objective import GraphProblem

ITERATIONS = 100
TOLERANCE = 1e-7

Inverse = Callable[[Any], Any]
Put = Callable[[Any], Any]


class Equations:
    """The equations of the words `first` to before `last`."""

    def __init__(self, problem: GraphProblem, first: int, last: int, xp: Any = np, put: Put = lambda x: x) -> None:
        start = problem.word_start[first : last + 1]
        pairs = problem.order[start[0] : start[-1]]
        size, sizes = len(pairs), np.diff(start)
        word = np.repeat(np.arange(last - first), sizes)
        self.pairs, self._word = put(pairs), put(word)  # (p,) the block's pairs, word after word
        self._weight = put(problem.weight[pairs][:, None])
        # (words, p) sparse: its product with X adds up the rows of each word.
        self.adding = put(
            sparse.csr_array((np.ones(size, np.float32), np.arange(size), start - start[0]), shape=(len(sizes), size))
        )
        # T⁻¹ X for X (p, D), rows in the order of `pairs`.
        self.invert = (_chains if problem.chains_only else _links)(problem, first, last, xp, put)
        self._ones = self.invert(xp.ones((size, 1), dtype=xp.float32))
        share = put((problem.deviation_penalty / np.maximum(sizes, 1)).astype(np.float32)[:, None])
        self._scale = share / (1 - share * (self.adding @ self._ones))

    def solve(self, product: Any, rows: Any) -> float:
        """Write the best rows of the block to `rows`; return Σ w A·(M B), the decrease of the loss from Σ w‖M‖².

        `product` (P, D) is M B, and may be the same array as `rows`.
        """
        right = self._weight * product[self.pairs]
        found = self.invert(right)
        found += self._ones * (self._scale * (self.adding @ found))[self._word]
        rows[self.pairs] = found
        right *= found
        return float(right.sum(dtype=np.float64))


def _chains(problem: GraphProblem, first: int, last: int, xp: Any, put: Put) -> Inverse:
    """Solve the chains of all words of the block at once by tridiagonal elimination."""
    start = problem.word_start[first : last + 1]
    sizes, words = np.diff(start), last - first
    longest = int(sizes.max(initial=0))
    word = np.repeat(np.arange(words), sizes)
    place = np.arange(len(word)) - (start[:-1] - start[0])[word]
    diagonal, below = np.ones((longest, words)), np.zeros((longest + 1, words))
    diagonal[place, word] = problem.weight[problem.order[start[0] : start[-1]]] + problem.deviation_penalty
    links = slice(problem.link_start[first], problem.link_start[last])
    of = np.repeat(np.arange(words), np.diff(problem.link_start[first : last + 1]))
    lower, tau = problem.link_a[links], problem.link_weight[links]
    np.add.at(diagonal, (lower, of), tau)
    np.add.at(diagonal, (lower + 1, of), tau)
    below[lower + 1, of] = -tau
    for at in range(1, longest):
        diagonal[at] -= below[at] ** 2 / diagonal[at - 1]
    shape = (-1, words, 1)
    inverse = put((1 / diagonal).astype(np.float32).reshape(shape))
    up, down = np.zeros_like(diagonal), below[1:] / diagonal
    up[1:] = below[1:-1] / diagonal[:-1]
    up, down = (put(factor.astype(np.float32).reshape(shape)) for factor in (up, down))
    flat = put(place * words + word)

    def invert(right: Any) -> Any:
        grid = xp.zeros((longest * words, right.shape[1]), dtype=xp.float32)
        grid[flat] = right
        chain = grid.reshape(longest, words, -1)
        for at in range(1, longest):
            chain[at] -= up[at] * chain[at - 1]
        chain *= inverse
        for at in range(longest - 2, -1, -1):
            chain[at] -= down[at] * chain[at + 1]
        return grid[flat]

    return invert


def _links(problem: GraphProblem, first: int, last: int, xp: Any, put: Put) -> Inverse:
    """Conjugate gradients for all words and dimensions of the block at once."""
    start = problem.word_start[first : last + 1]
    links = slice(problem.link_start[first], problem.link_start[last])
    base = np.repeat(start[:-1] - start[0], np.diff(problem.link_start[first : last + 1]))
    a, b = base + problem.link_a[links], base + problem.link_b[links]
    tau, size = problem.link_weight[links].astype(np.float64), int(start[-1] - start[0])
    own = problem.weight[problem.order[start[0] : start[-1]]] + problem.deviation_penalty
    diagonal = own + np.bincount(a, tau, size) + np.bincount(b, tau, size)
    entries = np.concatenate([diagonal, -tau, -tau])
    row, column = np.concatenate([np.arange(size), a, b]), np.concatenate([np.arange(size), b, a])
    system = put(sparse.csr_array((entries, (row, column)), shape=(size, size)))
    inverse = put(1 / diagonal[:, None])

    def invert(right: Any) -> Any:
        residual = right.astype(xp.float64)
        found = xp.zeros_like(residual)
        aim = TOLERANCE**2 * float((residual**2).sum())
        direction = inverse * residual
        before = float((residual * direction).sum())
        for _ in range(ITERATIONS):
            if float((residual**2).sum()) <= aim:
                break
            image = system @ direction
            step = before / float((direction * image).sum())
            found += step * direction
            residual -= step * image
            scaled = inverse * residual
            after = float((residual * scaled).sum())
            direction = scaled + (after / before) * direction
            before = after
        return found.astype(xp.float32)

    return invert
