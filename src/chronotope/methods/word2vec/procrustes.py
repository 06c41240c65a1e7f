"""Rotations into one space, for vectors trained separately (orthogonal Procrustes; Hamilton et al. 2016).

Each time bin of a place is rotated to the previous one. Then each place as a whole is rotated to the place with the
most text, by the mean of each word's vectors over time. Time alone is one place, and places alone have one bin each.
Rotations are fitted to unit vectors. A word's weight grows with its count in the rarer condition, since the direction
of a rare word is mostly chance.
"""

from collections.abc import Callable
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import orthogonal_procrustes

from chronotope.conditions import Conditions
from chronotope.cooccurrence import Counts
from chronotope.cooccurrence.vocabulary import Support, Vocabulary
from chronotope.embeddings.arrays import mean_vectors
from chronotope.embeddings.nearest import ridge_map, unit_rows
from chronotope.errors import InputError
from chronotope.methods.base import Floats, find_words
from chronotope.runtime.blas import one_blas_thread

Anchors = str | NDArray[np.int64] | None
FREQUENT_SHARE, STABLE_SHARE = 0.05, 0.25  # of the vocabulary, as in the original
LEAST_RIDGE = 1e-9  # keeps the equations of few words solvable


def rotation(source: Floats, target: Floats, weight: NDArray[np.floating]) -> NDArray[np.float64]:
    """(D, D) the orthogonal R that minimizes Σ weight ‖source R − target‖²."""
    with one_blas_thread():
        weighted = (source * weight[:, None]).astype(np.float64)
        return np.asarray(orthogonal_procrustes(weighted, target.astype(np.float64))[0])


def linear_map(source: Floats, target: Floats, weight: NDArray[np.floating], ridge: float = 1.0) -> NDArray[np.float64]:
    """(D, D) the Q that minimizes Σ weight ‖source Q − target‖² + ridge · mean(weight · source²) · ‖Q − rotation‖²."""
    share = np.sqrt(weight)[:, None]
    return ridge_map(source * share, target * share, ridge + LEAST_RIDGE, rotation(source, target, weight))


def align(
    vectors: Floats,
    support: Support,
    conditions: Conditions,
    words: int,
    shrinkage: float,
    landmarks: NDArray[np.bool_] | None = None,
    min_shared: int = 0,
    fit: Callable[[Floats, Floats, NDArray[np.floating]], NDArray[np.float64]] = rotation,
) -> Floats:
    """(P, D) the vectors of all conditions, rotated into the space of the place with the most text.

    A word that occurs n times in the rarer of two conditions has the weight n / (n + shrinkage). Rotations are fitted
    to the `landmarks`, (W,), or to all words. If two conditions share fewer than `min_shared` words, raise InputError:
    with fewer words than dimensions a rotation is partly chance. `fit` may also be `linear_map`.
    """
    aligned = vectors.copy()

    def rotate(chain: list[int], onto: list[int], names: tuple[str, str]) -> None:
        """Rotate some conditions onto others."""
        source, source_count = mean_vectors(support, aligned, words, chain)
        target, target_count = mean_vectors(support, aligned, words, onto)
        rarer = np.minimum(source_count, target_count)
        shared = np.flatnonzero(rarer if landmarks is None else rarer * landmarks)
        if len(shared) < min_shared:
            what = "words" if landmarks is None else "landmarks"
            share = f"{names[0]} and {names[1]} share only {len(shared):,} {what}"
            raise InputError(f"{share}; a rotation of {min_shared} dimensions needs at least as many")
        if not len(shared):
            return
        weight = rarer[shared] / (rarer[shared] + shrinkage)
        turn = fit(unit_rows(source[shared]), unit_rows(target[shared]), weight)
        with one_blas_thread():
            for condition in chain:
                here = slice(support.start[condition], support.start[condition + 1])
                aligned[here] = aligned[here].astype(np.float64) @ turn

    chains: dict[str, list[int]] = {}
    for condition, place in enumerate(conditions.coordinates[1].tolist()):
        chains.setdefault(conditions.places[place] if conditions.places else "", []).append(condition)
    for chain in chains.values():
        for before, here in pairwise(chain):
            rotate([here], [before], (conditions.labels[before], conditions.labels[here]))
    largest = max(chains, key=lambda place: sum(support.counts_in(condition).sum() for condition in chains[place]))
    for place, chain in chains.items():
        if place != largest:
            rotate(chain, chains[largest], (place, largest))
    return aligned


def listed_anchors(anchors: str | tuple[str, ...] | None, vocabulary: Vocabulary) -> Anchors:
    """Return the ids of listed words; 'frequent', 'stable' and None stay."""
    if anchors is None or anchors in ("frequent", "stable"):
        return str(anchors) if anchors else None
    return find_words(anchors, vocabulary, "anchors (frequent, stable, or a file or list of words)")


def anchor_words(anchors: Anchors, counts: Counts, vectors: Floats, shrinkage: float) -> NDArray[np.bool_] | None:
    """(W,) whether each word is an anchor, as `AlignedSettings.anchors` says; None for all words.

    `vectors` (P, D) are those of all conditions, not aligned.
    """
    vocabulary = counts.vocabulary
    words, dimensions = len(vocabulary), vectors.shape[1]
    chosen = np.zeros(words, dtype=bool)
    if anchors is None:
        return None
    if not isinstance(anchors, str):
        chosen[anchors] = True
        return chosen
    if anchors == "frequent":
        chosen[: max(int(np.ceil(FREQUENT_SHARE * words)), 2 * dimensions)] = True  # the most frequent come first
        return chosen
    score = stability(counts, align(vectors, vocabulary.support, counts.conditions, words, shrinkage))
    number = max(int(np.ceil(STABLE_SHARE * words)), 2 * dimensions)
    best = np.argsort(-score, kind="stable")[:number]
    chosen[best[score[best] >= 0]] = True
    return chosen


def stability(counts: Counts, aligned: Floats) -> NDArray[np.float64]:
    """(W,) the length of the mean of a word's unit vectors; −1 for words in fewer than half of the conditions."""
    support, words = counts.vocabulary.support, len(counts.vocabulary)
    total = np.zeros((words, aligned.shape[1]))
    np.add.at(total, support.word, unit_rows(aligned))
    conditions = np.bincount(support.word, minlength=words)
    score = np.linalg.norm(total, axis=1) / np.maximum(conditions, 1)
    return np.where(2 * conditions >= len(counts.conditions), score, -1.0)
