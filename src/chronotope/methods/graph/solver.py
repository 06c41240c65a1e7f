"""Sweeps over the data: both steps of `objective` as sparse products and small solves.

Blocks depend on the data, never on the number of threads. `Solver` runs on a GPU if its products do.
"""

from pathlib import Path
from typing import Any

import numpy as np

from chronotope.methods.base import Floats
from chronotope.methods.graph.equations import Equations
from chronotope.methods.graph.matrix import pieces, pooled_rows
from chronotope.methods.graph.objective import GraphProblem
from chronotope.methods.graph.products import Products
from chronotope.runtime.blas import one_blas_thread
from chronotope.runtime.resources import even_blocks

ROUNDS = 4
ROWS_AT_ONCE = 65_536
LEAST_SQUARE = 1e-9


class Solver:
    """Rows and contexts, and the steps that improve them."""

    def __init__(self, problem: GraphProblem, dimensions: int, products: Products, folder: Path | None = None) -> None:
        self._problem, self._products, self._folder = problem, products, folder
        self._weight = products.put(problem.weight)
        pairs = len(problem.weight)
        self._rows = products.xp.zeros((pairs, dimensions), dtype=np.float32)
        self._contexts = products.xp.zeros((problem.matrix.contexts, dimensions), dtype=np.float32)
        count = max(1, pairs * dimensions * 4 // products.room)
        self._equations = [
            Equations(problem, first, last, products.xp, products.put)
            for first, last in even_blocks(problem.word_start, min(count, problem.words))
            if problem.word_start[first] < problem.word_start[last]
        ]

    @property
    def rows(self) -> Floats:
        """(P, D) A, on the host."""
        return self._products.get(self._rows)

    @property
    def contexts(self) -> Floats:
        """(K, D) B, on the host."""
        return self._products.get(self._contexts)

    def restore(self, rows: Floats, contexts: Floats) -> None:
        """Continue from saved rows and contexts."""
        self._rows, self._contexts = self._products.put(rows), self._products.put(contexts)

    def start_contexts(self, seed: int) -> None:
        """Find orthonormal contexts near the main directions of the data: subspace iteration on the pooled rows."""
        xp, products = self._products.xp, self._products
        pooled = pooled_rows(self._problem, self._folder)
        random = np.random.Generator(np.random.PCG64([seed, 0]))
        self._contexts = orthonormal(xp, products.put(random.standard_normal(self._contexts.shape, dtype=np.float32)))
        rows = xp.empty((self._problem.words, self._contexts.shape[1]), dtype=np.float32)
        weight = xp.ones(len(rows), dtype=np.float32)
        for _ in range(ROUNDS):
            products.forward(pooled, self._contexts, rows)
            self._contexts = orthonormal(xp, products.backward(pooled, weight, rows))

    def best_contexts(self) -> None:
        """Find the best orthonormal contexts for the rows."""
        pull = self._products.backward(self._problem.matrix, self._weight, self._rows)
        self._contexts = orthonormal(self._products.xp, pull)

    def solve_rows(self) -> float:
        """Find the best rows for the contexts; return the loss less its constant Σ w‖M‖²."""
        self._products.forward(self._problem.matrix, self._contexts, self._rows)
        return -sum(self._products.each(lambda block: block.solve(self._rows, self._rows), self._equations))

    def principal(self) -> tuple[Floats, Floats]:
        """Return rows and contexts, rotated to the principal axes of the rows, the largest first."""
        xp, rows = self._products.xp, self._rows
        parts = [slice(first, first + ROWS_AT_ONCE) for first in range(0, len(rows), ROWS_AT_ONCE)]
        with one_blas_thread():
            squares = xp.zeros((rows.shape[1], rows.shape[1]))
            for part in parts:
                squares += rows[part].T @ (rows[part] * self._weight[part, None])
            axes = xp.linalg.eigh(squares)[1][:, ::-1]
            # The sign of an axis is arbitrary: make its largest entry positive.
            axes = axes * xp.sign(axes[xp.abs(axes).argmax(axis=0), xp.arange(axes.shape[1])])
            axes = axes.astype(xp.float32)
            for part in parts:
                rows[part] = rows[part] @ axes
            self._contexts = self._contexts @ axes
        return self.rows, self.contexts


def orthonormal(xp: Any, matrix: Any) -> Any:
    """Return the orthonormal matrix nearest to this one: U Vᵀ of its singular value decomposition."""
    with one_blas_thread():
        wide = matrix.astype(xp.float64)
        # X (XᵀX)^-½ is the same and faster, but squares the singular values: not for an ill-conditioned matrix.
        squares, axes = xp.linalg.eigh(wide.T @ wide)
        if squares[0] > LEAST_SQUARE * squares[-1]:
            return (wide @ ((axes / xp.sqrt(squares)) @ axes.T)).astype(xp.float32)
        basis, triangle = xp.linalg.qr(wide)
        left, _, right = xp.linalg.svd(triangle)
        return (basis @ (left @ right)).astype(xp.float32)


def sum_of_squares(problem: GraphProblem) -> float:
    """Return Σ w‖M‖², the constant of the loss."""
    squares = np.zeros(len(problem.weight))
    for own, part in pieces(problem.matrix, (0, len(squares))):
        row = np.repeat(np.arange(own.start, own.stop), np.diff(part.start))
        squares[own] = np.bincount(row - own.start, np.square(part.value, dtype=np.float64), own.stop - own.start)
    return float((problem.weight * squares).sum())
