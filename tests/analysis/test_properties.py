import numpy as np
import pytest

from chronotope.analysis import condition_bound, consistency, deviations, stable
from chronotope.conditions import Conditions
from chronotope.embeddings import ConditionedEmbeddings
from chronotope.methods import ConditionedModel
from embeddings.invented import support_from


def wandering(seed=0):
    """Words that walk at random, so that near bins are closer; 'w0' takes steps five times as long."""
    rng = np.random.default_rng(seed)
    steps = rng.standard_normal((8, 40, 30))
    steps[1:] *= 0.2
    steps[1:, 0] *= 5
    vectors = np.cumsum(steps, axis=0)
    years = Conditions.of_times([str(year) for year in range(1990, 1998)])
    words = [f"w{i}" for i in range(40)]
    return ConditionedEmbeddings(words, years, support_from(np.full((8, 40), 9)), vectors.reshape(-1, 30))


def test_near_bins_are_closer_than_distant_ones():
    answer = consistency(wandering())
    assert answer.lags == tuple(range(1, 8))
    assert list(answer.similarity) == sorted(answer.similarity, reverse=True)
    assert answer.nearer == 1
    assert answer.words == 40


def test_the_similarity_at_a_lag_is_the_mean_over_words_and_bins():
    embeddings = wandering()
    labels = embeddings.conditions.labels
    told = [embeddings.similarity(w, w, labels[t], labels[t + 3]) for w in embeddings.words for t in range(5)]
    assert consistency(embeddings).similarity[2] == pytest.approx(np.mean(told), abs=1e-6)


def test_words_without_an_order_are_as_close_at_any_distance():
    rng = np.random.default_rng(1)
    vectors = (rng.standard_normal((1, 40, 30)) + 0.3 * rng.standard_normal((8, 40, 30))).reshape(-1, 30)
    years = Conditions.of_times([str(year) for year in range(8)])
    words = [f"w{i}" for i in range(40)]
    answer = consistency(ConditionedEmbeddings(words, years, support_from(np.full((8, 40), 9)), vectors))
    assert np.ptp(answer.similarity) < 0.03
    assert 0.2 < answer.nearer < 0.8


def test_places_have_no_order(over_places):
    assert consistency(over_places) is None


def test_the_word_that_moves_most_has_the_most_of_its_own():
    embeddings = wandering()
    answer = deviations(embeddings, stable(embeddings))
    assert answer.rows[0].word == "w0"
    assert answer.agreement > 0.5
    assert len(answer.rows) == 40
    parts = [embeddings.parts("w0", label) for label in embeddings.conditions.labels]
    own = np.mean([np.linalg.norm(own) / np.linalg.norm(shared + own) for shared, own in parts])
    assert answer.rows[0].own == pytest.approx(own, abs=1e-5)
    assert answer.to_dict(2)["largest"][0]["word"] == "w0"


def test_the_planted_word_has_the_largest_deviation(over_time):
    answer = deviations(over_time, stable(over_time, min_conditions=8))
    assert answer.rows[0].word == "bank"


def test_the_bound_of_the_paper_is_false_and_twice_of_it_holds(drifting):
    """v = Δq = (1, 0): the move is 1, half of ‖v‖² ‖Δq‖² is ½."""
    support = support_from([[9], [9]])
    embeddings = ConditionedEmbeddings(
        ["a"],
        Conditions.of_times(["1", "2"]),
        support,
        [[1, 0], [2, 0]],
        common=[[1, 0]],
        condition_factors=[[1, 1], [2, 1]],
    )
    bound = condition_bound(embeddings)
    assert (bound.largest, bound.above_half) == (1.0, 1.0)
    trained = condition_bound(ConditionedModel(dimensions=5, epochs=2).fit(drifting))
    assert trained.ratios > 0
    assert trained.largest <= 1
    assert condition_bound(wandering()).ratios == 0
