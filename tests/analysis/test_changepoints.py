import numpy as np
import pytest

import chronotope as ct
import worlds
from chronotope.analysis.changepoints import mean_shift
from chronotope.conditions import Conditions
from chronotope.embeddings import ConditionedEmbeddings
from chronotope.embeddings.mapping import LocalLinearMap
from chronotope.errors import InputError, SettingsError
from embeddings.invented import random_embeddings, support_from


def accepted(answer):
    return [row["after"] for row in answer if row["accepted"]]


@pytest.mark.parametrize("shape", [(14,), (10, 5)])
def test_without_a_change_p_is_uniform(shape):
    """Over many series of noise every level is reached as often as it says."""
    rng = np.random.default_rng(3)
    found = np.array([mean_shift(rng.standard_normal(shape), shuffles=99).p for _ in range(500)])
    for level in (0.05, 0.2, 0.5, 0.8):
        # Three standard errors of a share of 500.
        assert abs((found <= level).mean() - level) < 3 * np.sqrt(level * (1 - level) / 500)


@pytest.mark.parametrize("split", [2, 5, 9, 12])
def test_a_planted_shift_is_found_where_it_is(split):
    values = np.random.default_rng(split).normal(0, 0.1, 14)
    values[split:] += 1
    found = mean_shift(values)
    assert found.split == split
    assert found.p < 0.05


def test_an_odd_value_at_the_end_is_no_shift():
    assert mean_shift(np.array([0.0, 0.1, 0, 0.1, 0, 0.1, 0, 0.1, 0, 5])).p > 0.15


@pytest.mark.parametrize("against", [None, "first"])
def test_the_planted_change_is_found_with_the_words_that_joined_and_left(over_time, against):
    answer = ct.changepoints(over_time, "bank", against=against)
    (row,) = answer
    assert (row["before"], row["after"], row["accepted"]) == ("1994", "1995", True)
    assert row["shift"] > 0.4
    assert max(row["p"], row["p_words"]) <= 0.05
    assert len(row["joined"]) == len(row["left"]) == 5
    assert set(row["joined"]) <= set(worlds.MONEY)
    assert set(row["left"]) <= set(worlds.RIVER)
    assert (answer.title, answer.facts["accepted"]) == ("bank: change points", 1)
    assert answer.to_dict() == ct.changepoints(over_time, "bank", against=against).to_dict()


def test_words_that_do_not_change_are_rarely_accepted(counts_of):
    """In a world without change about one word in twenty is accepted at the level 0.05, though all are smoothed."""
    model = ct.GraphModel(dimensions=50).fit(counts_of(worlds.unchanged(), time="time"))
    answers = [ct.changepoints(model, word, shuffles=199, top=0) for word in model.words[20:320:3]]
    assert sum(bool(accepted(answer)) for answer in answers) <= 12
    # What random orders alone would say of a smoothed series: nearly everything changes.
    assert np.mean([answer["p"][0] <= 0.05 for answer in answers]) > 0.5
    rejected = next(answer for answer in answers if not accepted(answer))
    (row,) = rejected
    assert (row["accepted"], row["joined"], row["left"]) == (False, [], [])
    assert rejected.title == f"{row['word']}: no significant change point"
    assert rejected.notes[0] == f"The largest shift, between {row['before']} and {row['after']}, is not significant."


def test_two_changes_are_both_found():
    """A word that changes twice, among words that only waver."""
    rng = np.random.default_rng(0)
    words, bins = 60, 30
    vectors = rng.standard_normal((words, 20)) + 0.3 * rng.standard_normal((bins, words, 20))
    vectors[10:20, 0] += 2 * rng.standard_normal(20)
    vectors[20:, 0] += 3 * rng.standard_normal(20)
    years = Conditions.of_times([str(year) for year in range(1900, 1900 + bins)])
    support = support_from(np.full((bins, words), 9))
    model = ConditionedEmbeddings([f"w{i}" for i in range(words)], years, support, vectors.reshape(-1, 20))
    assert accepted(ct.changepoints(model, "w0")) == ["1910", "1920"]
    assert len(ct.changepoints(model, "w0", most=1)) == 1


def test_a_short_series_is_judged_by_other_words(over_both):
    changed = ct.changepoints(over_both, "gas", place="arlen")
    assert accepted(changed) == ["1993/arlen"]
    assert (changed["place"][0], changed.title) == ("arlen", "gas in arlen: change points")
    assert not accepted(ct.changepoints(over_both, "gas", place="borva"))


def test_what_cannot_be_asked_is_refused(over_time, over_places, over_both):
    with pytest.raises(SettingsError, match="no order in time"):
        ct.changepoints(over_places, "chips")
    with pytest.raises(SettingsError, match=r"name the place whose time line is meant \(--place\): arlen"):
        ct.changepoints(over_both, "gas")
    with pytest.raises(SettingsError, match="alpha must be at most"):
        ct.changepoints(over_time, "bank", alpha=2)
    with pytest.raises(InputError, match=r"this needs 4; lower min_count \(--min-count\), or take longer"):
        ct.changepoints(over_time, "bank", min_count=10**6)
    years = Conditions.of_times([str(year) for year in range(8)])
    apart = random_embeddings(conditions=years, query_mapping=LocalLinearMap(min_count=1), seed=2)
    with pytest.raises(SettingsError, match="a space of its own for each condition"):
        ct.changepoints(apart, "w0", min_count=1)
