"""Sweeps over the data: both steps of `objective` as sparse products and small solves.

Blocks depend on the data, never on the number of threads; sums over blocks are taken in order and BLAS runs on one
thread. So a fit on the CPU gives the same bytes on any number of threads. `Solver` runs on a GPU if its products do.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from chronotope.cooccurrence import PairMatrix
from chronotope.methods.graph.equations import Equations
from chronotope.methods.graph.matrix import Block, even_blocks, pieces, pooled_rows
from chronotope.methods.graph.objective import GraphProblem
from chronotope.runtime.blas import one_blas_thread
from chronotope.runtime.kernels import kernel

ROUNDS = 4
BLOCKS = 8
ROWS_AT_ONCE = 65_536
LEAST_SQUARE = 1e-9
# fastmath without nnan and ninf, so that divergence can be seen.
FAST_BUT_NAN_SAFE = {"reassoc", "contract", "arcp", "nsz", "afn"}

Floats = NDArray[np.float32]


class Products(Protocol):
    """Products with M on a device.

    Attributes
    ----------
    xp
        NumPy or CuPy.
    room
        About how many bytes the equations of a block of words may take.
    """

    xp: Any
    room: int

    def put(self, array: Any) -> Any:
        """Bring an array or a SciPy matrix to the device."""
        ...

    def get(self, array: Any) -> NDArray[Any]:
        """Bring an array back."""
        ...

    def forward(self, matrix: PairMatrix, contexts: Any, out: Any) -> None:
        """out = M B."""
        ...

    def backward(self, matrix: PairMatrix, weight: Any, rows: Any) -> Any:
        """Return Mᵀ (w A)."""
        ...

    def each(self, function: Callable[[Any], float], items: list[Any]) -> list[float]:
        """Apply a function to all items."""
        ...


class CpuProducts:
    """Products on the threads of a pool."""

    xp: Any = np
    room = 1 << 23  # fits the cache

    def __init__(self, pool: ThreadPoolExecutor) -> None:
        self._pool = pool

    def put(self, array: Any) -> Any:
        """See `Products`."""
        return array

    def get(self, array: Any) -> NDArray[Any]:
        """See `Products`."""
        return np.asarray(array)

    def forward(self, matrix: PairMatrix, contexts: Floats, out: Floats) -> None:
        """See `Products`."""

        def multiply_block(block: Block) -> None:
            for own, part in pieces(matrix, block):
                multiply(part, contexts, out[own])

        list(self._pool.map(multiply_block, even_blocks(matrix.start, BLOCKS)))

    def backward(self, matrix: PairMatrix, weight: Floats, rows: Floats) -> Floats:
        """See `Products`."""
        blocks = even_blocks(matrix.start, BLOCKS)
        sums = np.zeros((len(blocks), matrix.contexts, rows.shape[1]), dtype=np.float32)

        def multiply_block(block: Block, total: Floats) -> None:
            for own, part in pieces(matrix, block):
                multiply_back(part, weight[own], rows[own], total)

        list(self._pool.map(multiply_block, blocks, sums))
        return np.asarray(sums.sum(axis=0))

    def each(self, function: Callable[[Any], float], items: list[Any]) -> list[float]:
        """See `Products`."""
        return list(self._pool.map(function, items))


class Solver:
    """Rows and contexts, and the steps that improve them."""

    def __init__(self, problem: GraphProblem, dimensions: int, products: Products, folder: Path | None = None) -> None:
        self._problem, self._products, self._folder = problem, products, folder
        self._weight = products.put(problem.weight)
        pairs = len(problem.weight)
        self._rows = products.xp.zeros((pairs, dimensions), dtype=np.float32)
        self._contexts = products.xp.zeros((problem.matrix.contexts, dimensions), dtype=np.float32)
        # About as many words in a block as the room allows.
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

    @rows.setter
    def rows(self, rows: Floats) -> None:
        self._rows = self._products.put(rows)

    @property
    def contexts(self) -> Floats:
        """(K, D) B, on the host."""
        return self._products.get(self._contexts)

    @contexts.setter
    def contexts(self, contexts: Floats) -> None:
        self._contexts = self._products.put(contexts)

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
        # X (XᵀX)^-½ is the same and faster, but squares the singular values: where the least of them would lose its
        # digits, decompose.
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


@kernel(fastmath=FAST_BUT_NAN_SAFE)
def multiply(matrix, contexts, product):  # type: ignore[no-untyped-def]
    """product = M B."""
    dimensions = contexts.shape[1]
    total = np.empty(dimensions, dtype=np.float32)
    for row in range(len(product)):
        total[:] = 0
        first, last = matrix.start[row], matrix.start[row + 1]
        # Four cells at a time: the sum is read and written a quarter as often.
        fours = first + (last - first) // 4 * 4
        for cell in range(first, fours, 4):
            context, value = matrix.context[cell : cell + 4], matrix.value[cell : cell + 4]
            a, b, c, d = value[0], value[1], value[2], value[3]
            i, j, m, n = context[0], context[1], context[2], context[3]
            for k in range(dimensions):
                total[k] += (a * contexts[i, k] + b * contexts[j, k]) + (c * contexts[m, k] + d * contexts[n, k])
        for cell in range(fours, last):
            a, i = matrix.value[cell], matrix.context[cell]
            for k in range(dimensions):
                total[k] += a * contexts[i, k]
        product[row] = total


@kernel(fastmath=FAST_BUT_NAN_SAFE)
def multiply_back(matrix, weight, rows, out):  # type: ignore[no-untyped-def]
    """out += Mᵀ (w A)."""
    dimensions = rows.shape[1]
    own = np.empty(dimensions, dtype=np.float32)
    for row in range(len(rows)):
        for k in range(dimensions):
            own[k] = weight[row] * rows[row, k]
        for cell in range(matrix.start[row], matrix.start[row + 1]):
            value = matrix.value[cell]
            context = matrix.context[cell]
            for k in range(dimensions):
                out[context, k] += value * own[k]
