from itertools import combinations

import numpy as np
import pytest

import worlds
from chronotope.analysis import stable
from chronotope.conditions import Conditions
from chronotope.embeddings import ConditionedEmbeddings
from chronotope.errors import SettingsError
from embeddings.invented import random_embeddings, support_from


@pytest.mark.parametrize("min_count", [1, 5, 60])
def test_stability_is_the_mean_over_all_pairs_of_conditions(min_count):
    conditions = Conditions.of_times([str(year) for year in range(1990, 1997)])
    embeddings = random_embeddings(conditions=conditions)
    answer = stable(embeddings, min_count=min_count)
    told = {row.word: row for row in answer.rows}
    for word in embeddings.words:
        counts = {label: count for label, count in embeddings.count(word).items() if count >= min_count}
        if len(counts) < 2:
            assert word not in told
            continue
        pairs = [embeddings.similarity(word, word, a, b) for a, b in combinations(counts, 2)]
        assert told[word].stability == pytest.approx(np.mean(pairs), abs=1e-6)
        assert told[word].conditions == len(counts)
        assert told[word].count == sum(counts.values())
    assert len(told) + answer.left_out == len(embeddings)


def test_the_planted_words_are_found_at_both_ends():
    rng = np.random.default_rng(0)
    words = [f"w{i}" for i in range(20)]
    base = rng.standard_normal((20, 30))
    vectors = base + 0.4 * rng.standard_normal((6, 20, 30))
    vectors[:, 3] = base[3]
    vectors[:, 7] = rng.standard_normal((6, 30))
    support = support_from(np.full((6, 20), 10))
    places = Conditions.of_places(list("abcdef"))
    answer = stable(ConditionedEmbeddings(words, places, support, vectors.reshape(-1, 30)))
    assert answer.most(1)[0].word == "w3"
    assert answer.least(1)[0].word == "w7"
    assert [row.word for row in answer.least(20)] == [row.word for row in answer.most(20)][::-1]
    assert answer.least(0) == []
    assert answer.to_dict(1)["most"][0]["word"] == "w3"


def test_noise_is_told_from_change(counts_of, over_time):
    """'bank' changes and nothing else does: once the noise is off, all others are stable at any frequency."""
    counts = counts_of(worlds.planted_drift(), time="time")
    answer = stable(over_time, min_count=3, min_conditions=8, counts=counts, permutations=12, bootstrap=12)
    told = {row.word: row for row in answer.rows}
    assert answer.least(1)[0].word == "bank"
    assert told["bank"].high < 0.9
    assert told["bank"].p < 0.01
    others = [row for word, row in told.items() if word != "bank" and row.low is not None]
    assert np.mean([row.low <= 1 == row.high for row in others]) > 0.9
    assert np.mean([row.corrected for row in others]) == pytest.approx(1, abs=0.02)
    assert np.mean([row.stability for row in others]) < 0.98
    lows = [row.low for row in answer.rows if row.low is not None]
    assert lows == sorted(lows, reverse=True)
    assert answer.to_dict(1)["bootstrap"] == 12


def test_words_in_few_conditions_can_be_left_out():
    support = support_from([[9, 9], [9, 9], [9, 0]])
    vectors = np.random.default_rng(0).random((5, 4))
    embeddings = ConditionedEmbeddings(["a", "b"], Conditions.of_times(["1", "2", "3"]), support, vectors)
    assert {row.word for row in stable(embeddings).rows} == {"a", "b"}
    answer = stable(embeddings, min_conditions=3)
    assert [row.word for row in answer.rows] == ["a"]
    assert answer.left_out == 1
    with pytest.raises(SettingsError, match="min_conditions"):
        stable(embeddings, min_conditions=1)
    with pytest.raises(SettingsError, match="min_count"):
        stable(embeddings, min_count=0)
