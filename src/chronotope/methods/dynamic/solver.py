"""Sweeps over the conditions: the steps of `objective` as sparse products and small solves.

Blocks of rows are fixed by the data, never by the number of threads, and BLAS is held to one thread, so that any
number of threads gives the same bytes.
"""

from __future__ import annotations

from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from chronotope.cooccurrence import Association, Counts, PairMatrix, positive_pmi
from chronotope.methods.dynamic.objective import Factorization

BLOCKS = 8
ROUNDS = 4

Floats = NDArray[np.float32]


def make_problem(
    counts: Counts,
    *,
    size_penalty: float,
    smoothness: float,
    agreement: float,
    place_edges: Iterable[tuple[str, str]] | None = None,
) -> Factorization:
    """The loss for a corpus."""
    support, size = counts.vocabulary.support, len(counts.vocabulary)
    pairs = positive_pmi(counts, Association(context_power=1.0))
    matrices, limits = [], []
    for condition in range(len(counts.conditions)):
        length = np.zeros(size, dtype=np.int64)
        here = slice(support.start[condition], support.start[condition + 1] + 1)
        length[support.words_in(condition)] = np.diff(pairs.start[here])
        start = pairs.start[support.start[condition]] + np.concatenate([[0], np.cumsum(length)])
        even = np.searchsorted(start, np.linspace(start[0], start[-1], BLOCKS + 1))
        even[0], even[-1] = 0, size
        matrices.append([_block(pairs, start[first : last + 1], size) for first, last in pairwise(even.tolist())])
        limits.append(even)
    neighbors: list[list[int]] = [[] for _ in range(len(counts.conditions))]
    for a, b in counts.conditions.graph(place_edges).edges.tolist():
        neighbors[a].append(b)
        neighbors[b].append(a)
    return Factorization(matrices, limits, neighbors, size_penalty, smoothness, agreement)


def start_vectors(problem: Factorization, dimensions: int, seed: int, pool: ThreadPoolExecutor) -> Floats:
    """(W, D) where all conditions start: the main directions of the mean of their matrices, by subspace iteration."""
    random = np.random.Generator(np.random.PCG64([seed, 0]))
    basis = _orthonormal(random.standard_normal((problem.words, dimensions)))
    for _ in range(ROUNDS):
        basis = _orthonormal(_mean_product(problem, basis, pool))
    small = basis.T.astype(np.float64) @ _mean_product(problem, basis, pool)
    values, turn = np.linalg.eigh((small + small.T) / 2)
    return np.asarray(basis @ (turn * np.sqrt(np.maximum(values, 0))), dtype=np.float32)


def sweep(words: Floats, contexts: Floats, problem: Factorization, pool: ThreadPoolExecutor) -> float:
    """Improve V and then U, (C, W, D) both, of each condition in turn; return the loss less its constant ½ Σ ‖Y‖²."""
    gained = 0.0
    for condition in range(len(words)):
        _improve(words, contexts, condition, problem, pool)
        gained += _improve(contexts, words, condition, problem, pool)
    return _penalties(words, contexts, problem) - gained


def _improve(own: Floats, other: Floats, condition: int, problem: Factorization, pool: ThreadPoolExecutor) -> float:
    """Put the best V (or U) of a condition into `own`; return Σ Y (V Uᵀ)."""
    here, neighbors = other[condition], problem.neighbors[condition]
    strength = problem.agreement + problem.size_penalty + problem.smoothness * len(neighbors)
    square = here.astype(np.float64).T @ here
    inverse = np.linalg.inv(square + strength * np.eye(here.shape[1]))

    def solve(matrix: sparse.csr_array[np.float32], first: int, last: int) -> float:
        product = np.asarray(matrix @ here, dtype=np.float64)
        right = product + problem.agreement * here[first:last]
        for neighbor in neighbors:
            right += problem.smoothness * own[neighbor, first:last]
        own[condition, first:last] = right @ inverse
        return float((product * own[condition, first:last]).sum())

    limits = problem.limits[condition].tolist()
    return sum(pool.map(solve, problem.matrices[condition], limits[:-1], limits[1:]))


def _penalties(words: Floats, contexts: Floats, problem: Factorization) -> float:
    """All of the loss but ½ Σ ‖Y‖² − Σ Y (V Uᵀ)."""
    total = 0.0
    for condition, neighbors in enumerate(problem.neighbors):
        word, context = words[condition].astype(np.float64), contexts[condition].astype(np.float64)
        total += float(((word.T @ word) * (context.T @ context)).sum()) / 2
        total += problem.agreement / 2 * float(((word - context) ** 2).sum())
        total += problem.size_penalty / 2 * float((word**2).sum() + (context**2).sum())
        for neighbor in neighbors:
            if neighbor > condition:
                apart = ((word - words[neighbor]) ** 2).sum() + ((context - contexts[neighbor]) ** 2).sum()
                total += problem.smoothness / 2 * float(apart)
    return total


def constant(problem: Factorization) -> float:
    """½ Σ ‖Y‖²: the loss where all vectors are zero."""
    squares = (np.square(block.data, dtype=np.float64).sum() for blocks in problem.matrices for block in blocks)
    return float(sum(squares)) / 2


def _block(pairs: PairMatrix, start: NDArray[np.int64], size: int) -> sparse.csr_array[np.float32]:
    """Some rows of Y, without a copy of their cells; row r holds the cells start[r] … start[r + 1]."""
    cells = slice(int(start[0]), int(start[-1]))
    pointer = (start - start[0]).astype(np.int32)
    return sparse.csr_array((pairs.value[cells], pairs.context[cells], pointer), shape=(len(start) - 1, size))


def _mean_product(problem: Factorization, basis: NDArray[np.floating], pool: ThreadPoolExecutor) -> Floats:
    """(W, D) the mean of Y_c over the conditions, times the basis; added up in the order of the conditions."""
    narrow = basis.astype(np.float32)
    total = np.zeros(narrow.shape, dtype=np.float64)
    for blocks in problem.matrices:
        total += np.concatenate(list(pool.map(lambda block: block @ narrow, blocks)))
    return (total / len(problem.matrices)).astype(np.float32)


def _orthonormal(matrix: NDArray[np.floating]) -> Floats:
    return np.linalg.qr(matrix.astype(np.float64))[0].astype(np.float32)
