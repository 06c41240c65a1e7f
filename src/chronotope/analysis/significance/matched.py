"""Scores against those of like words: frequency decides how noisy a score is, so words are judged by their peers."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]

PEERS = 200
# Fewer resamples in which a word could be measured say nothing of its spread.
LEAST_RESAMPLES = 10
MAD_TO_SD = 1.4826


def windows(size: int, peers: int = PEERS) -> Iterator[tuple[int, slice]]:
    """For every place in the order of frequency, the stretch of that order that holds its peers.

    Examples
    --------
    >>> [(place, (part.start, part.stop)) for place, part in windows(4, peers=2)]
    [(0, (0, 2)), (1, (0, 2)), (2, (1, 3)), (3, (2, 4))]
    """
    peers = min(peers, size)
    for place in range(size):
        first = min(max(place - peers // 2, 0), size - peers)
        yield place, slice(first, first + peers)


def matched_z(scores: Numbers, frequency: Numbers, peers: int = PEERS) -> Numbers:
    """How far each score stands out among words of like frequency, in robust standard deviations.

    The median and the median distance from it stand for mean and standard deviation, so that a few words that did
    change do not hide each other.

    Examples
    --------
    >>> matched_z(np.array([0.1, 0.2, 0.3, 0.9]), np.full(4, 9.0)).round(2).tolist()
    [-1.01, -0.34, 0.34, 4.38]
    """
    order = np.argsort(frequency, kind="stable")
    ordered = scores[order]
    z = np.zeros(len(scores))
    for place, part in windows(len(scores), peers):
        middle = np.median(ordered[part])
        spread = MAD_TO_SD * np.median(np.abs(ordered[part] - middle))
        z[order[place]] = (ordered[place] - middle) / spread if spread > 0 else 0.0
    return z


def pooled_p(observed: Numbers, resampled: Numbers, frequency: Numbers, peers: int = PEERS) -> Numbers:
    """(K,) how often chance does as much: p-values from a null that words of like frequency share.

    Each word's score is studentized by its own permuted scores, each permuted score by the others of that word; then
    the permuted ones of all peers together are the null. A few hundred permutations so give p-values far below one in
    a few hundred.

    Parameters
    ----------
    observed
        (K,) the scores.
    resampled
        (N, K) the scores under each permutation; NaN where a word could not be measured.
    frequency
        (K,) by which words are alike.

    Returns
    -------
    (K,) p-values; NaN where too few permutations could be measured, or none of them differs.
    """
    z, chance = studentized(observed, resampled)
    order = np.argsort(frequency, kind="stable")
    known = order[np.isfinite(z[order])]
    null = np.where(np.isfinite(chance[:, known]), chance[:, known], -np.inf).T  # (K, N)
    counted = np.isfinite(null).sum(axis=1)
    p = np.full(len(observed), np.nan)
    for place, part in windows(len(known), peers):
        word = known[place]
        p[word] = (1 + np.count_nonzero(null[part] >= z[word])) / (1 + counted[part].sum())
    return p


def studentized(observed: Numbers, resampled: Numbers) -> tuple[Numbers, Numbers]:
    """(K,) and (N, K) scores less the mean of a word's permuted scores over their standard deviation.

    A permuted score is left out of its own mean and deviation.
    """
    valid = np.isfinite(resampled)
    many = valid.sum(axis=0)
    safe = np.maximum(many, 1)
    mean = np.where(valid, resampled, 0).sum(axis=0) / safe
    apart = np.where(valid, resampled - mean, 0)
    squares = np.square(apart).sum(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        z = (observed - mean) / np.sqrt(squares / (many - 1))
        # Without score b the mean moves by −apart_b / (n − 1), and the squares lose apart_b² n / (n − 1).
        left = np.maximum(squares - np.square(apart) * many / (many - 1), 0) / (many - 2)
        chance = (apart * many / (many - 1)) / np.sqrt(left)
    enough = (many >= LEAST_RESAMPLES) & (squares > 0)
    return np.where(enough, z, np.nan), np.where(valid & enough, chance, np.nan)


def false_discovery_rates(p: Numbers) -> Numbers:
    """The q-values of Benjamini and Hochberg: the share of false discoveries among all words at least as clear.

    Examples
    --------
    >>> false_discovery_rates(np.array([0.01, 0.5, 0.02, np.nan])).round(3).tolist()
    [0.03, 0.5, 0.03, nan]
    """
    from scipy.stats import false_discovery_control

    q = np.full(len(p), np.nan)
    known = np.isfinite(p)
    q[known] = false_discovery_control(p[known])
    return q
