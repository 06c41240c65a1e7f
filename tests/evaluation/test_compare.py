"""Which of several models is best, and by how much: ranks known by construction."""

from __future__ import annotations

import json

import numpy as np
import pytest

from chronotope.evaluation.compare import differences, standings
from chronotope.evaluation.pairs import TestPair
from chronotope.evaluation.scores import Scores, summarize

QUERIES = [f"word{number % 12}" for number in range(48)]


def scores(ranks: list[int]) -> Scores:
    """Scores of a model that gave these ranks, in turn, to the answers of 48 pairs about twelve words."""
    pairs = tuple(TestPair(query, "1990", f"answer{number}", "2000") for number, query in enumerate(QUERIES))
    given = np.array([ranks[number % len(ranks)] for number in range(len(pairs))])
    every = np.ones(len(pairs), dtype=bool)
    return Scores(
        **vars(summarize(pairs, given, every)),
        same_word=summarize(pairs, given, every, ~every),
        different_words=summarize(pairs, given, every, every),
        categories={},
        test_pairs=pairs,
        ranks=tuple(given.tolist()),
        signature="invented",
    )


def test_models_stand_by_score_with_their_distance_to_the_best() -> None:
    rows = standings(["poor", "good", "middling"], [scores([10]), scores([1]), scores([2])])
    assert [row.name for row in rows] == ["good", "middling", "poor"]
    assert rows[0].behind is None
    assert rows[1].behind.difference == pytest.approx(-0.5)
    assert rows[2].behind.difference == pytest.approx(-0.9)
    assert all(row.behind.real for row in rows[1:])
    plain = json.loads(json.dumps([row.to_dict() for row in rows]))
    assert plain[0]["behind_best"] is None
    assert plain[2]["behind_best"]["interval"] == pytest.approx([-0.9, -0.9])


def test_a_difference_that_hangs_on_one_word_is_not_real() -> None:
    """The second model is better about a single one of twelve words: some resamples do not have it at all."""
    lucky = np.array([1.0 if query == "word3" else 0.5 for query in QUERIES])
    (found,) = differences(np.column_stack([np.full(len(QUERIES), 0.5), lucky]), QUERIES, [(0, 1)])
    assert found.difference > 0
    assert not found.real


def test_a_difference_over_pairs_about_one_word_is_never_real() -> None:
    (found,) = differences(np.array([[0.0, 1.0], [0.0, 1.0]]), ["obama", "obama"], [(0, 1)])
    assert found.difference == 1
    assert not found.real


def test_equal_models_are_not_apart() -> None:
    first, second = standings(["one", "other"], [scores([1, 0]), scores([1, 0])])
    assert first.behind is None
    assert second.behind.difference == 0
    assert not second.behind.real
