"""The solver of `graph` against its specification."""

from __future__ import annotations

import itertools
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import chronotope as ct
import worlds
from chronotope.cooccurrence import Association, positive_pmi, symmetric
from chronotope.errors import SettingsError
from chronotope.methods import GraphModel
from chronotope.methods.graph import objective, solver
from chronotope.methods.graph.links import make_problem

BORDERS = [("arlen", "borva"), ("borva", "celdon")]


def problem_of(counts, place_edges=None, **settings):
    matrix = positive_pmi(counts, Association(sides=True, emphasis=1.5))
    chosen = {"smoothness": 1.0, "deviation_penalty": 0.1, "half_trust": 10.0, **settings}
    return make_problem(
        matrix, counts.vocabulary.support, len(counts.vocabulary), counts.conditions, place_edges=place_edges, **chosen
    )


@pytest.fixture(scope="module")
def grid(counts_of):
    """Time × place, where some words are missing from some conditions."""
    return counts_of(worlds.time_and_place(documents=150), time="time", place="place", min_count=3)


@pytest.mark.parametrize("edges", [None, BORDERS], ids=["chains", "chains and borders"])
@pytest.mark.parametrize("beta", [0.0, 0.3])
def test_the_solver_equals_the_specification(grid, edges, beta):
    problem = problem_of(grid, edges, deviation_penalty=beta)
    with ThreadPoolExecutor(2) as pool:
        contexts = solver.start_contexts(problem, 6, 1, pool)
        rows = np.zeros((len(problem.weight), 6), dtype=np.float32)
        gained = solver.solve_rows(contexts, rows, problem, pool)
        expected = objective.best_rows(contexts, problem)
        np.testing.assert_allclose(rows, expected, rtol=1e-3, atol=1e-4)
        np.testing.assert_allclose(
            solver.best_contexts(rows, problem, pool), objective.best_contexts(rows, problem), rtol=1e-2, atol=1e-4
        )
    squares = np.add.reduceat(problem.matrix.value.astype(np.float64) ** 2, problem.matrix.start[:-1])
    constant = float(problem.weight @ (squares * (np.diff(problem.matrix.start) > 0)))
    assert constant + gained == pytest.approx(objective.loss(rows, contexts, problem), rel=1e-4)


def test_no_rows_are_better_than_the_best(grid):
    problem = problem_of(grid, BORDERS)
    random = np.random.default_rng(0)
    contexts = solver.orthonormal(random.normal(size=(problem.matrix.contexts, 4)).astype(np.float32))
    best = objective.best_rows(contexts, problem)
    least = objective.loss(best, contexts, problem)
    for _ in range(20):
        assert objective.loss(best + 0.01 * random.normal(size=best.shape), contexts, problem) > least


@pytest.mark.parametrize("edges", [None, BORDERS])
def test_every_sweep_lowers_the_loss(grid, edges):
    losses = []
    GraphModel(dimensions=12, epochs=8).fit(grid, place_edges=edges, on_epoch=lambda epoch: losses.append(epoch.loss))
    assert all(later < earlier for earlier, later in itertools.pairwise(losses))


def test_a_missing_bin_weakens_the_link_as_a_free_vector_in_between_would(grid):
    problem = problem_of(grid, smoothness=2.0)
    support, times = grid.vocabulary.support, grid.conditions.time_of
    for word in range(problem.words):
        pairs = problem.order[problem.word_start[word] : problem.word_start[word + 1]]
        for link in range(problem.link_start[word], problem.link_start[word + 1]):
            a, b = (support.condition[pairs[end[link]]] for end in (problem.link_a, problem.link_b))
            assert grid.conditions.place_of[a] == grid.conditions.place_of[b]
            assert problem.link_weight[link] == pytest.approx(2.0 / (times[b] - times[a]))


def counts_on_sides(cells, words):
    """(W, 2W) how often each word has each other one after it (even columns) and before it (odd ones)."""
    after = np.zeros((words, words))
    after[cells.word, cells.context] = cells.after
    other = cells.word != cells.context
    after[cells.context[other], cells.word[other]] = (cells.count - cells.after)[other]
    return np.stack([after, after.T], axis=2).reshape(words, 2 * words)


@pytest.mark.parametrize(("sides", "emphasis"), [(False, 1.0), (True, 1.0), (True, 1.5)])
def test_mutual_information_is_that_of_its_own_condition(small, sides, emphasis):
    matrix = positive_pmi(small, Association(sides=sides, emphasis=emphasis), threads=2)
    support, words = small.vocabulary.support, len(small.vocabulary)
    assert matrix.contexts == words * (1 + sides)
    for condition in (0, 5):
        cells = small.cells(condition)
        counts = counts_on_sides(cells, words) if sides else symmetric(cells, words).toarray()
        total = counts.sum(axis=0) ** 0.75
        with np.errstate(divide="ignore", invalid="ignore"):
            pmi = np.log(counts / counts.sum(axis=1)[:, None] / (total / total.sum())[None, :])
        for word in support.words_in(condition)[::7]:
            pair = support.find(word, condition)
            row = np.zeros(matrix.contexts)
            own = slice(matrix.start[pair], matrix.start[pair + 1])
            assert (np.diff(matrix.context[own]) > 0).all()
            row[matrix.context[own]] = matrix.value[own]
            wanted = np.maximum(np.nan_to_num(pmi[word], nan=0, neginf=0), 0) ** emphasis
            np.testing.assert_allclose(row, wanted, atol=1e-4)


def test_told_apart_by_side_words_are_near_that_can_stand_in_each_others_place():
    """Verbs stand before the same nouns that stand before adverbs: only the side tells verbs from adverbs."""
    nouns = ["bread", "water", "stone", "cloth", "grain"]
    text = [
        {"text": words, "place": "market"}
        for noun in nouns
        for words in (f"bring {noun}", f"take {noun}", f"{noun} daily", f"{noun} early")
        for _ in range(10)
    ]
    counts = ct.count(ct.read_corpus(text, text="text", place="place"), min_count=1)
    lead = {}
    for sides in (True, False):
        found = GraphModel(dimensions=6, sides=sides).fit(counts).neighbors("bring", at="market", top=10)
        scores = {match.word: match.cosine for match in found}
        lead[sides] = scores["take"] - max(scores["daily"], scores["early"])
    assert lead[True] > 0.5 > 0.01 > lead[False]


def test_more_dimensions_than_words_are_refused(small):
    with pytest.raises(SettingsError, match=r"more than the .* words"):
        GraphModel(dimensions=100_000).fit(small)


@pytest.mark.parametrize("least", [0.5, 1e-3, 1e-9, 0.0])
def test_the_nearest_orthonormal_matrix_is_found_however_thin_the_given_one_is(least):
    random = np.random.default_rng(0)
    left, right = (np.linalg.qr(random.normal(size=shape))[0] for shape in ((50, 6), (6, 6)))
    values = np.array([3.0, 2.0, 1.5, 1.0, 0.7, least])
    found = solver.orthonormal(((left * values) @ right.T).astype(np.float32))
    np.testing.assert_allclose(found.T @ found, np.eye(6), atol=1e-6)
    # Where a direction is lost in the rounding of the given matrix, only the others are told by it.
    kept = values > 1e-6
    np.testing.assert_allclose(left[:, kept].T @ found @ right[:, kept], np.eye(kept.sum()), atol=1e-3)


@pytest.mark.parametrize(("axis", "dimensions"), [({"time": "time"}, 200), ({"place": "place"}, 300)])
def test_places_get_more_dimensions_than_times(axis, dimensions):
    random = np.random.default_rng(0)
    text = [" ".join(f"w{number}" for number in random.integers(400, size=60)) for _ in range(100)]
    records = [{"text": words, "time": 1990 + row % 2, "place": "ab"[row % 2]} for row, words in enumerate(text)]
    counts = ct.count(ct.read_corpus(records, **axis), min_count=1)
    assert GraphModel(epochs=1).fit(counts).vectors.shape[1] == dimensions


def test_there_are_no_more_dimensions_than_words():
    records = [{"text": "one two three two one", "place": place} for place in "ab"]
    counts = ct.count(ct.read_corpus(records, place="place"), min_count=1)
    assert GraphModel(epochs=1).fit(counts).vectors.shape[1] == 3
