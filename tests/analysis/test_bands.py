"""Intervals over documents for a word's series and its place along an axis."""

from __future__ import annotations

import numpy as np
import pytest

import worlds
from chronotope.analysis import positions, series
from chronotope.analysis.significance.few_words import FewWords
from chronotope.analysis.significance.noiseless import Noiseless
from chronotope.analysis.significance.refitting import FrozenModel
from chronotope.analysis.significance.shuffling import BOOTSTRAP, take_part
from chronotope.cooccurrence import count
from chronotope.corpus import read_corpus
from chronotope.datasets.invented import invented_world
from chronotope.errors import InputError, SettingsError
from chronotope.methods import ConditionedModel, GraphModel

AXIS = f"({' + '.join(worlds.MONEY[:3])}) - ({' + '.join(worlds.RIVER[:3])})"


@pytest.fixture(scope="module")
def drifting(counts_of):
    return counts_of(worlds.planted_drift(), time="time")


def cosine(a, b):
    return (a * b).sum(axis=-1) / np.sqrt(np.square(a).sum(axis=-1) * np.square(b).sum(axis=-1))


@pytest.mark.parametrize("settings", [{}, {"marginals": "pooled"}, {"directional_contexts": False, "pmi_power": 1.0}])
def test_the_vectors_of_all_documents_are_those_of_the_model(drifting, settings):
    embeddings = GraphModel(dimensions=30, epochs=2, **settings).fit(drifting)
    words = ["bank", "the", "river"]
    found = FewWords(embeddings, drifting, words).observed()
    for word, vectors in zip(words, found, strict=True):
        for condition, label in enumerate(embeddings.conditions.labels):
            own = embeddings.vectors[embeddings.observed.find(embeddings.index(word), condition)]
            assert vectors[condition] == pytest.approx(own - embeddings.center[condition], abs=1e-4), label


def test_solving_a_few_words_spreads_as_solving_all_of_them(drifting, over_time):
    """What is held as it is (contexts, center) hardly matters to the spread of a word's draws."""
    words = list(over_time.words[20:200:9])
    few = FewWords(over_time, drifting, words).drawn(40, seed=1)
    mine = cosine(few[:, :, 0], few[:, :, 9]).std(axis=0)
    documents = take_part(drifting, range(10), None)
    numbers = np.array([over_time.index(word) for word in words])
    model = FrozenModel(over_time, drifting, dict.fromkeys(range(10), np.sort(numbers)), len(documents.number))
    scores = []
    for turn in range(40):
        refit = model.refit(documents.resample(BOOTSTRAP, 1, turn))
        sides = [dict(zip(own.tolist(), unit, strict=True)) for own, unit in (refit.at(0), refit.at(9))]
        nowhere = np.full(over_time.dimensions, np.nan)
        scores.append([(sides[0].get(n, nowhere) * sides[1].get(n, nowhere)).sum() for n in numbers.tolist()])
    ratio = mine / np.nanstd(scores, axis=0)
    assert 0.8 < np.nanmedian(ratio) < 1.25


def test_noise_makes_a_cosine_small_and_is_taken_off():
    random = np.random.default_rng(1)
    truth = random.standard_normal((2, 400, 50))
    truth[1] += 1.5 * truth[0]
    noisy = truth + 0.7 * random.standard_normal(truth.shape)
    drawn = noisy[:, None] + 0.7 * random.standard_normal((2, 60, 400, 50))
    found = Noiseless.cosines(*noisy, *drawn, np.full(400, 1000))
    true, plain = cosine(*truth), cosine(*noisy)
    assert plain.mean() < true.mean() - 0.1
    assert found.value.mean() == pytest.approx(true.mean(), abs=0.02)
    assert np.mean((found.low <= true) & (true <= found.high)) > 0.9
    assert np.isnan(Noiseless.cosines(*noisy, *drawn, np.full(400, 4)).value).all()


def test_the_band_of_a_word_that_changed_leaves_that_of_one_that_stayed(drifting, over_time):
    bank, river = (series(over_time, word, counts=drifting, bootstrap=40) for word in ("bank", "river"))
    assert bank.values == series(over_time, "bank").values
    for answer in (bank, river):
        assert (answer.corrected[0], answer.low[0], answer.high[0]) == (1, 1, 1)
        rows = list(zip(answer.low, answer.corrected, answer.high, strict=True))[1:]
        assert all(-1 <= low <= value <= high <= 1 for low, value, high in rows)
    assert max(bank.high[6:]) < min(river.low[6:])
    assert np.mean(river.corrected) >= np.mean(river.values)


@pytest.mark.parametrize("against", ["previous", "overall", "1993"])
def test_every_comparison_has_a_band(drifting, over_time, against):
    answer = series(over_time, "bank", against, counts=drifting, bootstrap=12)
    known = [value is not None for value in answer.values]
    assert known == [value is not None for value in answer.low]
    assert known == [value is not None for value in answer.corrected]


def test_intervals_hold_the_truth():
    """The truth is a world of twenty times as many documents, trusted as much as the small one."""

    def counted(documents, seed):
        world = invented_world(years=range(1990, 1994), places=("arlen",), documents=documents, seed=seed)
        return count(read_corpus(world.records, time="time"), min_count=5)

    truth = GraphModel(dimensions=50, shrinkage=200.0).fit(counted(12000, 99))
    held = []
    for seed in range(3):
        counts = counted(600, seed)
        embeddings = GraphModel(dimensions=50).fit(counts)
        for word in ("bank", "apple", "cell", "river", "the", "law", "music"):
            answer = series(embeddings, word, counts=counts, bootstrap=40)
            true = series(truth, word, answer.against).values
            rows = zip(answer.low, true, answer.high, strict=True)
            held += [low <= value <= high for low, value, high in rows if low not in (None, 1)]
    assert len(held) >= 50
    assert np.mean(held) > 0.85


def test_positions_have_a_band_over_documents_instead_of_seeds(drifting, over_time):
    answer = positions(over_time, "bank", AXIS, counts=drifting, bootstrap=40)
    seeds = positions(over_time, "bank", AXIS)
    assert (answer.interval, seeds.interval) == ("documents", "seeds")
    assert [row.value for row in answer.rows] == [row.value for row in seeds.rows]
    early, late = answer.rows[1], answer.rows[8]
    assert early.low <= early.corrected <= early.high < 0 < late.low <= late.corrected <= late.high
    fixed = positions(over_time, "bank", AXIS, fixed=True, counts=drifting, bootstrap=12)
    assert fixed.rows[1].high < 0 < fixed.rows[8].low


def test_the_same_figures_for_any_number_of_threads(drifting, over_time):
    one, three = (series(over_time, "bank", counts=drifting, bootstrap=9, threads=threads) for threads in (1, 3))
    assert one == three
    assert series(over_time, "bank", counts=drifting, bootstrap=9, seed=2) != one
    axes = [positions(over_time, "bank", AXIS, counts=drifting, bootstrap=9, threads=threads) for threads in (1, 3)]
    assert axes[0] == axes[1]


def test_what_cannot_be_drawn_is_refused(drifting, over_time, counts_of):
    with pytest.raises(SettingsError, match="give the run"):
        series(over_time, "bank", bootstrap=5)
    with pytest.raises(InputError, match="another run"):
        series(over_time, "bank", counts=counts_of(worlds.unchanged(), time="time"), bootstrap=5)
    other = ConditionedModel(dimensions=10, epochs=1).fit(drifting)
    with pytest.raises(SettingsError, match="common contexts"):
        positions(other, "bank", AXIS, counts=drifting, bootstrap=5)
