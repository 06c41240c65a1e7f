"""Where training runs, what it says about it, and the order of cells that a GPU needs."""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from chronotope.errors import ChronotopeError, MissingExtra, SettingsError
from chronotope.methods import ConditionedModel, GraphModel
from chronotope.methods.cw2v import alternating, objective
from chronotope.methods.cw2v.kernels import gpu as cw2v_gpu
from chronotope.methods.cw2v.kernels.sides import ReferenceSides
from chronotope.methods.cw2v.parameters import initial_accumulators, initial_parameters
from chronotope.methods.cw2v.penalties import Penalties, penalties_of
from chronotope.methods.cw2v.rows import make_rows
from chronotope.methods.cw2v.trainers import CpuTrainer, Load, _cells
from chronotope.methods.cw2v.training import State
from chronotope.methods.device import RESERVED, Gpu, Need, choices, find_gpu, train_on
from chronotope.methods.graph import gpu as graph_gpu

GB = 10**9
NONE = isinstance(find_gpu(), str)
without_gpu = pytest.mark.skipif(not NONE, reason="a GPU is there")


def ways(asked, need, found):
    return [(choice.device, choice.streamed) for choice in choices(asked, need, found)]


def test_the_gpu_is_taken_if_it_is_there_and_large_enough():
    need = Need(parameters=10 * GB, cells=20 * GB, part=3 * GB)
    assert ways("auto", need, Gpu("Large", 80 * GB)) == [("cuda", False), ("cuda", True), ("cpu", False)]
    assert ways("cuda", need, Gpu("Middle", 16 * GB)) == [("cuda", True), ("cpu", False)]
    assert ways("cuda", need, Gpu("Small", 12 * GB)) == [("cpu", False)]
    assert ways("cpu", need, Gpu("Large", 80 * GB)) == [("cpu", False)]


def test_a_gpu_that_is_too_small_is_said_to_be_so_with_what_is_needed():
    need = Need(parameters=10 * GB, cells=20 * GB, part=3 * GB)
    (choice,) = choices("auto", need, Gpu("Small", 12 * GB))
    assert choice.line == "training on the CPU: Small has 12.0 GB free and this takes 30.5 GB"
    assert choice.recorded == "cpu"
    parts, _ = choices("auto", need, Gpu("Middle", 16 * GB))
    assert "in parts from the host" in parts.line
    assert parts.recorded == "cuda (Middle, cells from the host)"


def test_no_gpu_is_one_line_for_auto_and_an_error_for_cuda():
    (choice,) = choices("auto", Need(1, 1, 1), "no GPU answers")
    assert choice.line == "training on the CPU: no GPU answers"
    with pytest.raises((MissingExtra, SettingsError), match=r"pip install 'chronotope\[gpu\]'"):
        list(choices("cuda", Need(1, 1, 1), "no GPU answers"))
    with pytest.raises(SettingsError, match="did you mean cuda"):
        list(choices("cude", Need(1, 1, 1), "no GPU answers"))


@without_gpu
@pytest.mark.parametrize("model", [ConditionedModel(dimensions=4, epochs=1), GraphModel(dimensions=4, epochs=1)])
def test_a_fit_says_where_it_runs_and_records_it(small, model):
    lines = []
    made = model.fit(small, on_device=lines.append).provenance
    assert len(lines) == 1
    assert lines[0].startswith("training on the CPU: ")
    assert made["device"] == "cpu"
    assert "cupy" not in made["versions"]
    assert model.fit(small, device="cpu").provenance == made
    with pytest.raises(ChronotopeError, match="chronotope\\[gpu\\]"):
        model.fit(small, device="cuda")


def train_command(*arguments):
    command = [sys.executable, "-c", "from chronotope.cli import main; main()", "train", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=120)


@without_gpu
def test_the_command_line_refuses_a_gpu_that_is_not_there(small, tmp_path):
    asked = train_command(small.folder, "--device", "cuda", "-o", tmp_path / "m.ct")
    assert asked.returncode == 2
    assert "pip install 'chronotope[gpu]'" in asked.stderr
    other = train_command(small.folder, "--method", "dynamic", "--device", "cuda", "-o", tmp_path / "m.ct")
    assert other.returncode == 2
    assert other.stderr == "error: dynamic trains on the CPU alone; leave out --device cuda\n"


@without_gpu
def test_the_command_line_says_where_it_trains(small, tmp_path):
    done = train_command(small.folder, "--dimensions", "4", "--epochs", "1", "-o", tmp_path / "m.ct")
    assert done.returncode == 0
    assert sum(line.startswith("training on the CPU: ") for line in done.stderr.splitlines()) == 1


def test_training_that_needs_no_gpu_looks_for_none():
    assert train_on("cpu", Need(1, 1, 1), lambda choice: choice.device) == "cpu"


@pytest.mark.parametrize("dimensions", [50, 200])
def test_the_memory_needed_covers_what_must_lie_there(dimensions):
    pairs, words, cells = 540_000, 20_000, 100_000_000
    row = 4 * dimensions
    cw2v = cw2v_gpu.memory_needed(pairs, words, 27, cells, dimensions)
    assert cw2v.parameters > (4 * pairs + 2 * words) * row
    assert cw2v.part < 12 * cells < cw2v.cells
    graph = graph_gpu.memory_needed(pairs, words, cells, dimensions)
    assert graph.parameters > 2 * pairs * row
    assert graph.cells > 16 * cells + graph.part
    assert all(need.parameters + need.cells + RESERVED < 16 * GB for need in (cw2v, graph))


@pytest.fixture(scope="module")
def arranged(small):
    """The model, the counts' cells in rows, the penalties and a start."""
    model = ConditionedModel(dimensions=9)._for_axis("time")
    support, graph = small.vocabulary.support, small.conditions.graph()
    rows = make_rows(np, _cells(np, model, small), support.start, support.word, len(small.vocabulary), seed=1)
    load = Load(rows.pair_cells, np.bincount(support.condition, rows.pair_cells).astype(np.int64))
    beta, alpha = penalties_of(model, load, graph)

    def start():
        parameters = initial_parameters(len(small.vocabulary), len(small.conditions), len(support.word), 9, 1)
        return State(parameters, initial_accumulators(parameters, model.accumulator))

    problem = objective.Problem(
        pair_word=support.word,
        pair_condition=support.condition,
        word_pair=np.repeat(rows.group_pair, np.diff(rows.group_start)),
        context_pair=rows.context_pair,
        target=rows.target,
        weight=rows.weight,
        edges=graph.edges,
        smoothness=alpha,
        deviation_penalty=beta,
    )
    return model, rows, Penalties.of(beta, alpha, load, graph), start, problem


def test_rows_hold_every_cell_once_in_each_direction(small, arranged):
    _, rows, _, _, problem = arranged
    support = small.vocabulary.support
    expected = set()
    for condition in range(len(small.conditions)):
        for word, context, *_ in zip(*small.cells(condition), strict=True):
            a, b = support.find(word, condition), support.find(context, condition)
            expected |= {(a, b), (b, a)}
    found = list(zip(problem.word_pair.tolist(), rows.context_pair.tolist(), strict=True))
    assert len(found) == len(set(found))
    assert set(found) == expected
    by_pair = dict(zip(found, rows.target.tolist(), strict=True))
    assert all(by_pair[a, b] == by_pair[b, a] for a, b in found)


def test_groups_are_short_even_and_spread_over_the_strata(arranged):
    _, rows, _, _, _ = arranged
    lengths = np.diff(rows.group_start)
    assert lengths.max() <= 32
    for pair in np.flatnonzero(rows.pair_cells):
        own = lengths[rows.group_pair == pair]
        assert own.max() - own.min() <= 1
        assert own.sum() == rows.pair_cells[pair]
    # The longest words are spread over all strata, a bit of each at a time; any other is in one.
    in_strata = np.diff(rows.word_start, axis=1)  # (S, W)
    groups, most, fewest = in_strata.sum(axis=0), in_strata.max(axis=0), in_strata.min(axis=0)
    long = groups > groups.max() / len(in_strata)
    assert 0 < long.sum() < len(long)
    assert (most[long] - fewest[long] <= 1).all()
    assert (most[~long] == groups[~long]).all()
    assert in_strata.sum(axis=1).max() < 1.2 * in_strata.sum(axis=1).mean()
    for stratum, starts in enumerate(rows.word_start):
        for word in range(in_strata.shape[1]):
            assert (rows.pair_word[rows.group_pair[starts[word] : starts[word + 1]]] == word).all(), stratum


def test_a_condition_without_cells_does_no_harm():
    empty = (np.empty(0, np.int32), np.empty(0, np.int32), np.empty(0, np.float32), np.empty(0, np.float32))
    one = (np.array([0, 1]), np.array([1, 1]), np.ones(2, np.float32), np.ones(2, np.float32))
    rows = make_rows(np, [empty, one, empty], [0, 1, 3, 3], np.array([0, 0, 1]), words=2, seed=1)
    assert rows.pair_cells.tolist() == [0, 1, 2]
    assert sorted(rows.context_pair.tolist()) == [1, 2, 2]


def test_strata_of_cells_and_strata_of_words_learn_as_much(small, arranged):
    """The GPU spreads the cells of long words over the strata, the CPU only words: two orders of the same steps."""
    model, rows, penalties, start, problem = arranged
    of_words, of_cells = start(), start()
    before = objective.loss(of_words.parameters, problem)
    kernel = ReferenceSides(rows, of_cells.parameters, of_cells.accumulators, penalties.share)
    with ThreadPoolExecutor(1) as pool:
        trainer = CpuTrainer(model, small, small.conditions.graph(), of_words, pool, threads=1)
        for epoch in range(8):
            trainer.epoch(lambda: None)
            alternating.train_epoch(
                kernel, of_cells.parameters.condition, of_cells.accumulators.condition, penalties.neighbors,
                epoch=epoch, strata=8, rate=model.rate,
            )  # fmt: skip
    losses = [objective.loss(state.parameters, problem) for state in (of_words, of_cells)]
    assert max(losses) < 0.5 * before
    assert losses[1] == pytest.approx(losses[0], rel=0.3)


def test_an_epoch_can_be_finished_later(arranged):
    _, rows, penalties, start, _ = arranged
    whole, parted = start(), start()

    def train(state, **more):
        kernel = ReferenceSides(rows, state.parameters, state.accumulators, penalties.share)
        q, sums = state.parameters.condition, state.accumulators.condition
        return alternating.train_epoch(kernel, q, sums, penalties.neighbors, epoch=0, strata=8, rate=0.05, **more)

    reached = []

    def interrupt(strata, squared):
        reached.append((strata, squared))
        if strata == 5:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train(parted, after_stratum=interrupt)
    done, squared = reached[-1]
    assert train(parted, done=done, squared=squared) == train(whole)
    for name, array in whole.parameters._asdict().items():
        assert array.tobytes() == getattr(parted.parameters, name).tobytes(), name


def test_the_gpu_kernels_need_neither_numba_nor_polars():
    program = """
import sys
sys.modules |= dict.fromkeys(["numba", "polars", "pyarrow", "safetensors", "tomli_w"])
import chronotope.methods.cw2v.kernels.gpu, chronotope.methods.cw2v.alternating, chronotope.methods.graph.gpu
"""
    assert subprocess.run([sys.executable, "-c", program], timeout=60).returncode == 0
