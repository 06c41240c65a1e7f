"""The loss of CW2V as the paper writes it, and that a training step goes down its gradient."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from chronotope.methods import ConditionedModel
from chronotope.methods.cw2v.cells import STRATA, arrange_cells
from chronotope.methods.cw2v.objective import loss
from chronotope.methods.cw2v.parameters import Parameters
from chronotope.methods.cw2v.training import Trainer, penalties


@pytest.mark.parametrize("penalty", ["once", "each-cell"])
def test_small_steps_go_down_the_gradient_of_the_loss(small, penalty):
    """With huge accumulators AdaGrad takes plain gradient steps of one size."""
    size = 1e-5
    model = ConditionedModel(
        dimensions=3, smoothness=1.5, deviation_penalty=0.3, penalties=penalty, accumulator=1e12, rate=size * 1e6
    )
    graph, random = small.conditions.graph(), np.random.default_rng(1)
    start, accumulators = model._start(small)
    start = Parameters(*(array + random.normal(0, 0.3, array.shape).astype(np.float32) for array in start))
    moved = Parameters(*(array.copy() for array in start))
    with ThreadPoolExecutor(2) as pool:
        cells = arrange_cells(small, model, pool)
        trainer = Trainer(model, cells, graph, moved, accumulators, pool, 2)
        for stratum in range(STRATA):
            trainer.move_stratum(stratum)
    beta, alpha = penalties(model, cells, graph)
    for name, array in start._asdict().items():
        direction = random.normal(size=array.shape)
        ends = [
            loss(start._replace(**{name: array + step * direction}), cells, graph.edges, alpha, beta)
            for step in (1e-4, -1e-4)
        ]
        slope = (ends[0] - ends[1]) / 2e-4
        gradient = (array.astype(np.float64) - getattr(moved, name)) / size
        noise = np.linalg.norm(gradient)  # of a random direction; the tolerance is a share of it
        assert (gradient * direction).sum() == pytest.approx(slope, abs=0.05 * noise), name
