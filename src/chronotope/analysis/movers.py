"""Who joins and who leaves a word's company between two stretches of conditions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from chronotope.analysis.old_answer import Answer
from chronotope.embeddings import ConditionedEmbeddings

# How many neighbors of each condition may be among those that joined or left.
NEAR = 10
# Of a long stretch the conditions next to the change are looked at.
REACH = 5


@dataclass(frozen=True)
class Mover(Answer):
    """A word that came nearer, or went away.

    Attributes
    ----------
    word
        It.
    before, after
        Its mean similarity in the conditions before and after.
    """

    word: str
    before: float
    after: float


def movers(
    embeddings: ConditionedEmbeddings,
    word: str,
    before: Sequence[int],
    after: Sequence[int],
    *,
    top: int = 5,
    min_count: int = 5,
) -> tuple[tuple[Mover, ...], tuple[Mover, ...]]:
    """The words that joined a word's company, and those that left it, the greatest movements first.

    Only words that are among its nearest somewhere in the stretch that they joined (or left) are looked at. A word that
    is absent from a condition stands there where it stands elsewhere.

    Parameters
    ----------
    embeddings
        The embeddings.
    word
        The word.
    before, after
        The numbers of the conditions of the two stretches, in order.
    top
        How many of each.
    min_count
        A neighbor occurs at least so often.
    """
    labels = embeddings.conditions.labels
    near: list[set[str]] = [set(), set()]
    for side, stretch in enumerate((before[-REACH:], after[:REACH])):
        for condition in stretch:
            found = embeddings.neighbors(word, labels[condition], NEAR, min_count=min_count)
            near[side] |= {match.word for match in found}
    names = sorted(near[0] | near[1])
    if not names:
        return (), ()
    means = [
        np.mean([_similarities(embeddings, word, names, labels[condition]) for condition in stretch], axis=0).tolist()
        for stretch in (before[-REACH:], after[:REACH])
    ]
    everyone = [Mover(name, old, new) for name, old, new in zip(names, *means, strict=True)]
    joined = sorted((one for one in everyone if one.word in near[1]), key=lambda one: one.before - one.after)
    left = sorted((one for one in everyone if one.word in near[0]), key=lambda one: one.after - one.before)
    return (
        tuple(one for one in joined[:top] if one.after > one.before),
        tuple(one for one in left[:top] if one.after < one.before),
    )


def _similarities(embeddings: ConditionedEmbeddings, word: str, names: list[str], label: str) -> list[float]:
    """The cosines of a word with others in a condition."""
    rows = embeddings.project([word, *names], label, label).astype(np.float64)
    return [float(cosine) for cosine in np.multiply(rows[1:], rows[0]).sum(axis=1)]
