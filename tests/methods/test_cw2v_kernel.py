"""The compiled kernel equals the reference, tensor by tensor, on odd shapes, and the layout holds what was counted."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from chronotope.cooccurrence import scale_of_conditions, symmetric
from chronotope.methods import ConditionedModel
from chronotope.methods.cw2v.alternating import train_epoch
from chronotope.methods.cw2v.kernels import cpu, row_products
from chronotope.methods.cw2v.kernels.cpu import CpuSides
from chronotope.methods.cw2v.kernels.sides import ReferenceSides
from chronotope.methods.cw2v.layout import PARTS, make_layout
from chronotope.methods.cw2v.parameters import initial_accumulators, initial_parameters
from chronotope.methods.cw2v.penalties import Penalties, penalties_of
from chronotope.methods.cw2v.rows import CELLS_IN_A_GROUP, RowCells


def start_of(counts, layout, dimensions, accumulator=0.1, seed=3):
    sizes = len(counts.vocabulary), len(counts.conditions), len(layout.pair_word)
    parameters = initial_parameters(*sizes, dimensions, seed)
    return parameters, initial_accumulators(parameters, accumulator)


def all_cells(layout):
    """For each cell, in the order of visits, its two pairs, its target and its weight."""
    word_pair = np.repeat(layout.rows, layout.pair_cells[layout.rows])
    (cells,) = layout.cells.stream([(0, len(word_pair))])
    condition = layout.pair_condition[word_pair]
    values = layout.values[layout.value_start[condition] + cells[:, 1]]
    return word_pair, layout.pair_start[condition] + cells[:, 0], values[:, 0], values[:, 1]


def as_rows(layout, words):
    """The same cells in the order of the reference: word after word, each through the stratum's conditions."""
    groups, pairs, word_start = [], [], []
    for row_start in layout.row_start:
        rows = np.arange(row_start[0, 0], row_start[-1, -1])
        sizes = np.zeros(words, dtype=np.int64)
        begin = len(groups)
        # Of each word the rows stand in the order of their conditions already.
        for row in rows[np.argsort(layout.pair_word[layout.rows[rows]], kind="stable")]:
            cells = np.arange(layout.cell_start[row], layout.cell_start[row + 1])
            cut = np.split(cells, range(CELLS_IN_A_GROUP, len(cells), CELLS_IN_A_GROUP)) if len(cells) else []
            groups += cut
            pairs += [layout.rows[row]] * len(cut)
            sizes[layout.pair_word[layout.rows[row]]] += len(cut)
        word_start.append(begin + np.concatenate([[0], np.cumsum(sizes)]))
    cells = np.concatenate(groups)
    _, context_pair, target, weight = all_cells(layout)
    return RowCells(
        layout.pair_word, layout.pair_condition, layout.pair_cells, np.stack(word_start),
        np.concatenate([[0], np.cumsum([len(group) for group in groups])]), np.array(pairs),
        context_pair[cells], target[cells], weight[cells],
    )  # fmt: skip


@pytest.mark.parametrize(
    ("dimensions", "strata", "model"),
    [
        (1, 1, ConditionedModel(deviation_penalty=0.0)),
        (7, 2, ConditionedModel()),
        (13, 3, ConditionedModel.preset("authors")),
        (33, 8, ConditionedModel.preset("paper")),
        (50, 8, ConditionedModel(condition_vectors=False)),
    ],
)
def test_the_compiled_kernel_equals_the_reference(small, dimensions, strata, model):
    model = model._for_axis("time")
    layout = make_layout(small, model, strata)
    graph = small.conditions.graph()
    penalties = Penalties.of(*penalties_of(model, layout, graph), layout, graph)
    found = []
    with ThreadPoolExecutor(3) as pool:
        for fast in (False, True):
            parameters, accumulators = start_of(small, layout, dimensions, model.accumulator)
            cells = layout if fast else as_rows(layout, len(small.vocabulary))
            more = (pool, 3) if fast else ()
            kernel = (CpuSides if fast else ReferenceSides)(cells, parameters, accumulators, penalties.share, *more)
            squared = [
                train_epoch(
                    kernel, parameters.condition, accumulators.condition, penalties.neighbors,
                    epoch=epoch, strata=strata, rate=model.rate,
                )
                for epoch in range(2)
            ]  # fmt: skip
            found.append((squared, parameters, accumulators))
    assert found[1][0] == pytest.approx(found[0][0], rel=1e-4)
    for expected, tensors in zip(found[0][1:], found[1][1:], strict=True):
        for name, array in tensors._asdict().items():
            np.testing.assert_allclose(array, getattr(expected, name), rtol=5e-3, atol=5e-4, err_msg=name)


def test_the_result_does_not_depend_on_how_much_a_register_holds(small, monkeypatch):
    """But for rounding; rows are then 52, 56 and 64 numbers wide."""
    model = ConditionedModel(dimensions=50)._for_axis("time")
    layout = make_layout(small, model)
    share = np.full(len(layout.pair_word), 0.1, dtype=np.float32)
    found = []
    for lanes in (4, 8, 16):
        for module in (cpu, row_products):
            monkeypatch.setattr(module, "lanes", lambda lanes=lanes: lanes)
        cpu.compiled.cache_clear()
        parameters, accumulators = start_of(small, layout, model.dimensions)
        with ThreadPoolExecutor(1) as pool:
            kernel = CpuSides(layout, parameters, accumulators, share, pool, 1)
            gradient = [kernel.move_stratum(stratum, parameters.condition, 0.05)[1] for stratum in range(3)]
        found.append((parameters.word, parameters.context_deviation, gradient[-1]))
    cpu.compiled.cache_clear()
    for other in found[1:]:
        for expected, array in zip(found[0], other, strict=True):
            np.testing.assert_allclose(array, expected, rtol=1e-3, atol=1e-4)


def test_the_layout_holds_every_cell_once_in_each_direction(small):
    layout = make_layout(small, ConditionedModel(weight_cap=0.0), strata=3)
    scale = scale_of_conditions(small)
    support = small.vocabulary.support
    expected = {}
    for condition in range(len(small.conditions)):
        matrix = symmetric(small.cells(condition), len(small.vocabulary)).tocoo()
        for word, context, value in zip(matrix.row, matrix.col, matrix.data, strict=True):
            pairs = support.find(word, condition), support.find(context, condition)
            expected[pairs] = np.float32(np.log(value * scale[condition]))
    word_pair, context_pair, target, weight = all_cells(layout)
    found = dict(zip(zip(word_pair.tolist(), context_pair.tolist(), strict=True), target, strict=True))
    assert len(target) == len(found) == len(expected)
    assert found == pytest.approx(expected)
    assert layout.weight == pytest.approx(weight.sum())


def test_every_row_stands_once_in_the_order_of_training(small):
    """All rows of a word are in one part, so that no two threads ever move it."""
    layout = make_layout(small, ConditionedModel(), strata=3)
    assert sorted(layout.rows.tolist()) == list(range(len(layout.pair_word)))
    part_of_word = {}
    for stratum, order in enumerate(layout.order.tolist()):
        assert sorted(order) == list(range(len(small.conditions)))
        for turn, condition in enumerate(order):
            for part in range(PARTS):
                rows = layout.rows[slice(*layout.row_start[stratum, turn, part : part + 2])]
                assert (layout.pair_condition[rows] == condition).all()
                for word in layout.pair_word[rows].tolist():
                    assert part_of_word.setdefault(word, (stratum, part)) == (stratum, part)


def test_parts_carry_about_the_same_load(drifting):
    layout = make_layout(drifting, ConditionedModel(), 2)
    loads = np.diff(layout.cell_start[layout.row_start], axis=2).sum(axis=1)
    assert loads.sum() == layout.pair_cells.sum()
    assert loads.max() < 1.2 * loads.mean()


def test_the_cells_of_a_row_are_shuffled(drifting):
    """Sorted by frequency, a row would meet its most frequent contexts first in every epoch."""
    layout = make_layout(drifting, ConditionedModel())
    word_pair, context_pair, _, _ = all_cells(layout)
    contexts = context_pair[word_pair == layout.pair_cells.argmax()]
    rank = np.argsort(np.argsort(contexts))
    assert abs(np.corrcoef(rank, np.arange(len(rank)))[0, 1]) < 0.3
    other = make_layout(drifting, ConditionedModel(seed=2))
    again = make_layout(drifting, ConditionedModel(), threads=3)
    assert not np.array_equal(context_pair, all_cells(other)[1])
    assert np.array_equal(context_pair, all_cells(again)[1])


def test_starting_condition_vectors_at_zero_stays_at_a_saddle(small):
    """There no word and no context can learn: only the biases move."""
    model = ConditionedModel()._for_axis("time")
    layout = make_layout(small, model)
    graph = small.conditions.graph()
    penalties = Penalties.of(*penalties_of(model, layout, graph), layout, graph)
    for start, learns in ((0.0, False), (1.0, True)):
        parameters, accumulators = start_of(small, layout, 8)
        parameters.condition[:] = start
        with ThreadPoolExecutor(1) as pool:
            kernel = CpuSides(layout, parameters, accumulators, penalties.share, pool, 1)
            for epoch in range(3):
                train_epoch(
                    kernel, parameters.condition, accumulators.condition, penalties.neighbors,
                    epoch=epoch, strata=len(layout.order), rate=0.05,
                )  # fmt: skip
        assert bool(np.abs(parameters.word_deviation).max() > 0) is learns
        assert bool(np.abs(parameters.condition - start).max() > 0) is learns
        assert np.abs(parameters.word_bias).max() > 0
