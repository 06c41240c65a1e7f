import numpy as np
import pytest

import chronotope as ct
from embeddings.invented import random_embeddings


def values(model, word, **more):
    return ct.series(model, word, **more)["similarity"].to_list()


def test_the_word_that_changed_falls_away_from_its_first_meaning_at_the_change(over_time):
    found = values(over_time, "bank")
    assert min(found[1:5]) > 0.8 > 0.6 > max(found[5:])
    steps = values(over_time, "bank", against="previous")
    assert over_time.conditions.labels[int(np.argmin(steps[1:])) + 1] in ("1994", "1995")


def test_every_value_is_the_similarity_of_two_conditions():
    model = random_embeddings(seed=5)
    word = next(w for w in model.words if min(model.count(w).values()) >= 5)
    labels = model.conditions.labels
    matrix = {(row["condition"], row["against"]): row["similarity"] for row in ct.matrix(model, word)}
    for base in labels:
        expected = [model.similarity(word, word, base, label) for label in labels]
        assert values(model, word, against=base) == pytest.approx(expected, abs=1e-6)
        assert [matrix[base, label] for label in labels] == pytest.approx(expected, abs=1e-6)


def test_gaps_stay_gaps_and_the_first_is_the_first_frequent_one():
    model = random_embeddings()
    word = next(w for w in model.words if model.count(w, "1990") == 0 and model.count(w, "2000") >= 5)
    first, second = list(ct.series(model, word))[:2]
    assert (first["similarity"], first["count"], first["per_million"]) == (None, 0, 0)
    assert (second["similarity"], second["against"]) == (1.0, "2000")
    assert "1990" not in ct.matrix(model, word)["condition"]


def test_overall_is_the_use_in_the_other_places(over_places):
    found = dict(zip(over_places.conditions.labels, values(over_places, "chips", against="overall"), strict=True))
    assert min(found, key=found.get) == "borva"
    assert found["borva"] < 0.5 < sorted(found.values())[1]


def test_a_place_has_its_own_time_line(over_both):
    answer = ct.series(over_both, ["gas", "bank"], place="Arlen")
    assert answer["condition"].to_list() == [f"{year}/arlen" for year in range(1990, 1996)] * 2
    assert min(values(over_both, "gas", place="arlen")) < 0.5
    assert min(values(over_both, "gas", place="borva")) > 0.8


def test_two_words_are_compared_where_both_occur(over_time):
    answer = ct.similarity(over_time, ["bank", "river", "bank"])
    assert answer["similarity"].to_list() == pytest.approx(
        [over_time.similarity("bank", "river", label) for label in over_time.conditions.labels], abs=1e-9
    )


def test_a_word_has_the_spelling_of_the_model_and_one_line(over_time):
    assert set(ct.series(over_time, ["Bank", "bank"])["condition"].value_counts()["count"]) == {1}
    for answer in (ct.series(over_time, "Bank"), ct.matrix(over_time, "Bank"), ct.changepoints(over_time, "Bank")):
        assert set(answer["word"]) == {"bank"}
        assert answer.title.startswith("bank: ")
    assert ct.similarity(over_time, ["BANK", "River"]).title == "bank, river: similarity with each other"
