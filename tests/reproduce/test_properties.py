"""The properties that the paper asks of its vectors, measured on vectors that have them and on others."""

import numpy as np
import pytest
from benchmarks.reproduce.properties import condition_bound, nearness, own_deviation, relation

from chronotope.methods import ConditionedModel
from embeddings.invented import model_of


def test_a_relation_agrees_within_each_condition_and_across_those_that_keep_it():
    """Pairs differ by one vector; in the last of three conditions the relation points elsewhere."""
    rng = np.random.default_rng(2)
    pairs = [(f"big{i}", f"bigger{i}") for i in range(6)]
    vectors = np.repeat(0.5 * rng.standard_normal((1, 72, 30)), 3, axis=0)
    vectors[:, 1:12:2] = vectors[:, 0:12:2] + 2 * np.eye(30)[[0, 0, 1]][:, None]
    vectors += 0.02 * rng.standard_normal(vectors.shape)
    model = model_of(vectors, words=[word for pair in pairs for word in pair] + [f"other{i}" for i in range(60)])
    found = relation(model, pairs)
    assert found["agreement"] > 0.6 > found["by_chance"] + 0.2
    assert 0.2 < found["across"] < 0.7, "two of the three pairs of conditions do not share the direction"
    assert abs(relation(model, [(f"other{i}", f"other{i + 1}") for i in range(0, 20, 2)])["agreement"]) < 0.15
    assert relation(model, pairs, min_count=10) == {"agreement": None, "by_chance": None, "across": None}


def test_near_bins_are_closer_than_distant_ones():
    """Words walk at random; 'w0' takes steps five times as long."""
    steps = np.random.default_rng(0).standard_normal((8, 40, 30))
    steps[1:] *= 0.2
    steps[1:, 0] *= 5
    model = model_of(np.cumsum(steps, axis=0))
    found, labels = nearness(model), model.conditions.labels
    assert (len(found["similarity"]), found["nearer"], found["words"]) == (7, 1, 40)
    assert found["similarity"] == sorted(found["similarity"], reverse=True)
    third = [model.similarity(w, w, labels[t], labels[t + 3]) for w in model.words for t in range(5)]
    assert found["similarity"][2] == pytest.approx(np.mean(third), abs=1e-6)
    assert own_deviation(model) > 0.5


def test_the_bound_of_the_paper_is_false_and_twice_of_it_holds(drifting):
    """v = Δq = (1, 0): the move is 1, half of ‖v‖² ‖Δq‖² is ½."""
    model = model_of([[[1, 0]], [[2, 0]]], common=[[1, 0]], condition_factors=[[1, 1], [2, 1]])
    assert condition_bound(model).tolist() == [1.0]
    trained = condition_bound(ConditionedModel(dimensions=5, epochs=2).fit(drifting))
    assert 0 < trained.max() <= 1
    assert not len(condition_bound(model_of(np.ones((3, 2, 4)))))
