from contextlib import contextmanager

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chronotope.embeddings import nearest as module
from chronotope.embeddings import sieve as sieving
from chronotope.embeddings import sieve_kernels
from chronotope.embeddings.byte_products import AVX2, VNNI, forms
from chronotope.embeddings.nearest import nearest, unit_rows
from chronotope.embeddings.sieve import sieve_of, sieved

NAMES = {VNNI: "AVX-512 VNNI", AVX2: "AVX2"}
each_form = pytest.mark.parametrize(
    "form",
    [
        pytest.param(
            form, id=name, marks=pytest.mark.skipif(form not in forms(), reason=f"this processor has no {name}")
        )
        for form, name in NAMES.items()
    ],
)
# All rows are scored in full, or sieved in a form that the processor has.
WAYS = [None, *forms()]


@contextmanager
def searching(way):
    """All rows are scored in full, or wherever possible a sieve of that form is used."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "worth_sieving", lambda queries, _, top: bool(way) and queries > 0 and top > 0)
        patch.setattr(sieving, "forms", lambda: (way,))
        yield


def by_hand(queries, candidates, top, penalty):
    """All cosines in float64, sorted; equal ones in the order of the candidates."""
    sums = np.zeros((8, len(queries), len(candidates)))
    for k in range(queries.shape[1]):
        sums[k % 8] += queries[:, k, None].astype(np.float64) * candidates[:, k].astype(np.float64)
    a, b, c, d, e, f, g, h = sums
    cosine = ((a + b) + (c + d)) + ((e + f) + (g + h))
    row = np.argsort(-(cosine - penalty), axis=1, kind="stable")[:, :top]
    return row, np.take_along_axis(cosine, row, axis=1)


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    queries=st.integers(0, 9),
    candidates=st.sampled_from([0, 1, 5, 63, 700, 1501]),
    dimensions=st.sampled_from([1, 2, 17]),
    top=st.integers(0, 12),
    penalized=st.sampled_from(["no", "some", "out of reach"]),
    way=st.sampled_from(WAYS),
)
def test_the_nearest_are_those_of_a_full_sort(seed, queries, candidates, dimensions, top, penalized, way):
    rng = np.random.default_rng(seed)
    # Rounded, so that equal rows and equal scores occur.
    left = unit_rows(rng.standard_normal((queries, dimensions)).round(1).astype(np.float32))
    right = unit_rows(rng.standard_normal((candidates, dimensions)).round(1).astype(np.float32))
    penalty = rng.random(candidates).round(1) * (penalized != "no")
    if penalized == "out of reach":
        penalty[rng.random(candidates) < 0.7] = np.inf
    with searching(way):
        found = nearest(left, right, top, None if penalized == "no" else penalty)
    row, cosine = by_hand(left, right, top, penalty)
    assert (found.row == row).all()
    assert (found.cosine == cosine).all()


@pytest.mark.parametrize("way", WAYS)
def test_many_equal_rows_come_in_their_order(way):
    rows = np.ones((3000, 4), dtype=np.float32) / 2
    with searching(way):
        assert nearest(rows[:2], rows, 5).row.tolist() == [[0, 1, 2, 3, 4]] * 2


@each_form
def test_all_queries_may_be_given_up(form):
    rows = np.full((4000, 16), 0.25, dtype=np.float32)
    row, cosine, lost = sieved(rows[:400], rows, sieve_of(rows, form), 5)
    assert lost.tolist() == list(range(400))
    assert row.shape == cosine.shape == (400, 5)
    with searching(form):
        assert (nearest(rows[:400], rows, 5).row == np.arange(5)).all()


@each_form
@pytest.mark.parametrize("dimensions", [1, 3, 100, 201])
@pytest.mark.parametrize("spread", [1, 8])
def test_a_sieve_keeps_few_and_loses_none(form, dimensions, spread):
    """Rows of one large number and many small ones, which one byte cannot tell apart, among others."""
    rng = np.random.default_rng(9)
    rows = rng.standard_normal((4001, dimensions)) * np.geomspace(1, 10.0**-spread, dimensions)
    rows[::10, 0] += 5
    unit = unit_rows(rows.astype(np.float32))
    queries, penalty = unit[::40][:100], rng.random(4001) / 2
    with searching(None):
        expected = nearest(queries, unit, 10, penalty)
    row, cosine, lost = sieved(queries, unit, sieve_of(unit, form), 10, penalty)
    kept = np.setdiff1d(np.arange(100), lost)
    assert (row[kept] == expected.row[kept]).all()
    assert (cosine[kept] == expected.cosine[kept]).all()
    # In one dimension all rows of a sign are equal; elsewhere nothing is given up.
    assert len(lost) == 0 or dimensions == 1
    with searching(form):
        assert (nearest(queries, unit, 10, penalty).row == expected.row).all()


def hard_rows(rng, dimensions):
    """Rows whose sums of bytes are the largest: equal numbers of one sign or both, in half of the dimensions, in one.

    Some are there twice, one is zero.
    """
    equal = np.ones(dimensions)
    rows = [equal, -equal, np.zeros(dimensions)]
    rows += [np.where(np.arange(dimensions) % 4 // 2 == half, 1, small) for half in (0, 1) for small in (0, 1e-3)]
    rows += [np.where(rng.random(dimensions) < 0.5, 1, -1) for _ in range(20)]
    rows += [sign * np.eye(dimensions)[at] for at in rng.integers(0, dimensions, 20) for sign in (1, -1)]
    rows += list(rng.standard_normal((200, dimensions)))
    rows += list(rng.choice(rows, 60) + 0.01 * rng.standard_normal((60, dimensions)))
    return unit_rows(rng.permutation(np.array(rows + rows[:50], dtype=np.float32)))


@each_form
@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10_000), dimensions=st.integers(1, 300), top=st.integers(1, 30), penalized=st.booleans())
def test_no_sum_of_bytes_is_too_large(form, seed, dimensions, top, penalized):
    rng = np.random.default_rng(seed)
    unit = hard_rows(rng, dimensions)
    penalty = rng.choice([0, 0.25, np.inf], len(unit), p=[0.5, 0.4, 0.1]) * penalized if penalized else None
    row, cosine = by_hand(unit, unit, top, 0 if penalty is None else penalty)
    found, exact, lost = sieved(unit, unit, sieve_of(unit, form), top, penalty)
    kept = np.setdiff1d(np.arange(len(unit)), lost)
    assert (found[kept] == row[kept]).all()
    assert (exact[kept] == cosine[kept]).all()
    with searching(form):
        assert (nearest(unit, unit, top, penalty).row == row).all()


def some_axes(rng, dimensions, kind):
    """The dimensions in some order, or directions square to each other."""
    if kind == "dimensions":
        return rng.permutation(dimensions)
    return np.linalg.qr(rng.standard_normal((dimensions, dimensions)))[0].astype(np.float32)


def along(rows, axes):
    return rows.astype(np.float64) @ axes if axes.ndim == 2 else rows[:, axes].astype(np.float64)


def taken(level, dimensions):
    """How many axes a level has: eight times as many for every 64, never more than there are."""
    return min((level + 1) * 8 * -(-dimensions // 64), dimensions)


@pytest.mark.parametrize("form", NAMES, ids=NAMES.get)
@pytest.mark.parametrize("dimensions", [1, 2, 3, 4, 37, 100, 300, 1001])
@pytest.mark.parametrize("kind", ["dimensions", "directions"])
def test_the_bytes_of_a_row_are_as_near_as_they_say(form, dimensions, kind):
    rng = np.random.default_rng(10)
    unit = hard_rows(rng, dimensions)
    count, axes = len(unit), some_axes(rng, dimensions, kind)
    sieve = sieve_of(unit, form, axes)
    rows = sieve.bytes.transpose(0, 2, 1, 3).reshape(sieve.bytes.shape[0] * sieve.bytes.shape[2], -1)
    assert (rows[count:] == 128).all()
    assert (rows[:, dimensions:] == 128).all()
    rows = rows[:count, :dimensions].astype(np.float64) - 128
    true = along(unit, axes)
    distance = np.linalg.norm(rows * sieve.step - true, axis=1)
    assert (distance <= sieve.error[:count]).all()
    # A number is off by half a step at most, unless it was larger than all of the sample.
    assert (sieve.error[:count] <= np.sqrt(dimensions) / 2 * sieve.step * 1.001 + 1e-3).all()
    for level, rest in enumerate(sieve.rest):
        beyond = np.linalg.norm(true[:, taken(level, dimensions) :], axis=1)
        # One does not fit; what is added when bounds are made makes up for it.
        at_most = (rest[:count].astype(int) + (rest[:count] == 65535)) / 65536
        assert (beyond <= at_most + 1e-7).all()
        assert (at_most <= beyond + 5e-3).all()
    assert not sieve.rest[-1].any()
    # A product is at most that of the lengths: so it fits.
    assert np.abs(rows).max() <= form.most
    assert np.square(rows).sum(axis=1).max() < 2 ** (form.bits - 1)


@each_form
@settings(max_examples=40, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    dimensions=st.integers(1, 300),
    kind=st.sampled_from(["dimensions", "directions"]),
    penalized=st.booleans(),
)
def test_no_score_is_above_its_bound(form, seed, dimensions, kind, penalized):
    """By all axes or by the first, for rows whose sums are largest; and bounds are of some use."""
    rng = np.random.default_rng(seed)
    unit = hard_rows(rng, dimensions)
    penalty = rng.choice([-0.4, 0, 0.25, np.inf], len(unit)) if penalized else np.zeros(len(unit))
    sieve = sieve_of(unit, form, some_axes(rng, dimensions, kind))
    asked = sieving._asked(unit, sieve, penalty)
    queries = asked.start.shape[1]
    bounds = np.empty((queries, len(sieve.error)), np.int8)
    score = unit.astype(np.float64) @ unit.T.astype(np.float64) - penalty
    for level in range(len(sieve.rest)):
        sieve_kernels.bound(sieve.bytes, sieve.rest, asked, level, 0, queries, 0, len(sieve.bytes), bounds)
        bound = (bounds[: len(unit), : len(unit)] + 1.0) * asked.unit + asked.least[: len(unit), None]
        reached = bounds[: len(unit), : len(unit)] == sieve_kernels.HIGHEST
        assert ((score <= bound) | reached).all()
        assert (bounds[: len(unit), len(unit) :] == sieve_kernels.LOWEST).all()
    error = np.sqrt(dimensions) * (sieve.step + 1 / form.length(dimensions) + 1 / form.most_asked)
    assert ((bound - score)[score > 0] <= error + asked.unit + 1e-2).all()


def test_axes_are_those_along_which_rows_are_longest():
    rng = np.random.default_rng(12)
    rows = rng.standard_normal((3000, 40)) * np.geomspace(1, 0.1, 40)
    shuffled, turned = rng.permutation(40), np.linalg.qr(rng.standard_normal((40, 40)))[0]
    assert sieving.longest_axes(unit_rows(rows[:, shuffled].astype(np.float32))).shape == (40,)
    held = [
        np.square(along(unit, sieving.longest_axes(unit)))[:, :20].sum() / len(unit)
        for unit in (unit_rows((rows[:, shuffled]).astype(np.float32)), unit_rows((rows @ turned).astype(np.float32)))
    ]
    assert np.allclose(held, held[0], atol=1e-3)
    assert held[0] > 0.9
    # Where no axes are better than the dimensions, they are taken as they are.
    assert sieving.longest_axes(unit_rows(rng.standard_normal((3000, 40)).astype(np.float32))).ndim == 1


@each_form
@pytest.mark.parametrize("turned", [False, True])
def test_fewer_axes_are_taken_where_they_are_enough(form, turned, monkeypatch):
    rng = np.random.default_rng(13)
    levels = []
    chosen = sieving._best_level
    monkeypatch.setattr(sieving, "_best_level", lambda *arguments: levels.append(chosen(*arguments)) or levels[-1])
    for decay in (1.0, 1e-3):
        rows = rng.standard_normal((6000, 100)) * np.geomspace(1, decay, 100)
        rows = rows @ np.linalg.qr(rng.standard_normal((100, 100)))[0] if turned else rows
        unit = unit_rows(rows.astype(np.float32))
        queries = unit_rows((rows[:3000:10] + 0.1 * rng.standard_normal((300, 100))).astype(np.float32))
        sieve = sieve_of(unit, form)
        assert (sieve.axes.ndim == 2) == (turned and decay < 1)
        row, cosine, lost = sieved(queries, unit, sieve, 5)
        with searching(None):
            expected = nearest(queries, unit, 5)
        assert (row == expected.row).all()
        assert (cosine == expected.cosine).all()
        assert not len(lost)
    assert levels[0] == len(sieve.rest) - 1
    assert levels[1] < len(sieve.rest) - 1


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


@each_form
def test_a_sieve_can_be_copied(form):
    """A copy lies anywhere in memory, not where whole lines of the cache begin."""
    unit = unit_rows(np.random.default_rng(11).standard_normal((900, 30)).astype(np.float32))
    made = sieve_of(unit, form)
    for offset in range(0, 64, 16):
        room = np.empty(made.bytes.size + 64, dtype=np.uint8)[offset:][: made.bytes.size]
        moved = made._replace(bytes=room.reshape(made.bytes.shape))
        moved.bytes[:] = made.bytes
        assert (sieved(unit[:30], unit, moved, 5)[0] == sieved(unit[:30], unit, made, 5)[0]).all()


@pytest.mark.parametrize("setting", [("ENABLE_AVX", 0), ("DISABLE_JIT", 1), ("CPU_NAME", "generic")])
def test_there_is_no_sieve_where_numba_may_not_use_the_instruction(monkeypatch, setting):
    import numba

    monkeypatch.setattr(numba.config, *setting)
    assert not forms.__wrapped__()


def test_there_is_no_sieve_for_more_dimensions_than_the_sums_can_hold(monkeypatch):
    from chronotope.embeddings import byte_products

    few, many = (np.zeros((80, dimensions), dtype=np.float32) for dimensions in (300, 4 * 181**2))
    monkeypatch.setattr(module, "SIEVED_FROM", 0)
    monkeypatch.setattr(byte_products, "forms", lambda: (AVX2,))
    assert module.worth_sieving(1, few, 10)
    assert not module.worth_sieving(1, many, 10)
    monkeypatch.setattr(byte_products, "forms", lambda: (VNNI, AVX2))
    assert module.worth_sieving(1, many, 10)
    monkeypatch.setattr(byte_products, "forms", lambda: ())
    assert not module.worth_sieving(1, few, 10)
