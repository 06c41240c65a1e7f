"""The joint factorization: its sparse steps are those of the specification."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import worlds
from chronotope.config import DynamicSettings
from chronotope.methods.dynamic import make_problem, sweep, zero_loss

SIZE = 7


def dense(problem, condition):
    return np.concatenate([block.toarray() for block in problem.matrices[condition]])


def plain_loss(words, contexts, problem):
    """The loss by its definition; V and U are (C, W, D)."""
    settings = problem.settings
    total = settings.agreement / 2 * ((words - contexts) ** 2).sum()
    for factor in (words, contexts):
        total += settings.size_penalty / 2 * (factor**2).sum()
        for condition, neighbors in enumerate(problem.neighbors):
            for other in neighbors:  # each edge is met from both its ends
                total += settings.smoothness / 4 * ((factor[condition] - factor[other]) ** 2).sum()
    for condition in range(len(words)):
        total += ((dense(problem, condition) - words[condition] @ contexts[condition].T) ** 2).sum() / 2
    return total


def plain_best(own, other, condition, problem):
    """(W, D) the V of a condition that minimizes the loss, given the rest; or the U, with V as the other."""
    here, settings, neighbors = other[condition], problem.settings, problem.neighbors[condition]
    right = dense(problem, condition) @ here + settings.agreement * here
    right += settings.smoothness * own[neighbors].sum(axis=0)
    ridge = settings.agreement + settings.size_penalty + settings.smoothness * len(neighbors)
    return np.linalg.solve(here.T @ here + ridge * np.eye(here.shape[1]), right.T).T


@pytest.fixture(params=["time", "place", "time × place"])
def problem(request, counts_of):
    axes = {axis: axis for axis in request.param.split(" × ")}
    counts = counts_of(worlds.time_and_place(documents=90), min_count=3, **axes)
    return make_problem(counts, DynamicSettings(size_penalty=1.5, smoothness=5.0, agreement=10.0))


def test_a_sweep_is_that_of_the_specification(problem):
    size = (2, len(problem.matrices), problem.words, SIZE)
    words, contexts = vectors = np.random.default_rng(1).standard_normal(size, dtype=np.float32)
    plain_words, plain_contexts = vectors.astype(np.float64)
    for condition in range(len(words)):
        plain_words[condition] = plain_best(plain_words, plain_contexts, condition, problem)
        plain_contexts[condition] = plain_best(plain_contexts, plain_words, condition, problem)
    with ThreadPoolExecutor(2) as pool:
        loss = zero_loss(problem) + sweep(words, contexts, problem, pool)
    assert np.allclose(words, plain_words, atol=1e-4)
    assert np.allclose(contexts, plain_contexts, atol=1e-4)
    assert loss == pytest.approx(plain_loss(plain_words, plain_contexts, problem), rel=1e-5)
