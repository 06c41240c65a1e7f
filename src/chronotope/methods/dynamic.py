"""`dynamic`: the joint factorization of Yao et al. (2018).

    F = ½ Σ_c ‖Y_c − V_c U_cᵀ‖²  +  γ/2 Σ_c ‖V_c − U_c‖²  +  λ/2 Σ_c (‖V_c‖² + ‖U_c‖²)
        + τ/2 Σ_(a,b)∈E (‖V_a − V_b‖² + ‖U_a − U_b‖²)

Y_c is the positive mutual information of condition c, zeros included; it is symmetric, since context frequencies are
not raised to a power. V_c are the words, U_c the contexts, over the whole vocabulary: the rows of an absent word are
pulled to zero by its empty row of Y, and to its neighbors by τ. E are the neighboring conditions.

Given the rest, F is quadratic in one V_c, and its minimum is where

    V_c (U_cᵀ U_c + (γ + λ + τ degree(c)) I) = Y_c U_c + γ U_c + τ Σ_b V_b,    b the neighbors of c,

and the same with V and U exchanged: each step is exact, so every sweep lowers the loss.
"""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from chronotope.config import DynamicSettings
from chronotope.cooccurrence import Association, Counts
from chronotope.cooccurrence.association import pmi_matrix
from chronotope.embeddings import ConditionedEmbeddings
from chronotope.methods.base import Epoch, FitOptions, Floats, Method, check_dimensions, uncentered
from chronotope.runtime.blas import one_blas_thread
from chronotope.runtime.resources import even_blocks

# Blocks of rows depend only on the data, so that any number of threads gives the same bytes.
BLOCKS = 8
START_ROUNDS = 4


@dataclass(frozen=True, repr=False)
class DynamicFactorization(Method, DynamicSettings):
    """Positive mutual information factorized in all conditions at once, with smoothing (Yao et al. 2018).

    The fields are those of `chronotope.config.DynamicSettings`. As in the original, λ = 10, τ = 50, γ = 100, there are
    50 dimensions and five sweeps, and all conditions start from the vectors of the mean matrix. By default all places
    are neighbors, as in Gong et al. (2020). Vectors are not centered.

    Memory grows with words × conditions: absent words also have two vectors in each condition.
    """

    supports = frozenset({"place_edges"})
    _name = "dynamic"

    def _fit(self, counts: Counts, options: FitOptions) -> ConditionedEmbeddings:
        check_dimensions(self.dimensions, len(counts.vocabulary))
        problem = make_problem(counts, self, options.place_edges)
        constant = zero_loss(problem)
        history = []
        with ThreadPoolExecutor(options.threads) as pool, one_blas_thread():
            start = start_vectors(problem, self.dimensions, self.seed, pool)
            words = np.repeat(start[None], len(counts.conditions), axis=0)
            contexts = words.copy()
            for number in range(1, self.epochs + 1):
                loss = constant + sweep(words, contexts, problem, pool)
                epoch = Epoch(number, self.epochs, loss / constant if constant else 0.0)
                history.append(epoch.to_dict())
                options.on_step(number, self.epochs)
                options.on_epoch(epoch)
        support = counts.vocabulary.support
        provenance = self.provenance(counts, options) | {"training": history}
        return uncentered(counts, words[support.condition, support.word], provenance)


class Factorization(NamedTuple):
    """The data and settings of the loss."""

    matrices: list[list[sparse.csr_array[np.float32]]]  # Y of each condition in blocks of rows, each (rows, W)
    neighbors: list[list[int]]  # of each condition
    settings: DynamicSettings

    @property
    def words(self) -> int:
        """The size of the vocabulary."""
        return int(self.matrices[0][0].shape[1])


def make_problem(
    counts: Counts, settings: DynamicSettings, place_edges: list[tuple[str, str]] | None = None
) -> Factorization:
    """Return the loss for a corpus."""
    words, matrices = len(counts.vocabulary), []
    for condition in range(len(counts.conditions)):
        matrix = pmi_matrix(counts.cells(condition), words, Association(context_power=1.0))
        matrices.append([matrix[first:last] for first, last in even_blocks(matrix.indptr, BLOCKS)])
    neighbors: list[list[int]] = [[] for _ in range(len(counts.conditions))]
    for a, b in counts.conditions.graph(place_edges).edges.tolist():
        neighbors[a].append(b)
        neighbors[b].append(a)
    return Factorization(matrices, neighbors, settings)


def zero_loss(problem: Factorization) -> float:
    """½ Σ ‖Y‖²: the loss of zero vectors."""
    squares = (np.square(block.data, dtype=np.float64).sum() for blocks in problem.matrices for block in blocks)
    return float(sum(squares)) / 2


def start_vectors(problem: Factorization, dimensions: int, seed: int, pool: ThreadPoolExecutor) -> Floats:
    """(W, D) the initial vectors of every condition: the main directions of the mean matrix, by subspace iteration."""
    random = np.random.Generator(np.random.PCG64([seed, 0]))
    basis = _orthonormal(random.standard_normal((problem.words, dimensions)))
    for _ in range(START_ROUNDS):
        basis = _orthonormal(_mean_product(problem, basis, pool))
    small = basis.T.astype(np.float64) @ _mean_product(problem, basis, pool)
    values, turn = np.linalg.eigh((small + small.T) / 2)
    return np.asarray(basis @ (turn * np.sqrt(np.maximum(values, 0))), dtype=np.float32)


def sweep(words: Floats, contexts: Floats, problem: Factorization, pool: ThreadPoolExecutor) -> float:
    """Improve V and then U, both (C, W, D), of each condition in turn; return the loss without ½ Σ ‖Y‖²."""
    gained = 0.0
    for condition in range(len(words)):
        _improve(words, contexts, condition, problem, pool)
        gained += _improve(contexts, words, condition, problem, pool)
    return _penalties(words, contexts, problem) - gained


def _improve(own: Floats, other: Floats, condition: int, problem: Factorization, pool: ThreadPoolExecutor) -> float:
    """Write the best V (or U) of a condition to `own`; return Σ Y (V Uᵀ)."""
    here, neighbors, settings = other[condition], problem.neighbors[condition], problem.settings
    square = here.astype(np.float64).T @ here
    ridge = settings.agreement + settings.size_penalty + settings.smoothness * len(neighbors)
    inverse = np.linalg.inv(square + ridge * np.eye(here.shape[1]))

    def solve(matrix: sparse.csr_array[np.float32], first: int) -> float:
        rows = slice(first, first + matrix.shape[0])
        product = np.asarray(matrix @ here, dtype=np.float64)
        right = product + settings.agreement * here[rows]
        for neighbor in neighbors:
            right += settings.smoothness * own[neighbor, rows]
        own[condition, rows] = right @ inverse
        return float((product * own[condition, rows]).sum())

    blocks = problem.matrices[condition]
    first = np.cumsum([0] + [block.shape[0] for block in blocks[:-1]]).tolist()
    return sum(pool.map(solve, blocks, first))


def _penalties(words: Floats, contexts: Floats, problem: Factorization) -> float:
    """The loss without ½ Σ ‖Y‖² − Σ Y (V Uᵀ)."""
    total, settings = 0.0, problem.settings
    for condition, neighbors in enumerate(problem.neighbors):
        word, context = words[condition].astype(np.float64), contexts[condition].astype(np.float64)
        total += float(((word.T @ word) * (context.T @ context)).sum()) / 2
        total += settings.agreement / 2 * float(((word - context) ** 2).sum())
        total += settings.size_penalty / 2 * float((word**2).sum() + (context**2).sum())
        for neighbor in neighbors:
            if neighbor > condition:
                apart = ((word - words[neighbor]) ** 2).sum() + ((context - contexts[neighbor]) ** 2).sum()
                total += settings.smoothness / 2 * float(apart)
    return total


def _mean_product(problem: Factorization, basis: Floats, pool: ThreadPoolExecutor) -> Floats:
    """(W, D) the mean of Y_c over the conditions, times the basis."""
    total = np.zeros(basis.shape, dtype=np.float64)
    for blocks in problem.matrices:
        total += np.concatenate(list(pool.map(lambda block: block @ basis, blocks)))
    return (total / len(problem.matrices)).astype(np.float32)


def _orthonormal(matrix: NDArray[np.floating]) -> Floats:
    return np.linalg.qr(matrix.astype(np.float64))[0].astype(np.float32)
