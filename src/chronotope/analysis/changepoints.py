"""When a word changed: the points in time at which the mean of its vectors shifts, and who joined and left it there.

Two numbers say how much to believe. `p` compares the series with itself in random order, as Kulkarni et al. (2015) do.
It takes neighboring bins as independent, and a model that smooths along time, or a word that drifts slowly, breaks
that: then nearly every word has a small p. `p_words` compares the shift with the largest shifts of the words that are
about as frequent, which are smoothed just as much; it is small only where a word breaks more than words like it. A
change is reported where both are small.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from chronotope.analysis.old_answer import Answer
from chronotope.analysis.mean_shift import LEAST, largest_shifts, mean_shift
from chronotope.analysis.movers import Mover, movers
from chronotope.analysis.own_vectors import OwnVectors, in_one_space, own_vectors, timeline
from chronotope.config import at_least
from chronotope.embeddings import ConditionedEmbeddings
from chronotope.errors import SettingsError

REFERENCES = 200
# Fewer words than this cannot show that a shift is rare.
FEWEST_REFERENCES = 19
# In a shorter series even a perfect shift is found among its random orders in more than one case of twenty.
SHORTEST_FOR_P = 8
# Smoothing spreads a change over the bins around it: what is left on either side is below this share of it.
ECHO = 0.25


@dataclass(frozen=True)
class ChangePoint(Answer):
    """A point in time at which a word shifts.

    Attributes
    ----------
    last, first
        The last condition before it, and the first after it.
    shift
        1 − the cosine of what the word means in the stretch before and in the stretch after.
    p
        How often the same vectors in random order shift as much; it takes neighboring bins as independent.
    p_words
        The share of words about as frequent whose largest shift is as large; None where there are too few of them.
    accepted
        Whether both are at or below the level that was asked for.
    joined, left
        The words that came nearer most, and those that went away most; none where the change is not accepted.
    """

    last: str
    first: str
    shift: float
    p: float
    p_words: float | None
    accepted: bool
    joined: tuple[Mover, ...] = ()
    left: tuple[Mover, ...] = ()


@dataclass(frozen=True)
class ChangePoints(Answer):
    """The points in time at which a word changed.

    Attributes
    ----------
    word
        The word.
    place
        The place that was looked at; None where the conditions are time bins alone.
    against
        The condition that similarity is measured with; None where the vectors themselves are looked at.
    conditions
        The conditions that were looked at: those in which the word has enough support.
    points
        The changes in order of time; where none was accepted, the one that comes nearest.
    level
        What p may be at most.
    permutations, min_count, signature
        How the answer was made.
    """

    word: str
    place: str | None
    against: str | None
    conditions: tuple[str, ...]
    points: tuple[ChangePoint, ...]
    level: float
    permutations: int
    min_count: int
    signature: str

    @property
    def accepted(self) -> tuple[ChangePoint, ...]:
        """The changes that are more than chance."""
        return tuple(point for point in self.points if point.accepted)


def change_points(
    embeddings: ConditionedEmbeddings,
    word: str,
    *,
    place: str | None = None,
    against: str | None = None,
    most: int = 3,
    level: float = 0.05,
    permutations: int = 999,
    top: int = 5,
    min_count: int = 5,
    seed: int = 1,
) -> ChangePoints:
    """When a word changed, and who joined and left its company there.

    The largest shift of the whole series is looked for first, then the largest on either side of it, and so on; there
    it counts where it is at least a quarter of the largest, since smoothing leaves an echo on both sides of a change.
    A word that leaves and soon returns can be missed: no single point then parts the series in two.

    Parameters
    ----------
    embeddings
        The embeddings.
    word
        The word.
    place
        Where conditions are times × places, the place whose time line is followed.
    against
        Look at the similarity with this condition ('first' or a label; made comparable over time by the mean and the
        spread over other words, as Kulkarni et al. do), not at the vectors themselves.
    most
        How many changes at most.
    level
        What p may be at most.
    permutations
        How many random orders the real one is compared with.
    top
        How many words that joined, and that left, are shown.
    min_count
        A bin counts where the word occurs at least so often.
    seed
        Of the random orders.
    """
    at_least("most", most, 1)
    at_least("permutations", permutations, 19)
    at_least("top", top, 0)
    if not 0 < level < 1:
        raise SettingsError(f"level must be between 0 and 1, not {level}")
    in_one_space(embeddings)
    labels = embeddings.conditions.labels
    own = own_vectors(embeddings, word, min_count, timeline(embeddings.conditions, place), least=2 * LEAST)
    others = _like_words(embeddings, embeddings.index(word), own.conditions, min_count)
    base = None if against is None else _base(embeddings, own, against)
    row = None if base is None else int(np.flatnonzero(own.conditions == base)[0])
    rows, others, kept = _as_series(own.unit, others, row)
    tried = sorted(
        _tried(rows, others, level, permutations, seed), key=lambda one: (not one.good, one.p, one.p_words or 0)
    )
    shown = [one for one in tried if one.good][:most] or tried[:1]
    own = OwnVectors(own.conditions[kept], own.unit[kept])
    splits = sorted(one.split for one in shown)
    points = []
    for one in sorted(shown, key=lambda one: one.split):
        begin = max([0, *(split for split in splits if split < one.split)])
        end = min([len(rows), *(split for split in splits if split > one.split)])
        before, after = own.conditions[begin : one.split].tolist(), own.conditions[one.split : end].tolist()
        shift = _distance(own.unit[begin : one.split], own.unit[one.split : end])
        moved = movers(embeddings, word, before, after, top=top, min_count=min_count) if one.good else ((), ())
        points.append(ChangePoint(labels[before[-1]], labels[after[0]], shift, one.p, one.p_words, one.good, *moved))
    return ChangePoints(
        word,
        place,
        base if base is None else labels[base],
        tuple(labels[condition] for condition in own.conditions),
        tuple(points),
        level,
        permutations,
        min_count,
        embeddings.signature,
    )


class _Try(NamedTuple):
    """The largest shift of a stretch: where, how likely by chance, and whether it counts."""

    split: int
    p: float
    p_words: float | None
    good: bool


def _tried(
    rows: NDArray[np.float64], others: NDArray[np.float64], level: float, permutations: int, seed: int
) -> list[_Try]:
    """The largest shift of every stretch that was looked at: of the whole, then on both sides of each that counts."""
    tried: list[_Try] = []
    largest = 0.0
    stretches = [(0, len(rows))]
    while stretches:
        begin, end = stretches.pop(0)
        shift = mean_shift(rows[begin:end], permutations=permutations, seed=seed)
        if shift is None:
            continue
        split = begin + shift.split
        p_words = _rarity(shift.size, others[:, begin:end])
        distance = _distance(rows[begin:split], rows[split:end])
        # A short series is judged by the other words alone, as a whole but not in parts.
        by_order = shift.p <= level or (not tried and len(rows) < SHORTEST_FOR_P and p_words is not None)
        good = by_order and (p_words is None or p_words <= level) and distance >= ECHO * largest
        tried.append(_Try(split, shift.p, p_words, good))
        if good:
            largest = max(largest, distance)
            stretches += [(begin, split), (split, end)]
    return tried


def _rarity(size: float, others: NDArray[np.float64]) -> float | None:
    """The share of words that shift as much; None where there are too few words to tell."""
    if len(others) < FEWEST_REFERENCES:
        return None
    sizes = largest_shifts(others)[1]
    return (1 + int(np.count_nonzero(sizes >= size))) / (1 + len(sizes))


def _like_words(
    embeddings: ConditionedEmbeddings, word: int, conditions: NDArray[np.int64], min_count: int
) -> NDArray[np.float64]:
    """(R, T, D) the unit vectors of words about as frequent, with enough support in the same conditions."""
    matrices = [embeddings.matrix(embeddings.conditions.labels[condition], min_count) for condition in conditions]
    present = np.zeros(len(embeddings), dtype=np.int64)
    for matrix in matrices:
        present[matrix.word] += 1
    shared = np.flatnonzero(present == len(matrices))
    places = [np.searchsorted(matrix.word, shared) for matrix in matrices]
    support = np.sum([matrix.support[at] for matrix, at in zip(matrices, places, strict=True)], axis=0)
    rank = np.argsort(np.lexsort((shared, -support)))
    distance = np.abs(rank - rank[shared == word][0])
    kept = np.sort(np.lexsort((rank, distance))[1 : REFERENCES + 1])
    vectors = [matrix.unit[at[kept]] for matrix, at in zip(matrices, places, strict=True)]
    return np.stack(vectors, axis=1).astype(np.float64)


def _base(embeddings: ConditionedEmbeddings, own: OwnVectors, against: str) -> int:
    """The number of the condition that similarity is measured with."""
    wanted = int(own.conditions[0]) if against == "first" else embeddings.conditions.index(against)
    if wanted not in own.conditions:
        raise SettingsError(f"the word is too rare in {against} to be compared with")
    return wanted


def _as_series(
    own: NDArray[np.float64], others: NDArray[np.float64], base: int | None
) -> tuple[NDArray[np.float64], NDArray[np.float64], list[int]]:
    """The series to look at for the word and for the others, and which rows it has.

    The similarity with one condition leaves that condition out, where it is 1 for every word.
    """
    if base is None:
        return own, others, list(range(len(own)))
    kept = [row for row in range(len(own)) if row != base]
    mine = np.multiply(own[kept], own[base]).sum(axis=1)
    theirs = np.multiply(others[:, kept], others[:, base, None]).sum(axis=2)
    if len(theirs) < FEWEST_REFERENCES:
        return mine[:, None], theirs[:, :, None], kept
    mean, spread = theirs.mean(axis=0), theirs.std(axis=0)
    spread[spread == 0] = 1
    return ((mine - mean) / spread)[:, None], ((theirs - mean) / spread)[:, :, None], kept


def _distance(before: NDArray[np.float64], after: NDArray[np.float64]) -> float:
    """1 − the cosine of the mean directions of two stretches of vectors; of plain numbers the difference of means."""
    if before.shape[1] == 1:
        return float(abs(before.mean() - after.mean()))
    old, new = before.mean(axis=0), after.mean(axis=0)
    length = float(np.sqrt(np.square(old).sum() * np.square(new).sum()))
    return float(1 - (old * new).sum() / length) if length else 0.0
