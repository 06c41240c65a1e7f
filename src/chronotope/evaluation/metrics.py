"""How good ranks are: MRR and MP@k.

A rank is the place of the right answer among the candidates, from 1; 0: it is not among those that were looked at, or
a word is unknown.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

CUTOFFS = (1, 3, 5, 10)
METRICS = ("mrr", *(f"mp@{k}" for k in CUTOFFS))


def reciprocal_ranks(ranks: ArrayLike) -> NDArray[np.float64]:
    """(N,) one over each rank, 0 for the rank 0.

    Examples
    --------
    >>> reciprocal_ranks([1, 4, 0]).tolist()
    [1.0, 0.25, 0.0]
    """
    ranks = np.asarray(ranks, dtype=np.int64)
    return np.where(ranks > 0, 1 / np.maximum(ranks, 1), 0.0)


def gains(ranks: ArrayLike) -> NDArray[np.float64]:
    """(N, metrics) what each pair adds to each of `METRICS`: the metric is the mean of its column.

    Examples
    --------
    >>> gains([2, 0]).tolist()
    [[0.5, 0.0, 1.0, 1.0, 1.0], [0.0, 0.0, 0.0, 0.0, 0.0]]
    """
    ranks = np.asarray(ranks, dtype=np.int64)
    within = [(ranks > 0) & (ranks <= k) for k in CUTOFFS]
    return np.column_stack([reciprocal_ranks(ranks), *within]).astype(np.float64)


def mean_reciprocal_rank(ranks: ArrayLike) -> float:
    """MRR: the mean of one over the rank; 0 for no ranks at all.

    Examples
    --------
    >>> mean_reciprocal_rank([1, 4, 0])
    0.4166666666666667
    """
    return _mean(reciprocal_ranks(ranks))


def mean_precision(ranks: ArrayLike, k: int) -> float:
    """MP@k: the share of the pairs whose answer is among the first k; 0 for no ranks at all.

    Examples
    --------
    >>> mean_precision([1, 4, 0], k=3)
    0.3333333333333333
    """
    ranks = np.asarray(ranks, dtype=np.int64)
    return _mean((ranks > 0) & (ranks <= k))


def _mean(values: NDArray[np.float64] | NDArray[np.bool_]) -> float:
    return float(values.mean()) if len(values) else 0.0
