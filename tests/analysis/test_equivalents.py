import numpy as np
import pytest

import chronotope as ct
import worlds
from chronotope.conditions import Conditions
from chronotope.embeddings import ConditionedEmbeddings
from chronotope.errors import AbsentWordError
from embeddings.invented import model_of, support_from


def test_every_place_names_its_own_capital(over_places):
    """The names of the capitals are planted: another one in each place."""
    world = worlds.places(documents=3000)
    capitals = {pair.to[1]: pair.answer for pair in world.equivalents if pair.office == "capital"}
    answer = ct.equivalents(over_places, capitals["arlen"], at="arlen", top=5)
    found = {(row["condition"], row["equivalent"]) for row in answer if row["match"]}
    assert all((place, capitals[place]) in found for place in capitals if place != "arlen")
    assert "arlen" not in answer["condition"]


@pytest.mark.parametrize("chance", [0.05, 0.2])
def test_words_without_a_counterpart_match_as_often_as_chance_says(chance):
    """Of words in groups, 200 have no counterpart, 200 have one of another name, and 800 have the same name."""
    draw = np.random.default_rng(0)
    here = draw.standard_normal((60, 30))[draw.integers(0, 60, 1200)] + 0.8 * draw.standard_normal((1200, 30))
    there = here[200:] + 0.4 * draw.standard_normal((1000, 30))
    words = [f"a{i}" for i in range(200)] + [f"b{i}" for i in range(200)] + [f"c{i}" for i in range(800)]
    counts = np.full((2, 1400), 9)
    counts[0, 1200:] = counts[1, :400] = 0
    support = support_from(counts)
    # Support lists the words of the second condition by id: the shared ones first.
    rows = np.concatenate([here, there[200:], there[:200]])
    names = [*words, *(f"d{i}" for i in range(200))]
    model = ConditionedEmbeddings(names, Conditions.of_times(["1990", "2000"]), support, rows)

    def ask(word, **more):
        return ct.equivalents(model, word, at="1990", top=1, **({"chance": chance} | more))

    assert np.mean([ask(f"a{i}")["match"][0] for i in range(0, 200, 2)]) == pytest.approx(chance, abs=0.06)
    found = [ask(f"b{i}") for i in range(100)]
    assert np.mean([one["match"][0] and one["equivalent"][0] == f"d{i}" for i, one in enumerate(found)]) > 0.7
    bar = found[0].facts["bar"]["2000"]
    assert bar["words"] == 600
    assert bar["false_match_rate"] == pytest.approx(chance, abs=0.03)
    assert any("still match another" in note for note in found[0].notes)
    alien = next(word for word in words if not ask(word)["match"][0])
    assert ask(alien).to_polars().select("condition", "rank").rows() == [("2000", None)]
    assert ask(alien, chance=1)["match"].all()
    with pytest.raises(AbsentWordError, match="'d0' does not occur in 1990; it occurs in 2000"):
        ask("d0")
    assert ask("d0", fallback=True)["fallback"].all()


def test_the_word_itself_is_a_match_if_it_is_the_nearest(over_places):
    """CSLS may rank the nearest word behind others; a condition without a match has one row without a rank."""
    for word in ("chips", "lift", "bank", "river"):
        frame = ct.equivalents(over_places, word, at="arlen").to_polars()
        for place in over_places.conditions.labels[1:]:
            rows = frame.filter(frame["condition"] == place)
            nearest = over_places.equivalents(word, "arlen", place, 1, retrieval="cosine")[0]
            assert rows["match"][0] == (rows["rank"][0] is not None)
            assert rows["match"][0] or (rows["equivalent"][0], rows.height) == (nearest.word, 1)
            assert rows["match"][0] or nearest.word != word
            assert rows["count"][0] == over_places.count(word, "arlen")
            assert rows["equivalent_count"][0] == over_places.count(rows["equivalent"][0], place)


def test_a_condition_with_few_words_has_no_match_and_says_why():
    counts = np.full((2, 11), 9)
    counts[1, 0] = 0
    model = model_of(np.random.default_rng(1).standard_normal((2, 11, 4)), count=counts)
    answer = ct.equivalents(model, "w0", at="1990")
    assert answer.to_polars().select("needed", "match").rows() == [(None, False)]
    assert "Too few words in common with 1991 to calibrate a match." in answer.notes


def test_one_condition_lists_words_below_the_threshold_too(over_places):
    answer = ct.equivalents(over_places, "chips", at="arlen", to="borva")
    found = over_places.equivalents("chips", "arlen", "borva")
    assert answer["equivalent"].to_list() == [match.word for match in found]
    assert all(row["similarity"] >= row["needed"] for row in answer if row["match"])
