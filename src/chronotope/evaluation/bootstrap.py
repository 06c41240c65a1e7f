"""Intervals by resampling clusters: pairs that ask about the same word stand and fall together.

Resampling single pairs would treat the twenty questions about one office-holder as independent, and give intervals
that are far too narrow.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

RESAMPLES = 1000
SEED = 1
LEVEL = 0.95


class Interval(NamedTuple):
    """Where a score lies in 95 of 100 resamples."""

    low: float
    high: float


def resampled_means(
    values: ArrayLike, clusters: Sequence[str], *, resamples: int = RESAMPLES, seed: int = SEED
) -> NDArray[np.float64]:
    """(resamples, M) the mean of each column in each resample of whole clusters; the same for the same seed.

    Parameters
    ----------
    values
        (N, M) one row a pair.
    clusters
        (N,) the cluster of each pair, the word that it asks about.
    resamples
        How many resamples.
    seed
        Of the random numbers.

    Examples
    --------
    >>> means = resampled_means([[1.0], [1.0], [0.0]], ["obama", "obama", "clinton"], resamples=4)
    >>> means.shape, bool(np.isin(means.round(2), [0, 0.67, 1]).all())
    ((4, 1), True)
    """
    values = np.asarray(values, dtype=np.float64)
    names, cluster = np.unique(np.asarray(clusters, dtype=object), return_inverse=True)
    size = np.bincount(cluster, minlength=len(names))
    total = np.column_stack([np.bincount(cluster, column, minlength=len(names)) for column in values.T])
    rng = np.random.default_rng(seed)
    drawn = rng.multinomial(len(names), np.full(len(names), 1 / len(names)), size=resamples)
    # einsum adds in one fixed order; a BLAS product would give other last bits for other numbers of threads.
    return np.asarray(np.einsum("rk,km->rm", drawn.astype(np.float64), total) / (drawn @ size)[:, None])


def intervals(values: ArrayLike, clusters: Sequence[str]) -> list[Interval]:
    """The 95 % interval of the mean of each column of `values`, scores from 0 to 1, by resampling clusters.

    A single cluster says nothing of others: the interval is all that there is.

    Examples
    --------
    >>> intervals([[1.0], [0.5]], ["obama", "obama"])
    [Interval(low=0.0, high=1.0)]
    """
    if len(set(clusters)) == 1:
        return [Interval(0.0, 1.0)] * np.shape(values)[1]
    return quantiles(resampled_means(values, clusters))


def quantiles(means: NDArray[np.float64]) -> list[Interval]:
    """The middle 95 % of each column."""
    bounds = np.quantile(means, [(1 - LEVEL) / 2, (1 + LEVEL) / 2], axis=0)
    return [Interval(float(low), float(high)) for low, high in bounds.T]
