from dataclasses import replace

import numpy as np
import pytest

from chronotope.config import preset
from chronotope.methods import ConditionedModel
from chronotope.methods.cw2v.start import SHARE, balanced


def test_both_sides_carry_half_of_every_direction():
    rng = np.random.default_rng(1)
    rows = rng.standard_normal((40, 3)) @ rng.standard_normal((3, 5))  # three directions in five dimensions
    contexts = np.linalg.qr(rng.standard_normal((60, 5)))[0].astype(np.float32)
    word, context = balanced(rows, contexts)
    assert word.shape == (40, 3)
    assert context.shape == (60, 3)
    assert np.allclose(word @ context.T, SHARE**2 * rows @ contexts.T, atol=1e-4)
    assert np.allclose(np.linalg.norm(word, axis=0), np.linalg.norm(context, axis=0), rtol=1e-5)


def test_the_first_epoch_is_ahead_of_a_random_start(drifting):
    losses = {}
    for start in ("directions", "random"):
        ConditionedModel(start=start, epochs=1).fit(
            drifting, on_epoch=lambda epoch, s=start: losses.update({s: epoch.loss})
        )
    assert losses["directions"] < 0.9 * losses["random"]


def test_seeds_agree_on_more(drifting):
    """What two models say of the similarity of words, in the first condition, with another seed."""

    def disagreement(start):
        model = ConditionedModel(start=start, dimensions=10)
        one, other = (
            (unit := replace(model, seed=seed).fit(drifting).matrix(drifting.conditions.labels[0]).unit) @ unit.T
            for seed in (1, 2)
        )
        return np.abs(one - other).mean()

    assert disagreement("directions") < 0.8 * disagreement("random")


@pytest.mark.parametrize("name", ["paper", "authors"])
def test_the_presets_start_at_random(name):
    assert preset(name, "time").start == "random"
