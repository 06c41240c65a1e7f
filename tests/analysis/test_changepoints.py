import numpy as np
import pytest

import chronotope as ct
import worlds
from chronotope.analysis.changepoints import largest_shifts
from chronotope.conditions import Conditions
from chronotope.embeddings.mapping import LocalLinearMap
from chronotope.errors import SettingsError
from embeddings.invented import model_of, random_embeddings


def accepted(answer):
    return answer["after"].to_list()


def test_an_odd_value_at_the_end_is_no_shift():
    odd, shift = np.array([[0.0, 0.1, 0, 0.1, 0, 0.1, 0, 0.1, 0, 5], [0.0, 0.1, 0, 0.1, 0, 0.1, 0, 0.1, 5, 5]])
    sizes = largest_shifts(np.stack([odd, shift])[:, :, None])[1]
    assert 20 * sizes[0] < sizes[1]


@pytest.mark.parametrize("against", [None, "first"])
def test_the_planted_change_is_found_with_the_words_that_joined_and_left(over_time, against):
    answer = ct.changepoints(over_time, "bank", against=against)
    (row,) = answer
    assert (row["before"], row["after"]) == ("1994", "1995")
    assert row["shift"] > 0.4
    assert row["p"] <= 0.05
    assert len(row["joined"]) == len(row["left"]) == 5
    assert set(row["joined"]) <= set(worlds.MONEY)
    assert set(row["left"]) <= set(worlds.RIVER)


def test_words_that_do_not_change_are_rarely_accepted(counts_of):
    """In a world without change about one word in twenty has a point at the level 0.05, though all are smoothed."""
    model = ct.GraphModel(dimensions=50).fit(counts_of(worlds.unchanged(), time="time"))
    answers = [ct.changepoints(model, word, top=0) for word in model.words[:320:2]]
    assert sum(map(len, answers)) <= 15
    rejected = next(answer for answer in answers if not len(answer))
    assert rejected.title.endswith(": no significant change point")
    # A rejected point is in no row of any form; a note says how far it was from being accepted.
    assert rejected.to_csv() == "word,place,before,after,shift,p,joined,left\n"
    assert any(note.startswith("The largest shift, between") for note in rejected.notes)


def test_two_changes_are_both_found():
    """A word that changes twice, among words that only waver."""
    rng = np.random.default_rng(0)
    words, bins = 60, 30
    vectors = rng.standard_normal((words, 20)) + 0.3 * rng.standard_normal((bins, words, 20))
    vectors[10:20, 0] += 2 * rng.standard_normal(20)
    vectors[20:, 0] += 3 * rng.standard_normal(20)
    years = Conditions.of_times([str(year) for year in range(1900, 1900 + bins)])
    model = model_of(vectors, years)
    answer = ct.changepoints(model, "w0")
    assert accepted(answer) == ["1910", "1920"]
    # The second is looked for in two thirds of the series, or less: its p is corrected.
    assert max(answer["p"]) >= 1.5 * min(answer["p"])
    one = ct.changepoints(model, "w0", most=1)
    assert len(one) == 1
    assert "1 more point left out (`most`)." in one.notes
    few = model_of(vectors[:, :9], years)
    assert "only 8 other words" in ct.changepoints(few, "w0").notes[0]
    assert not len(ct.changepoints(few, "w0"))


def test_a_short_series_is_judged_by_other_words(over_both):
    changed = ct.changepoints(over_both, "gas", place="arlen")
    assert accepted(changed) == ["1993/arlen"]
    assert not accepted(ct.changepoints(over_both, "gas", place="borva"))


def test_conditions_without_a_common_space_are_refused():
    years = Conditions.of_times([str(year) for year in range(8)])
    apart = random_embeddings(conditions=years, query_mapping=LocalLinearMap(min_count=1), seed=2)
    with pytest.raises(SettingsError, match="a space of its own for each condition"):
        ct.changepoints(apart, "w0", min_count=1)
