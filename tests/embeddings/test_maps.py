"""Maps between conditions, where the truth is known: role maps align what is rotated, a query has its own map."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.linalg import expm

import chronotope as ct
from chronotope.analysis.drift import drift
from chronotope.conditions import Conditions
from chronotope.cooccurrence.vocabulary import Support
from chronotope.embeddings import ConditionedEmbeddings, LocalLinearMap
from chronotope.embeddings.mapping import SharedWords
from chronotope.embeddings.nearest import unit_rows
from embeddings.invented import random_embeddings

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


SIZE = 6


def planted(words=200, known=150, seed=0):
    """Vectors, those that a linear map makes of them, and the words that the map may be learned from."""
    rng = np.random.default_rng(seed)
    before = rng.standard_normal((words, SIZE)).astype(np.float32)
    after = (before @ rng.standard_normal((SIZE, SIZE))).astype(np.float32)
    return before, after, SharedWords(np.arange(known), before[:known], after[:known])


@pytest.mark.parametrize("neighbors", [10, 1000])
def test_a_planted_linear_map_is_recovered(neighbors):
    before, after, shared = planted()
    mapping = LocalLinearMap(neighbors=neighbors)
    assert np.allclose(mapping.project(np.arange(200), before, shared), unit_rows(after), atol=1e-4)
    assert np.allclose(mapping.project_together(before, shared), unit_rows(after), atol=1e-4)
    assert not np.allclose(unit_rows(before), unit_rows(after), atol=0.5)


def test_a_map_that_holds_near_the_query_only_is_found_near_it():
    """Two clusters of words, each with a map of its own."""
    rng = np.random.default_rng(9)
    side = np.repeat([1, -1], 100)
    before = rng.standard_normal((200, SIZE)) + 9 * side[:, None] * np.eye(SIZE)[0]
    maps = rng.standard_normal((2, SIZE, SIZE))
    after = np.where(side[:, None] > 0, before @ maps[0], before @ maps[1])
    before, after = before.astype(np.float32), after.astype(np.float32)
    shared = SharedWords(np.arange(200), before, after)
    rows = {k: LocalLinearMap(neighbors=k).project(np.arange(200), before, shared) for k in (50, 1000)}
    error = {k: np.abs(rows[k] - unit_rows(after)).max() for k in rows}
    assert error[50] < 1e-3 < 0.1 < error[1000]


def test_a_word_that_moved_does_not_take_part_in_its_own_map():
    before, after, shared = planted()
    moved = shared._replace(after=np.vstack([-shared.after[:1], shared.after[1:]]))
    assert np.allclose(LocalLinearMap().project(np.array([0]), before[:1], moved), unit_rows(after[:1]), atol=1e-4)


@pytest.fixture(scope="module")
def mapped():
    return random_embeddings(words=300, query_mapping=LocalLinearMap(neighbors=20), seed=4)


def test_between_conditions_the_query_is_carried_and_within_one_it_is_not(mapped):
    bare = random_embeddings(words=300, seed=4)
    word = mapped.words[0]
    assert mapped.neighbors(word, "1990") == bare.neighbors(word, "1990")
    assert mapped.similarity(word, "w5", "1990") == bare.similarity(word, "w5", "1990")
    best = mapped.equivalents(word, "1990", "2010", 1, retrieval="cosine")[0]
    assert mapped.similarity(word, best.word, "1990", "2010") == pytest.approx(best.similarity, abs=1e-12)
    assert mapped.similarity(word, "w5", "1990", "2010") != bare.similarity(word, "w5", "1990", "2010")
    (row,) = drift(mapped, "1990", "2010", top=1)
    assert row["change"] == pytest.approx(1 - mapped.similarity(row["word"], row["word"], "1990", "2010"), abs=1e-9)


@pytest.mark.parametrize(
    "data", ["x", {}, {"kind": "curved"}, {"kind": "local linear", "neighbors": 0}, {"kind": "local linear", "k": 1}]
)
def test_what_is_not_a_mapping_is_refused(data):
    with pytest.raises(ValueError, match="query mapping"):
        LocalLinearMap.from_dict(data)
