"""The parts of the statistics, each against its definition."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import false_discovery_control, kstest

import worlds
from chronotope.analysis.significance.contexts import join_conditions, label_free_contexts
from chronotope.analysis.significance.matched import false_discovery_rates, matched_z, pooled_p, studentized
from chronotope.analysis.significance.recounting import recount
from chronotope.analysis.significance.refitting import FrozenModel
from chronotope.analysis.significance.shuffling import BOOTSTRAP, PERMUTATION, Documents, take_part
from chronotope.cooccurrence.counting import distance_weights
from chronotope.errors import InputError
from chronotope.model import GraphModel


def test_pooled_p_is_uniform_for_scores_of_any_size_and_spread():
    random = np.random.default_rng(1)
    size, spread = random.random(600), np.exp(random.standard_normal(600))
    draws = size + spread * random.standard_normal((61, 600))
    draws[10:20, :40] = np.nan
    p = pooled_p(draws[0], draws[1:], random.random(600))
    assert kstest(p, "uniform").pvalue > 0.05
    assert p.min() < 0.01


def test_a_word_that_can_hardly_be_resampled_gets_no_p():
    draws = np.random.default_rng(1).random((40, 30))
    draws[5:, 0] = np.nan
    draws[:, 1] = 0.5
    p = pooled_p(np.full(30, 2.0), draws, np.arange(30.0))
    assert np.isnan(p[:2]).all()
    assert np.isfinite(p[2:]).all()


def test_permuted_scores_are_left_out_of_their_own_deviation():
    draws = np.random.default_rng(2).random((12, 3))
    z, chance = studentized(np.ones(3), draws)
    others = np.delete(draws, 4, axis=0)
    assert chance[4] == pytest.approx((draws[4] - others.mean(axis=0)) / others.std(axis=0, ddof=1))
    assert z == pytest.approx((1 - draws.mean(axis=0)) / draws.std(axis=0, ddof=1))


def test_q_is_that_of_benjamini_and_hochberg():
    p = np.random.default_rng(3).random(200) ** 2
    assert false_discovery_rates(p) == pytest.approx(false_discovery_control(p))


def test_matched_z_does_not_favor_rare_words():
    random = np.random.default_rng(4)
    frequency = np.exp(random.uniform(3, 9, 3000))
    scores = random.chisquare(20, 3000) / frequency
    rare = frequency < np.median(frequency)
    clear = matched_z(scores, frequency) > 2
    assert (np.argsort(-scores)[:100] == np.flatnonzero(rare)[:, None]).any(axis=0).all()
    assert 0.35 < rare[clear].mean() < 0.65


def test_recounting_all_documents_gives_the_counts_of_the_run(drifting):
    weights = distance_weights(drifting.settings)
    for condition in (0, 7):
        part = drifting.store.condition_slice(condition)
        documents = np.arange(part.start, part.stop)
        words = len(drifting.vocabulary)
        once, twice = (recount(drifting.store, np.repeat(documents, many), words, weights) for many in (1, 2))
        for column, stored in zip(once.cells, drifting.cells(condition), strict=True):
            assert (column == stored).all()
        assert (once.count == drifting.vocabulary.support.counts_in(condition)).all()
        assert (twice.cells.count == 2 * once.cells.count).all()


def test_with_nothing_joined_the_refit_is_the_model(drifting, over_time):
    """One condition joined with itself: the contexts, and so the vectors, are those of the model."""
    settings = GraphModel(**over_time.provenance["settings"])
    contexts = label_free_contexts(drifting, [3], settings, None, 1)
    assert contexts.tobytes() == over_time.contexts.tobytes()
    words = over_time.observed.words_in(3).astype(np.int64)
    found, unit = FrozenModel(over_time, drifting, {3: words}).observed().at(3)
    assert (found == words).all()
    assert unit == pytest.approx(over_time.matrix(over_time.conditions.labels[3]).unit, abs=1e-4)


def test_joined_conditions_hold_what_their_parts_hold(drifting):
    joined = join_conditions(drifting, [2, 5])
    assert joined.conditions.labels == tuple(label for label in drifting.conditions.labels if label != "1995")
    total = sum(drifting.cells(number).count.sum() for number in (2, 5))
    assert joined.cells(2).count.sum() == total
    assert joined.vocabulary.counts.tolist() == drifting.vocabulary.counts.tolist()
    assert joined.pairs.sum() == drifting.pairs.sum()


def test_labels_are_exchanged_within_strata_only():
    documents = Documents(np.arange(100), np.repeat([0, 1], 50), np.tile([0, 1, 1, 2, 2], 20))
    drawn = documents.resample(PERMUTATION, 1, 0)
    assert sorted(np.concatenate(list(drawn.values()))) == list(range(100))
    for condition in (0, 1):
        before = np.bincount(documents.stratum[documents.condition == condition])
        assert (np.bincount(documents.stratum[drawn[condition]]) == before).all()
    assert (drawn[0] != np.arange(50)).any()
    assert all((drawn[c] == documents.resample(PERMUTATION, 1, 0)[c]).all() for c in (0, 1))
    assert (documents.resample(PERMUTATION, 1, 1)[0] != drawn[0]).any()


def test_the_bootstrap_draws_within_conditions():
    documents = Documents(np.arange(60), np.repeat([0, 1], 30), np.zeros(60, dtype=np.int64))
    drawn = documents.resample(BOOTSTRAP, 1, 0)
    assert [len(part) for part in drawn.values()] == [30, 30]
    assert (documents.condition[drawn[1]] == 1).all()
    assert len(np.unique(drawn[0])) < 30


def test_documents_that_are_set_aside_take_no_part(counts_of):
    counts = counts_of(worlds.planted_drift(documents=300), time="time", holdout=0.3)
    documents = take_part(counts, [0, 9], None)
    assert not counts.store.held_out[documents.number].any()
    assert set(documents.condition) == {0, 9}


def test_places_are_strata_without_being_asked_to_be_kept(counts_of):
    counts = counts_of(worlds.time_and_place(documents=360), time="time", place="place")
    documents = take_part(counts, range(len(counts.conditions)), "place")
    assert (documents.stratum == np.array(counts.conditions.place_of)[documents.condition]).all()
    over_places = counts_of(worlds.places(documents=240), place="place")
    with pytest.raises(InputError, match="nothing to exchange"):
        take_part(over_places, range(6), "place")
