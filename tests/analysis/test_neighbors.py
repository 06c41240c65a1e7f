import pytest

import chronotope as ct
import worlds
from chronotope.errors import AbsentWordError, UnknownConditionError
from embeddings.invented import random_embeddings


def test_one_condition_gives_the_words_that_the_model_finds(over_time):
    for at in ("1990", None):
        answer = ct.neighbors(over_time, "bank", at=at, top=4, retrieval="csls")
        found = over_time.neighbors("bank", at, 4, retrieval="csls")
        assert answer["neighbor"].to_list() == [match.word for match in found]
        assert answer["score"].to_list() == [match.score for match in found]
        assert answer["rank"].to_list() == [1, 2, 3, 4]
        assert set(answer["condition"]) == {at}
    assert answer["count"][0] == sum(over_time.count("bank").values())
    assert set(ct.neighbors(over_time, "bank", at="1990", topn=5)["neighbor"]) <= set(worlds.RIVER)


def test_each_condition_follows_the_neighbors_of_all(over_time):
    """A neighbor of one year has a row in every year, with a rank where it is among the nearest."""
    answer = ct.neighbors(over_time, "bank", at="all", top=4)
    for label in over_time.conditions.labels:
        rows = {row["neighbor"]: row for row in answer if row["condition"] == label}
        ranked = sorted((row["rank"], name) for name, row in rows.items() if row["rank"])
        assert [name for _, name in ranked] == [m.word for m in over_time.neighbors("bank", label, 4)]
        assert set(rows) == {n for n in answer["neighbor"] if over_time.count(n, label) >= 5}
        for name, row in rows.items():
            assert row["similarity"] == pytest.approx(over_time.similarity("bank", name, label), abs=1e-9)


def test_rare_conditions_are_left_out_and_named():
    model = random_embeddings()
    word = next(w for w in model.words if model.count(w, "1990") == 0 and model.count(w, "2000") >= 5)
    answer = ct.neighbors(model, word, at="all", top=3)
    assert "1990" not in answer["condition"]
    assert "1990" in answer.notes[0]
    marked = ct.neighbors(model, word, at="all", top=3, fallback=True)
    assert {row["condition"] for row in marked if row["fallback"]} >= {"1990"}
    with pytest.raises(AbsentWordError, match=f"'{word}' does not occur in 1990; it occurs in .*2000"):
        ct.neighbors(model, word, at="1990")
    assert ct.neighbors(model, word, at="1990", fallback=True)["fallback"].all()


def test_a_time_or_a_place_alone_stands_for_its_conditions(over_both):
    asked = {"at": "1993"}, {"at": "Arlen"}, {"place": "arlen"}, {"at": "1993", "place": "arlen"}
    found = [set(ct.neighbors(over_both, "gas", min_count=1, **one)["condition"]) for one in asked]
    assert found[0] == {f"1993/{place}" for place in ("arlen", "borva", "celdon")}
    assert found[1] == found[2] == {f"{year}/arlen" for year in range(1990, 1996)}
    assert found[3] == {"1993/arlen"}


def test_a_year_may_be_a_number_and_an_empty_text_is_no_condition(over_time):
    assert ct.neighbors(over_time, "bank", at=1990).to_dict() == ct.neighbors(over_time, "bank", at="1990").to_dict()
    with pytest.raises(UnknownConditionError):
        ct.neighbors(over_time, "bank", at="")
