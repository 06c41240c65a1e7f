"""Intervals over documents for the series of a word."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import chronotope as ct
from chronotope.analysis.significance.few_words import FewWords
from chronotope.analysis.significance.posterior import covariances
from chronotope.methods.bayesian import prior_precision


@pytest.mark.parametrize("settings", [{}, {"marginals": "pooled"}, {"directional_contexts": False, "pmi_power": 1.0}])
def test_the_vectors_of_all_documents_are_those_of_the_model(drifting, settings):
    model = ct.GraphModel(dimensions=30, epochs=2, **settings).fit(drifting)
    words = ["bank", "the", "river"]
    found = FewWords(model, words).observed()
    for word, vectors in zip(words, found, strict=True):
        for condition, label in enumerate(model.conditions.labels):
            own = model.vectors[model.observed.find(model.index(word), condition)]
            assert vectors[condition] == pytest.approx(own - model.center[condition], abs=1e-4), label


def test_the_band_of_a_word_that_changed_leaves_that_of_one_that_stayed(over_time):
    bank, river = (ct.series(over_time, word, bootstrap=40) for word in ("bank", "river"))
    assert bank["similarity"].equals(ct.series(over_time, "bank")["similarity"])
    for answer in (bank, river):
        assert (answer["corrected"][0], answer["low"][0], answer["high"][0]) == (1, 1, 1)
        assert all(-1 <= row["low"] <= row["corrected"] <= row["high"] <= 1 for row in answer)
    assert bank["high"][6:].max() < river["low"][6:].min()
    # 'river' does not change: what its similarity lacks is noise, and most of it is corrected.
    assert 1 - river["corrected"].mean() < 0.5 * (1 - river["similarity"].mean())


@pytest.mark.parametrize("against", ["previous", "overall", "1993"])
def test_every_comparison_has_a_band_the_same_for_any_number_of_threads(over_time, against):
    one, three = (ct.series(over_time, "bank", against=against, bootstrap=12, threads=threads) for threads in (1, 3))
    known = one["similarity"].is_null()
    assert (known == one["low"].is_null()).all()
    assert (known == one["corrected"].is_null()).all()
    assert one.to_json() == three.to_json()
    assert ct.series(over_time, "bank", against=against, bootstrap=12, seed=2).to_json() != one.to_json()


def test_quick_bands_agree_with_those_of_the_bootstrap(over_time):
    """They rest on the scatter of single cells, and are somewhat narrower: documents are not drawn."""
    words, widths = [word for word in over_time.words[5:150:6] if min(over_time.count(word).values()) >= 10], []
    for settings in ({"bootstrap": 40}, {"quick": True}):
        frame = ct.series(over_time, [*words, "bank"], against="1994", **settings).frame
        assert frame.filter(word="bank", condition="1996")["high"][0] < 0.8
        still = frame.filter((pl.col("word") != "bank") & (pl.col("condition") != "1994"))
        assert still["corrected"].mean() == pytest.approx(1, abs=0.03)
        widths.append((still["high"] - still["low"]).to_numpy())
    assert 0.6 < np.nanmedian(widths[1] / widths[0]) < 1.1
    alone, both = (
        ct.series(over_time, asked, quick=True).frame.filter(word="bank") for asked in ("bank", ["river", "bank"])
    )
    assert alone.equals(both)


def test_intervals_hold_the_truth():
    """The truth is a world of twenty times as many documents, trusted as much as the small one."""

    def counted(documents, seed):
        world = ct.invented_world(years=range(1990, 1994), places=("arlen",), documents=documents, seed=seed)
        return ct.count(ct.read_corpus(world.records, time="time"), min_count=5)

    truth = ct.GraphModel(dimensions=50, shrinkage=200.0).fit(counted(12000, 99))
    held = []
    for seed in range(3):
        model = ct.GraphModel(dimensions=50).fit(counted(600, seed))
        for word in ("bank", "apple", "cell", "river", "the", "law", "music"):
            answer = ct.series(model, word, bootstrap=40)
            base = next(label for label in answer["against"] if label)
            true = ct.series(truth, word, against=base)["similarity"]
            rows = zip(answer["low"], true, answer["high"], strict=True)
            held += [low <= value <= high for low, value, high in rows if low not in (None, 1)]
    assert len(held) >= 50
    assert np.mean(held) > 0.85


@pytest.fixture(scope="module")
def bayesian(drifting, tmp_path_factory):
    """A model that keeps variances, as read from its file."""
    path = tmp_path_factory.mktemp("bayesian") / "model.ct"
    ct.BayesianModel(dimensions=20).fit(drifting).save(path)
    return ct.load(path, verify=True)


def width(answer):
    known = answer.frame.filter(pl.col("similarity") < 1)
    return (known["high"] - known["low"]).mean()


@pytest.mark.parametrize("against", ["first", "previous", "overall", "1993"])
def test_a_posterior_gives_bands_without_resampling(bayesian, against):
    answer = ct.series(bayesian, "bank", against=against)
    for row in answer:
        assert (row["similarity"] is None) == (row["low"] is None)
        assert row["similarity"] is None or -1 <= row["low"] <= row["similarity"] <= row["high"] <= 1
    assert any("mean field" in note for note in answer.notes)
    assert answer.to_json() == ct.series(bayesian, "bank", against=against).to_json()
    assert answer.to_json() != ct.series(bayesian, "bank", against=against, seed=2).to_json()


def test_the_bands_of_a_posterior_are_wide_for_rare_words(bayesian):
    totals = {word: sum(bayesian.count(word).values()) for word in bayesian.words}
    rare = [word for word, total in totals.items() if total < 40][:6]
    frequent = bayesian.words[:6]
    wide, narrow = ([width(ct.series(bayesian, word, min_count=1)) for word in words] for words in (rare, frequent))
    assert np.mean(wide) > 2 * np.mean(narrow)
    pairs = [width(ct.similarity(bayesian, words[:2], min_count=1)) for words in (rare, frequent)]
    assert pairs[0] > 1.5 * pairs[1]


def test_covariances_over_conditions_follow_from_the_variances(bayesian):
    prior = prior_precision(bayesian.conditions.graph(), ct.BayesianModel())
    text = 9 * np.random.default_rng(1).random((10, 3)) ** 4
    truth = np.array([np.linalg.inv(prior + np.diag(one)) for one in text.T])
    found = covariances(np.linalg.inv(prior), np.diagonal(truth, axis1=1, axis2=2).T)
    assert np.allclose(found, truth, atol=2e-3 * truth.max())


@pytest.mark.parametrize(
    ("scarce", "note"), [("1990", "No interval: the condition compared with"), ("1992", "much noise: 1992")]
)
def test_what_has_no_interval_is_named(scarce, note):
    """One year has three documents: the first, with which all others are compared, or the last."""
    by_year = {"1990": [], "1991": [], "1992": []}
    for record in ct.invented_world(years=range(1990, 1993), places=("arlen",), documents=150).records:
        by_year[record["time"]].append(record)
    del by_year[scarce][3:]
    corpus = ct.read_corpus([record for records in by_year.values() for record in records], time="time")
    answer = ct.series(ct.GraphModel(dimensions=20).fit(ct.count(corpus, min_count=3)), "the", bootstrap=10)
    assert any(note in one for one in answer.notes)
    assert (answer["corrected"].null_count() == 3) == (scarce == "1990")
