import numpy as np
import pytest

import worlds
from chronotope.analysis import equivalents_everywhere
from chronotope.conditions import Conditions
from chronotope.embeddings import ConditionedEmbeddings
from chronotope.errors import SettingsError
from embeddings.invented import support_from


def test_every_place_names_its_own_capital(over_places):
    """The names of the capitals are planted: another one in each place."""
    world = worlds.places(documents=3000)
    capitals = {pair.to[1]: pair.answer for pair in world.equivalents if pair.office == "capital"}
    answer = equivalents_everywhere(over_places, capitals["arlen"], "arlen", top=5)
    found = {part.condition: {match.word for match in part.matches} for part in answer.parts}
    assert all(capitals[place] in found[place] for place in capitals)


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


def test_nobody_plays_the_part_of_a_word_that_is_like_nothing():
    embeddings = planted()
    there = equivalents_everywhere(embeddings, "role", "here").parts[1]
    assert there.matches[0].word == "counterpart"
    assert there.to_polars()["word"].to_list() == [match.word for match in there.matches]
    nobody = equivalents_everywhere(embeddings, "alien", "here").parts[1]
    assert nobody.matches == ()
    assert nobody.nearest is not None
    assert nobody.nearest.similarity < nobody.needed
    # Where everything counts, the nearest is named all the same.
    assert equivalents_everywhere(embeddings, "alien", "here", chance=1).parts[1].matches


@pytest.mark.parametrize("chance", [0.05, 0.2])
def test_vectors_without_meaning_pass_as_often_as_they_may(chance):
    """Random vectors of the same spread, other than those that set the threshold."""
    embeddings = planted(share=1.0)
    needed = equivalents_everywhere(embeddings, "role", "here", chance=chance, seed=7).parts[1].needed
    unit = embeddings.matrix("here").unit.astype(float)
    drawn = np.random.default_rng(99).standard_normal((2000, len(unit))) @ unit
    drawn /= np.linalg.norm(drawn, axis=1, keepdims=True)
    best = (drawn @ embeddings.matrix("there").unit.T).max(axis=1)
    assert (best >= needed).mean() == pytest.approx(chance, abs=0.04)


def test_chance_is_a_share(over_places):
    with pytest.raises(SettingsError, match="chance"):
        equivalents_everywhere(over_places, "chips", "arlen", chance=0)


def test_what_is_near_enough_is_judged_by_the_highest_cosine(over_places):
    """A word that CSLS ranks behind others may be the nearest; how many are asked for changes no verdict."""
    for word in ("chips", "lift", "bank", "river"):
        asked = {top: equivalents_everywhere(over_places, word, "arlen", top=top).parts for top in (1, 3, 20)}
        for few, some, many in zip(*asked.values(), strict=True):
            assert bool(few.matches) == bool(some.matches) == bool(many.matches)
            assert many.matches[:1] == few.matches
            nearest = over_places.equivalents(word, "arlen", few.condition, 1, retrieval="cosine")[0]
            assert few.nearest == nearest
            assert bool(few.matches) == (nearest.similarity >= few.needed)
