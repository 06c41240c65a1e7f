"""Every fast kernel equals the reference, tensor by tensor, on odd shapes."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from chronotope.cooccurrence import scale_of_conditions, symmetric
from chronotope.model import ConditionedModel
from chronotope.model.cw2v.kernels import cpu, reference
from chronotope.model.cw2v.layout import CELLS_IN_A_GROUP, make_layout, strata
from chronotope.model.cw2v.model import penalties_of
from chronotope.model.cw2v.parameters import initial_accumulators, initial_parameters
from chronotope.model.cw2v.training import Penalties, State, train_epoch


def state_of(counts, layout, dimensions, accumulator=0.1, seed=3):
    sizes = len(counts.vocabulary), len(counts.conditions), len(layout.pair_word)
    parameters = initial_parameters(*sizes, dimensions, seed)
    return State(parameters, initial_accumulators(parameters, accumulator))


@pytest.mark.parametrize(
    ("dimensions", "blocks", "model"),
    [
        (1, 1, ConditionedModel(deviation_penalty=0.0)),
        (7, 2, ConditionedModel()),
        (13, 3, ConditionedModel.preset("authors")),
        (32, 8, ConditionedModel.preset("paper")),
    ],
)
def test_the_compiled_kernel_equals_the_reference(small, dimensions, blocks, model):
    model = model._for_axis("time")
    layout = make_layout(small, model, blocks)
    graph = small.conditions.graph()
    penalties = Penalties.of(*penalties_of(model, layout, graph), layout, graph)
    states, losses = [], []
    for kernel in (reference.visit_groups, cpu.visit_groups):
        state = state_of(small, layout, dimensions, model.accumulator)
        with ThreadPoolExecutor(1) as pool:
            losses.append(train_epoch(state, layout, penalties, seed=1, rate=model.rate, pool=pool, kernel=kernel))
        states.append(state)
    assert losses[0] == pytest.approx(losses[1], rel=1e-4)
    for kind in ("parameters", "accumulators"):
        for name, expected in getattr(states[0], kind)._asdict().items():
            found = getattr(getattr(states[1], kind), name)
            np.testing.assert_allclose(found, expected, rtol=2e-3, atol=2e-4, err_msg=f"{kind}.{name}")


def test_the_layout_holds_every_cell_once_in_each_direction(small):
    layout = make_layout(small, ConditionedModel(weight_cap=0.0), blocks=3)
    scale = scale_of_conditions(small)
    support = small.vocabulary.support
    expected = {}
    for condition in range(len(small.conditions)):
        matrix = symmetric(small.cells(condition), len(small.vocabulary)).tocoo()
        for word, context, value in zip(matrix.row, matrix.col, matrix.data, strict=True):
            pairs = support.find(word, condition), support.find(context, condition)
            expected[pairs] = np.float32(np.log(value * scale[condition]))
    lengths = np.diff(layout.group_start)
    word_pair = np.repeat(layout.group_pair, lengths)
    found = dict(zip(zip(word_pair.tolist(), layout.context_pair.tolist(), strict=True), layout.target, strict=True))
    assert len(layout.target) == len(found) == len(expected)
    assert found == pytest.approx(expected)
    assert lengths.max() <= CELLS_IN_A_GROUP
    assert layout.pair_cells.tolist() == np.bincount(word_pair, minlength=len(layout.pair_word)).tolist()


def test_members_of_a_stratum_share_neither_words_nor_contexts(small):
    blocks = 4
    layout = make_layout(small, ConditionedModel(), blocks)
    seen = []
    for members in strata(blocks):
        words, contexts = [], []
        for member in members:
            groups = slice(layout.block_start[member], layout.block_start[member + 1])
            cells = slice(layout.group_start[groups.start], layout.group_start[groups.stop])
            words.append(set(layout.pair_word[layout.group_pair[groups]]))
            contexts.append(set(layout.pair_word[layout.context_pair[cells]]))
        for sets in (words, contexts):
            assert sum(map(len, sets)) == len(set.union(*sets)), "no word in two members"
        seen += members
    assert sorted(seen) == list(range(blocks * blocks))


def test_blocks_carry_about_the_same_load(drifting):
    layout = make_layout(drifting, ConditionedModel(), 8)
    cells = layout.group_start[layout.block_start]
    loads = np.diff(cells).reshape(8, 8).sum(axis=1)
    assert loads.max() < 1.1 * loads.mean()


def test_starting_condition_vectors_at_zero_stays_at_a_saddle(small):
    """There no word and no context can learn: only the biases move."""
    model = ConditionedModel()._for_axis("time")
    layout = make_layout(small, model)
    graph = small.conditions.graph()
    penalties = Penalties.of(*penalties_of(model, layout, graph), layout, graph)
    for start, learns in ((0.0, False), (1.0, True)):
        state = state_of(small, layout, 8)
        state.parameters.condition[:] = start
        with ThreadPoolExecutor(1) as pool:
            for _ in range(3):
                train_epoch(state, layout, penalties, seed=1, rate=0.05, pool=pool)
        assert bool(np.abs(state.parameters.word_deviation).max() > 0) is learns
        assert bool(np.abs(state.parameters.condition - start).max() > 0) is learns
        assert np.abs(state.parameters.word_bias).max() > 0
