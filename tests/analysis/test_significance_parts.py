"""The parts of the statistics, each against its definition."""

from __future__ import annotations

import numpy as np
import pytest

from chronotope.analysis.measures import matched_z
from chronotope.analysis.significance.refit import FrozenModel
from chronotope.analysis.significance.resample import BOOTSTRAP, PERMUTATION, Documents
from chronotope.analysis.significance.tests import like_words, pooled_p


def test_words_in_few_documents_have_heavy_tails_and_a_null_of_their_own():
    """Of words as frequent, those in few documents have scores of another kind, and are compared with each other."""
    random = np.random.default_rng(2)
    frequency, documents = np.full((2, 4000), 100.0)
    documents[::4] = 6
    draws = random.standard_normal((61, 4000))
    draws[:, ::4] = random.standard_t(3, (61, 1000))
    few = np.arange(4000) % 4 == 0
    shares = [
        (pooled_p(draws[0], draws[1:], like_words(*sizes))[few] <= 0.002).mean()
        for sizes in ([frequency, documents], [frequency + random.random(4000)])
    ]
    assert shares[0] < 0.005 < shares[1]


def test_a_word_that_can_hardly_be_resampled_gets_no_p():
    draws = np.random.default_rng(1).random((40, 30))
    draws[5:, 0] = np.nan
    draws[:, 1] = 0.5
    p = pooled_p(np.full(30, 2.0), draws, like_words(np.arange(30.0)))
    assert np.isnan(p[:2]).all()
    assert np.isfinite(p[2:]).all()


def test_z_does_not_favor_rare_words():
    random = np.random.default_rng(4)
    frequency = np.exp(random.uniform(3, 9, 3000))
    scores = random.chisquare(20, 3000) / frequency
    rare = frequency < np.median(frequency)
    assert rare[np.argsort(-scores)[:100]].all()
    assert 0.35 < rare[matched_z(scores, frequency) > 2].mean() < 0.65


def test_a_draw_keeps_to_the_strata():
    """Half of the documents of each value of a field; of values with one document, half of these."""
    stratum = np.append(np.repeat(np.arange(5), 10), np.arange(5, 45))
    documents = Documents(np.arange(90), np.zeros(90, dtype=np.int64), stratum)
    draws = [documents.resample(BOOTSTRAP, 1, turn) for turn in range(30)]
    for drawn in draws:
        assert (np.bincount(drawn.stratum)[:5] == 5).all()
        assert len(drawn.document) == 45
    assert len(np.unique(np.concatenate([drawn.document for drawn in draws]))) == 90


def test_refitting_one_condition_with_its_own_documents_gives_the_model(drifting, over_time):
    words = over_time.observed.words_in(3).astype(np.int64)
    documents = Documents.of(drifting, [3])
    found, unit = FrozenModel(over_time, drifting, {3: words}, len(documents.number)).refit(documents.all()).at(3)
    assert (found == words).all()
    assert unit == pytest.approx(over_time.matrix(over_time.conditions.labels[3]).unit, abs=1e-4)


@pytest.mark.parametrize("compared", [[0, 9], [3, 4, 7]])
def test_eliminating_other_conditions_changes_no_vector(drifting, over_time, compared):
    """Words that a resample lacks in a condition are among them."""
    documents = Documents.of(drifting, compared)
    tested = {at: over_time.observed.words_in(at).astype(np.int64) for at in compared}
    many = len(documents.number)
    models = [FrozenModel(over_time, drifting, tested, many, few_conditions=few) for few in (0, len(compared))]
    for kind in (PERMUTATION, BOOTSTRAP):
        whole, reduced = (model.refit(documents.resample(kind, 1, 0)) for model in models)
        for at in compared:
            (words, unit), (same_words, same_unit) = whole.at(at), reduced.at(at)
            assert (words == same_words).all()
            np.testing.assert_allclose(unit, same_unit, atol=1e-4)
