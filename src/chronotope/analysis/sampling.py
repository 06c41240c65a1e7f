"""An even choice of documents: every condition has its turn, and no document is looked at twice before all others."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from chronotope.analysis.concordance import Concordance


def mixed(numbers: NDArray[np.int64], seed: int) -> NDArray[np.uint64]:
    """A hash of each number (SplitMix64), the same on every machine: an order that is as good as random.

    Examples
    --------
    >>> np.argsort(mixed(np.arange(5), seed=1)).tolist()
    [4, 3, 0, 1, 2]
    """
    with np.errstate(over="ignore"):
        found = (numbers.astype(np.uint64) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15) + np.uint64(seed)
        found = (found ^ (found >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        found = (found ^ (found >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return found ^ (found >> np.uint64(31))


def turns(group: NDArray[np.int64], order: NDArray[np.uint64]) -> NDArray[np.int64]:
    """Places in an order in which the groups take turns; within a group, and within a turn, by `order`.

    Examples
    --------
    >>> turns(np.array([0, 0, 0, 1]), np.array([5, 6, 7, 9], np.uint64)).tolist()
    [0, 3, 1, 2]
    """
    by_group = np.lexsort((order, group))
    sizes = np.unique(group, return_counts=True)[1]
    turn = np.empty(len(group), np.int64)
    turn[by_group] = np.arange(len(group)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    return np.lexsort((order, turn))


def evenly(concordance: Concordance, documents: NDArray[np.int64], seed: int, most_tokens: int) -> NDArray[np.int64]:
    """Documents in an order in which the conditions take turns, until so many tokens are reached (one at least)."""
    condition = concordance.counts.store.document_condition[documents].astype(np.int64)
    ordered = documents[turns(condition, mixed(documents, seed))]
    tokens = np.cumsum(concordance.lengths[ordered])
    return ordered[: max(1, int(np.searchsorted(tokens, most_tokens, side="right")))]
