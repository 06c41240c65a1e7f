"""MRR and MP@k by hand, and the bootstrap against its definition."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chronotope.evaluation.bootstrap import intervals, resampled_means
from chronotope.evaluation.metrics import METRICS, gains, mean_precision, mean_reciprocal_rank

ranks = st.lists(st.integers(0, 10), min_size=1, max_size=30)


def test_metrics_by_hand() -> None:
    found = [1, 2, 4, 10, 0]
    assert mean_reciprocal_rank(found) == pytest.approx((1 + 1 / 2 + 1 / 4 + 1 / 10) / 5)
    assert [mean_precision(found, k) for k in (1, 3, 5, 10)] == [0.2, 0.4, 0.6, 0.8]
    assert mean_reciprocal_rank([]) == mean_precision([], 1) == 0.0


@given(ranks)
def test_the_metrics_are_the_means_of_the_gains(found: list[int]) -> None:
    mrr, *precision = gains(found).mean(axis=0)
    assert mrr == pytest.approx(mean_reciprocal_rank(found))
    assert precision == pytest.approx([mean_precision(found, k) for k in (1, 3, 5, 10)])
    assert list(METRICS) == ["mrr", "mp@1", "mp@3", "mp@5", "mp@10"]


@given(ranks)
def test_mrr_lies_between_precision_at_one_and_at_ten(found: list[int]) -> None:
    assert mean_precision(found, 1) <= mean_reciprocal_rank(found) + 1e-12
    assert mean_reciprocal_rank(found) <= mean_precision(found, 10) + 1e-12


@given(st.lists(st.tuples(st.sampled_from("abc"), st.floats(0, 1)), min_size=1, max_size=12))
def test_resampling_takes_whole_clusters(rows: list[tuple[str, float]]) -> None:
    """Against a slow resampler that repeats the rows of the drawn clusters."""
    clusters, values = [name for name, _ in rows], np.array([[value] for _, value in rows])
    means = resampled_means(values, clusters, resamples=5, seed=3)
    names = sorted(set(clusters))
    drawn = np.random.default_rng(3).multinomial(len(names), np.full(len(names), 1 / len(names)), size=5)
    for times, mean in zip(drawn, means[:, 0], strict=True):
        rows_drawn = [v for name, v in rows for _ in range(times[names.index(name)])]
        assert mean == pytest.approx(np.mean(rows_drawn))


def test_pairs_of_one_word_are_worth_no_more_than_one() -> None:
    """Copying every pair a hundred times makes nothing more certain."""
    rng = np.random.default_rng(0)
    values, words = rng.random((20, 1)), [f"word{number}" for number in range(20)]
    once = intervals(values, words)[0]
    often = intervals(np.repeat(values, 100, axis=0), np.repeat(words, 100).tolist())[0]
    assert often == pytest.approx(once)


def test_the_interval_has_the_width_of_theory() -> None:
    rng = np.random.default_rng(0)
    values = rng.random((500, 1))
    low, high = intervals(values, [str(number) for number in range(500)])[0]
    assert low < values.mean() < high
    assert high - low == pytest.approx(2 * 1.96 * values.std() / np.sqrt(500), rel=0.1)


def test_the_same_seed_gives_the_same_bits() -> None:
    values, words = np.random.default_rng(0).random((50, 2)), [str(number % 7) for number in range(50)]
    assert np.array_equal(resampled_means(values, words), resampled_means(values, words))
    assert not np.array_equal(resampled_means(values, words), resampled_means(values, words, seed=2))
