"""Rotations that bring vectors trained apart into one space (orthogonal Procrustes; Hamilton et al. 2016).

The time bins of a place are aligned along the chain, each to the one before it; then each place as a whole, with the
mean of each word's vectors over time, to the place with the most text. Time alone is one place, and places alone
have one bin each, so this one way serves all. A rotation is fitted to vectors of length one, and a word counts by how
often it occurs in the rarer of the two: a word seen a few times has a direction of chance.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from chronotope.conditions import Conditions
from chronotope.cooccurrence import Counts
from chronotope.cooccurrence.vocabulary import Support
from chronotope.embeddings.nearest import unit_rows
from chronotope.errors import InputError
from chronotope.runtime.blas import one_blas_thread

Floats = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class Fit:
    """What rotations are fitted to.

    Attributes
    ----------
    half_trust
        A word that occurs n times in the rarer of two conditions has the weight n / (n + half_trust).
    landmarks
        (W,) the words that may count; None: all.
    least
        How many words two conditions must share at least; with fewer than dimensions a rotation is partly chance.
    """

    half_trust: float
    landmarks: NDArray[np.bool_] | None = None
    least: int = 0

    def shared(self, a: NDArray[np.int64], b: NDArray[np.int64], names: tuple[str, str]) -> NDArray[np.int64]:
        """The words that count, of those that occur so often in two conditions or places."""
        both = (a > 0) & (b > 0)
        if self.landmarks is not None:
            both &= self.landmarks
        found = np.flatnonzero(both)
        if len(found) < self.least:
            what = "words" if self.landmarks is None else "landmarks"
            raise InputError(
                f"{names[0]} and {names[1]} share only {len(found):,} {what}; "
                f"to turn {self.least} dimensions takes as many at least"
            )
        return found

    def weight(self, a: NDArray[np.int64], b: NDArray[np.int64]) -> NDArray[np.float64]:
        """How much words count that occur so often in two conditions."""
        rarer = np.minimum(a, b)
        return np.asarray(rarer / (rarer + self.half_trust))


def rotation(source: Floats, target: Floats, weight: NDArray[np.floating]) -> NDArray[np.float64]:
    """(D, D) the orthogonal R that makes Σ weight ‖source R − target‖² least.

    Examples
    --------
    >>> turned = np.array([[0, 1], [-1, 0]], dtype=np.float32)
    >>> rotation(np.eye(2, dtype=np.float32), turned, np.ones(2)).round(6).tolist()
    [[0.0, 1.0], [-1.0, 0.0]]
    """
    with one_blas_thread():
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
    return align_pairs(vectors, support, counts.conditions, words, Fit(half_trust))


def align_pairs(vectors: Floats, support: Support, conditions: Conditions, words: int, fit: Fit) -> Floats:
    """The same for vectors of any origin.

    Parameters
    ----------
    vectors
        (P, D) one row for each pair of the support, each condition in a space of its own.
    support, conditions, words
        Which words occur where, and how often; the conditions; how many words there are.
    fit
        What the rotations are fitted to.
    """
    turned = vectors.copy()
    chains = _chains(conditions)
    means, totals = [], []
    for chain in chains:
        for before, here in pairwise(chain):
            old, new = (_mean(turned, support, [condition], words) for condition in (before, here))
            turn = _rotation(new, old, fit, (conditions.labels[before], conditions.labels[here]))
            _turn(turned, support, here, turn)
        mean, total = _mean(turned, support, chain, words)
        means.append(mean)
        totals.append(total)
    reference = int(np.argmax([total.sum() for total in totals]))
    names = [conditions.places[conditions.place_of[chain[0]]] if conditions.places else "" for chain in chains]
    for place, chain in enumerate(chains):
        if place != reference:
            source, target = ((means[number], totals[number]) for number in (place, reference))
            turn = _rotation(source, target, fit, (names[place], names[reference]))
            for condition in chain:
                _turn(turned, support, condition, turn)
    return turned


def _rotation(
    source: tuple[Floats, NDArray[np.int64]],
    target: tuple[Floats, NDArray[np.int64]],
    fit: Fit,
    names: tuple[str, str],
) -> NDArray[np.float64]:
    """The rotation between the vectors of all words in two conditions, given with how often they occur."""
    both = fit.shared(source[1], target[1], names)
    if not len(both):
        return np.eye(source[0].shape[1])
    weight = fit.weight(source[1][both], target[1][both])
    return rotation(unit_rows(source[0][both]), unit_rows(target[0][both]), weight)


def _chains(conditions: Conditions) -> list[list[int]]:
    """The conditions of each place, in order of time."""
    places = conditions.place_of if conditions.places else (0,) * len(conditions)
    chains: dict[int, list[int]] = {}
    for condition, place in enumerate(places):
        chains.setdefault(place, []).append(condition)
    return list(chains.values())


def _turn(turned: Floats, support: Support, condition: int, turn: NDArray[np.float64]) -> None:
    here = slice(support.start[condition], support.start[condition + 1])
    with one_blas_thread():
        turned[here] = turned[here].astype(np.float64) @ turn


def _mean(vectors: Floats, support: Support, chain: list[int], words: int) -> tuple[Floats, NDArray[np.int64]]:
    """The mean vector of each word over some conditions, weighted by count, and how often it occurs in them."""
    total = np.zeros((words, vectors.shape[1]))
    times = np.zeros(words, dtype=np.int64)
    for condition in chain:
        word, number = support.words_in(condition), support.counts_in(condition)
        total[word] += vectors[support.start[condition] : support.start[condition + 1]] * number[:, None]
        times[word] += number
    return (total / np.maximum(times, 1)[:, None]).astype(np.float32), times
