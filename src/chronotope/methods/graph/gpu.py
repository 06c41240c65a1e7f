"""Products of `graph` on a GPU by CuPy's sparse matrices: equal to those of the CPU up to rounding.

The cells stay on the host and travel in pieces whenever they are needed; only rows and contexts lie on the GPU.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from chronotope.cooccurrence import PairMatrix
from chronotope.methods.graph.matrix import pieces

CELLS_AT_ONCE = 1 << 24
EQUATIONS_AT_ONCE = 1 << 28  # bytes


class GpuProducts:
    """Sparse products with the array module `xp` and its sparse matrices (see `solver.Products`).

    Parameters
    ----------
    xp, matrices
        CuPy and `cupyx.scipy.sparse` unless others are given: NumPy and SciPy compute the same on the CPU.
    cells
        The cells that travel at one time.
    """

    room = EQUATIONS_AT_ONCE

    def __init__(self, xp: Any = None, matrices: Any = None, cells: int = CELLS_AT_ONCE) -> None:
        if xp is None:
            import cupy as xp
            import cupyx.scipy.sparse as matrices
        self.xp, self._matrices, self._cells = xp, matrices, cells

    def put(self, array: Any) -> Any:
        """Bring an array or a SciPy matrix to the device."""
        if sparse.issparse(array):
            return self._matrix(array.data, array.indices, array.indptr, array.shape)
        return self.xp.asarray(array)

    def get(self, array: Any) -> NDArray[Any]:
        """Bring an array back."""
        return np.asarray(array.get() if hasattr(array, "get") else array)

    def forward(self, matrix: PairMatrix, contexts: Any, out: Any) -> None:
        """out = M B."""
        for own, part in pieces(matrix, (0, len(out)), self._cells):
            out[own] = self._of(part) @ contexts

    def backward(self, matrix: PairMatrix, weight: Any, rows: Any) -> Any:
        """Return Mᵀ (w A)."""
        total = self.xp.zeros((matrix.contexts, rows.shape[1]), dtype=self.xp.float32)
        for own, part in pieces(matrix, (0, len(rows)), self._cells):
            total += self._of(part).T @ (weight[own, None] * rows[own])
        return total

    def each(self, function: Callable[[Any], float], items: list[Any]) -> list[float]:
        """Apply a function to all items, one after the other."""
        return [function(item) for item in items]

    def _of(self, part: PairMatrix) -> Any:
        return self._matrix(part.value, part.context, part.start, (len(part.start) - 1, part.contexts))

    def _matrix(self, value: Any, column: Any, start: Any, shape: tuple[int, int]) -> Any:
        xp = self.xp
        arrays = (xp.asarray(value), xp.asarray(column, dtype=xp.int32), xp.asarray(start, dtype=xp.int32))
        return self._matrices.csr_matrix(arrays, shape=shape)


def memory_needed(pairs: int, contexts: int, dimensions: int) -> int:
    """Return the bytes that a fit takes on a GPU."""
    vectors = 4 * dimensions * (pairs + 16 * contexts)
    return vectors + 60 * pairs + 24 * CELLS_AT_ONCE + 8 * EQUATIONS_AT_ONCE
