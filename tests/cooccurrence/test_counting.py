"""Counts equal their quadratic definition, however the text is cut."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chronotope.config import CountSettings
from chronotope.cooccurrence.counting import count_cells, distance_weights, units

DOCUMENTS = st.lists(st.lists(st.integers(0, 12) | st.integers(0, 299), max_size=40), max_size=6)
SETTINGS = st.builds(CountSettings, window=st.integers(1, 31), weighting=st.sampled_from(["harmonic", "flat"]))


def quadratic(documents, words, weights):
    """Follow the definition in the docstring of `count_cells`."""
    count, after = Counter(), Counter()
    for document in documents:
        known = [word for word in document if word < words]
        for i, a in enumerate(known):
            for j, b in enumerate(known):
                if i != j and abs(i - j) < len(weights) and a <= b:
                    count[a, b] += int(weights[abs(i - j)])
                    after[a, b] += int(weights[abs(i - j)]) * (i < j)
    return [(*pair, count[pair], after[pair]) for pair in sorted(count)]


def counted(documents, words, weights):
    tokens = np.array([word for document in documents for word in document], dtype=np.int32)
    ends = np.cumsum([len(document) for document in documents], dtype=np.int64)
    return count_cells(tokens, ends, words, weights)


def rows(*blocks):
    return [row for cells in blocks for row in zip(*(column.tolist() for column in cells), strict=True)]


@given(documents=DOCUMENTS, words=st.sampled_from([1, 5, 12, 300]), asked=SETTINGS)
def test_counting_equals_the_quadratic_definition(documents, words, asked):
    weights = distance_weights(asked)
    assert rows(counted(documents, words, weights)) == quadratic(documents, words, weights)


@pytest.mark.parametrize("window", range(1, 11))
def test_harmonic_weights_are_whole_numbers_up_to_ten(window):
    weights = distance_weights(CountSettings(window=window))
    assert {int(weights[d]) * d for d in range(1, window + 1)} == {units(CountSettings(window=window))}
    assert np.gcd.reduce(weights) == 1


def test_a_large_vocabulary():
    order = np.random.default_rng(1).permutation(70_000)
    cells = counted([order.tolist()], 70_000, distance_weights(CountSettings(window=1, weighting="flat")))
    assert rows(cells) == sorted((min(a, b), max(a, b), 1, int(a < b)) for a, b in pairwise(order.tolist()))
