import numpy as np
import pytest

from chronotope.analysis import drift
from chronotope.conditions import Conditions
from chronotope.cooccurrence.vocabulary import Support
from chronotope.embeddings import ConditionedEmbeddings
from chronotope.errors import SettingsError, UnknownConditionError
from embeddings.invented import random_embeddings, support_from

TIMES = Conditions.of_times(["1990", "2000", "2010"])
PLACES = Conditions.of_places(["canada", "ghana", "india"])
WORDS = ["bank", "river", "money", *(f"filler{i}" for i in range(30)), "ghost", "rare"]


def planted(conditions):
    """'bank' is beside 'river' at first and beside 'money' in the last condition; nothing else moves.

    'ghost' is absent from the last condition, 'rare' occurs there twice, by chance with an opposite vector.
    """
    rng = np.random.default_rng(1)
    base = rng.standard_normal((len(WORDS), 40))
    base[0] = base[1] + 0.1 * rng.standard_normal(40)
    vectors = base + 0.05 * rng.standard_normal((3, *base.shape))
    vectors[2, 0] = base[2] + 0.1 * rng.standard_normal(40)
    vectors[2, -1] = -base[-1]
    counts = np.full((3, len(WORDS)), 20)
    counts[2, -2:] = 0, 2
    support = support_from(counts)
    return ConditionedEmbeddings(WORDS, conditions, support, vectors[support.condition, support.word])


def test_the_word_that_changed_company_drifts_most():
    answer = drift(planted(TIMES))
    first, second = answer.top(2)
    assert (answer.start, answer.end) == ("1990", "2010")
    assert first.word == "bank"
    assert first.score > 0.5 > 0.1 > second.score
    assert (first.before.condition, first.after.condition) == ("1990", "2010")
    assert first.before.neighbors[0].word == "river"
    assert first.after.neighbors[0].word == "money"
    assert (first.before.support, first.after.support) == (20, 20)
    assert answer.rank("bank") == 1


def test_absent_and_rare_words_do_not_drift():
    answer = drift(planted(TIMES))
    assert answer.left_out == 2
    assert len(answer) == len(WORDS) - 2
    assert answer.of("ghost") is None
    assert answer.rank("rare") is None
    assert drift(planted(TIMES), min_count=1).top(1)[0].word == "rare"


def test_nothing_moves_between_conditions_before_the_change():
    assert drift(planted(TIMES), "1990", "2000").top(1)[0].score < 0.1
    assert drift(planted(TIMES), end="2000").end == "2000"


def test_scores_are_one_minus_the_cosine():
    embeddings = random_embeddings()
    answer = drift(embeddings, "1990", "2010", min_count=1)
    for row in answer.top(60):
        assert row.score == pytest.approx(1 - embeddings.similarity(row.word, row.word, "1990", "2010"), abs=1e-9)
    assert (np.diff(answer.scores) <= 0).all()


@pytest.mark.parametrize(
    "conditions", [PLACES, Conditions(("1990", "2000"), ("canada", "india"), (0, 0, 1), (0, 1, 0))]
)
def test_without_an_order_the_most_unusual_condition_is_compared_with_the_others(conditions):
    embeddings = planted(conditions)
    answer = drift(embeddings, min_count=1)
    row = answer.of("bank")
    unit = [embeddings.vector("bank", label) for label in conditions.labels]
    unit = np.stack([vector / np.linalg.norm(vector) for vector in unit])
    others = unit.sum(axis=0) - unit
    cosine = (unit * others).sum(axis=1) / np.linalg.norm(others, axis=1)
    assert row.score == pytest.approx(1 - cosine.min(), abs=1e-6)
    assert row.before.condition == conditions.labels[np.argmax(cosine)]
    assert row.after.condition == conditions.labels[2] == conditions.labels[np.argmin(cosine)]
    assert row.after.neighbors[0].word == "money"
    assert drift(embeddings).top(1)[0].word == "bank"
    assert answer.start is None


def test_a_word_in_one_place_only_is_left_out():
    support = support_from([[9, 9, 9], [9, 9, 0], [9, 9, 0]])
    embeddings = ConditionedEmbeddings(["a", "b", "c"], PLACES, support, np.random.default_rng(0).random((7, 4)))
    assert drift(embeddings, min_count=9).of("c") is None
    assert drift(embeddings, min_count=9).left_out == 1


def test_questions_that_make_no_sense():
    with pytest.raises(SettingsError, match="name both conditions"):
        drift(planted(PLACES), "canada")
    with pytest.raises(SettingsError, match="both are 1990"):
        drift(planted(TIMES), "1990", "1990")
    with pytest.raises(UnknownConditionError, match="'1991'"):
        drift(planted(TIMES), "1991")
    with pytest.raises(SettingsError, match="min_count must be a number of at least 1"):
        drift(planted(TIMES), min_count=0)


def test_as_plain_data():
    data = drift(planted(TIMES)).to_dict(top=1)
    assert (data["from"], data["to"], data["left_out"]) == ("1990", "2010", 2)
    assert data["rows"][0]["word"] == "bank"
    assert data["rows"][0]["after"]["neighbors"][0]["word"] == "money"


def test_of_two_conditions_one_is_typical_and_the_other_unusual():
    conditions = Conditions.of_places(["canada", "ghana"])
    support = Support(np.array([0, 3, 6]), np.array([0, 1, 2] * 2), np.array([9] * 6))
    vectors = [[1, 0], [0, 1], [-1, -1], [1, 0.2], [0.1, -1], [-1, 1]]
    answer = drift(ConditionedEmbeddings(["the", "bank", "of"], conditions, support, vectors), min_count=9)
    assert all((row.before.condition, row.after.condition) == ("canada", "ghana") for row in answer.top(3))


def test_the_largest_step_and_the_whole_series():
    steps = drift(planted(TIMES), over="steps")
    row = steps.of("bank")
    assert (row.before.condition, row.after.condition) == ("2000", "2010")
    assert row.score == drift(planted(TIMES), "2000", "2010").of("bank").score
    assert steps.top(1)[0].word == drift(planted(TIMES), over="series").top(1)[0].word == "bank"
    assert drift(planted(TIMES), "1990", "2000", over="steps").of("bank").score < 0.1


def test_over_a_series_the_score_is_the_mean_over_pairs():
    embeddings = planted(TIMES)
    pairs = [("1990", "2000"), ("1990", "2010"), ("2000", "2010")]
    cosines = [embeddings.similarity("money", "money", *pair) for pair in pairs]
    assert drift(embeddings, over="series").of("money").score == pytest.approx(1 - np.mean(cosines), abs=1e-6)


def test_steps_stay_in_one_place():
    both = Conditions(("1990", "2000"), ("canada", "india"), (0, 0, 1), (0, 1, 0))
    row = drift(planted(both), over="steps").of("bank")
    assert (row.before.condition, row.after.condition) == ("1990/canada", "2000/canada")
    with pytest.raises(SettingsError, match="have none"):
        drift(planted(PLACES), over="steps")
    with pytest.raises(SettingsError, match="not 'all'"):
        drift(planted(TIMES), over="all")
    with pytest.raises(SettingsError, match="leave out --from"):
        drift(planted(PLACES), "canada", "india", over="series")
    with pytest.raises(SettingsError, match="exchange them"):
        drift(planted(TIMES), "2010", "1990", over="steps")


def test_a_change_stands_out_among_words_of_like_frequency():
    row = drift(planted(TIMES)).of("bank")
    assert row.z > 10
    assert row.own > 0.9
    assert row.p is None


def test_noise_is_the_words_own_and_not_a_movement_of_all_whichever_condition_comes_first():
    """One condition has little text, its vectors are noisy; nothing else happens."""
    rng = np.random.default_rng(3)
    base = rng.standard_normal((200, 8))
    noisy = (base + rng.standard_normal((200, 8))) / np.sqrt(2)
    support = support_from(np.full((2, 200), 30))
    times = Conditions.of_times(["1990", "2000"])
    model = ConditionedEmbeddings([f"w{i}" for i in range(200)], times, support, np.concatenate([base, noisy]))
    there, back = (
        {row.word: row.own for row in drift(model, *way).top(200)} for way in ((*times.times,), (*times.times[::-1],))
    )
    assert min(there.values()) > 0.8
    assert there == pytest.approx(back)


def test_a_movement_of_all_words_is_not_a_word_of_its_own():
    """Every dimension is stretched alike for all words; one word moves besides."""
    rng = np.random.default_rng(2)
    base = rng.standard_normal((50, 8))
    moved = base * np.linspace(0.5, 2, 8)
    moved[7] = rng.standard_normal(8) * 3
    support = support_from(np.full((2, 50), 30))
    times = Conditions.of_times(["1990", "2000"])
    answer = drift(ConditionedEmbeddings([f"w{i}" for i in range(50)], times, support, np.concatenate([base, moved])))
    assert answer.of("w7").own > 0.8
    assert np.median([answer.of(f"w{i}").own for i in range(50) if i != 7]) < 0.2
