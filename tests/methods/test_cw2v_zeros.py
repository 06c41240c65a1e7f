"""CW2V with zeros: exact steps, and words that leave their contexts."""

import numpy as np
import pytest

import chronotope as ct
from chronotope.errors import SettingsError


@pytest.fixture(scope="module")
def fitted(drifting):
    return ct.ConditionedModel(zeros=True).fit(drifting)


def test_every_sweep_lowers_the_loss(fitted):
    losses = [epoch["loss"] for epoch in fitted.provenance["training"]]
    assert len(losses) == 15
    assert (np.diff(losses) < 0).all()
    assert 0 < losses[-1] < 1


def test_a_word_that_leaves_its_contexts_changes_most(fitted, drifting):
    assert ct.drift(fitted, top=1, min_count=5)["word"][0] == "bank"
    without = ct.ConditionedModel().fit(drifting)
    assert "bank" not in ct.drift(without, top=20, min_count=5)["word"].to_list()


def test_the_vectors_are_base_times_condition_plus_deviation(fitted):
    assert fitted.dimensions == 100, "as words and as contexts"
    shared, own = fitted.parts("bank", "1999")
    assert np.linalg.norm(own) > 0.1 * np.linalg.norm(shared)
    assert np.allclose(fitted.condition_factors, 1, atol=0.5)
    assert not np.allclose(fitted.condition_factors, 1, atol=1e-3)


def test_it_needs_both_parts():
    with pytest.raises(SettingsError, match="zeros needs deviations"):
        ct.ConditionedModel(zeros=True, deviations=False)
