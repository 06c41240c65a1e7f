"""The cosine of two vectors without the noise of their text, and an interval for it.

Noise makes vectors longer, and so a cosine smaller than it would be with endless text: cos(x, y) is x·y over two
lengths that are too large. Draws of documents say how large the noise is, and it is taken off: off the squared lengths,
and off the product where both vectors share text. It is the correction for attenuation of Spearman (1904), for
directions.

The interval has the spread of the drawn cosines, made larger as the cosine is. Where a word stands in few documents its
spread is itself uncertain: Student's t with one degree less than documents stands for the normal distribution.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]

COVERAGE = 0.95
# Draws of fewer documents say nothing of what other documents would have said.
FEWEST_DOCUMENTS = 5
# Where more than this share of a squared length is noise, nothing can be said of the direction.
MOST_NOISE = 0.9


class Noiseless(NamedTuple):
    """Cosines less the noise; NaN where they cannot be told.

    Attributes
    ----------
    value
        (N,) the cosines.
    low, high
        (N,) the ends of their 95 % intervals.
    """

    value: Numbers
    low: Numbers
    high: Numbers

    @classmethod
    def cosines(
        cls,
        first: Numbers,
        second: Numbers,
        drawn_first: NDArray[np.floating],
        drawn_second: NDArray[np.floating],
        documents: NDArray[np.int64],
    ) -> Noiseless:
        """The cosine of each vector with its partner.

        Parameters
        ----------
        first, second
            (N, D) the vectors, and their partners.
        drawn_first, drawn_second
            (draws, N, D) the same with the documents drawn again; NaN where a draw has none.
        documents
            (N,) in how many documents the rarer of the two stands.

        Examples
        --------
        >>> x, y = np.array([[2.0, 0.0]]), np.array([[2.0, 1.0]])
        >>> noise = np.array([[[0.5, 0.5]], [[-0.5, -0.5]], [[0.5, -0.5]], [[-0.5, 0.5]]])
        >>> found = Noiseless.cosines(x, y, x + noise, y + noise[[1, 2, 0, 3]], np.array([30]))
        >>> round(float((x * y).sum() / np.sqrt((x**2).sum() * (y**2).sum())), 3), found.value.round(3).tolist()
        (0.894, [1.0])
        """
        with np.errstate(invalid="ignore", divide="ignore"):
            noise_first, noise_second = _shared(drawn_first, drawn_first), _shared(drawn_second, drawn_second)
            squares = np.square(first).sum(axis=1), np.square(second).sum(axis=1)
            kept = 1 - noise_first / squares[0], 1 - noise_second / squares[1]
            reliable = (np.minimum(*kept) >= 1 - MOST_NOISE) & (documents >= FEWEST_DOCUMENTS)
            scale = np.sqrt(np.where(reliable, kept[0] * kept[1], np.nan))
            product = (first * second).sum(axis=1) - _shared(drawn_first, drawn_second)
            value = product / (np.sqrt(squares[0] * squares[1]) * scale)
            spread = np.sqrt(_shared(*2 * (_cosines(drawn_first, drawn_second)[:, :, None],)))
            reach = student(documents) * spread / scale
        return cls(*(np.clip(part, -1, 1) for part in (value, value - reach, value + reach)))


def _cosines(first: NDArray[np.floating], second: NDArray[np.floating]) -> Numbers:
    """(draws, N) the drawn cosines."""
    product = np.multiply(first, second, dtype=np.float64).sum(axis=2)
    lengths = (np.square(part, dtype=np.float64).sum(axis=2) for part in (first, second))
    return np.asarray(product / np.sqrt(np.multiply(*lengths)))


def _shared(first: NDArray[np.floating], second: NDArray[np.floating]) -> Numbers:
    """(N,) the covariance of drawn vectors, added up over dimensions, over the draws that have both."""
    known = np.isfinite(first[:, :, 0]) & np.isfinite(second[:, :, 0])
    many = known.sum(axis=0)
    one, other = (np.where(known[:, :, None], part, 0).astype(np.float64) for part in (first, second))
    product = (one * other).sum(axis=(0, 2)) - (one.sum(axis=0) * other.sum(axis=0)).sum(axis=1) / many
    return np.asarray(product / (many - 1))


def student(documents: NDArray[np.int64]) -> Numbers:
    """(N,) how many standard deviations wide each side of an interval is; NaN where documents are too few.

    Examples
    --------
    >>> student(np.array([4, 5, 30, 1000])).round(2).tolist()
    [nan, 2.78, 2.05, 1.96]
    """
    from scipy.special import stdtrit

    reach = stdtrit(np.maximum(documents, 2) - 1.0, (1 + COVERAGE) / 2)
    return np.where(documents >= FEWEST_DOCUMENTS, reach, np.nan)
