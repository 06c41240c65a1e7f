"""The joint factorization: its sparse steps are those of the specification, and what is planted comes out."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import worlds
from chronotope.analysis import drift
from chronotope.errors import SettingsError
from chronotope.evaluation.evaluate import evaluate
from chronotope.methods import DynamicFactorization
from chronotope.methods.dynamic import objective, solver

SIZE = 7


@pytest.fixture(params=["time", "place", "time × place"])
def problem(request, counts_of):
    axes = {axis: axis for axis in request.param.split(" × ")}
    counts = counts_of(worlds.time_and_place(documents=90), min_count=3, **axes)
    return solver.make_problem(counts, size_penalty=1.5, smoothness=5.0, agreement=10.0)


@pytest.fixture
def vectors(problem):
    rng = np.random.default_rng(1)
    return rng.standard_normal((2, len(problem.matrices), problem.words, SIZE), dtype=np.float32)


def test_neighbors_are_the_chain_and_all_pairs_of_places(counts_of):
    world = worlds.time_and_place(documents=90)
    settings = {"size_penalty": 1.0, "smoothness": 1.0, "agreement": 1.0}
    by_time = solver.make_problem(counts_of(world, time="time", min_count=3), **settings)
    by_place = solver.make_problem(counts_of(world, place="place", min_count=3), **settings)
    assert by_time.neighbors == [[1], [0, 2], [1, 3], [2, 4], [3, 5], [4]]
    assert by_place.neighbors == [[1, 2], [0, 2], [0, 1]]


def test_the_matrices_are_the_same_in_both_directions(problem):
    for blocks in problem.matrices:
        dense = np.concatenate([block.toarray() for block in blocks])
        assert dense.shape == (problem.words, problem.words)
        assert dense.any()
        assert np.allclose(dense, dense.T, atol=1e-5)


def test_a_sweep_is_that_of_the_specification(problem, vectors):
    words, contexts = vectors
    plain_words, plain_contexts = vectors.astype(np.float64)
    for condition in range(len(words)):
        plain_words[condition] = objective.best(plain_words, plain_contexts, condition, problem)
        plain_contexts[condition] = objective.best(plain_contexts, plain_words, condition, problem)
    with ThreadPoolExecutor(2) as pool:
        loss = solver.constant(problem) + solver.sweep(words, contexts, problem, pool)
    assert np.allclose(words, plain_words, atol=1e-4)
    assert np.allclose(contexts, plain_contexts, atol=1e-4)
    assert loss == pytest.approx(objective.loss(plain_words, plain_contexts, problem), rel=1e-5)


def test_a_step_is_at_the_least_of_the_loss(problem, vectors):
    words, contexts = vectors.astype(np.float64)
    words[1] = objective.best(words, contexts, 1, problem)
    least = objective.loss(words, contexts, problem)
    rng = np.random.default_rng(2)
    for _ in range(3):
        moved = words.copy()
        moved[1] += 0.01 * rng.standard_normal(moved[1].shape)
        assert objective.loss(moved, contexts, problem) > least


def test_every_sweep_lowers_the_loss(drifting):
    sweeps = []
    DynamicFactorization(epochs=8).fit(drifting, on_epoch=sweeps.append)
    losses = [sweep.loss for sweep in sweeps]
    assert [sweep.number for sweep in sweeps] == list(range(1, 9))
    assert (np.diff(losses) < 0).all()
    assert 0 < losses[-1] < losses[0] < 1


def test_a_word_that_changes_company_drifts_most(drifting):
    row = drift(DynamicFactorization().fit(drifting), min_support=5).top(1)[0]
    assert row.word == "bank"
    assert len({match.word for match in row.before.neighbors} & set(worlds.RIVER)) >= 3
    assert len({match.word for match in row.after.neighbors} & set(worlds.MONEY)) >= 3


@pytest.mark.parametrize("axis", ["place", "time × place"])
def test_planted_equivalents_are_found_far_more_often_than_by_chance(axis, counts_of, tmp_path):
    world = worlds.time_and_place()
    world.write_pairs(tmp_path / "pairs.csv", axis)
    embeddings = DynamicFactorization().fit(counts_of(world, **{name: name for name in axis.split(" × ")}))
    assert evaluate(embeddings, tmp_path / "pairs.csv").mrr > 0.3


def test_the_same_seed_gives_the_same_bytes_with_any_number_of_threads(small, tmp_path):
    for threads in (1, 2):
        DynamicFactorization(dimensions=SIZE).fit(small, threads=threads).save(tmp_path / f"{threads}.ct")
    assert (tmp_path / "1.ct").read_bytes() == (tmp_path / "2.ct").read_bytes()


def test_a_word_absent_from_a_condition_survives(small):
    embeddings = DynamicFactorization(dimensions=SIZE).fit(small)
    absent = [word for word in embeddings.words if embeddings.support(word, "1990") == 0]
    assert absent
    assert all(embeddings.vector(word, "1990").any() for word in absent)


def test_neighbors_among_places_may_be_given(counts_of):
    counts = counts_of(worlds.time_and_place(documents=90), place="place", min_count=3)
    apart = DynamicFactorization(dimensions=SIZE).fit(counts, place_edges=[("arlen", "borva")])
    assert apart.provenance["place_edges"] == [["arlen", "borva"]]
    assert not np.allclose(apart.vectors, DynamicFactorization(dimensions=SIZE).fit(counts).vectors, atol=1e-3)


def test_more_dimensions_than_words_are_refused(small):
    with pytest.raises(SettingsError, match="ask for fewer"):
        DynamicFactorization(dimensions=10_000).fit(small)
