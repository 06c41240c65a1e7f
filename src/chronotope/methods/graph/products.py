"""Products with the sparse matrix M: by sparse matrices of CuPy (or SciPy), or by loops in threads on the CPU."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from chronotope.cooccurrence import PairMatrix
from chronotope.methods.base import FAST_BUT_NAN_SAFE, Floats
from chronotope.methods.graph.matrix import pieces
from chronotope.runtime.kernels import kernel
from chronotope.runtime.resources import Block, even_blocks

BLOCKS = 8


class Products:
    """Sparse products with an array module and its sparse matrices: CuPy's on a GPU.

    The cells stay on the host and are copied `cells` at a time; only rows and contexts stay on the device. `room` is
    the approximate limit in bytes for the equations of a block of words.
    """

    def __init__(self, xp: Any, matrices: Any, *, cells: int = 1 << 24, room: int = 1 << 28) -> None:
        self.xp, self._matrices, self._cells, self.room = xp, matrices, cells, room

    def put(self, array: Any) -> Any:
        """Copy an array or a SciPy matrix to the device."""
        if not isinstance(array, sparse.csr_array):
            return self.xp.asarray(array)
        value, column, start = map(self.xp.asarray, (array.data, array.indices, array.indptr))
        return self._matrices.csr_matrix((value, column, start), shape=array.shape)

    def get(self, array: Any) -> NDArray[Any]:
        """Copy an array to the host."""
        return np.asarray(array.get() if hasattr(array, "get") else array)

    def forward(self, matrix: PairMatrix, contexts: Any, out: Any) -> None:
        """out = M B."""
        for own, part in pieces(matrix, (0, len(out)), self._cells):
            out[own] = self.put(csr(part)) @ contexts

    def backward(self, matrix: PairMatrix, weight: Any, rows: Any) -> Any:
        """Return Mᵀ (w A)."""
        total = self.xp.zeros((matrix.contexts, rows.shape[1]), dtype=self.xp.float32)
        for own, part in pieces(matrix, (0, len(rows)), self._cells):
            total += self.put(csr(part)).T @ (weight[own, None] * rows[own])
        return total

    def each(self, function: Callable[[Any], float], items: list[Any]) -> list[float]:
        """Apply a function to all items."""
        return list(map(function, items))


class CpuProducts(Products):
    """The same on the threads of a pool, with the same bytes for any number of them."""

    def __init__(self, pool: ThreadPoolExecutor) -> None:
        super().__init__(np, sparse, room=1 << 23)  # fits the cache
        self._pool = pool

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


def csr(matrix: PairMatrix) -> sparse.csr_array[np.float32]:
    """Return a matrix of fewer than 2³¹ cells as a SciPy matrix, without a copy of the cells."""
    shape = (len(matrix.start) - 1, matrix.contexts)
    start = matrix.start.astype(np.int32)  # with int64 SciPy would copy the contexts to int64, too
    return sparse.csr_array((matrix.value, matrix.context, start), shape=shape)


def gpu_memory(pairs: int, contexts: int, dimensions: int) -> int:
    """Estimate the bytes that a fit takes on a GPU."""
    return 4 * dimensions * (pairs + 16 * contexts) + 60 * pairs + (24 << 24) + (8 << 28)


@kernel(fastmath=FAST_BUT_NAN_SAFE)
def multiply(matrix, contexts, product):  # type: ignore[no-untyped-def]
    """product = M B."""
    dimensions = contexts.shape[1]
    total = np.empty(dimensions, dtype=np.float32)
    for row in range(len(product)):
        total[:] = 0
        for cell in range(matrix.start[row], matrix.start[row + 1]):
            value, context = matrix.value[cell], matrix.context[cell]
            for k in range(dimensions):
                total[k] += value * contexts[context, k]
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
