"""Where the mean of a series shifts, and how often chance alone would shift it as much.

The test is that of Kulkarni et al. (2015): the largest difference between the means before and after a point, compared
with the largest in the same series in random order. Two things are stricter than there. A difference is weighted by how
many values stand on either side, √(n₁ n₂ / n), so that a single odd value at an end is no shift. And the largest
difference over all points is compared with the largest over all points, so that p is one number that is uniform when
the order means nothing, whatever the length of the series.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

# Each side of a shift has so many values at least.
LEAST = 2
# How many numbers the series in random order may take at a time.
ROOM = 1 << 22


class Shift(NamedTuple):
    """The largest shift of a series.

    Attributes
    ----------
    split
        The number of the first value after it.
    size
        √(n₁ n₂ / n) times the distance of the two means.
    p
        How often the same values in random order shift as much.
    """

    split: int
    size: float
    p: float


def largest_shifts(series: NDArray[np.float64], least: int = LEAST) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Where each of several series shifts most, and how much.

    Parameters
    ----------
    series
        (R, T, D) R series of T values, each a vector.
    least
        How many values are on each side at least.
    """
    length = series.shape[1]
    splits = np.arange(least, length - least + 1)
    centered = series - series.mean(axis=1, keepdims=True)
    # With the mean taken off, what stands before a point adds up to minus what stands after it.
    before = np.cumsum(centered, axis=1)[:, splits - 1]
    sizes = length / (splits * (length - splits)) * np.square(before).sum(axis=2)
    best = sizes.argmax(axis=1)
    return splits[best], np.sqrt(sizes[np.arange(len(series)), best])


def mean_shift(
    values: NDArray[np.float64], *, permutations: int = 999, least: int = LEAST, seed: int = 1
) -> Shift | None:
    """The largest shift of the mean of a series; None where the series is too short to have one.

    Parameters
    ----------
    values
        (T,) or (T, D) the series.
    permutations
        How many random orders the real one is compared with.
    least
        How many values are on each side at least.
    seed
        Of the random orders.

    Examples
    --------
    >>> mean_shift(np.array([0.9, 1, 1.1, 1, 0.1, 0, 0.1, 0])).split
    4
    """
    rows = np.asarray(values, dtype=np.float64).reshape(len(values), -1)
    if len(rows) < 2 * least:
        return None
    split, size = (part[0] for part in largest_shifts(rows[None], least))
    rows = _shortened(rows)
    rng = np.random.default_rng([seed, len(rows)])
    reached, block = 0, max(1, ROOM // rows.size)
    for begin in range(0, permutations, block):
        orders = np.tile(np.arange(len(rows)), (min(block, permutations - begin), 1))
        sizes = largest_shifts(rows[rng.permuted(orders, axis=1)], least)[1]
        # An order that shifts exactly as much must count, whatever the rounding of its sums.
        reached += int(np.count_nonzero(sizes >= size * (1 - 1e-9)))
    return Shift(int(split), float(size), (reached + 1) / (permutations + 1))


def _shortened(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    """Vectors with the same inner products, of as many numbers as there are vectors: their means move the same way."""
    if rows.shape[1] <= rows.shape[0]:
        return rows
    from chronotope.runtime.blas import one_blas_thread

    with one_blas_thread():
        return np.asarray(np.linalg.qr(rows.T)[1].T)
