"""Train CW2V: epochs over the cells, one side at a time.

In each stratum the words move while the contexts are fixed, then the contexts while the words are fixed, then the
condition vectors, from the gradients summed on the way. In an epoch each cell is visited twice, once from each side.
"""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from chronotope.conditions import Graph
from chronotope.config import ConditionedSettings
from chronotope.methods.base import Floats
from chronotope.methods.cw2v.cells import PARTS, STRATA, Cells
from chronotope.methods.cw2v.kernel import Side, move_block, write_vectors
from chronotope.methods.cw2v.parameters import Parameters
from chronotope.runtime.resources import stretches

# Vectors of the fixed side are written for as many conditions at a time as fit into the cache.
BLOCK_BYTES = 6 << 20


class Trainer:
    """Move `parameters` and `accumulators` in place; the result does not depend on the number of threads."""

    def __init__(
        self,
        settings: ConditionedSettings,
        cells: Cells,
        graph: Graph,
        parameters: Parameters,
        accumulators: Parameters,
        pool: ThreadPoolExecutor,
        threads: int,
        block_bytes: int = BLOCK_BYTES,
    ) -> None:
        self._cells, self._parameters, self._accumulators = cells, parameters, accumulators
        self._pool, self._threads, self._rate, self._seed = pool, min(threads, PARTS), settings.rate, settings.seed
        beta, alpha = penalties(settings, cells, graph)
        self._share = (beta / np.maximum(cells.pair_cells, 1)).astype(np.float32)
        self._neighbors = edge_matrix(graph, alpha)
        width = -(-settings.dimensions // 32) * 32  # the compiler's vector loops then have no remainder
        self._blocks = list(stretches(cells.pair_start, block_bytes // (4 * width)))  # of conditions
        longest = max(int(cells.pair_start[last] - cells.pair_start[first]) for first, last in self._blocks)
        self._vectors = np.zeros((longest, width), dtype=np.float32)

    def move_stratum(self, stratum: int) -> float:
        """Move everything once over the cells of a stratum; return the weighted squared error of the words."""
        gradient = np.zeros((PARTS, *self._parameters.condition.shape), dtype=np.float32)
        squared = np.zeros((2, PARTS))
        sides = [Side.of(name, self._parameters, self._accumulators) for name in ("word", "context")]
        for turn, (moving, fixed) in enumerate((sides, sides[::-1])):
            for conditions in self.visits(stratum):
                self._move_block(stratum, conditions, moving, fixed, gradient, squared[turn])
        self._move_conditions(gradient.sum(axis=0))
        return float(squared[0].sum())

    def _move_conditions(self, gradient: Floats) -> None:
        """Move the condition vectors: a step against the summed gradient, then toward their neighbors.

        The pull between neighbors is implicit, (q/η + Σ α q_b) / (1/η + Σ α): a mean of the vector and its neighbors,
        so it is stable for any strength.
        """
        q, accumulated, neighbors = self._parameters.condition, self._accumulators.condition, self._neighbors
        accumulated += np.mean(gradient**2, axis=1)
        step = (self._rate / np.sqrt(np.maximum(accumulated, np.finfo(np.float32).tiny)))[:, None].astype(np.float64)
        pull = step / STRATA  # the gradient covers this share of an epoch
        strength: NDArray[np.float64] = np.asarray(neighbors.sum(axis=1)).reshape(-1, 1)
        moved = q - step * gradient + pull * (neighbors @ q.astype(np.float64))
        q[:] = moved / (1 + pull * strength)

    def visits(self, stratum: int) -> list[NDArray[np.int64]]:
        """Return blocks of conditions in the order in which a stratum visits them.

        Both orders are random: visits in the order of time would let frequent words drift along.
        """
        random = np.random.Generator(np.random.PCG64([self._seed, 2, stratum]))
        blocks = [self._blocks[number] for number in random.permutation(len(self._blocks))]
        return [random.permutation(np.arange(first, last)) for first, last in blocks]

    def _move_block(
        self,
        stratum: int,
        conditions: NDArray[np.int64],
        moving: Side,
        fixed: Side,
        gradient: Floats,
        squared: NDArray[np.float64],
    ) -> None:
        cells, vectors, q = self._cells, self._vectors, self._parameters.condition
        offset, end = int(cells.pair_start[conditions.min()]), int(cells.pair_start[conditions.max() + 1])
        limits = np.linspace(offset, end, self._threads + 1).astype(np.int64)

        def write(thread: int) -> None:
            write_vectors(limits[thread], limits[thread + 1], offset, cells, fixed, q, vectors)

        def move(thread: int) -> None:
            move_block(
                thread, self._threads, stratum, conditions, cells, moving, self._share, vectors, offset, fixed.bias, q,
                self._rate, gradient, squared,
            )  # fmt: skip

        for work in (write, move):
            list(self._pool.map(work, range(self._threads)))


def penalties(
    settings: ConditionedSettings, cells: Cells, graph: Graph
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return β of each pair and α of each edge, as in the loss."""
    beta = np.full(len(cells.pair_cells), settings.deviation_penalty)
    alpha = np.full(len(graph.edges), settings.smoothness)
    if settings.penalties == "each-cell":
        beta *= cells.pair_cells
        alpha *= np.bincount(cells.pair_condition, cells.pair_cells, graph.size)[graph.edges].mean(axis=1)
    return beta, alpha


def edge_matrix(graph: Graph, alpha: NDArray[np.float64]) -> sparse.csr_array[np.float64]:
    """(C, C) the strength of each edge, in both directions."""
    ends = graph.edges[:, [0, 1]].T.ravel(), graph.edges[:, [1, 0]].T.ravel()
    return sparse.coo_array((np.tile(alpha, 2), ends), (graph.size, graph.size)).tocsr()
