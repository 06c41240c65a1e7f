"""CW2V's kernels equal their NumPy reference, go down the gradient of the paper's loss, and visit what was counted."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest

from chronotope.analysis.drift import drift
from chronotope.cooccurrence import scale_of_conditions, symmetric
from chronotope.errors import SettingsError
from chronotope.methods import ConditionedModel
from chronotope.methods.cw2v.cells import PARTS, STRATA, arrange_cells
from chronotope.methods.cw2v.kernel import GROUP, Side
from chronotope.methods.cw2v.objective import loss
from chronotope.methods.cw2v.parameters import Parameters
from chronotope.methods.cw2v.training import Trainer, penalties


@pytest.fixture
def pool():
    with ThreadPoolExecutor(3) as pool:
        yield pool


def move_rows_in_numpy(cells, stratum, moving, fixed, share, q, rate, gradient, blocks):
    """The twin of the kernels: move all rows of a stratum, group by group; return the weighted squared error."""
    vectors = fixed.base[cells.pair_word] * q[cells.pair_condition] + fixed.deviation
    squared = 0.0
    for c in np.concatenate(blocks):
        at = (stratum * len(q) + c) * PARTS
        for row in range(cells.row_start[at], cells.row_start[at + PARTS]):
            pair = cells.rows[row]
            i = cells.pair_word[pair]
            for begin in range(cells.cell_start[row], cells.cell_start[row + 1], GROUP):
                visited = slice(begin, min(begin + GROUP, cells.cell_start[row + 1]))
                other = cells.context[visited]
                target, weight = cells.values[cells.value[visited]].T
                vector = moving.base[i] * q[c] + moving.deviation[pair]
                error = vectors[other] @ vector + moving.bias[pair] + fixed.bias[other] - target
                squared += float(weight @ error**2)
                slope = 2 * weight * error  # derivative of the weighted squared error by the prediction
                by_vector, by_bias = slope @ vectors[other], slope.sum()
                by_base = by_vector * q[c]
                gradient[c] += by_vector * moving.base[i]
                moving.base_sum[i] += np.mean(by_base**2)
                moving.deviation_sum[pair] += np.mean(by_vector**2)
                moving.bias_sum[pair] += by_bias**2
                step = rate / np.sqrt(moving.deviation_sum[pair])
                moving.base[i] -= rate / np.sqrt(moving.base_sum[i]) * by_base
                moving.deviation[pair] -= step * by_vector
                moving.deviation[pair] /= 1 + step * share[pair] * len(other)
                moving.bias[pair] -= rate / np.sqrt(moving.bias_sum[pair]) * by_bias
    return squared


@pytest.mark.parametrize(
    ("dimensions", "block_bytes", "model"),
    [
        (1, 1, ConditionedModel(deviation_penalty=0.0)),
        (7, 20_000, ConditionedModel()),
        (33, 1 << 20, ConditionedModel.preset("authors", "time")),
        (64, 1, ConditionedModel.preset("paper")),
        (50, 1 << 30, ConditionedModel(condition_vectors=False)),
    ],
)
def test_the_kernels_equal_their_numpy_reference(small, pool, dimensions, block_bytes, model):
    model = replace(model, dimensions=dimensions, smoothness=0.0)
    cells = arrange_cells(small, model, pool)
    graph = small.conditions.graph()
    expected, state = model._start(small), model._start(small)
    share = penalties(model, cells, graph)[0] / np.maximum(cells.pair_cells, 1)
    q, q_sum = expected[0].condition, expected[1].condition
    trainer = Trainer(model, cells, graph, *state, pool, 3, block_bytes)
    for stratum in (*range(STRATA), 0):
        gradient = np.zeros_like(q)
        sides = [Side.of(name, *expected) for name in ("word", "context")]
        blocks = trainer.visits(stratum)
        squared = move_rows_in_numpy(cells, stratum, *sides, share, q, model.rate, gradient, blocks)
        move_rows_in_numpy(cells, stratum, *sides[::-1], share, q, model.rate, gradient, blocks)
        q_sum += np.mean(gradient**2, axis=1)
        q -= (model.rate / np.sqrt(q_sum))[:, None] * gradient
        assert trainer.move_stratum(stratum) == pytest.approx(squared, rel=1e-3)
    for mine, reference in zip(state, expected, strict=True):
        for name, array in mine._asdict().items():
            np.testing.assert_allclose(array, getattr(reference, name), rtol=5e-3, atol=5e-4, err_msg=name)


def test_every_cell_is_visited_once_in_each_direction(small, pool):
    cells = arrange_cells(small, ConditionedModel(weight_cap=0.0), pool)
    scale, support = scale_of_conditions(small), small.vocabulary.support
    expected = {}
    for condition in range(len(small.conditions)):
        matrix = symmetric(small.cells(condition), len(small.vocabulary)).tocoo()
        for word, context, value in zip(matrix.row, matrix.col, matrix.data, strict=True):
            pairs = support.find(word, condition), support.find(context, condition)
            expected[pairs] = np.float32(np.log(value * scale[condition]))
    word_pair = np.repeat(cells.rows, cells.pair_cells[cells.rows])
    found = zip(zip(word_pair.tolist(), cells.context.tolist(), strict=True), cells.values[cells.value, 0], strict=True)
    assert dict(found) == pytest.approx(expected)
    assert len(cells.context) == len(expected) == cells.weight


@pytest.mark.parametrize("penalty", ["once", "each-cell"])
def test_small_steps_go_down_the_gradient_of_the_loss(small, pool, penalty):
    """With huge accumulators AdaGrad takes plain gradient steps of one size."""
    size = 1e-5
    model = ConditionedModel(
        dimensions=3, smoothness=1.5, deviation_penalty=0.3, penalties=penalty, accumulator=1e12, rate=size * 1e6
    )
    graph, random = small.conditions.graph(), np.random.default_rng(1)
    start, accumulators = model._start(small)
    start = Parameters(*(array + random.normal(0, 0.3, array.shape).astype(np.float32) for array in start))
    moved = Parameters(*(array.copy() for array in start))
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


def test_with_zeros_a_word_that_leaves_its_contexts_changes_most(drifting):
    fitted = ConditionedModel(zeros=True).fit(drifting)
    assert fitted.dimensions == 100, "as words and as contexts"
    assert drift(fitted, top=1, min_count=5)["word"][0] == "bank"
    with pytest.raises(SettingsError, match="zeros needs deviations"):
        ConditionedModel(zeros=True, deviations=False)
