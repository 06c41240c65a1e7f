"""Sweeps of `graph` on a GPU: equals `solver` up to rounding, and always gives the same bytes.

Both products are sums over the cells of a row, a warp a stretch of cells; the transpose is written out once, so that
nobody adds to anybody else's numbers. Needs CuPy, and neither numba nor Polars.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from chronotope.methods.device import Need, Shape, cupy, padded

if TYPE_CHECKING:
    from chronotope.methods.graph.objective import GraphProblem

BLOCK_CELLS = 1 << 25  # the cells that are arranged, and travel, at one time
STRETCH = 1024  # longer rows are cut, so that no warp is busy long after the others
ROWS_AT_ONCE = 65_536
LINKED_AT_ONCE = 32_768
ITERATIONS = 50
TOLERANCE = 1e-6
THREADS = 128

SOURCE = Path(__file__).with_suffix(".cu")


@cache
def _kernels(shape: Shape) -> Any:
    module = cupy().RawModule(code=SOURCE.read_text(encoding="utf-8"), options=(*shape.options, f"-DTHREADS={THREADS}"))
    return module.get_function


class Sparse(NamedTuple):
    """A sparse matrix by rows, and how its rows are cut into stretches."""

    column: Any  # (N,)
    value: Any  # (N,)
    first: Any  # (stretches,)
    last: Any
    row: Any
    slot: Any  # where the sum of a stretch of a cut row goes; -1 for a whole row
    cut_row: Any  # (cut rows,)
    cut_first: Any  # their slots
    cut_last: Any


class Block(NamedTuple):
    """A stretch of the rows of M, and its transpose, whose values carry the rows' weights."""

    first: int
    last: int
    forward: Sparse
    backward: Sparse


class GpuSolver:
    """The steps of `solver`, with rows and contexts on the GPU.

    Parameters
    ----------
    streamed
        Whether the cells stay on the host and travel in blocks each time they are needed.
    """

    def __init__(self, problem: GraphProblem, dimensions: int, *, streamed: bool = False) -> None:
        cp = cupy()
        self.problem = problem
        self.shape = Shape.of(dimensions)
        self._get = _kernels(self.shape)
        pairs = len(problem.weight)
        self._weight = cp.asarray(problem.weight)
        self._rows = cp.zeros((pairs, self.shape.stored), dtype=cp.float32)
        self._product = cp.empty_like(self._rows)
        self._contexts = cp.zeros((problem.matrix.contexts, self.shape.stored), dtype=cp.float32)
        names = ("order", "word_start", "link_start", "link_a", "link_b", "link_weight")
        self._links = {name: cp.asarray(getattr(problem, name)) for name in names}
        if problem.chains_only:
            self._chain = [cp.empty(pairs) for _ in range(3)] + [cp.empty(problem.words)]
            link = self._links
            self._run(
                "eliminate", problem.words, np.int32(problem.words), link["word_start"], link["link_start"],
                link["link_a"], link["link_weight"], link["order"], self._weight,
                np.float64(problem.deviation_penalty), *self._chain,
            )  # fmt: skip
        self._blocks = list(self._make_blocks(streamed))

    @property
    def rows(self) -> NDArray[np.float32]:
        """(P, D) a copy on the host."""
        return np.asarray(self._rows[:, : self.shape.dimensions].get())

    @rows.setter
    def rows(self, given: NDArray[np.float32]) -> None:
        self._rows = padded(given, self.shape)

    @property
    def contexts(self) -> NDArray[np.float32]:
        """(K, D) a copy on the host."""
        return np.asarray(self._contexts[:, : self.shape.dimensions].get())

    @contexts.setter
    def contexts(self, given: NDArray[np.float32]) -> None:
        self._contexts = padded(given, self.shape)

    def start_contexts(self, seed: int, rounds: int = 4) -> None:
        """Orthonormal contexts near the main directions of the data, by subspace iteration."""
        random = np.random.Generator(np.random.PCG64([seed, 0]))
        start = random.standard_normal((self.problem.matrix.contexts, self.shape.dimensions), dtype=np.float32)
        self.contexts = self._orthonormal(cupy().asarray(start))
        for _ in range(rounds):
            self._multiply_all(self._product)
            self._fit_contexts(self._product)

    def best_contexts(self) -> None:
        """The best orthonormal contexts for the rows."""
        self._fit_contexts(self._rows)

    def solve_rows(self) -> float:
        """The best rows for the contexts; the loss less its constant Σ w‖M‖²."""
        cp, problem, link = cupy(), self.problem, self._links
        self._multiply_all(self._product)
        if problem.chains_only:
            threads = problem.words * self.shape.stored
            gained = cp.empty(threads)
            self._run(
                "solve_chains", threads, np.int32(problem.words), link["word_start"], link["order"], self._weight,
                *self._chain, self._product, self._rows, gained,
            )  # fmt: skip
            return -float(gained.sum())
        gained = cp.zeros(problem.words)
        starts, word = problem.word_start, 0
        while word < problem.words:
            # As many words as the room allows, at least one.
            last = max(word + 1, int(np.searchsorted(starts, starts[word] + LINKED_AT_ONCE, side="right")) - 1)
            pairs = int(starts[last] - starts[word])
            room = pairs * self.shape.stored
            work = cp.empty(4 * room + pairs)
            self._run(
                "solve_links", (last - word) * THREADS, np.int32(word), link["word_start"], link["link_start"],
                link["link_a"], link["link_b"], link["link_weight"], link["order"], self._weight,
                np.float64(problem.deviation_penalty), self._product, self._rows, work, np.int64(room),
                np.int32(ITERATIONS), np.float64(TOLERANCE), gained,
            )  # fmt: skip
            word = last
        return -float(gained.sum())

    def principal(self) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Rows and contexts on the host, turned so that the first dimension carries most of the rows, and so on."""
        cp = cupy()
        rows = self._rows[:, : self.shape.dimensions]
        parts = [slice(first, first + ROWS_AT_ONCE) for first in range(0, len(rows), ROWS_AT_ONCE)]
        squares = cp.zeros((self.shape.dimensions, self.shape.dimensions))
        for part in parts:
            own = rows[part].astype(cp.float64)
            squares += own.T @ (own * self._weight[part, None])
        axes = np.linalg.eigh(squares.get())[1][:, ::-1]
        # The sign of an axis is arbitrary: the largest entry of each is made positive.
        axes = axes * np.sign(axes[np.abs(axes).argmax(axis=0), np.arange(axes.shape[1])])
        turn = cp.asarray(axes.astype(np.float32))
        contexts = self._contexts[:, : self.shape.dimensions] @ turn
        return np.concatenate([(rows[part] @ turn).get() for part in parts]), contexts.get()

    def _run(self, name: str, threads: int, *arguments: Any) -> None:
        if threads:
            self._get(name)((-(-threads // THREADS),), (THREADS,), arguments)

    def _multiply_all(self, product: Any) -> None:
        """product = M B."""
        for block in self._blocks:
            self._multiply(block.forward, self._contexts, product[block.first : block.last], adding=False)

    def _fit_contexts(self, rows: Any) -> None:
        cp = cupy()
        pull = cp.zeros_like(self._contexts)
        for block in self._blocks:
            self._multiply(block.backward, rows[block.first : block.last], pull, adding=True)
        self.contexts = self._orthonormal(pull[:, : self.shape.dimensions])

    def _multiply(self, matrix: Sparse, dense: Any, out: Any, *, adding: bool) -> None:
        cp = cupy()
        matrix = Sparse(*(cp.asarray(array) for array in matrix))  # travels, if it is not there
        cut = len(matrix.cut_row)
        partial = cp.empty((int(matrix.cut_last[-1]) if cut else 0, self.shape.stored), dtype=cp.float32)
        self._run(
            "multiply", len(matrix.row) * 32, np.int32(len(matrix.row)), matrix.first, matrix.last, matrix.row,
            matrix.slot, matrix.column, matrix.value, dense, out, partial, np.int32(adding),
        )  # fmt: skip
        self._run(
            "gather", cut * self.shape.row, np.int32(cut), matrix.cut_row, matrix.cut_first, matrix.cut_last, partial,
            out, np.int32(adding),
        )  # fmt: skip

    def _orthonormal(self, matrix: Any) -> Any:
        """The orthonormal matrix nearest to this one: U Vᵀ of its singular value decomposition."""
        cp = cupy()
        basis, triangle = cp.linalg.qr(matrix.astype(cp.float64))
        left, _, right = np.linalg.svd(triangle.get())
        return (basis @ cp.asarray(left @ right)).astype(cp.float32)

    def _make_blocks(self, streamed: bool) -> Any:
        cp, problem = cupy(), self.problem
        start, contexts = problem.matrix.start, problem.matrix.contexts
        first = 0
        while first < len(problem.weight):
            last = int(np.searchsorted(start, start[first] + BLOCK_CELLS, side="right")) - 1
            last = min(max(last, first + 1), len(problem.weight))
            cells = slice(int(start[first]), int(start[last]))
            own_start = start[first : last + 1] - start[first]
            column, value = cp.asarray(problem.matrix.context[cells]), cp.asarray(problem.matrix.value[cells])
            row = cp.searchsorted(cp.asarray(own_start), cp.arange(len(column)), side="right") - 1
            order = cp.argsort(column)  # stable, so that the cells of a context stay in the order of the rows
            weighted = (value * self._weight[first + row])[order]
            back_start = cp.searchsorted(column[order], cp.arange(contexts + 1)).get()
            backward = _sparse(row[order].astype(cp.int32), weighted, back_start)
            block = Block(first, last, _sparse(column, value, own_start), backward)
            if streamed:
                hosted = [Sparse(*(array.get() for array in matrix)) for matrix in block[2:]]
                block = Block(first, last, *hosted)
            yield block
            first = last


def _sparse(column: Any, value: Any, start: NDArray[np.int64]) -> Sparse:
    """A matrix with its stretches; a row without cells is one empty stretch, which writes zeros."""
    parts = np.maximum(-(-np.diff(start) // STRETCH), 1)
    row = np.repeat(np.arange(len(parts)), parts)
    number = np.arange(len(row)) - np.repeat(np.cumsum(parts) - parts, parts)
    first = start[row] + number * STRETCH
    cut = np.flatnonzero(parts > 1)
    slot = np.where(parts[row] > 1, np.cumsum(parts[row] > 1) - 1, -1)
    ends = np.cumsum(parts[cut])
    tables = (first, np.minimum(first + STRETCH, start[row + 1]))
    small = (row, slot, cut, ends - parts[cut], ends)
    put = cupy().asarray
    return Sparse(column, value, *(put(table) for table in tables), *(put(array.astype(np.int32)) for array in small))


def memory_needed(pairs: int, contexts: int, cells: int, dimensions: int) -> Need:
    """What a fit takes on a GPU; `cells` in both directions."""
    row = 4 * Shape.of(dimensions).stored
    arranging = 72 * min(cells, BLOCK_CELLS)
    return Need((2 * pairs + 16 * contexts) * row + 64 * pairs, 16 * cells + 48 * pairs + arranging, arranging)
