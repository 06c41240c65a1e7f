"""How far apart places are in their use of words, and how they group."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from chronotope.analysis.old_answer import Answer
from chronotope.analysis.own_vectors import in_one_space
from chronotope.config import at_least
from chronotope.embeddings import ConditionedEmbeddings
from chronotope.errors import SettingsError, number_of

# Half of a word's weight is reached where it occurs so often in the rarer of the two places.
HALF_WEIGHT = 50
# How many numbers the vectors, and the cosines, of a block of words may take.
ROOM = 1 << 23


@dataclass(frozen=True)
class PlaceDistances(Answer):
    """How far apart places are in their use of words.

    Attributes
    ----------
    places
        The places, those that are alike beside each other.
    distances
        For each place its distances to all: the weighted mean of 1 − cosine over the words that both have.
    words
        How many words each distance rests on.
    groups
        The number of each place's group, from 1, in the order of `places`.
    merges
        How the places join, from the nearest: two numbers (of places, then of the groups so far) and their distance.
    fidelity
        How well the tree keeps the distances: their correlation with those in the tree (cophenetic); None with fewer
        than three places.
    min_count, signature
        How the answer was made.
    """

    places: tuple[str, ...]
    distances: tuple[tuple[float, ...], ...]
    words: tuple[tuple[int, ...], ...]
    groups: tuple[int, ...]
    merges: tuple[tuple[int, int, float], ...]
    fidelity: float | None
    min_count: int
    signature: str


def place_distances(
    embeddings: ConditionedEmbeddings, *, groups: int | None = None, min_count: int = 10
) -> PlaceDistances:
    """How far apart places are in their use of words, and how they group.

    A word counts with n / (n + 50), n being how often it occurs where it is rarer: the vectors of rare words are noisy,
    and would make every place with little text look remote; but the most frequent words do not drown the others. Over
    time × place the distance is the mean over the time bins that both places have. Places join by the mean distance of
    their members (average linkage).

    Parameters
    ----------
    embeddings
        The embeddings; they have two places at least.
    groups
        How many groups to make; by default as many as are clearly apart (the widest gap between joins).
    min_count
        A word counts where it occurs at least so often in both places.
    """
    conditions = embeddings.conditions
    names = conditions.places
    if len(names) < 2:
        raise SettingsError("the conditions of this model are not places; there is nothing to compare")
    at_least("min_count", min_count, 1)
    in_one_space(embeddings)
    totals, counts, words = (np.zeros((len(names), len(names))) for _ in range(3))
    for together in _by_time(embeddings):
        distance, shared = _between(embeddings, together, min_count)
        there = np.ix_(*[[conditions.place_of[condition] for condition in together]] * 2)
        totals[there] += distance
        counts[there] += shared > 0
        words[there] += shared
    if not counts[~np.eye(len(names), dtype=bool)].all():
        raise SettingsError(
            f"two of the places share no word that occurs {number_of(min_count, 'times')} in both; "
            "lower min_count (--min-count)"
        )
    distances = totals / np.maximum(counts, 1)
    return _clustered(names, distances, words, groups, min_count, embeddings.signature)


def _by_time(embeddings: ConditionedEmbeddings) -> list[list[int]]:
    """The conditions of each time bin; without time, all together."""
    conditions = embeddings.conditions
    if not conditions.times:
        return [list(range(len(conditions)))]
    found: dict[int, list[int]] = {}
    for number, time in enumerate(conditions.time_of):
        found.setdefault(time, []).append(number)
    return list(found.values())


def _between(
    embeddings: ConditionedEmbeddings, conditions: Sequence[int], min_count: int
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """(C, C) the weighted mean of 1 − cosine over the words of every two conditions, and how many words they are."""
    from chronotope.runtime.blas import one_blas_thread

    labels, count = embeddings.conditions.labels, len(conditions)
    support = np.zeros((count, len(embeddings)))
    for row, condition in enumerate(conditions):
        support[row, embeddings.observed.words_in(condition)] = embeddings.observed.counts_in(condition)
    support[support < min_count] = 0
    judged = np.flatnonzero(np.count_nonzero(support, axis=0) > 1)
    distance, weights = np.zeros((count, count)), np.zeros((count, count))
    shared = np.zeros((count, count), dtype=np.int64)
    block = max(1, ROOM // (count * max(count, embeddings.dimensions)))
    for begin in range(0, len(judged), block):
        part = judged[begin : begin + block]
        names = [embeddings.words[word] for word in part]
        # (words, conditions, dimensions): all cosines of a word are one small product.
        rows = np.stack([embeddings.project(names, labels[at], labels[at]) for at in conditions], axis=1)
        with one_blas_thread():
            cosines = rows @ rows.transpose(0, 2, 1)
        here = support[:, part].T
        rarer = np.minimum(here[:, :, None], here[:, None, :])
        weight = rarer / (rarer + HALF_WEIGHT)
        distance += (weight * (1 - cosines)).sum(axis=0)
        weights += weight.sum(axis=0)
        shared += np.count_nonzero(rarer, axis=0)
    distance = (distance + distance.T) / (2 * np.where(weights == 0, 1, weights))
    np.fill_diagonal(distance, 0)
    return distance, shared


def _clustered(
    names: Sequence[str],
    distances: NDArray[np.float64],
    words: NDArray[np.float64],
    groups: int | None,
    min_count: int,
    signature: str,
) -> PlaceDistances:
    from scipy.cluster.hierarchy import cophenet, fcluster, leaves_list, linkage
    from scipy.spatial.distance import squareform

    condensed = squareform(distances, checks=False)
    tree = linkage(condensed, "average", optimal_ordering=True)
    order = leaves_list(tree)
    if groups is None:
        # The widest gap between one join and the next: below it places belong together, above it they do not.
        gaps = np.diff(tree[:, 2])
        groups = len(names) - 1 - int(gaps.argmax()) if len(gaps) else 1
    at_least("groups", groups, 1)
    member = fcluster(tree, min(groups, len(names)), "maxclust")[order]
    first_seen = {int(group): number for number, group in enumerate(dict.fromkeys(member.tolist()), 1)}
    fidelity = float(cophenet(tree, condensed)[0]) if len(names) > 2 and np.ptp(condensed) > 0 else None
    place = np.empty(len(names), dtype=np.int64)
    place[order] = np.arange(len(names))
    merges = tuple(
        (
            int(place[int(a)]) if a < len(names) else int(a),
            int(place[int(b)]) if b < len(names) else int(b),
            float(height),
        )
        for a, b, height, _ in tree
    )
    return PlaceDistances(
        tuple(names[number] for number in order.tolist()),
        tuple(tuple(float(value) for value in row) for row in distances[order][:, order]),
        tuple(tuple(int(value) for value in row) for row in words[order][:, order]),
        tuple(first_seen[int(group)] for group in member),
        merges,
        fidelity,
        min_count,
        signature,
    )
