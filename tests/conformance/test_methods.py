"""What every method that can be trained must do, whatever is inside it."""

from __future__ import annotations

import dataclasses
import importlib.util
import sys

import numpy as np
import pytest

import worlds
from chronotope.analysis.drift import drift
from chronotope.cooccurrence import count
from chronotope.corpus.source import read_corpus
from chronotope.datasets.invented import Change, invented_world
from chronotope.embeddings import ConditionedEmbeddings, load
from chronotope.errors import MissingExtraError, SettingsError
from chronotope.methods import METHODS, ConditionedModel, default_settings, method_class
from worlds import MONEY, RIVER

NEEDS = {"static": "gensim", "linear": "gensim", "aligned": "gensim", "continuous": "torch"}
# Enough for the invented worlds.
FEWER_EPOCHS = {name: {"epochs": 10} for name in ("static", "linear", "aligned", "compass")}
FEWER_EPOCHS["continuous"] = {"epochs": 3}
# Models that give a word no part of its own in a condition, and so cannot express that it changes.
NOTHING_OF_ITS_OWN = {"static", "covariate"}
# Its penalties grow with the number of cells, so that a frequent word moves (as another test says) less than rare words
# are thrown about by chance: the change is there, but it does not stand out.
HARDLY_MOVES = {"cw2v authors"}
# Those that know a graph of places.
WITH_EDGES = {"graph", "cw2v", "cw2v paper", "cw2v authors", "dynamic", "bayesian", "covariate"}


def every_method():
    """All that `train --method` knows, and the presets: a new method is in here as soon as it is registered."""
    made = {name: lambda name=name: _made(name) for name in METHODS}
    made |= {f"cw2v {name}": lambda name=name: ConditionedModel.preset(name, "time") for name in ("paper", "authors")}
    missing = {package for package in set(NEEDS.values()) if importlib.util.find_spec(package) is None}
    return [
        pytest.param(
            (name, make),
            id=name,
            marks=pytest.mark.skipif(NEEDS.get(name) in missing, reason=f"needs {NEEDS.get(name)}"),
        )
        for name, make in made.items()
    ]


def _made(name):
    return method_class(name)(**(default_settings(name) | FEWER_EPOCHS.get(name, {})))


@pytest.fixture(scope="module", params=every_method())
def named(request):
    name, make = request.param
    return name, make()


@pytest.fixture
def name(named):
    return named[0]


@pytest.fixture
def method(named):
    return named[1]


@pytest.fixture(scope="module")
def fitted(named, small):
    return named[1].fit(small, threads=1)


@pytest.fixture(scope="session")
def changing():
    """Three years of 65,000 words each; 'bank' moves from rivers to money in the last, and nothing else moves."""
    change = Change("bank", RIVER, MONEY, time="1992", share=0.02)
    world = invented_world(years=range(1990, 1993), places=("arlen",), documents=2400, changes=(change,))
    return count(read_corpus(world.records, time="time"), min_count=5)


@pytest.fixture(scope="module")
def fitted_to_change(named, changing):
    name, method = named
    return (method_class(name)() if name == "continuous" else method).fit(changing)


def _length(method):
    dimensions = method.dimensions or 200
    return 2 * dimensions if getattr(method, "vectors", "word") == "both" else dimensions


def test_the_same_words_and_conditions_come_out(fitted, method, small):
    assert isinstance(fitted, ConditionedEmbeddings)
    assert fitted.words == small.vocabulary.words
    assert fitted.conditions == small.conditions
    assert fitted.vectors.shape == (len(small.vocabulary.support.word), _length(method))
    assert np.array_equal(fitted.observed.count, small.vocabulary.support.count)
    assert np.isfinite(fitted.vectors).all()


def test_the_result_knows_how_it_was_made(fitted, name, method, small):
    made = fitted.provenance
    assert made["method"] == name.split()[0]
    assert made["method"] in fitted.signature
    assert (made["run"], made["seed"], made["window"]) == (small.checksum, method.seed, small.settings.window)
    known = {key: value for key, value in dataclasses.asdict(method).items() if value is not None}
    assert {key: made["settings"][key] for key in known} == known


def test_the_same_seed_gives_the_same_bytes_with_any_number_of_threads(fitted, method, small, tmp_path):
    fitted.save(tmp_path / "1.ct")
    method.fit(small, threads=3).save(tmp_path / "3.ct")
    assert (tmp_path / "1.ct").read_bytes() == (tmp_path / "3.ct").read_bytes()


def test_the_seed_is_used_up_to_the_largest(fitted, method, small):
    other = dataclasses.replace(method, seed=2**64 - 1).fit(small)
    assert np.isfinite(other.vectors).all()
    assert not np.array_equal(fitted.vectors, other.vectors)
    with pytest.raises(SettingsError, match="seed must be"):
        dataclasses.replace(method, seed=2**64)


@pytest.mark.parametrize(("option", "value", "line"), [("device", "cuda", "CPU"), ("memory", "9GB", "on disk")])
def test_an_option_that_a_method_does_not_support_is_refused(method, small, option, value, line):
    if {"device": "cuda"}.get(option, option) not in method.supports:
        with pytest.raises(SettingsError, match=f"{method.method} .*{line}"):
            method.fit(small, **{option: value})


def test_steps_are_reported_to_the_end(method, small):
    steps = []
    dataclasses.replace(method, **({"epochs": 2} if hasattr(method, "epochs") else {})).fit(
        small, threads=2, on_step=lambda *step: steps.append(step)
    )
    total = steps[0][1]
    assert [done for done, _ in steps] == sorted(done for done, _ in steps)
    assert steps[-1] == (total, total)


def test_a_word_that_changes_company_moves_toward_it(fitted_to_change, name):
    """'bank' keeps company with rivers before 1992 and with money after."""

    def leaning(year):
        near = [
            np.mean([fitted_to_change.similarity("bank", word, year) for word in words]) for words in (MONEY, RIVER)
        ]
        return near[0] - near[1]

    before, between, after = map(leaning, ("1990", "1991", "1992"))
    if name in NOTHING_OF_ITS_OWN:
        assert abs(after - before) < 0.05
    else:
        assert after > max(before, between) + (0.05 if name in HARDLY_MOVES else 0.1)


def test_the_word_that_changes_is_found(fitted_to_change, name):
    changes = drift(fitted_to_change, min_count=5, top=1000)
    if name in NOTHING_OF_ITS_OWN:
        assert changes["change"][0] < 0.01, "no word has a change of its own; what all have in common is small here"
    elif name in HARDLY_MOVES:
        assert changes.frame.filter(word="bank")["change"][0] < 0.1
    else:
        assert "bank" in changes["word"][:10], "among about five hundred words"


def test_a_word_has_a_part_of_its_own_only_where_it_occurs(fitted, name):
    absent = [(word, label) for word in fitted.words for label, times in fitted.count(word).items() if not times]
    assert absent
    for word, label in absent[:20]:
        shared, own = fitted.parts(word, label)
        assert shared.any()
        assert not own.any()
    some = [fitted.parts(word, label)[1].any() for word in fitted.words[:20] for label in ("1990", "1999")]
    assert any(some) == (name not in NOTHING_OF_ITS_OWN)


def test_a_word_absent_from_a_condition_survives(fitted):
    absent = [word for word in fitted.words if fitted.count(word, "1990") == 0]
    assert absent
    for word in absent[:10]:
        assert np.isfinite(fitted.vector(word, "1990", fallback=True)).all()
        assert len(fitted.equivalents(word, "1990", "1995", 3, min_count=1, fallback=True)) == 3
    assert not set(absent) & set(drift(fitted, min_count=1, top=1000)["word"]), "it shows no change"


def test_saved_and_loaded_embeddings_give_the_same_answers(fitted, tmp_path):
    fitted.save(tmp_path / "model.ct")
    loaded = load(tmp_path / "model.ct")
    assert np.array_equal(loaded.vectors, fitted.vectors)
    assert loaded.provenance == fitted.provenance
    assert loaded.neighbors("bank", "1995", fallback=True) == fitted.neighbors("bank", "1995", fallback=True)
    assert loaded.equivalents("bank", "1990", "1999") == fitted.equivalents("bank", "1990", "1999")


def test_edges_between_places_are_used_or_refused(method, name, counts_of):
    counts = counts_of(worlds.time_and_place(documents=90), place="place", min_count=3)
    edges = [("arlen", "borva")]
    if name in WITH_EDGES:
        apart = method.fit(counts, place_edges=edges)
        assert apart.provenance["place_edges"] == [list(edge) for edge in edges]
        assert not np.allclose(apart.vectors, method.fit(counts).vectors, atol=1e-3)
    else:
        with pytest.raises(SettingsError, match="leave the edges out"):
            method.fit(counts, place_edges=edges)


@pytest.mark.parametrize(
    ("name", "package", "extra"),
    [
        *(("static", "gensim", "word2vec"), ("continuous", "torch", "contextual")),
        *(("contextual", "torch", "contextual"), ("contextual", "transformers", "contextual")),
    ],
)
def test_a_missing_package_is_named_with_its_installation(small, monkeypatch, name, package, extra):
    monkeypatch.setitem(sys.modules, package, None)
    settings = {"encoder": "some/encoder"} if name == "contextual" else {}
    with pytest.raises(MissingExtraError, match=rf"chronotope\[{extra}\]"):
        method_class(name)(**settings).fit(small)
