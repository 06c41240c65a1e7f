from __future__ import annotations

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chronotope.config import CountSettings
from chronotope.cooccurrence import cells, counting
from chronotope.cooccurrence.cells import CellArrays, sum_in_blocks, sum_of
from chronotope.cooccurrence.counting import count_cells, distance_weights

DOCUMENTS = st.lists(st.lists(st.integers(0, 12), max_size=15), max_size=6)
# Most of these words are rare, some are not: both ways of counting a word are taken.
MANY_WORDS = st.lists(st.lists(st.integers(0, 299) | st.integers(0, 2), min_size=20, max_size=60), max_size=3)
SETTINGS = st.builds(CountSettings, window=st.integers(1, 12), weighting=st.sampled_from(["harmonic", "flat"]))


def quadratic(documents, words, weights):
    """Every two words of a document, both ways: how often they meet, and with the second after the first."""
    cells, after = Counter(), Counter()
    for document in documents:
        known = [word for word in document if word < words]
        for here, a in enumerate(known):
            for there, b in enumerate(known):
                if here != there and abs(here - there) < len(weights):
                    cells[a, b] += int(weights[abs(here - there)])
                    after[a, b] += int(weights[abs(here - there)]) * (here < there)
    return {pair: (value, after[pair]) for pair, value in cells.items() if pair[0] <= pair[1]}


def counted(documents, words, weights):
    tokens = np.array([word for document in documents for word in document], dtype=np.int32)
    ends = np.cumsum([len(document) for document in documents], dtype=np.int64)
    return count_cells(tokens, ends.astype(np.int64), words, weights)


def as_dict(cells):
    return {(int(a), int(b)): (int(count), int(after)) for a, b, count, after in zip(*cells, strict=True)}


@settings(deadline=None)
@given(
    documents=st.one_of(DOCUMENTS, MANY_WORDS),
    words=st.sampled_from([1, 5, 12, 300]),
    asked=SETTINGS,
    heads=st.sampled_from([0, 1, 2, 7, 256]),
    fewest=st.sampled_from([1, 2, 4]),
    part=st.sampled_from([1, 4, 1000]),
    large=st.sampled_from([0, 1 << 17]),
)
def test_counting_equals_the_quadratic_definition(documents, words, asked, heads, fewest, part, large):
    weights = distance_weights(asked)
    if large:
        # Some sums are too large for their share of a cell; what they have in common cannot be taken off.
        weights[1:] *= large
        weights[1] += 1
    gather = counting._gather

    def gather_within(*given):
        rows, reached = given[8], given[10]
        cells = gather(*given)
        assert not len(reached) or int(reached[:, 1].max()) + 2 <= len(rows), "links beyond their room"
        return cells

    with pytest.MonkeyPatch.context() as patched:
        for name, value in {"MOST_HEADS": heads, "FEWEST": fewest, "PART_OF_PLACES": part}.items():
            patched.setattr(counting, name, value)
        patched.setattr(counting, "_gather", gather_within)
        cells = counted(documents, words, weights)
    assert as_dict(cells) == quadratic(documents, words, weights)
    assert sorted(as_dict(cells)) == list(as_dict(cells)), "cells are sorted"


@settings(deadline=None)
@given(DOCUMENTS, DOCUMENTS)
def test_counts_of_parts_add_up_to_the_counts_of_the_whole(first, second):
    weights = distance_weights(CountSettings(window=4))
    whole = counted(first + second, 10, weights)
    parts = sum_of([counted(first, 10, weights), counted(second, 10, weights)])
    assert all(np.array_equal(a, b) for a, b in zip(whole, parts, strict=True))


def test_windows_never_cross_a_document():
    cells = counted([[0, 1], [2, 3]], 4, distance_weights(CountSettings(window=5)))
    assert set(as_dict(cells)) == {(0, 1), (2, 3)}


@pytest.mark.parametrize("window", range(1, 11))
def test_harmonic_weights_are_whole_numbers_up_to_ten(window):
    weights = distance_weights(CountSettings(window=window))
    assert {int(weights[d]) * d for d in range(1, window + 1)} == {counting.units(CountSettings(window=window))}
    assert np.gcd.reduce(weights) == 1


@settings(deadline=None)
@given(DOCUMENTS)
def test_sums_beyond_32_bits_are_exact(documents):
    """Two such contexts already exceed what a sum of one side can hold: each distance is then counted by itself."""
    weights = np.array([0, 3_000_000_001, 2_999_999_999, 7], dtype=np.int64)
    assert as_dict(counted(documents, 10, weights)) == quadratic(documents, 10, weights)


@pytest.mark.parametrize("heads", [0, 256])
@pytest.mark.parametrize("weight", [(1 << 29) - 2, (1 << 29) - 1, 1 << 29])
def test_sums_too_large_for_their_bits_are_exact(weight, heads, monkeypatch):
    """With 40 words a sum has 29 bits in its cell; the largest that fits is the mark of one that does not."""
    monkeypatch.setattr(counting, "MOST_HEADS", heads)
    weights = np.array([0, weight, 7], np.int64)
    # In the second the first word has as many contexts as it can have.
    for some in ([[0, 1], [1, 0], [2, 3, 2, 4]], [[1, 2, 0, 3, 4]]):
        documents = [*some, *([word] for word in range(5, 40))]
        assert as_dict(counted(documents, 40, weights)) == quadratic(documents, 40, weights)


def test_sums_that_fit_although_all_their_bits_together_make_the_mark():
    documents, weights = [[0, 1] * 8 + [0], [0, 0, 1], [1, 0]], np.array([0, 119_304_647, 1], np.int64)
    assert as_dict(counted(documents, 2, weights)) == quadratic(documents, 2, weights)


def test_more_words_in_a_chunk_than_16_bits_can_number():
    order = np.random.default_rng(1).permutation(70_000)
    cells = counted([order.tolist()], 70_000, distance_weights(CountSettings(window=1, weighting="flat")))
    beside = {(min(a, b), max(a, b)): (1, int(a < b)) for a, b in pairwise(order.tolist())}
    assert as_dict(cells) == beside


def test_scratch_of_an_earlier_count_does_not_show():
    weights = distance_weights(CountSettings(window=3))
    scratch = counting.Scratch()
    for document in ([1, 2, 3, 1, 2, 5] * 9, [4, 4], [], [5, 1, 5]):
        tokens, ends = np.array(document, dtype=np.int32), np.array([len(document)])
        assert as_dict(count_cells(tokens, ends, 6, weights, scratch)) == quadratic([document], 6, weights)


def test_scratch_for_many_tokens_does_not_grow_with_the_documents():
    """Documents without a token that counts, as when few are set aside, beside a large condition."""
    scratch, weights = counting.Scratch(1 << 40), distance_weights(CountSettings(window=5))
    tokens, ends = np.array([0, 1], np.int32), np.repeat([1, 2], 5000)
    assert as_dict(count_cells(np.empty(0, np.int32), 0 * ends, 2, weights, scratch)) == {}
    assert as_dict(count_cells(tokens, ends, 2, weights)) == {}


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    parts=st.integers(0, 40),
    words=st.sampled_from([1, 3, 70, 700]),
    block=st.sampled_from([1, 7, 50, 10_000]),
)
def test_sums_of_many_parts_are_those_of_a_dictionary(seed, parts, words, block):
    rng = np.random.default_rng(seed)
    expected, given_parts = {}, []
    for _ in range(parts):
        pairs = np.unique(np.sort(rng.integers(0, words, (rng.integers(0, 60), 2)), axis=1), axis=0)
        counts = rng.integers(0, 9, (len(pairs), 2))
        part = CellArrays.empty(len(pairs), 9 if rng.random() < 0.5 else None)
        for column, values in zip(part, (*pairs.T, *counts.T), strict=True):
            column[:] = values
        given_parts.append(part)
        for pair, (count, after) in zip(map(tuple, pairs.tolist()), counts.tolist(), strict=True):
            old = expected.get(pair, (0, 0))
            expected[pair] = old[0] + count, old[1] + after
    with ThreadPoolExecutor(2) as pool, pytest.MonkeyPatch.context() as patch:
        patch.setattr(cells, "CELLS_IN_A_BLOCK", block)
        in_blocks = list(sum_in_blocks(given_parts, pool, 2))
    for found in ([sum_of(given_parts)], in_blocks):
        rows = [cell for block in found for cell in zip(*(column.tolist() for column in block), strict=True)]
        assert rows == [(*pair, *sums) for pair, sums in sorted(expected.items())]


def test_parts_whose_sum_needs_more_than_32_bits_are_added_exactly():
    """Counts that fit into 32 bits are kept in these; parts of both kinds may meet."""
    half = 2**31 + 5
    narrow = CellArrays.empty(2, half)
    for column, values in zip(narrow, ([0, 0], [1, 3], [half, 7], [half, 0]), strict=True):
        column[:] = values
    assert narrow.count.dtype == np.uint32
    assert sum_of([narrow, narrow]).count.tolist() == [2 * half, 14]
    mixed = [narrow, CellArrays.of([0, 2], [3, 4], [2**40, 1], [2**40, 1])]
    assert [column.tolist() for column in sum_of(mixed)] == [
        [0, 0, 2],
        [1, 3, 4],
        [half, 2**40 + 7, 1],
        [half, 2**40, 1],
    ]
