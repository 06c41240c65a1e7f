"""Rotations that bring vectors trained apart into one space (orthogonal Procrustes; Hamilton et al. 2016).

The time bins of a place are aligned along the chain, each to the one before it; then each place as a whole, with the
mean of each word's vectors over time, to the place with the most text. Time alone is one place, and places alone
have one bin each, so this one way serves all. A rotation is fitted to vectors of length one, and a word counts by how
often it occurs in the rarer of the two: a word seen a few times has a direction of chance.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from chronotope.conditions import Conditions
from chronotope.cooccurrence import Counts
from chronotope.embeddings.nearest import unit_rows
from chronotope.vocabulary import Support

Floats = NDArray[np.float32]


def rotation(source: Floats, target: Floats, weight: NDArray[np.floating]) -> NDArray[np.float64]:
    """(D, D) the orthogonal R that makes Σ weight ‖source R − target‖² least.

    Examples
    --------
    >>> turned = np.array([[0, 1], [-1, 0]], dtype=np.float32)
    >>> rotation(np.eye(2, dtype=np.float32), turned, np.ones(2)).round(6).tolist()
    [[0.0, 1.0], [-1.0, 0.0]]
    """
    with threadpool_limits(1, user_api="blas"):
        product = (source * weight[:, None]).astype(np.float64).T @ target.astype(np.float64)
        left, _, right = np.linalg.svd(product)
        return np.asarray(left @ right)


def align(vectors: Floats, counts: Counts, half_trust: float) -> Floats:
    """(P, D) the vectors of every condition turned into one space, that of the place with the most text.

    Parameters
    ----------
    vectors
        (P, D) one row for each pair of the support, each condition in a space of its own.
    counts
        What they were trained on.
    half_trust
        A word that occurs n times in the rarer of two conditions has the weight n / (n + half_trust).
    """
    support, words = counts.vocabulary.support, len(counts.vocabulary)
    turned = vectors.copy()
    chains = _chains(counts.conditions)
    means, totals = [], []
    for chain in chains:
        for before, here in pairwise(chain):
            _turn_to(turned, support, before, here, half_trust)
        mean, total = _mean(turned, support, chain, words)
        means.append(mean)
        totals.append(total)
    reference = int(np.argmax([counts.tokens[chain].sum() for chain in chains]))
    for place, chain in enumerate(chains):
        if place != reference:
            both = np.flatnonzero((totals[place] > 0) & (totals[reference] > 0))
            weight = _trust(totals[place][both], totals[reference][both], half_trust)
            turn = rotation(unit_rows(means[place][both]), unit_rows(means[reference][both]), weight)
            for condition in chain:
                _turn(turned, support, condition, turn)
    return turned


def _chains(conditions: Conditions) -> list[list[int]]:
    """The conditions of each place, in order of time."""
    places = conditions.place_of if conditions.places else (0,) * len(conditions)
    chains: dict[int, list[int]] = {}
    for condition, place in enumerate(places):
        chains.setdefault(place, []).append(condition)
    return list(chains.values())


def _turn_to(turned: Floats, support: Support, before: int, here: int, half_trust: float) -> None:
    """Turn a condition to the one before it."""
    both, old, new = np.intersect1d(
        support.words_in(before), support.words_in(here), assume_unique=True, return_indices=True
    )
    if len(both):
        weight = _trust(support.counts_in(before)[old], support.counts_in(here)[new], half_trust)
        source, target = turned[support.start[here] + new], turned[support.start[before] + old]
        _turn(turned, support, here, rotation(unit_rows(source), unit_rows(target), weight))


def _turn(turned: Floats, support: Support, condition: int, turn: NDArray[np.float64]) -> None:
    here = slice(support.start[condition], support.start[condition + 1])
    with threadpool_limits(1, user_api="blas"):
        turned[here] = turned[here].astype(np.float64) @ turn


def _trust(a: NDArray[np.int64], b: NDArray[np.int64], half_trust: float) -> NDArray[np.float64]:
    rarer = np.minimum(a, b)
    return np.asarray(rarer / (rarer + half_trust))


def _mean(vectors: Floats, support: Support, chain: list[int], words: int) -> tuple[Floats, NDArray[np.int64]]:
    """The mean vector of each word over some conditions, weighted by count, and how often it occurs in them."""
    total = np.zeros((words, vectors.shape[1]))
    times = np.zeros(words, dtype=np.int64)
    for condition in chain:
        word, number = support.words_in(condition), support.counts_in(condition)
        total[word] += vectors[support.start[condition] : support.start[condition + 1]] * number[:, None]
        times[word] += number
    return (total / np.maximum(times, 1)[:, None]).astype(np.float32), times
