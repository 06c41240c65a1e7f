"""The solver of `graph` against its specification."""

from __future__ import annotations

import itertools
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from scipy import sparse

import chronotope as ct
from chronotope.config import GraphSettings
from chronotope.cooccurrence import Association, symmetric
from chronotope.methods import GraphModel
from chronotope.methods.graph.links import make_problem
from chronotope.methods.graph.matrix import mutual_information
from chronotope.methods.graph.objective import loss
from chronotope.methods.graph.products import CpuProducts, Products
from chronotope.methods.graph.solver import Solver, orthonormal, sum_of_squares

BORDERS = [("arlen", "borva"), ("borva", "celdon")]


def problem_of(counts, place_edges=None, **settings):
    matrix = mutual_information(counts, Association(directional_contexts=True, pmi_power=1.5))
    chosen = GraphSettings(**{"smoothness": 1.0, "deviation_penalty": 0.1, **settings})
    return make_problem(
        chosen, matrix, counts.vocabulary.support, len(counts.vocabulary), counts.conditions, place_edges
    )


def best_rows(contexts, problem):
    """(P, D) the A that minimizes the loss for a given B, by solving each word's equations directly."""
    matrix = problem.matrix
    rows = np.zeros((len(problem.weight), contexts.shape[1]))
    for pair in range(len(rows)):
        cells = slice(matrix.start[pair], matrix.start[pair + 1])
        rows[pair] = problem.weight[pair] * (matrix.value[cells] @ contexts[matrix.context[cells]])
    for word in range(problem.words):
        pairs = problem.order[problem.word_start[word] : problem.word_start[word + 1]]
        size = len(pairs)
        if not size:
            continue
        system = np.diag(problem.weight[pairs].astype(np.float64))
        system += problem.deviation_penalty * (np.eye(size) - 1 / size)
        for link in range(problem.link_start[word], problem.link_start[word + 1]):
            a, b, tau = problem.link_a[link], problem.link_b[link], problem.link_weight[link]
            system[[a, b], [a, b]] += tau
            system[[a, b], [b, a]] -= tau
        rows[pairs] = np.linalg.solve(system, rows[pairs])
    return rows


def best_contexts(rows, problem):
    """(K, D) the orthonormal B that minimizes the loss for a given A."""
    matrix = problem.matrix
    pull = np.zeros((matrix.contexts, rows.shape[1]))
    pair = np.repeat(np.arange(len(rows)), np.diff(matrix.start))
    np.add.at(pull, matrix.context, (matrix.value * problem.weight[pair])[:, None] * rows[pair])
    left, _, right = np.linalg.svd(pull, full_matrices=False)
    return np.asarray(left @ right)


@pytest.fixture(params=["numba", "sparse matrices"])
def products(request):
    """The products of the CPU, and those of the GPU with NumPy and SciPy in the place of CuPy."""
    with ThreadPoolExecutor(2) as pool:
        yield CpuProducts(pool) if request.param == "numba" else Products(np, sparse, cells=700, room=5000)


@pytest.mark.parametrize("edges", [None, BORDERS], ids=["chains", "chains and borders"])
@pytest.mark.parametrize("beta", [0.0, 0.3])
def test_the_solver_equals_the_specification(grid, products, edges, beta):
    problem = problem_of(grid, edges, deviation_penalty=beta)
    solver = Solver(problem, 6, products)
    solver.start_contexts(seed=1)
    gained = solver.solve_rows()
    rows, contexts = solver.rows.copy(), solver.contexts
    np.testing.assert_allclose(contexts.T @ contexts, np.eye(6), atol=1e-5)
    np.testing.assert_allclose(rows, best_rows(contexts, problem), rtol=1e-3, atol=1e-4)
    assert sum_of_squares(problem) + gained == pytest.approx(loss(rows, contexts, problem), rel=1e-4)
    solver.best_contexts()
    np.testing.assert_allclose(solver.contexts, best_contexts(rows, problem), rtol=1e-2, atol=1e-4)


def test_training_stops_when_a_sweep_gains_little(grid):
    all_losses, losses = (
        [
            epoch["loss"]
            for epoch in GraphModel(dimensions=12, tolerance=tolerance).fit(grid, device="cpu").provenance["training"]
        ]
        for tolerance in (0.0, 0.01)
    )
    assert losses == all_losses[: len(losses)]
    gains = [1 - later / earlier for earlier, later in itertools.pairwise(losses)]
    assert gains[-1] < 0.01
    assert all(gain >= 0.01 for gain in gains[:-1])


def test_a_missing_bin_weakens_the_link_as_a_free_vector_in_between_would(grid):
    problem = problem_of(grid, smoothness=2.0)
    support, times = grid.vocabulary.support, grid.conditions.time_of
    for word in range(problem.words):
        pairs = problem.order[problem.word_start[word] : problem.word_start[word + 1]]
        for link in range(problem.link_start[word], problem.link_start[word + 1]):
            a, b = (support.condition[pairs[end[link]]] for end in (problem.link_a, problem.link_b))
            assert grid.conditions.place_of[a] == grid.conditions.place_of[b]
            assert problem.link_weight[link] == pytest.approx(2.0 / (times[b] - times[a]))


def directional_counts(cells, words):
    """(W, 2W) how often each word has each other one after it (even columns) and before it (odd ones)."""
    after = np.zeros((words, words))
    after[cells.word, cells.context] = cells.after
    other = cells.word != cells.context
    after[cells.context[other], cells.word[other]] = (cells.count - cells.after)[other]
    return np.stack([after, after.T], axis=2).reshape(words, 2 * words)


@pytest.mark.parametrize(
    ("directional", "pmi_power", "marginals"),
    [(False, 1.0, "own"), (True, 1.0, "own"), (True, 1.5, "own"), (False, 1.0, "pooled")],
)
def test_mutual_information_is_that_of_its_own_condition_or_of_all(small, directional, pmi_power, marginals):
    association = Association(directional_contexts=directional, pmi_power=pmi_power)
    matrix = mutual_information(small, association, marginals=marginals, threads=2)
    support, words = small.vocabulary.support, len(small.vocabulary)
    assert matrix.contexts == words * (1 + directional)

    def counted(condition):
        cells = small.cells(condition)
        return directional_counts(cells, words) if directional else symmetric(cells, words).toarray()

    shares = [counts.sum(axis=0) / counts.sum() for counts in map(counted, range(len(small.conditions)))]
    for condition in (0, 5):
        counts = counted(condition)
        total = (sum(shares) if marginals == "pooled" else shares[condition]) ** 0.75
        with np.errstate(divide="ignore", invalid="ignore"):
            pmi = np.log(counts / counts.sum(axis=1)[:, None] / (total / total.sum())[None, :])
        for word in support.words_in(condition)[::7]:
            pair = support.find(word, condition)
            row = np.zeros(matrix.contexts)
            own = slice(matrix.start[pair], matrix.start[pair + 1])
            assert (np.diff(matrix.context[own]) > 0).all()
            row[matrix.context[own]] = matrix.value[own]
            wanted = np.maximum(np.nan_to_num(pmi[word], nan=0, neginf=0), 0) ** pmi_power
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
    for directional in (True, False):
        model = GraphModel(dimensions=6, directional_contexts=directional).fit(counts)
        found = model.neighbors("bring", at="market", top=10)
        scores = {match.word: match.similarity for match in found}
        lead[directional] = scores["take"] - max(scores["daily"], scores["early"])
    assert lead[True] > 0.5 > 0.01 > lead[False]


@pytest.mark.parametrize("least", [0.5, 1e-3, 1e-9, 0.0])
def test_the_nearest_orthonormal_matrix_is_found_however_thin_the_given_one_is(least):
    random = np.random.default_rng(0)
    left, right = (np.linalg.qr(random.normal(size=shape))[0] for shape in ((50, 6), (6, 6)))
    values = np.array([3.0, 2.0, 1.5, 1.0, 0.7, least])
    found = orthonormal(np, ((left * values) @ right.T).astype(np.float32))
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
    few = ct.count(ct.read_corpus([dict(row, text="one two three two one") for row in records], **axis), min_count=1)
    assert GraphModel(epochs=1).fit(few).vectors.shape[1] == 3, "not more than there are words"
