"""Answers are exact: blocks, threads and batches change no bit, and CSLS measures only what could matter."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from threadpoolctl import threadpool_limits

from chronotope.embeddings.nearest import nearest, unit_rows
from chronotope.embeddings.retrieval import ConditionMatrix, csls_matches, reference_pool
from embeddings.invented import random_embeddings


def by_full_sort(queries, candidates, top, penalty):
    """All cosines in float64, sorted; ties: lower row first."""
    cosine = np.array([np.multiply(query, candidates, dtype=np.float64).sum(axis=1) for query in queries])
    cosine = cosine.reshape(len(queries), len(candidates))
    row = np.argsort(-(cosine - penalty), axis=1, kind="stable")[:, :top]
    return row, np.take_along_axis(cosine, row, axis=1)


@settings(max_examples=60)
@given(
    seed=st.integers(0, 10_000),
    queries=st.integers(0, 9),
    candidates=st.sampled_from([0, 1, 5, 63, 700, 1501]),
    dimensions=st.sampled_from([1, 2, 17]),
    top=st.integers(0, 12),
    penalized=st.sampled_from(["no", "some", "excluded"]),
)
def test_the_nearest_are_those_of_a_full_sort(seed, queries, candidates, dimensions, top, penalized):
    rng = np.random.default_rng(seed)
    # Rounded, so that equal rows and equal scores occur.
    left = unit_rows(rng.standard_normal((queries, dimensions)).round(1).astype(np.float32))
    right = unit_rows(rng.standard_normal((candidates, dimensions)).round(1).astype(np.float32))
    penalty = rng.random(candidates).round(1) * (penalized != "no")
    if penalized == "excluded":
        penalty[rng.random(candidates) < 0.7] = np.inf
    found = nearest(left, right, top, None if penalized == "no" else penalty)
    row, cosine = by_full_sort(left, right, top, penalty)
    assert (found.row == row).all()
    assert (found.cosine == cosine).all()


@pytest.mark.parametrize("threads", [1, 2])
def test_blocks_threads_and_batches_do_not_change_a_bit(threads):
    rng = np.random.default_rng(4)
    left, right = (unit_rows(rng.standard_normal((n, 100)).astype(np.float32)) for n in (300, 4000))
    row, cosine = by_full_sort(left, right, 10, 0)
    with threadpool_limits(threads):
        batch = nearest(left, right, 10)
        blocks = nearest(left, right, 10, block_scores=9000)
        alone = [nearest(left[i : i + 1], right, 10) for i in range(300)]
    for found in (batch, blocks):
        assert (found.row == row).all()
        assert (found.cosine == cosine).all()
    assert (np.concatenate([one.row for one in alone]) == row).all()
    assert (np.concatenate([one.cosine for one in alone]) == cosine).all()


def clustered(rng, count, dimensions, noise=0.5):
    """Rows around a few centers, some of them equal, one of them zero."""
    centers = rng.standard_normal((max(2, count // 30), dimensions))
    rows = centers[rng.integers(0, len(centers), count)] + noise * rng.standard_normal((count, dimensions))
    rows[: count // 20] = rows[count // 20 : 2 * (count // 20)]
    rows[-1] = 0
    return unit_rows(rows.astype(np.float32))


def matrix(rng, count, dimensions, noise=0.5):
    word = np.sort(rng.choice(2 * count, count, replace=False))
    return ConditionMatrix(word, rng.integers(5, 100, count), clustered(rng, count, dimensions, noise))


def by_full_computation(queries, candidates, top, source_pool, target_pool, own):
    """(row, score) of the best, with every r from all cosines in float64."""

    def cosines(left, right):
        return (left[:, None].astype(np.float64) * right[None].astype(np.float64)).sum(axis=2)

    def r(unit, word, pool):
        near = cosines(unit, pool.unit)
        if own is not None:
            near[word[:, None] == pool.word] = -np.inf
        return -np.sort(-near, axis=1)[:, :10].mean(axis=1)

    cosine = cosines(queries, candidates.unit)
    r_candidate, r_query = r(candidates.unit, candidates.word, source_pool), r(queries, own, target_pool)
    row = np.argsort(-(cosine - r_candidate / 2), axis=1, kind="stable")[:, :top]
    score = 2 * np.take_along_axis(cosine, row, axis=1) - r_query[:, None] - r_candidate[row]
    return row, score


@settings(max_examples=40)
@given(
    seed=st.integers(0, 10_000),
    count=st.sampled_from([300, 700]),
    pool=st.sampled_from([270, 1000]),
    asked=st.sampled_from([1, 2, 40]),
    dimensions=st.sampled_from([2, 10, 40]),
    noise=st.sampled_from([0.1, 0.5, 3.0]),
    top=st.sampled_from([1, 5, 70]),
    same=st.booleans(),
)
def test_the_answers_are_those_of_the_full_computation(seed, count, pool, asked, dimensions, noise, top, same):
    rng = np.random.default_rng(seed)
    candidates = matrix(rng, count, dimensions, noise)
    source = candidates if same else matrix(rng, count + 50, dimensions, noise)
    chosen = rng.integers(0, len(source.word), asked)
    queries, own = source.unit[chosen], source.word[chosen] if same else None
    words = [str(number) for number in range(2 * count)]
    pools = reference_pool(source, pool), reference_pool(candidates, pool)
    r = np.full(count, np.nan)
    found = csls_matches(words, queries, candidates, top, *pools, r, own)
    again = csls_matches(words, queries, candidates, top, *pools, r, own)
    alone = []
    for i in range(asked):
        fresh, word = np.full(count, np.nan), None if own is None else own[[i]]
        alone += csls_matches(words, queries[[i]], candidates, top, *pools, fresh, word)
    assert found == again == alone
    row, score = by_full_computation(queries, candidates, top, *pools, own)
    assert np.allclose([[match.score for match in matches] for matches in found], score, atol=1e-9)
    # Candidates whose scores differ by the last bits only may change places with the order of additions.
    if len(np.unique(score.round(9))) == score.size:
        assert [[match.word for match in matches] for matches in found] == [
            [words[number] for number in candidates.word[places]] for places in row
        ]


def test_many_threads_share_what_they_measure():
    embeddings, again = (random_embeddings(words=1500, dimensions=20) for _ in range(2))
    asked = list(embeddings.words[:120])
    how = {"min_count": 0, "fallback": True}
    alone = [embeddings.equivalents(word, "1990", "2010", **how) for word in asked]
    with ThreadPoolExecutor(8) as threads:
        together = list(threads.map(lambda word: again.equivalents(word, "1990", "2010", **how), asked))
    assert together == alone
