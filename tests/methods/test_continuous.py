"""Vectors as functions of time: they can be asked at any date, and a planted change is fastest when it happens."""

import numpy as np
import pytest

import worlds
from chronotope.errors import InputError, SettingsError
from chronotope.methods import ContinuousModel


@pytest.fixture(scope="module")
def fitted(drifting):
    pytest.importorskip("torch", reason="continuous needs PyTorch")
    model = ContinuousModel(dimensions=20)
    return model, model.fit(drifting)


def test_the_vector_in_the_middle_of_a_bin_is_that_of_the_embeddings(fitted):
    model, embeddings = fitted
    # The middle of 1995 is 1995-07-02, whatever is left out of the label.
    for date in ("1995", "1995-07-02"):
        assert np.allclose(model.vector("bank", date), embeddings.vector("bank", "1995"), atol=1e-4)


def test_the_planted_change_is_fastest_when_it_happens(fitted):
    model, _ = fitted
    speed = {year: model.speed("bank", year) for year in ("1991", "1995", "1998")}
    assert max(speed, key=speed.get) == "1995"


def test_the_speed_is_the_derivative_of_the_direction(fitted):
    model, _ = fitted
    days = ("1995-06-01", "1995-07-31")
    ends = [model.vector("bank", day) for day in days]
    turn = np.linalg.norm(np.diff([end / np.linalg.norm(end) for end in ends], axis=0)) / 60 * 365.2425
    assert model.speed("bank", "1995-07-01") == pytest.approx(turn, rel=0.05)


def test_a_date_that_cannot_be_read_is_refused(fitted):
    with pytest.raises(InputError, match="cannot read 'soon' as a date"):
        fitted[0].vector("bank", "soon")


def test_an_untrained_model_says_so():
    with pytest.raises(InputError, match="call fit first"):
        ContinuousModel().speed("bank", "1995")


def test_places_are_refused(counts_of):
    pytest.importorskip("torch", reason="continuous needs PyTorch")
    with pytest.raises(SettingsError, match="without places"):
        ContinuousModel().fit(counts_of(worlds.time_and_place(documents=90), place="place", min_count=3))
