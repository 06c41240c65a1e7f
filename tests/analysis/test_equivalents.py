import numpy as np
import pytest

import chronotope as ct
import worlds
from chronotope.conditions import Conditions
from chronotope.embeddings import ConditionedEmbeddings
from chronotope.errors import AbsentWordError, SettingsError
from embeddings.invented import support_from


def test_every_place_names_its_own_capital(over_places):
    """The names of the capitals are planted: another one in each place."""
    world = worlds.places(documents=3000)
    capitals = {pair.to[1]: pair.answer for pair in world.equivalents if pair.office == "capital"}
    answer = ct.equivalents(over_places, capitals["arlen"], at="arlen", top=5)
    found = {(row["condition"], row["equivalent"]) for row in answer if row["match"]}
    assert all((place, capitals[place]) in found for place in capitals if place != "arlen")
    assert "arlen" not in answer["condition"]


def planted(share=0.0):
    """Two conditions in 30 dimensions; 'role' has a counterpart, 'alien' is at a right angle to all of the second."""
    rng = np.random.default_rng(1)
    words = ["role", "counterpart", "alien", *(f"w{i}" for i in range(400))]
    vectors = rng.standard_normal((2, len(words), 30))
    vectors[:, :, -3:] *= share
    vectors[1] = vectors[0] + 0.3 * vectors[1]
    vectors[0, 2] = 0
    vectors[0, 2, -1] = 3
    counts = np.full((2, len(words)), 9)
    counts[1, [0, 2]] = 0
    counts[0, 1] = 0
    vectors[1, 1] = vectors[0, 0] + 0.3 * rng.standard_normal(30)
    support = support_from(counts)
    rows = vectors[support.condition, support.word]
    return ConditionedEmbeddings(words, Conditions.of_places(["here", "there"]), support, rows)


def test_no_word_plays_the_part_of_a_word_that_is_like_nothing():
    model = planted()
    assert ct.equivalents(model, "role", at="here")["equivalent"][0] == "counterpart"
    nothing = ct.equivalents(model, "alien", at="here")
    assert nothing.to_polars().select("condition", "rank", "match").rows() == [("there", None, False)]
    assert "there" in nothing.notes[0]
    assert ct.equivalents(model, "alien", at="here", chance=1)["match"].all()
    with pytest.raises(AbsentWordError, match="'counterpart' does not occur in here; it occurs in there"):
        ct.equivalents(model, "counterpart", at="here")
    assert ct.equivalents(model, "counterpart", at="here", fallback=True)["fallback"].all()


@pytest.mark.parametrize("chance", [0.05, 0.2])
def test_random_vectors_match_as_often_as_chance_says(chance):
    """Random vectors of the same spread, other than those that set the threshold."""
    model = planted(share=1.0)
    needed = ct.equivalents(model, "role", at="here", chance=chance, seed=7)["needed"][0]
    unit = model.matrix("here").unit.astype(float)
    drawn = np.random.default_rng(99).standard_normal((2000, len(unit))) @ unit
    drawn /= np.linalg.norm(drawn, axis=1, keepdims=True)
    best = (drawn @ model.matrix("there").unit.T).max(axis=1)
    assert (best >= needed).mean() == pytest.approx(chance, abs=0.04)
    with pytest.raises(SettingsError, match="chance"):
        ct.equivalents(model, "role", at="here", chance=0)


def test_the_nearest_word_decides_whatever_number_is_asked_for(over_places):
    """CSLS may rank the nearest word behind others; a condition without a match has one row without a rank."""
    for word in ("chips", "lift", "bank", "river"):
        few, many = (ct.equivalents(over_places, word, at="arlen", top=top).to_polars() for top in (1, 20))
        for place in over_places.conditions.labels[1:]:
            a, b = (frame.filter(frame["condition"] == place) for frame in (few, many))
            nearest = over_places.equivalents(word, "arlen", place, 1, retrieval="cosine")[0]
            assert a.row(0) == b.row(0)
            assert a["match"][0] == (a["rank"][0] is not None) == (nearest.similarity >= a["needed"][0])
            assert a["match"][0] or (a["equivalent"][0], b.height) == (nearest.word, 1)


def test_one_condition_lists_words_below_the_threshold_too(over_places):
    answer = ct.equivalents(over_places, "chips", at="arlen", to="borva")
    found = over_places.equivalents("chips", "arlen", "borva")
    assert answer["equivalent"].to_list() == [match.word for match in found]
    assert answer["match"].to_list() == [s >= answer["needed"][0] for s in answer["similarity"]]
