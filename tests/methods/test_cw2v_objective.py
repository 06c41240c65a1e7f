"""The specification of CW2V: its gradient against finite differences, and the degenerate solution."""

from __future__ import annotations

import numpy as np
import pytest

from chronotope.methods.cw2v.objective import Problem, gradient, loss
from chronotope.methods.cw2v.parameters import Parameters

WORDS, CONDITIONS, PAIRS, DIMENSIONS, CELLS = 7, 3, 15, 4, 60


def random_problem(beta=1.0, seed=0):
    random = np.random.default_rng(seed)
    problem = Problem(
        pair_word=random.integers(0, WORDS, PAIRS),
        pair_condition=np.sort(random.integers(0, CONDITIONS, PAIRS)),
        word_pair=random.integers(0, PAIRS, CELLS),
        context_pair=random.integers(0, PAIRS, CELLS),
        target=random.normal(size=CELLS),
        weight=random.random(CELLS),
        edges=np.array([[0, 1], [1, 2]]),
        smoothness=np.array([1.5, 0.7]),
        deviation_penalty=beta * random.random(PAIRS),
    )
    shapes = Parameters(
        (WORDS, DIMENSIONS), (WORDS, DIMENSIONS), (CONDITIONS, DIMENSIONS),
        (PAIRS, DIMENSIONS), (PAIRS, DIMENSIONS), (PAIRS,), (PAIRS,),
    )  # fmt: skip
    return Parameters(*(random.normal(size=shape) for shape in shapes)), problem


@pytest.mark.parametrize("name", Parameters._fields)
def test_the_gradient_equals_finite_differences(name):
    parameters, problem = random_problem()
    array, slope = getattr(parameters, name), getattr(gradient(parameters, problem), name)
    for index in np.ndindex(array.shape):
        kept, h = array[index], 1e-5
        array[index] = kept + h
        above = loss(parameters, problem)
        array[index] = kept - h
        below = loss(parameters, problem)
        array[index] = kept
        assert (above - below) / (2 * h) == pytest.approx(slope[index], rel=1e-5, abs=1e-5)


def without_conditions(parameters, problem):
    """The same predictions with q = 0: the deviations hold everything."""
    v, u, q, d, d_, b, b_ = parameters
    moved = q[problem.pair_condition]
    return Parameters(
        v, u, np.zeros_like(q), d + v[problem.pair_word] * moved, d_ + u[problem.pair_word] * moved, b, b_
    )


def test_without_a_penalty_on_deviations_the_degenerate_solution_is_never_worse():
    parameters, problem = random_problem(beta=0.0)
    degenerate = without_conditions(parameters, problem)
    assert loss(degenerate, problem) < loss(parameters, problem)


def test_the_penalty_on_deviations_makes_the_degenerate_solution_worse():
    parameters, problem = random_problem(beta=5.0)
    # Where words move little of their own, as most do.
    calm = parameters._replace(
        word_deviation=0.1 * parameters.word_deviation, context_deviation=0.1 * parameters.context_deviation
    )
    assert loss(without_conditions(calm, problem), problem) > loss(calm, problem)
