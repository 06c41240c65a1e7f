"""The dynamic skip-gram: its counts, its prior and the best means are those of the definition."""

import numpy as np
import pytest

import worlds
from chronotope.methods import BayesianModel
from chronotope.methods.bayesian import make_problem

SIZE = 5


def full(band):
    """The symmetric matrix of a band."""
    lower = sum(np.diag(band[reach:, reach], -reach) for reach in range(band.shape[1]))
    return lower + np.tril(lower, -1).T


@pytest.fixture(params=["time", "place", "time × place"])
def problem(request, counts_of):
    axes = {axis: axis for axis in request.param.split(" × ")}
    counts = counts_of(worlds.time_and_place(documents=90), min_count=3, **axes)
    return make_problem(counts, BayesianModel(dimensions=SIZE, negative=2.0), counts.conditions.graph())


def dense_counts(problem):
    """(C, W, W) the positive counts."""
    conditions, words = len(problem.start), problem.start.shape[1] - 1
    dense = np.zeros((conditions, words, words))
    for condition in range(conditions):
        cells = slice(problem.start[condition, 0], problem.start[condition, -1])
        row = np.repeat(np.arange(words), np.diff(problem.start[condition]))
        dense[condition, row, problem.column[cells]] = problem.value[cells]
    return dense


def plain_likelihood(words, contexts, problem):
    """The expected log-likelihood by its definition, with the best ξ of every cell and of every word's n⁻."""
    total = 0.0
    for condition, positive in enumerate(dense_counts(problem)):
        (u, su), (v, sv) = ([part[:, condition].astype(np.float64) for part in side] for side in (words, contexts))
        score, square = u @ v.T, (u @ v.T) ** 2 + u**2 @ sv.T + su @ (v**2).T + su @ sv.T
        own = np.sqrt(square)
        total += (positive * ((score - own) / 2 - np.logaddexp(0, -own))).sum()
        noise, negative = problem.noise[:, condition], problem.total[:, condition]
        shared = np.sqrt(square @ noise)
        total += negative @ (-shared / 2 - np.logaddexp(0, -shared)) - negative @ score @ noise / 2
    return total


def test_the_counts_are_those_of_the_paper(problem):
    positive = dense_counts(problem)
    assert np.allclose(positive, positive.transpose(0, 2, 1))
    assert np.allclose(problem.total, 2 * positive.sum(axis=2).T, rtol=1e-5)
    assert np.allclose(problem.noise.sum(axis=0), 1)
    some = problem.total[:, 0] > 0
    ratio = problem.noise[some, 0] / problem.total[some, 0] ** 0.75
    assert np.allclose(ratio, ratio[0])


def test_the_prior_spreads_as_the_settings_say(problem):
    """The mean of a word has variance 1, the difference of the farthest conditions about `diffusion`."""
    covariance = np.linalg.inv(full(problem.band))
    assert covariance.mean() == pytest.approx(1)
    spread = np.diag(covariance)[:, None] + np.diag(covariance) - 2 * covariance
    assert spread.max() == pytest.approx(0.2, rel=0.1)


def test_an_update_is_at_the_best_means_for_one_word(counts_of):
    """Moving any mean of a word away from its solution lowers the bound."""
    counts = counts_of(worlds.time_and_place(documents=90), min_count=3, time="time")
    problem = make_problem(counts, BayesianModel(dimensions=SIZE), counts.conditions.graph())
    words, contexts = BayesianModel(dimensions=SIZE, epochs=150).posterior(counts)
    precision, rng = full(problem.band), np.random.default_rng(2)

    def bound(means):
        prior = np.einsum("wck,cd,wdk->", means, precision, means, optimize=True) / 2
        return plain_likelihood(words._replace(mean=means), contexts, problem) - prior

    best = bound(words.mean.astype(np.float64))
    for _ in range(3):
        moved = words.mean + 0.1 * rng.standard_normal(words.mean.shape)
        assert bound(moved) < best


def test_variances_are_larger_where_there_is_less_text(drifting):
    words, _ = BayesianModel(dimensions=20).posterior(drifting, threads=2)
    support = drifting.vocabulary.support
    variance = words.variance[support.word, support.condition].mean(axis=1)
    rare, frequent = support.count <= 5, support.count >= 100
    assert (words.variance > 0).all()
    assert variance[rare].mean() > 3 * variance[frequent].mean()
    means = BayesianModel(dimensions=20).fit(drifting).vectors
    assert np.array_equal(means, words.mean[support.word, support.condition])
