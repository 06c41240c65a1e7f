"""`bayesian`: the dynamic skip-gram of Bamler and Mandt (2017), smoothed over the graph of conditions.

    log p = Σ_c Σ_ij n⁺_ijc log σ(u_ic · v_jc) + n⁻_ijc log σ(−u_ic · v_jc)  −  ½ Σ_ik (u_i·kᵀ K u_i·k + v_i·kᵀ K v_i·k)

n⁺ are the co-occurrence counts, n⁻_ijc = negative · n_ic · q_jc, n_ic the row sums of n⁺, and q_c the shares of the
contexts raised to the power ¾. K = r L / diffusion + I / (C · prior_variance) is the prior precision over the C
conditions, L the Laplacian of their graph, and r its largest resistance: the number of steps along a chain.

The posterior is Gaussian: independent over words and dimensions, with a full covariance over the conditions. The bound
of Jaakkola and Jordan (2000), log σ(x) ≥ log σ(ξ) + (x − ξ)/2 − λ(ξ)(x² − ξ²), makes the likelihood quadratic. Each
cell with n⁺ > 0 has a ξ of its own. All n⁻ of a word in a condition share one, so that their sum over the vocabulary is
a D × D matrix. Then the best posterior of one dimension of a word has the precision K + diag(a), and every update
raises the bound.
"""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from chronotope.conditions import Graph
from chronotope.config import BayesianSettings, DynamicSettings
from chronotope.cooccurrence import Counts, symmetric
from chronotope.embeddings import ConditionedEmbeddings
from chronotope.methods import dynamic
from chronotope.methods.base import (
    FAST_BUT_NAN_SAFE,
    Epoch,
    FitOptions,
    Floats,
    Method,
    check_dimensions,
    embeddings_of,
)
from chronotope.runtime.blas import one_blas_thread
from chronotope.runtime.kernels import kernel
from chronotope.runtime.resources import Block, even_blocks

NOISE_POWER = 0.75
BLOCKS = 64
START_VARIANCE = 1e-2


class Posterior(NamedTuple):
    """Means and variances of all words (or contexts), each (W, C, D); absent words are interpolated."""

    mean: Floats
    variance: Floats


class Problem(NamedTuple):
    """The data and the prior; n⁺ is symmetric, so its rows are those of the contexts, too."""

    start: NDArray[np.int64]  # (C, W + 1) the cells of each word in each condition
    column: NDArray[np.int32]  # (N,) their contexts
    value: Floats  # (N,) n⁺
    total: NDArray[np.float64]  # (W, C) negative · n
    noise: NDArray[np.float64]  # (W, C) q
    prior: NDArray[np.float64]  # (C, C) K
    band: NDArray[np.float64]  # (C, B + 1) its band: band[c, d] = K[c, c − d]


@dataclass(frozen=True, repr=False)
class BayesianModel(Method, BayesianSettings):
    """Skip-gram with a Gaussian process over the conditions, and a posterior for every vector (Bamler and Mandt 2017).

    The fields are those of `chronotope.config.BayesianSettings`. The likelihood, the negative counts, and the posterior
    (mean field over words and dimensions, correlated over time) are those of "skip-gram smoothing". Differences:

    - closed-form updates of a quadratic bound instead of stochastic gradients, so there is no step size;
    - any graph of conditions instead of the chain; on the chain K is the Ornstein–Uhlenbeck prior, except that
      `prior_variance` is the variance of a word's mean over time;
    - the start is the factorized mutual information of all conditions together, as in `dynamic`;
    - counts are weighted by distance as in `prepare`.

    Vectors are the posterior means of the words; similarity is centered, as in `graph`. Mean field underestimates
    variances. Memory grows with words × conditions.
    """

    supports = frozenset({"place_edges"})
    _name = "bayesian"

    def _fit(self, counts: Counts, options: FitOptions) -> ConditionedEmbeddings:
        words, _, provenance = self._posterior(counts, options)
        support = counts.vocabulary.support
        vectors, variances = (part[support.word, support.condition] for part in words)
        return embeddings_of(counts, vectors, provenance, variances=variances)

    def posterior(self, counts: Counts, *, threads: int = 1) -> tuple[Posterior, Posterior]:
        """Return means and variances of the words and of the contexts, each (W, C, D).

        `fit` on the same counts gives these means and variances for the words that occur in a condition.
        """
        return self._posterior(counts, FitOptions(threads=threads))[:2]

    def _posterior(self, counts: Counts, options: FitOptions) -> tuple[Posterior, Posterior, dict[str, Any]]:
        check_dimensions(self.dimensions, len(counts.vocabulary))
        problem = make_problem(counts, self, counts.conditions.graph(options.place_edges))
        history = []
        with ThreadPoolExecutor(options.threads) as pool, one_blas_thread():
            factors = dynamic.make_problem(counts, DynamicSettings())
            start = dynamic.start_vectors(factors, self.dimensions, self.seed, pool)
            del factors
            words, contexts = (start_posterior(start, len(counts.conditions)) for _ in range(2))
            divergence = prior_divergence(contexts, problem)
            for number in range(1, self.epochs + 1):
                loss, divergence = sweep(words, contexts, problem, divergence, pool)
                epoch = Epoch(number, self.epochs, loss)
                history.append(epoch.to_dict())
                options.on_step(number, self.epochs)
                options.on_epoch(epoch)
        return words, contexts, self.provenance(counts, options) | {"training": history}


def make_problem(counts: Counts, settings: BayesianSettings, graph: Graph) -> Problem:
    """Return positive and negative counts, and the prior."""
    words, size = len(counts.vocabulary), len(counts.conditions)
    start, columns, values = np.zeros((size, words + 1), np.int64), [], []
    total, noise, cells = np.zeros((words, size)), np.zeros((words, size)), 0
    for condition in range(size):
        matrix = symmetric(counts.cells(condition), words)
        start[condition] = matrix.indptr.astype(np.int64) + cells
        columns.append(matrix.indices.astype(np.int32))
        values.append((matrix.data / counts.unit).astype(np.float32))
        cells += matrix.nnz
        total[:, condition] = matrix.sum(axis=1) / counts.unit
        noise[:, condition] = total[:, condition] ** NOISE_POWER
    noise /= np.maximum(noise.sum(axis=0), 1e-300)
    prior = prior_precision(graph, settings)
    band = np.zeros((size, int(np.diff(graph.edges, axis=1).max(initial=0)) + 1))
    for reach in range(band.shape[1]):
        band[reach:, reach] = np.diag(prior, -reach)
    column, value = np.concatenate(columns), np.concatenate(values)
    return Problem(start, column, value, settings.negative * total, noise, prior, band)


def prior_precision(graph: Graph, settings: BayesianSettings) -> NDArray[np.float64]:
    """(C, C) K."""
    laplacian = np.zeros((graph.size, graph.size))
    for a, b in graph.edges.tolist():
        laplacian[[a, b], [a, b]] += 1
        laplacian[[a, b], [b, a]] -= 1
    # The variance of a difference under the prior with steps of variance 1: along a chain the number of steps.
    inverse = np.linalg.pinv(laplacian, hermitian=True)
    farthest = float((np.diag(inverse)[:, None] + np.diag(inverse) - 2 * inverse).max())
    own = np.eye(graph.size) / (graph.size * settings.prior_variance)
    return np.asarray(laplacian * (farthest / settings.diffusion) + own)


def start_posterior(start: Floats, conditions: int) -> Posterior:
    """Return the same means, (W, D), in every condition, with small variances."""
    mean = np.repeat(start[:, None], conditions, axis=1)
    return Posterior(mean, np.full_like(mean, START_VARIANCE))


def prior_divergence(side: Posterior, problem: Problem) -> float:
    """Return the divergence from the prior of a posterior that is independent over the conditions."""
    prior = problem.prior
    mean, variance = (part.astype(np.float64) for part in side)
    quadratic = (mean * np.einsum("cd,wdk->wck", prior, mean)).sum() + variance.sum(axis=(0, 2)) @ np.diag(prior)
    constant = mean.shape[0] * mean.shape[2] * (len(prior) + np.linalg.slogdet(prior)[1])
    return float(quadratic - np.log(variance).sum() - constant) / 2


def sweep(
    words: Posterior, contexts: Posterior, problem: Problem, divergence: float, pool: ThreadPoolExecutor
) -> tuple[float, float]:
    """Update the words, then the contexts, in place.

    `divergence` is that of the contexts from the prior. Return the negative bound between the two updates, relative to
    that of zero vectors, and the new divergence.
    """
    noise, total = problem.noise, problem.total
    weight, _ = noise_weights(words, contexts, problem)
    _, own = update(words, contexts, problem, (noise, noise), (weight, total), pool)
    weight, bound = noise_weights(words, contexts, problem)
    gained, other = update(contexts, words, problem, (weight, total), (noise, noise), pool)
    bound += gained - own - divergence
    return -bound / (np.log(2) * float(problem.value.sum(dtype=np.float64) + problem.total.sum())), other


def noise_weights(words: Posterior, contexts: Posterior, problem: Problem) -> tuple[NDArray[np.float64], float]:
    """(W, C) negative · n · λ(ξ) with the best ξ of each word in each condition, and the bound of all n⁻."""
    weight, bound = np.zeros_like(problem.total), 0.0
    for condition in range(weight.shape[1]):
        mean, variance = (part[:, condition].astype(np.float64) for part in words)
        noise, total = problem.noise[:, condition], problem.total[:, condition]
        square, second, linear = noise_moments(contexts, noise, noise, condition)
        expected = ((mean @ square) * mean).sum(axis=1) + mean**2 @ (second - np.diag(square)) + variance @ second
        xi = np.sqrt(np.maximum(expected, 1e-12))
        weight[:, condition] = total * np.tanh(xi / 2) / (4 * xi)
        bound += float(total @ (-np.logaddexp(0, -xi) - xi / 2 - mean @ linear / 2))
    return weight, bound


def noise_moments(
    side: Posterior, quadratic: NDArray[np.float64], linear: NDArray[np.float64], condition: int
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Return weighted sums over a side: (D, D) of m mᵀ, (D,) of m² + s, and (D,) of m."""
    mean, variance = (part[:, condition].astype(np.float64) for part in side)
    square = mean.T @ (mean * quadratic[:, None])
    return square, np.diag(square) + quadratic @ variance, linear @ mean


def update(
    own: Posterior,
    other: Posterior,
    problem: Problem,
    other_weight: tuple[NDArray[np.float64], NDArray[np.float64]],
    own_weight: tuple[NDArray[np.float64], NDArray[np.float64]],
    pool: ThreadPoolExecutor,
) -> tuple[float, float]:
    """Update one side in place; return the bound of all n⁺ before it, and the divergence from the prior after it.

    The weights, quadratic and linear, each (W, C), are the factors of the negative counts.
    """
    moments = [
        noise_moments(other, other_weight[0][:, condition], other_weight[1][:, condition], condition)
        for condition in range(len(problem.band))
    ]
    square, second, linear = (np.array(part, dtype=np.float32) for part in zip(*moments, strict=True))
    results = np.zeros((len(own.mean), 2))
    # Words are independent given the other side: neither blocks nor threads change the result.
    load = np.append(0, np.cumsum(np.diff(problem.start, axis=1).sum(axis=0) + 1))

    def run(block: Block) -> None:
        update_words(*block, own, other, problem, *own_weight, square, second, linear, results)

    list(pool.map(run, even_blocks(load, BLOCKS)))
    band, nothing = problem.band, np.zeros(len(problem.band))
    constant = own.mean.shape[0] * own.mean.shape[2] * solve_band(band.copy(), nothing, np.zeros_like(band))
    return float(results[:, 0].sum()), float(results[:, 1].sum() - constant) / 2


@kernel(fastmath=FAST_BUT_NAN_SAFE)
def update_words(first, last, own, other, problem, quadratic, linear_weight, square, second, linear, results):  # type: ignore[no-untyped-def]
    """Update the words from `first` up to, but not including, `last`, one dimension at a time; see `update`."""
    conditions, dimensions = own.mean.shape[1:]
    room = 0
    for word in range(first, last):
        room = max(room, (problem.start[:, word + 1] - problem.start[:, word]).sum())
    weight, score = np.empty(room, np.float32), np.empty(room, np.float32)
    vectors = np.empty((dimensions, room), np.float32)  # of the contexts of a word
    limits = np.zeros(conditions + 1, np.int64)
    precision, target = np.empty((2, conditions, dimensions), np.float32)
    band, inverse = np.empty_like(problem.band), np.empty_like(problem.band)
    right, before = np.empty(conditions), np.empty(conditions)
    for word in range(first, last):
        mean = own.mean[word]
        results[word, 0] = expand(word, own, other, problem, weight, score, vectors, limits, precision, target)
        results[word, 1] = 0
        for k in range(dimensions):
            band[:] = problem.band
            for c in range(conditions):
                pull, size, noise = np.float32(0), np.float32(0), np.float32(0)
                for cell in range(limits[c], limits[c + 1]):
                    pull += weight[cell] * vectors[k, cell] * score[cell]
                    size += weight[cell] * vectors[k, cell] * vectors[k, cell]
                for other_k in range(dimensions):
                    noise += square[c, k, other_k] * mean[c, other_k]
                twice = 2 * quadratic[word, c]
                noise, size = twice * noise, size + twice * square[c, k, k]
                before[c] = target[c, k] - linear_weight[word, c] * linear[c, k] / 2 - pull - noise + size * mean[c, k]
                precision[c, k] += twice * second[c, k]
                band[c, 0] += precision[c, k]
            right[:] = before
            results[word, 1] += solve_band(band, right, inverse)
            for c in range(conditions):
                variance = inverse[c, 0]
                results[word, 1] += right[c] * before[c] - precision[c, k] * (variance + right[c] * right[c])
                step = np.float32(right[c] - mean[c, k])
                for cell in range(limits[c], limits[c + 1]):
                    score[cell] += step * vectors[k, cell]
                mean[c, k], own.variance[word, c, k] = right[c], variance


@kernel(fastmath=FAST_BUT_NAN_SAFE, forceinline=True)
def expand(word, own, other, problem, weight, score, vectors, limits, precision, target):  # type: ignore[no-untyped-def]
    """Fill the arrays of a word's cells: twice n⁺ λ(ξ), scores u · v, contexts; return the bound of its n⁺."""
    bound, place = 0.0, 0
    precision[:], target[:] = 0, 0
    for c in range(len(limits) - 1):
        mean, variance = own.mean[word, c], own.variance[word, c]
        for cell in range(problem.start[c, word], problem.start[c, word + 1]):
            count, context = problem.value[cell], problem.column[cell]
            other_mean, other_variance = other.mean[context, c], other.variance[context, c]
            product, spread = np.float32(0), np.float32(0)
            for k in range(len(mean)):
                moved, spread_too = other_mean[k], other_variance[k]
                product += mean[k] * moved
                spread += mean[k] * mean[k] * spread_too + variance[k] * (moved * moved + spread_too)
            xi = np.sqrt(max(product * product + spread, np.float32(1e-12)))
            tight = np.float32(count * np.tanh(xi / 2) / (2 * xi))
            half = np.float32(count / 2)
            bound += count * ((product - xi) / 2 - np.log1p(np.exp(-xi)))
            weight[place], score[place] = tight, product
            for k in range(len(mean)):
                precision[c, k] += tight * (other_mean[k] * other_mean[k] + other_variance[k])
                target[c, k] += half * other_mean[k]
            for k in range(len(mean)):
                vectors[k, place] = other_mean[k]
            place += 1
        limits[c + 1] = place
    return bound


@kernel(forceinline=True)
def solve_band(band, right, inverse):  # type: ignore[no-untyped-def]
    """Solve a banded positive definite system; return its log-determinant.

    band[c, d], the entry (c, c − d), is overwritten by the factors L D Lᵀ, `right` by the solution, `inverse` by the
    inverse within the band (Takahashi's recursion).
    """
    size, reach = len(band), band.shape[1] - 1
    logarithm = 0.0
    for c in range(size):
        for d in range(min(reach, c), 0, -1):
            total = band[c, d]
            for e in range(d + 1, min(reach, c) + 1):
                if e - d <= reach:
                    total -= band[c, e] * band[c - d, e - d] * band[c - e, 0]
            band[c, d] = total / band[c - d, 0]
        for d in range(1, min(reach, c) + 1):
            band[c, 0] -= band[c, d] ** 2 * band[c - d, 0]
            right[c] -= band[c, d] * right[c - d]
        logarithm += np.log(band[c, 0])
    for c in range(size - 1, -1, -1):
        right[c] /= band[c, 0]
        for d in range(1, min(reach, size - 1 - c) + 1):
            right[c] -= band[c + d, d] * right[c + d]
    for c in range(size - 1, -1, -1):
        far = min(reach, size - 1 - c)
        for d in range(far, 0, -1):
            total = 0.0
            for e in range(1, far + 1):
                low, high = min(d, e), max(d, e)
                total -= band[c + e, e] * inverse[c + high, high - low]
            inverse[c + d, d] = total
        inverse[c, 0] = 1 / band[c, 0]
        for e in range(1, far + 1):
            inverse[c, 0] -= band[c + e, e] * inverse[c + e, e]
    return logarithm
