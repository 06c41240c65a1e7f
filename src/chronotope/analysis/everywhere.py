"""Who plays a word's part in every other condition, and where nobody does.

There is always a nearest word; whether it is near enough is judged against chance. Vectors without meaning are drawn
that spread as the words of the condition asked from (sums of its vectors with random weights), and each is given its
best match among the same candidates. A match counts where it is nearer than the best match of all but a few of these.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from chronotope.analysis.old_answer import Answer
from chronotope.config import at_least
from chronotope.embeddings import ConditionedEmbeddings, Match
from chronotope.embeddings.nearest import nearest, unit_rows
from chronotope.errors import SettingsError

DRAWS = 400
# Among so many of the best candidates those that are near enough are looked for.
LOOKED_AT = 50


@dataclass(frozen=True)
class PartIn(Answer):
    """Who plays the part in one condition.

    Attributes
    ----------
    condition
        Where.
    matches
        The words that are near enough, best first; none where nobody plays the part.
    nearest
        The word with the highest cosine, near enough or not; None where the condition has no candidate.
    needed
        The cosine that a match needs to be nearer than chance.
    """

    condition: str
    matches: tuple[Match, ...]
    nearest: Match | None
    needed: float


@dataclass(frozen=True)
class Everywhere(Answer):
    """Who plays a word's part in every condition.

    Attributes
    ----------
    word, at
        The word, and the condition whose meaning is looked for.
    axis
        What distinguishes the conditions.
    parts
        One for each condition, that of the question among them.
    chance
        How often a vector without meaning has a match that counts.
    retrieval, min_count, signature
        How the answer was made.
    """

    word: str
    at: str
    axis: str
    parts: tuple[PartIn, ...]
    chance: float
    retrieval: str
    min_count: int
    signature: str


def equivalents_everywhere(
    embeddings: ConditionedEmbeddings,
    word: str,
    at: str,
    *,
    top: int = 3,
    chance: float = 0.05,
    min_count: int = 5,
    retrieval: str = "csls",
    seed: int = 1,
    needed: Sequence[float] | None = None,
) -> Everywhere:
    """The words that play in each condition the part that `word` plays in `at`; none where nothing is near enough.

    Parameters
    ----------
    embeddings
        The embeddings.
    word, at
        The word, and the condition that its meaning is taken from.
    top
        How many words each condition may name.
    chance
        How often a vector without meaning may have a match that counts; 1 lets every match count.
    min_count
        A candidate occurs at least so often in its condition.
    retrieval
        'csls' or 'cosine': what candidates are ranked by. Whether one is near enough is judged by its cosine.
    seed
        Of the vectors without meaning.
    needed
        What `needed_cosines` says for the same `at`, `chance`, `min_count` and `seed`, where it is known already: it
        is the same for every word.
    """
    at_least("top", top, 1)
    at = embeddings.conditions.labels[embeddings.conditions.index(at)]
    if needed is None:
        needed = needed_cosines(embeddings, at, chance=chance, min_count=min_count, seed=seed)
    parts = []
    for label, enough in zip(embeddings.conditions.labels, needed, strict=True):
        looked_at = max(top, LOOKED_AT)
        found = embeddings.equivalents(word, at, label, looked_at, min_count=min_count, retrieval=retrieval)
        nearest = embeddings.equivalents(word, at, label, 1, min_count=min_count, retrieval="cosine")
        near = [match for match in found if match.similarity >= enough] or [
            m for m in nearest if m.similarity >= enough
        ]
        parts.append(PartIn(label, tuple(near[:top]), nearest[0] if nearest else None, enough))
    return Everywhere(
        word, at, embeddings.conditions.axis, tuple(parts), chance, retrieval, min_count, embeddings.signature
    )


def needed_cosines(
    embeddings: ConditionedEmbeddings, at: str, *, chance: float = 0.05, min_count: int = 5, seed: int = 1
) -> tuple[float, ...]:
    """The cosine that a match needs in each condition to be nearer than chance, for any word of the condition `at`.

    Parameters
    ----------
    embeddings, at, chance, min_count, seed
        As for `equivalents_everywhere`.
    """
    if not 0 < chance <= 1:
        raise SettingsError(f"chance must be above 0 and at most 1, not {chance}")
    labels = embeddings.conditions.labels
    if embeddings.query_mapping is None:
        drawn = _meaningless(embeddings, at, min_count, seed)
        return tuple(_needed(embeddings, drawn, label, min_count, chance) for label in labels)
    # A word is carried among those of the condition asked in, so that chance is what it is there.
    return tuple(
        _needed(embeddings, _meaningless(embeddings, label, min_count, seed), label, min_count, chance)
        for label in labels
    )


def _meaningless(embeddings: ConditionedEmbeddings, at: str, min_count: int, seed: int) -> NDArray[np.float32]:
    """(DRAWS, D) unit vectors that spread as the words of a condition do, and mean nothing."""
    from chronotope.runtime.blas import one_blas_thread

    unit = embeddings.matrix(at, max(min_count, 1)).unit.astype(np.float64)
    weights = np.random.default_rng(seed).standard_normal((DRAWS, unit.shape[1]))
    # The square root of the second moments: weights times it have the same moments as weights over all the words.
    with one_blas_thread():
        values, axes = np.linalg.eigh(unit.T @ unit)
        drawn = (weights * np.sqrt(np.maximum(values, 0))) @ axes.T
    return unit_rows(drawn.astype(np.float32))


def _needed(
    embeddings: ConditionedEmbeddings, meaningless: NDArray[np.float32], to: str, min_count: int, chance: float
) -> float:
    """The cosine that the best match of a vector without meaning reaches with the given chance."""
    candidates = embeddings.matrix(to, min_count).unit
    if chance == 1 or not len(candidates):
        return -1.0
    best = nearest(meaningless, candidates, 1).cosine[:, 0]
    return float(np.quantile(best, 1 - chance))
