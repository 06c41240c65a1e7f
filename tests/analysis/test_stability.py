from itertools import combinations

import numpy as np
import pytest

import chronotope as ct
from chronotope.conditions import Conditions
from embeddings.invented import model_of, random_embeddings

YEARS = Conditions.of_times([str(year) for year in range(1990, 1998)])


@pytest.mark.parametrize("min_count", [1, 5, 60])
def test_stability_is_the_mean_over_all_pairs_of_conditions(min_count):
    model = random_embeddings(conditions=YEARS)
    answer = ct.stable(model, min_count=min_count, min_conditions=2, top=100)
    rows = {row["word"]: row for row in answer}
    for word in model.words:
        counts = {label: count for label, count in model.count(word).items() if count >= min_count}
        if len(counts) < 2:
            assert word not in rows
            continue
        pairs = [model.similarity(word, word, a, b) for a, b in combinations(counts, 2)]
        assert rows[word]["stability"] == pytest.approx(np.mean(pairs), abs=1e-6)
        assert (rows[word]["conditions"], rows[word]["count"]) == (len(counts), sum(counts.values()))
    assert len(rows) + answer.facts["left_out"] == len(model)


def test_the_planted_words_are_found_at_both_ends():
    rng = np.random.default_rng(0)
    base = rng.standard_normal((20, 30))
    vectors = base + 0.4 * rng.standard_normal((6, 20, 30))
    vectors[:, 3] = base[3]
    vectors[:, 7] = rng.standard_normal((6, 30))
    model = model_of(vectors, Conditions.of_places(list("abcdef")))
    most, least = ct.stable(model), ct.stable(model, least=True)
    assert (most["word"][0], least["word"][0]) == ("w3", "w7")
    assert most["word"].to_list() == least["word"].to_list()[::-1]
    named = ct.stable(model, words="w7,w3,w5")
    assert named["word"].to_list() == ["w3", "w5", "w7"]
    assert named["z"][0] == most["z"][0]


def test_noise_is_told_from_change(over_time):
    """'bank' changes and nothing else does: without the noise, all others are stable at any frequency."""
    settings = {"min_count": 3, "min_conditions": 8, "permutations": 12, "bootstrap": 12, "top": 1000}
    answer = ct.stable(over_time, **settings)
    rows = {row["word"]: row for row in answer}
    assert ct.stable(over_time, least=True, **settings)["word"][0] == "bank"
    assert rows["bank"]["high"] < 0.9
    assert rows["bank"]["p"] < 0.01
    others = [row for word, row in rows.items() if word != "bank" and row["low"] is not None]
    assert np.mean([row["low"] <= 1 == row["high"] for row in others]) > 0.9
    assert np.mean([row["corrected"] for row in others]) == pytest.approx(1, abs=0.02)
    assert np.mean([row["stability"] for row in others]) < 0.98
    lows = [row["low"] for row in answer if row["low"] is not None]
    assert lows == sorted(lows, reverse=True)
