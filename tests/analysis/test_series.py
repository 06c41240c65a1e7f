import numpy as np
import pytest

from chronotope.analysis import self_similarity, series
from chronotope.errors import InputError, SettingsError, UnknownConditionError
from embeddings.invented import random_embeddings


def test_the_word_that_changed_falls_away_from_its_first_meaning_at_the_change(over_time):
    answer = series(over_time, "bank")
    assert (answer.against, answer.values[0]) == ("1990", 1.0)
    before, after = answer.values[1:5], answer.values[5:]
    assert min(before) > 0.8 > 0.6 > max(after)
    assert min(series(over_time, "river").values) > 0.8


def test_the_step_of_the_change_is_the_largest(over_time):
    steps = series(over_time, "bank", "previous").values
    assert steps[0] is None
    assert over_time.conditions.labels[int(np.argmin(steps[1:])) + 1] in ("1994", "1995")


def test_every_value_is_the_similarity_of_two_conditions():
    embeddings = random_embeddings(seed=5)
    word = next(w for w in embeddings.words if min(embeddings.count(w).values()) >= 5)
    for base in embeddings.conditions.labels:
        answer = series(embeddings, word, base)
        told = [embeddings.similarity(word, word, base, label) for label in answer.conditions]
        assert answer.values == pytest.approx(told, abs=1e-6)
    table = self_similarity(embeddings, word).similarity
    assert table[0] == pytest.approx(series(embeddings, word).values, abs=1e-12)
    assert np.array_equal(np.array(table), np.array(table).T)


def test_gaps_stay_gaps_and_the_first_is_the_first_frequent_one():
    embeddings = random_embeddings()
    word = next(
        w for w in embeddings.words if embeddings.count(w)["1990"] == 0 and embeddings.count(w)["2000"] >= 5
    )
    answer = series(embeddings, word)
    assert answer.against == "2000"
    assert answer.values[:2] == (None, 1.0)
    assert self_similarity(embeddings, word).similarity[0] == (None, None, None)
    assert answer.support[0] == 0 == answer.per_million[0]


def test_overall_is_what_the_word_means_in_the_other_places(over_places):
    values = dict(zip(over_places.conditions.labels, series(over_places, "chips", "overall").values, strict=True))
    assert min(values, key=values.get) == "borva"
    assert values["borva"] < 0.5 < sorted(values.values())[1]


def test_a_place_has_its_own_time_line(over_both):
    assert series(over_both, "gas", place="Arlen").conditions == tuple(f"{y}/arlen" for y in range(1990, 1996))
    assert min(series(over_both, "gas", place="arlen").values) < 0.5
    assert min(series(over_both, "gas", place="borva").values) > 0.8


def test_what_cannot_be_asked_is_refused(over_time, over_places, over_both):
    with pytest.raises(SettingsError, match="places, which have no order"):
        series(over_places, "chips", "previous")
    with pytest.raises(SettingsError, match=r"name the place .*arlen, borva, celdon"):
        series(over_both, "gas", "previous")
    with pytest.raises(UnknownConditionError):
        series(over_time, "bank", "1890")
    with pytest.raises(InputError, match="occurs 1,000,000 times or more in no condition"):
        series(over_time, "bank", min_count=10**6)
