from __future__ import annotations

from collections import Counter
from itertools import pairwise

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from chronotope.config import CountSettings
from chronotope.cooccurrence import counting
from chronotope.cooccurrence.counting import add_cells, count_cells, distance_weights

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
@given(st.one_of(DOCUMENTS, MANY_WORDS), st.sampled_from([1, 5, 12, 300]), SETTINGS)
def test_counting_equals_the_quadratic_definition(documents, words, asked):
    weights = distance_weights(asked)
    cells = counted(documents, words, weights)
    assert as_dict(cells) == quadratic(documents, words, weights)
    assert sorted(as_dict(cells)) == list(as_dict(cells)), "cells are sorted"


@settings(deadline=None)
@given(DOCUMENTS, DOCUMENTS)
def test_counts_of_parts_add_up_to_the_counts_of_the_whole(first, second):
    weights = distance_weights(CountSettings(window=4))
    whole = counted(first + second, 10, weights)
    parts = add_cells(counted(first, 10, weights), counted(second, 10, weights))
    assert all(np.array_equal(a, b) for a, b in zip(whole, parts, strict=True))


def test_windows_never_cross_a_document():
    cells = counted([[0, 1], [2, 3]], 4, distance_weights(CountSettings(window=5)))
    assert set(as_dict(cells)) == {(0, 1), (2, 3)}


def test_harmonic_weights_are_whole_numbers_up_to_ten():
    weights = distance_weights(CountSettings(window=10))
    assert all(weights[d] * d == counting.UNIT for d in range(1, 11))


@settings(deadline=None)
@given(DOCUMENTS)
def test_sums_beyond_32_bits_are_exact(documents):
    """Two such contexts already exceed what a sum of one side can hold: each distance is then counted by itself."""
    weights = np.array([0, 3_000_000_001, 2_999_999_999, 7], dtype=np.int64)
    assert as_dict(counted(documents, 10, weights)) == quadratic(documents, 10, weights)


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
