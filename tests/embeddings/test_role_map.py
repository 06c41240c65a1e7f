"""Role maps: two conditions that are rotated against each other are aligned by the words that play the same role."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.linalg import expm

import chronotope as ct
from chronotope.conditions import Conditions
from chronotope.cooccurrence.vocabulary import Support
from chronotope.embeddings import ConditionedEmbeddings

WORDS, DIMENSIONS = 300, 20


@pytest.fixture(scope="module")
def rotated():
    """In 'south' word i + 300 has the role of word i of 'north', and all vectors are turned; no word is in both."""
    draw = np.random.default_rng(1)
    north = draw.standard_normal((WORDS, DIMENSIONS))
    turn = draw.standard_normal((DIMENSIONS, DIMENSIONS)) * 0.16
    south = north @ expm(turn - turn.T) + 0.1 * draw.standard_normal(north.shape)
    names = [f"{place}{number}" for place in "ns" for number in range(WORDS)]
    support = Support(np.array([0, WORDS, 2 * WORDS]), np.arange(2 * WORDS), np.full(2 * WORDS, 20))
    return ConditionedEmbeddings(
        names, Conditions.of_places(["north", "south"]), support, np.concatenate([north, south])
    )


def ranked_first(model, role_map=None):
    words = [f"n{number}" for number in range(WORDS)]
    found = model.equivalents(words, "north", "south", 1, role_map=role_map)
    return np.mean([answer[0].word == f"s{number}" for number, answer in enumerate(found)])


def test_words_that_play_the_same_role_are_found(rotated):
    plain = ranked_first(rotated, role_map=False)
    assert 0.2 < plain < 0.9, "the rotation hides some of them, and leaves enough to learn the map from"
    assert ranked_first(rotated, role_map=True) > 0.97
    assert ranked_first(rotated) > 0.97, "between places it is the default, "
    pairs = [f"n{number}-north,s{number}-south" for number in range(WORDS)]
    assert ct.evaluate(rotated, pairs)["mrr"][0] > 0.97, "in `evaluate` as well, "
    without = ct.evaluate(rotated, pairs, role_map=False)
    assert without["mrr"][0] < 0.9, "unless it is refused"
    assert "role maps" not in without.signature
    times = Conditions.of_times(["north", "south"])
    over_time = ConditionedEmbeddings(rotated.words, times, rotated.observed, rotated.vectors)
    assert ranked_first(over_time) == plain, "but not over time"
    answers = [ct.equivalents(rotated, "n3", at="north", role_map=role_map) for role_map in (None, True, False)]
    assert [answer.facts["role_map"] for answer in answers] == [True, True, False]
    assert answers[0].to_dict()["rows"] == answers[1].to_dict()["rows"]
