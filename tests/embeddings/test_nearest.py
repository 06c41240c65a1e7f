import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from threadpoolctl import threadpool_limits

from chronotope.embeddings.nearest import nearest, unit_rows


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
