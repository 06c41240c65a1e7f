"""The map that belongs to a query: right where the truth is known, and as repeatable as every other answer."""

import numpy as np
import pytest

from chronotope.analysis.drift import drift
from chronotope.conditions import Conditions
from chronotope.embeddings import LocalLinearMap
from chronotope.embeddings.mapping import SharedWords
from chronotope.embeddings.nearest import unit_rows
from embeddings.invented import random_embeddings

SIZE = 6
TIMES = Conditions.of_times(["1990", "2000"])


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
