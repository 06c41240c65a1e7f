"""Sweeps over the data: both steps of `objective` as sparse products and small solves, the same bytes on any threads.

The blocks are fixed by the data, never by the number of threads, and sums over blocks are taken in order; BLAS is
held to one thread, since its results differ with their number.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

import numpy as np
import scipy.linalg
from numpy.typing import NDArray

from chronotope.cooccurrence import PairMatrix
from chronotope.methods.graph.matrix import Block, pieces
from chronotope.methods.graph.objective import GraphProblem
from chronotope.runtime.blas import one_blas_thread
from chronotope.runtime.kernels import kernel

BLOCKS = 8
ITERATIONS = 50
TOLERANCE = 1e-6
LEAST_SQUARE = 1e-9
FAST_BUT_NAN_SAFE = {"reassoc", "contract", "arcp", "nsz", "afn"}

Floats = NDArray[np.float32]

NO_CELLS = PairMatrix(np.zeros(1, dtype=np.int64), np.empty(0, dtype=np.int32), np.empty(0, dtype=np.float32), 0)


def start_contexts(
    problem: GraphProblem, dimensions: int, seed: int, pool: ThreadPoolExecutor, rounds: int = 4
) -> Floats:
    """(K, D) orthonormal contexts near the main directions of the data, by subspace iteration."""
    random = np.random.Generator(np.random.PCG64([seed, 0]))
    contexts = orthonormal(random.standard_normal((problem.matrix.contexts, dimensions), dtype=np.float32))
    rows = np.empty((len(problem.weight), dimensions), dtype=np.float32)
    for _ in range(rounds):
        _multiply_all(contexts, rows, problem, pool)
        contexts = orthonormal(pull_of_rows(rows, problem, pool))
    return contexts


def solve_rows(contexts: Floats, rows: Floats, problem: GraphProblem, pool: ThreadPoolExecutor) -> float:
    """Put the best rows for these contexts into `rows`; return the loss less its constant Σ w‖M‖².

    `rows` must hold the previous sweep's rows, or zeros: where a word's equations are solved by iteration, it starts
    from there.
    """
    # Chains are solved in one go, so that the products may stand where the rows will; iteration needs the rows too.
    product = rows if problem.chains_only else np.empty_like(rows)
    _multiply_all(contexts, product, problem, pool)
    blocks = even_blocks(problem.word_start)
    equations = problem._replace(matrix=NO_CELLS)  # the words' equations do not ask for the cells
    return -float(sum(pool.map(lambda block: solve_words(block, equations, product, rows), blocks)))


def pull_of_rows(rows: Floats, problem: GraphProblem, pool: ThreadPoolExecutor) -> Floats:
    """(K, D) Σ w M A: what the contexts are fitted to."""
    blocks = even_blocks(problem.matrix.start)
    parts = np.zeros((len(blocks), problem.matrix.contexts, rows.shape[1]), dtype=np.float32)

    def multiply_back(block: Block, part: Floats) -> None:
        for own, matrix in pieces(problem.matrix, block):
            _multiply_back(matrix, problem.weight[own], rows[own], part)

    list(pool.map(multiply_back, blocks, parts))
    return np.asarray(parts.sum(axis=0))


def best_contexts(rows: Floats, problem: GraphProblem, pool: ThreadPoolExecutor) -> Floats:
    """(K, D) the best orthonormal contexts for these rows."""
    return orthonormal(pull_of_rows(rows, problem, pool))


def orthonormal(matrix: Floats) -> Floats:
    """The orthonormal matrix nearest to this one: U Vᵀ of its singular value decomposition."""
    with one_blas_thread():
        given = matrix.astype(np.float64)
        # X (XᵀX)^-½ is the same and takes a fraction of the time, but squares the numbers: where the least singular
        # value is so small that its square would lose its digits, the decomposition itself is taken.
        squares, axes = np.linalg.eigh(given.T @ given)
        if squares[0] > LEAST_SQUARE * squares[-1]:
            return np.asarray(given @ ((axes / np.sqrt(squares)) @ axes.T), dtype=np.float32)
        basis, triangle = scipy.linalg.qr(given, mode="economic", check_finite=False)
        left, _, right = np.linalg.svd(triangle)
        return np.asarray(basis @ (left @ right), dtype=np.float32)


def sum_of_squares(problem: GraphProblem, pool: ThreadPoolExecutor) -> float:
    """Σ w‖M‖²: the constant of the loss."""

    squares = np.empty(len(problem.weight))

    def square(block: Block) -> None:
        for own, matrix in pieces(problem.matrix, block):
            _square(matrix, squares[own])

    list(pool.map(square, even_blocks(problem.matrix.start)))
    # Row by row first: a sum over pieces would depend on where they are cut.
    return float((problem.weight * squares).sum())


def even_blocks(start: NDArray[np.int64], blocks: int = BLOCKS) -> list[Block]:
    """Stretches of rows with about equal loads, where row r carries start[r + 1] − start[r].

    Examples
    --------
    >>> even_blocks(np.array([0, 5, 6, 7, 10]), 2)
    [(0, 1), (1, 4)]
    """
    limits = np.searchsorted(start, np.linspace(0, start[-1], blocks + 1))
    limits[0], limits[-1] = 0, len(start) - 1
    return [(int(first), int(last)) for first, last in pairwise(limits)]


def _multiply_all(contexts: Floats, product: Floats, problem: GraphProblem, pool: ThreadPoolExecutor) -> None:
    """product = M B."""
    blocks = even_blocks(problem.matrix.start)

    def multiply_block(block: Block) -> None:
        for own, matrix in pieces(problem.matrix, block):
            multiply((0, len(matrix.start) - 1), matrix, contexts, product[own])

    list(pool.map(multiply_block, blocks))


@kernel(fastmath=FAST_BUT_NAN_SAFE)
def multiply(block, matrix, contexts, product):  # type: ignore[no-untyped-def]
    """product = M B for a stretch of rows."""
    dimensions = contexts.shape[1]
    total = np.empty(dimensions, dtype=np.float32)
    for row in range(block[0], block[1]):
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


@kernel()
def _square(matrix, squares):  # type: ignore[no-untyped-def]
    """‖M‖² of each row."""
    for row in range(len(squares)):
        total = 0.0
        for cell in range(matrix.start[row], matrix.start[row + 1]):
            total += np.float64(matrix.value[cell]) * matrix.value[cell]
        squares[row] = total


@kernel(fastmath=FAST_BUT_NAN_SAFE)
def _multiply_back(matrix, weight, rows, out):  # type: ignore[no-untyped-def]
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


@kernel()
def solve_words(block, problem, product, rows):  # type: ignore[no-untyped-def]
    """Solve the equations of a stretch of words; return Σ w A·(M B): so far is their loss below Σ w‖M‖²."""
    gained = 0.0
    for word in range(block[0], block[1]):
        pairs = problem.order[problem.word_start[word] : problem.word_start[word + 1]]
        if len(pairs) == 0:
            continue
        links = slice(problem.link_start[word], problem.link_start[word + 1])
        a, b, tau = problem.link_a[links], problem.link_b[links], problem.link_weight[links]
        if problem.chains_only:
            solution = _solve_chain(problem.weight[pairs], problem.deviation_penalty, a, tau, pairs, product)
        else:
            solution = _solve_links(problem.weight[pairs], problem.deviation_penalty, a, b, tau, pairs, product, rows)
        for number in range(len(pairs)):
            pair = pairs[number]
            dot = 0.0
            for k in range(product.shape[1]):
                dot += solution[number, k] * product[pair, k]
                rows[pair, k] = solution[number, k]
            gained += problem.weight[pair] * dot
    return gained


@kernel()
def _solve_chain(weight, beta, a, tau, pairs, product):  # type: ignore[no-untyped-def]
    """Links between consecutive pairs make the equations tridiagonal; the pull toward the mean is of rank one."""
    size, dimensions = len(pairs), product.shape[1]
    diagonal = np.empty(size)
    below = np.zeros(size)
    for number in range(size):
        diagonal[number] = weight[number] + beta
    for link in range(len(a)):
        diagonal[a[link]] += tau[link]
        diagonal[a[link] + 1] += tau[link]
        below[a[link] + 1] = -tau[link]
    solution = np.empty((size, dimensions))
    ones = np.ones(size)  # becomes T⁻¹ 1, for the term of rank one
    for number in range(size):
        for k in range(dimensions):
            solution[number, k] = weight[number] * product[pairs[number], k]
    pivot = diagonal
    for number in range(1, size):
        factor = below[number] / pivot[number - 1]
        pivot[number] -= factor * below[number]
        ones[number] -= factor * ones[number - 1]
        for k in range(dimensions):
            solution[number, k] -= factor * solution[number - 1, k]
    for number in range(size - 1, -1, -1):
        after = below[number + 1] if number + 1 < size else 0.0
        ones[number] = (ones[number] - (after * ones[number + 1] if number + 1 < size else 0.0)) / pivot[number]
        for k in range(dimensions):
            later = after * solution[number + 1, k] if number + 1 < size else 0.0
            solution[number, k] = (solution[number, k] - later) / pivot[number]
    share = beta / size
    scale = share / (1 - share * ones.sum())
    for k in range(dimensions):
        total = 0.0
        for number in range(size):
            total += solution[number, k]
        for number in range(size):
            solution[number, k] += scale * total * ones[number]
    return solution


@kernel()
def _solve_links(weight, beta, a, b, tau, pairs, product, rows):  # type: ignore[no-untyped-def]
    """Any links: conjugate gradients, all dimensions at once, from the previous sweep's rows."""
    size, dimensions = len(pairs), product.shape[1]
    solution = np.empty((size, dimensions))
    residual = np.empty((size, dimensions))
    diagonal = np.full(size, beta * (1 - 1 / size))
    for link in range(len(a)):
        diagonal[a[link]] += tau[link]
        diagonal[b[link]] += tau[link]
    for number in range(size):
        diagonal[number] += weight[number]
        for k in range(dimensions):
            solution[number, k] = rows[pairs[number], k]
            residual[number, k] = weight[number] * product[pairs[number], k]
    aim = (residual * residual).sum() * TOLERANCE**2
    residual -= _apply(weight, beta, a, b, tau, solution)
    direction = residual / diagonal.reshape(-1, 1)
    product_before = (residual * direction).sum()
    for _ in range(ITERATIONS):
        if (residual * residual).sum() <= aim:
            break
        image = _apply(weight, beta, a, b, tau, direction)
        step = product_before / (direction * image).sum()
        solution += step * direction
        residual -= step * image
        scaled = residual / diagonal.reshape(-1, 1)
        product_after = (residual * scaled).sum()
        direction = scaled + (product_after / product_before) * direction
        product_before = product_after
    return solution


@kernel()
def _apply(weight, beta, a, b, tau, vectors):  # type: ignore[no-untyped-def]
    """(diag(w) + β (I − 11ᵀ/n) + L) x, for all dimensions at once."""
    size, dimensions = vectors.shape
    image = np.empty((size, dimensions))
    for k in range(dimensions):
        mean = 0.0
        for number in range(size):
            mean += vectors[number, k]
        mean /= size
        for number in range(size):
            image[number, k] = weight[number] * vectors[number, k] + beta * (vectors[number, k] - mean)
    for link in range(len(a)):
        for k in range(dimensions):
            apart = tau[link] * (vectors[a[link], k] - vectors[b[link], k])
            image[a[link], k] += apart
            image[b[link], k] -= apart
    return image
