"""Methods as estimators: settings that can be read, changed and cloned, and `fit` on frames and records."""

from __future__ import annotations

from dataclasses import FrozenInstanceError, asdict

import numpy as np
import polars as pl
import pytest
from sklearn.base import clone

import chronotope as ct
import worlds
from chronotope.config import Config, preset
from chronotope.errors import InputError, SettingsError
from chronotope.methods import METHODS, method_class


@pytest.mark.parametrize("name", METHODS)
def test_every_method_can_be_cloned(name):
    model = method_class(name)(**asdict(Config().of_method(name)))
    model.set_params(dimensions=7, seed=3)
    copy = clone(model)
    assert copy is not model
    assert type(copy) is type(model)
    assert copy.get_params(deep=False) == copy.get_params() == model.get_params()
    assert copy.get_params()["dimensions"] == 7
    assert repr(type(model)()) == f"{type(model).__name__}()", "only what differs from the defaults"
    assert eval(repr(copy), {type(model).__name__: type(model)}) == copy
    assert copy.method == model.method == name
    copy.set_params(seed=4)
    assert model.seed == 3


@pytest.mark.parametrize("axis", ["time", "place"])
@pytest.mark.parametrize("name", ["paper", "authors"])
def test_a_preset_takes_its_smoothness_from_the_axis_of_the_counts(runs, chronotope, tmp_path, name, axis):
    counts = ct.Counts.open(runs[axis])
    wanted = preset(name, axis).smoothness
    if name == "authors":
        with pytest.raises(SettingsError, match="'authors' differs between time and places: give axis='time'"):
            ct.ConditionedModel.preset(name)
    made = ct.ConditionedModel.preset(name, None if name == "paper" else counts).set_params(dimensions=5, epochs=1)
    assert made.fit(counts).provenance["settings"]["smoothness"] == wanted
    few = ("--dimensions", 5, "--epochs", 1, "-o", tmp_path / "cli.ct")
    chronotope("train", runs[axis], "--method", "cw2v", "--preset", name, *few)
    assert ct.load(tmp_path / "cli.ct").provenance["settings"]["smoothness"] == wanted


def test_a_wrong_setting_is_refused_and_changes_nothing():
    model = ct.GraphModel(dimensions=50)
    for wrong, message in (
        ({"dimension": 3}, "graph has no setting 'dimension'; did you mean dimensions?"),
        ({"seed": 2, "epochs": 0}, "epochs must be a number of at least 1, not 0"),
        ({"marginals": "mine"}, "marginals must be own or pooled"),
    ):
        with pytest.raises(SettingsError, match=message):
            model.set_params(**wrong)
    with pytest.raises(FrozenInstanceError):
        model.seed = 2
    assert model == ct.GraphModel(dimensions=50)
    assert model.set_params(dimensions=20) is model
    assert model == ct.GraphModel(dimensions=20)


@pytest.mark.parametrize("edges", [None, [("arlen", "borva"), ("borva", "celdon")]])
@pytest.mark.parametrize(
    "model",
    [
        ct.GraphModel(dimensions=12, epochs=8, tolerance=0.0),
        ct.ConditionedModel(dimensions=12, epochs=8, zeros=True),
        ct.DynamicFactorization(dimensions=12, epochs=8),
        ct.BayesianModel(dimensions=12, epochs=8),
    ],
    ids=lambda model: model.method,
)
def test_every_sweep_lowers_the_loss(grid, model, edges):
    training = model.fit(grid, place_edges=edges).provenance["training"]
    losses = [epoch["loss"] for epoch in training]
    assert len(losses) == 8
    assert (np.diff(losses) < 0).all()


def test_frames_records_corpora_and_counts_give_the_same_model(runs):
    records = worlds.planted_drift(documents=1200).records
    corpus = ct.read_corpus(records, time="time")
    frame = pl.DataFrame(records)
    renamed = frame.rename({"text": "speech", "time": "when"})
    model = ct.GraphModel(dimensions=10, epochs=2)
    wanted = model.fit(ct.count(corpus))
    for found in (
        model.fit(corpus),
        model.fit(records, time="time"),
        model.fit(frame, time="time"),
        model.fit(frame.to_pandas(), time="time"),
        model.fit(renamed, text="speech", time="when", every="1y"),
    ):
        assert found.conditions == wanted.conditions
        assert (found["bank", "1990"] == wanted["bank", "1990"]).all()
        assert found.counts.tokens.tolist() == wanted.counts.tokens.tolist()
    assert (model.fit(runs["time"]).vectors == model.fit(ct.Counts.open(runs["time"])).vectors).all()
    assert model.fit(frame, time="time", every="5y").conditions.labels == ("1990-1994", "1995-1999")
    assert model.fit(frame.with_columns(side=pl.col("time") < "1995"), place="side").conditions.axis == "place"


def test_a_frame_without_time_and_place_is_refused():
    records = [{"text": "a river bank", "year": 1990}]
    for data in (records, pl.DataFrame(records), pl.DataFrame(records).to_pandas()):
        with pytest.raises(SettingsError, match=r"fit needs time= or place=.*; columns: text, year$"):
            ct.GraphModel().fit(data)
    with pytest.raises(SettingsError, match=r"fit needs time= or place=, the column with the condition of each text$"):
        ct.GraphModel().fit(["a river bank"])
    with pytest.warns(UserWarning, match="neither time nor place: all text is one condition, 'all'"):
        ct.GraphModel(dimensions=2).fit(ct.read_corpus(records * 9))
    with pytest.raises(InputError, match="has no column 'date'"):
        ct.GraphModel().fit(records, time="date")
    with pytest.raises(SettingsError, match="time: only for frames and records; Corpus has its own"):
        ct.GraphModel().fit(ct.read_corpus(records, time="year"), time="year")
