import numpy as np
import pytest

import worlds
from chronotope.analysis import change_points
from chronotope.analysis.mean_shift import mean_shift
from chronotope.errors import InputError, SettingsError
from chronotope.methods import GraphModel


def test_without_a_change_p_is_uniform():
    """Over many series of noise every level is reached as often as it says."""
    rng = np.random.default_rng(3)
    found = np.array([mean_shift(rng.standard_normal(14), permutations=99).p for _ in range(600)])
    for level in (0.05, 0.2, 0.5, 0.8):
        # Three standard errors of a share of 600.
        assert abs((found <= level).mean() - level) < 3 * np.sqrt(level * (1 - level) / 600)


def test_without_a_change_p_is_uniform_for_vectors_too():
    rng = np.random.default_rng(4)
    found = np.array([mean_shift(rng.standard_normal((10, 5)), permutations=99).p for _ in range(400)])
    assert abs((found <= 0.1).mean() - 0.1) < 3 * np.sqrt(0.09 / 400)


@pytest.mark.parametrize("split", [2, 5, 9, 12])
def test_a_planted_shift_is_found_where_it_is(split):
    values = np.random.default_rng(split).normal(0, 0.1, 14)
    values[split:] += 1
    found = mean_shift(values)
    assert found.split == split
    assert found.p < 0.05


def test_an_odd_value_at_the_end_is_no_shift():
    values = np.array([0.0, 0.1, 0, 0.1, 0, 0.1, 0, 0.1, 0, 5])
    assert mean_shift(values).p > 0.15
    assert mean_shift(np.arange(3.0)) is None


def test_the_same_seed_gives_the_same_p():
    values = np.random.default_rng(0).standard_normal((30, 40))
    assert mean_shift(values) == mean_shift(values)


def test_the_planted_change_is_found_with_who_joined_and_left(over_time):
    answer = change_points(over_time, "bank")
    assert [(point.last, point.first) for point in answer.accepted] == [("1994", "1995")]
    point = answer.points[0]
    assert point.shift > 0.4
    assert max(point.p, point.p_words) <= 0.05
    assert len(point.joined) == len(point.left) == 5
    assert {mover.word for mover in point.joined} <= set(worlds.MONEY)
    assert {mover.word for mover in point.left} <= set(worlds.RIVER)
    assert all(mover.after > mover.before for mover in point.joined)


def test_similarity_with_the_first_bin_tells_the_same(over_time):
    answer = change_points(over_time, "bank", against="first")
    assert answer.against == "1990"
    assert [point.first for point in answer.accepted] == ["1995"]


def test_words_that_do_not_change_are_rarely_accepted(counts_of):
    """In a world without change about one word in twenty is accepted at the level 0.05, though all are smoothed."""
    embeddings = GraphModel(dimensions=50).fit(counts_of(worlds.unchanged(), time="time"))
    words = embeddings.words[20:320:3]
    answers = [change_points(embeddings, word, permutations=199, top=0) for word in words]
    assert sum(bool(answer.accepted) for answer in answers) <= 12
    assert all(len(answer.points) == 1 for answer in answers if not answer.accepted)
    # What random orders alone would say of a smoothed series: nearly everything changes.
    assert np.mean([answer.points[0].p <= 0.05 for answer in answers]) > 0.5


def test_two_changes_are_both_found():
    """A word that changes twice, among words that only waver."""
    from chronotope.conditions import Conditions
    from chronotope.embeddings import ConditionedEmbeddings
    from embeddings.invented import support_from

    rng = np.random.default_rng(0)
    words, bins = 60, 30
    base = rng.standard_normal((words, 20))
    vectors = base + 0.3 * rng.standard_normal((bins, words, 20))
    vectors[10:20, 0] += 2 * rng.standard_normal(20)
    vectors[20:, 0] += 3 * rng.standard_normal(20)
    conditions = Conditions.of_times([str(year) for year in range(1900, 1900 + bins)])
    embeddings = ConditionedEmbeddings(
        [f"w{i}" for i in range(words)], conditions, support_from(np.full((bins, words), 9)), vectors.reshape(-1, 20)
    )
    assert [point.first for point in change_points(embeddings, "w0").accepted] == ["1910", "1920"]
    assert len(change_points(embeddings, "w0", most=1).points) == 1


def test_a_short_series_is_judged_by_other_words(over_both):
    changed = change_points(over_both, "gas", place="arlen")
    assert [point.first for point in changed.accepted] == ["1993/arlen"]
    assert not change_points(over_both, "gas", place="borva").accepted


def test_errors_say_what_to_do(over_time, over_places):
    with pytest.raises(SettingsError, match="no order in time"):
        change_points(over_places, "chips")
    with pytest.raises(SettingsError, match="level must be between 0 and 1"):
        change_points(over_time, "bank", level=2)
    with pytest.raises(InputError, match=r"this needs 4; lower min_count \(--min-count\), or take longer"):
        change_points(over_time, "bank", min_count=10**6)


def test_conditions_with_a_space_each_are_refused():
    from chronotope.analysis import equivalents_everywhere, series, trajectory
    from chronotope.conditions import Conditions
    from chronotope.embeddings.mapping import LocalLinearMap
    from embeddings.invented import random_embeddings

    years = Conditions.of_times([str(year) for year in range(8)])
    embeddings = random_embeddings(conditions=years, query_mapping=LocalLinearMap(min_count=1), seed=2)
    for question in (change_points, trajectory):
        with pytest.raises(SettingsError, match="a space of its own for each condition"):
            question(embeddings, "w0", min_count=1)
    # Two conditions at a time can be compared all the same.
    assert series(embeddings, "w0", min_count=1).values
    assert equivalents_everywhere(embeddings, "w0", "1", min_count=1).parts
