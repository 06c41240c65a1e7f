import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chronotope.embeddings import nearest as module
from chronotope.embeddings.nearest import nearest, unit_rows


def by_hand(queries, candidates, top, penalty):
    """All cosines in float64, sorted; equal ones in the order of the candidates."""
    cosine = (queries[:, None, :].astype(np.float64) * candidates[None].astype(np.float64)).sum(axis=2)
    row = np.argsort(-(cosine - penalty), axis=1, kind="stable")[:, :top]
    return row, np.take_along_axis(cosine, row, axis=1)


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    queries=st.integers(0, 9),
    candidates=st.sampled_from([0, 1, 5, 63, 700, 1501]),
    dimensions=st.sampled_from([1, 2, 17]),
    top=st.integers(0, 12),
    penalized=st.booleans(),
)
def test_the_nearest_are_those_of_a_full_sort(seed, queries, candidates, dimensions, top, penalized):
    rng = np.random.default_rng(seed)
    # Rounded, so that equal rows and equal scores occur.
    left = unit_rows(rng.standard_normal((queries, dimensions)).round(1).astype(np.float32))
    right = unit_rows(rng.standard_normal((candidates, dimensions)).round(1).astype(np.float32))
    penalty = rng.random(candidates).round(1) * penalized
    found = nearest(left, right, top, penalty if penalized else None)
    row, cosine = by_hand(left, right, top, penalty)
    assert (found.row == row).all()
    assert (found.cosine == cosine).all()


def test_many_equal_rows_come_in_their_order():
    rows = np.ones((3000, 4), dtype=np.float32) / 2
    assert nearest(rows[:2], rows, 5).row.tolist() == [[0, 1, 2, 3, 4]] * 2


def test_blocks_do_not_show(monkeypatch):
    rng = np.random.default_rng(3)
    left, right = (unit_rows(rng.standard_normal((n, 50)).astype(np.float32)) for n in (40, 900))
    whole = nearest(left, right, 10)
    monkeypatch.setattr(module, "BLOCK", 2000)
    monkeypatch.setattr(module, "RESCORED", 100)
    parts = nearest(left, right, 10)
    assert (whole.row == parts.row).all()
    assert (whole.cosine == parts.cosine).all()


@pytest.mark.parametrize("threads", [1, 2])
def test_the_number_of_threads_does_not_show(threads):
    from threadpoolctl import threadpool_limits

    rng = np.random.default_rng(4)
    left, right = (unit_rows(rng.standard_normal((n, 100)).astype(np.float32)) for n in (300, 4000))
    with threadpool_limits(threads):
        together = nearest(left, right, 10)
        alone = [nearest(left[i : i + 1], right, 10) for i in range(0, 300, 37)]
    for number, one in zip(range(0, 300, 37), alone, strict=True):
        assert (together.row[number] == one.row).all()
        assert (together.cosine[number] == one.cosine).all()
    row, cosine = by_hand(left[:20], right, 10, 0)
    assert (together.row[:20] == row).all()
    assert (together.cosine[:20] == cosine).all()
