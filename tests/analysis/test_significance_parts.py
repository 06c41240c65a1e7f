"""The parts of the statistics, each against its definition."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import false_discovery_control, kstest

import worlds
from chronotope.analysis.significance.matched import false_discovery_rates, matched_z, pooled_p, studentized
from chronotope.analysis.significance.refitting import FrozenModel, join_conditions, label_free_contexts
from chronotope.analysis.significance.resampled_rows import document_counts, resampled_rows
from chronotope.analysis.significance.shuffling import BOOTSTRAP, PERMUTATION, Documents, take_part
from chronotope.cooccurrence.association import Association, rows_of
from chronotope.cooccurrence.counting import distance_weights
from chronotope.errors import InputError
from chronotope.methods import GraphModel


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


@pytest.mark.parametrize("directional", [False, True])
def test_the_rows_of_all_documents_are_those_of_the_run(drifting, directional):
    words, association = len(drifting.vocabulary), Association(pmi_power=1.5, directional_contexts=directional)
    taken = take_part(drifting, [0, 7], None)
    found = resampled_rows(drifting.store, taken.all(), 2, words, distance_weights(drifting.settings), association)
    for place, condition in enumerate((0, 7)):
        own = np.flatnonzero(found.condition == place)
        assert (found.word[own] == drifting.vocabulary.support.words_in(condition)).all()
        assert (found.count[own] == drifting.vocabulary.support.counts_in(condition)).all()
        stored = rows_of(drifting.cells(condition), words, association)
        start = np.concatenate([[0], np.cumsum(stored.length)])
        for row in own[::7].tolist():
            mine = slice(*found.matrix.start[row : row + 2])
            theirs = slice(*start[found.word[row] : found.word[row] + 2])
            order = np.argsort(found.matrix.context[mine])
            assert (found.matrix.context[mine][order] == stored.context[theirs]).all()
            assert found.matrix.value[mine][order] == pytest.approx(stored.value[theirs], rel=1e-6)


def test_exchanged_words_keep_their_frequency_in_each_condition(drifting):
    """'bank' is as frequent on both sides as it was, whichever documents stand there; so is every other word."""
    words, weights = len(drifting.vocabulary), distance_weights(drifting.settings)
    taken = take_part(drifting, [1, 4, 8], None)
    most = max(
        np.bincount(text).max() for text in np.split(np.asarray(drifting.store.ids), drifting.store.starts[1:-1])
    )
    found = [
        resampled_rows(drifting.store, resample, 3, words, weights, Association())
        for resample in (taken.all(), taken.resample(PERMUTATION, 1, 0))
    ]
    many = np.zeros((2, 3, words), dtype=np.int64)
    for side, rows in enumerate(found):
        many[side, rows.condition, rows.word] = rows.count
    assert (many[0].sum(axis=0) == many[1].sum(axis=0)).all()
    assert np.abs(many[0] - many[1]).max() <= most
    assert (found[0].matrix.value[:50] != found[1].matrix.value[:50]).any()


def test_documents_are_counted_once_for_each_word(drifting):
    words, store = len(drifting.vocabulary), drifting.store
    found = document_counts(store, take_part(drifting, [2], None).all(), 1, words)[0]
    texts = [store.ids[store.starts[n] : store.starts[n + 1]] for n in range(*store.condition_slice(2).indices(10**9))]
    for word in (0, 30, words - 1):
        assert found[word] == sum(word in text for text in texts)


def test_with_nothing_joined_the_refit_is_the_model(drifting, over_time):
    """One condition joined with itself: the contexts, and so the vectors, are those of the model."""
    settings = GraphModel(**over_time.provenance["settings"])
    contexts = label_free_contexts(drifting, [3], settings, None, 1)
    assert contexts.tobytes() == over_time.contexts.tobytes()
    words = over_time.observed.words_in(3).astype(np.int64)
    found, unit = _as_it_is(over_time, drifting, {3: words}).at(3)
    assert (found == words).all()
    assert unit == pytest.approx(over_time.matrix(over_time.conditions.labels[3]).unit, abs=1e-4)


def _as_it_is(embeddings, counts, counted):
    documents = take_part(counts, list(counted), None)
    return FrozenModel(embeddings, counts, counted, len(documents.number)).refit(documents.all())


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
    assert sorted(drawn.document) == list(range(100))
    assert (drawn.stratum == documents.stratum[drawn.document]).all()
    assert (drawn.own == documents.condition[drawn.document]).all()
    for condition in (0, 1):
        before = np.bincount(documents.stratum[documents.condition == condition])
        assert (np.bincount(drawn.stratum[drawn.condition == condition]) == before).all()
    assert (drawn.condition != drawn.own).any()
    assert (drawn.document == documents.resample(PERMUTATION, 1, 0).document).all()
    assert (documents.resample(PERMUTATION, 1, 1).document != drawn.document).any()


def test_a_draw_holds_half_of_the_documents_of_each_condition():
    documents = Documents(np.arange(60), np.repeat([4, 7], 30), np.zeros(60, dtype=np.int64))
    drawn = documents.resample(BOOTSTRAP, 1, 0)
    assert np.bincount(drawn.condition).tolist() == [15, 15]
    assert (drawn.condition == (drawn.document >= 30)).all()
    assert len(np.unique(drawn.document)) == 30


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


@pytest.mark.parametrize("compared", [[0, 9], [3, 4, 7]])
def test_eliminating_other_conditions_changes_no_vector(drifting, over_time, compared):
    """Words that a resample lacks in a condition are among them."""
    taken = take_part(drifting, compared, None)
    counted = {at: over_time.observed.words_in(at).astype(np.int64) for at in compared}
    models = [
        FrozenModel(over_time, drifting, counted, len(taken.number), few_conditions=few) for few in (0, len(compared))
    ]
    for kind in (PERMUTATION, BOOTSTRAP):
        whole, reduced = (model.refit(taken.resample(kind, 1, 0)) for model in models)
        for at in compared:
            (words, unit), (same_words, same_unit) = whole.at(at), reduced.at(at)
            assert (words == same_words).all()
            np.testing.assert_allclose(unit, same_unit, atol=1e-4)
