"""Where a word stands along an axis that a formula of other words spans, in every condition."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from chronotope.analysis.answer import Answer
from chronotope.analysis.formula import Formula, parse
from chronotope.analysis.own_vectors import in_one_space, own_vectors
from chronotope.config import at_least
from chronotope.embeddings import ConditionedEmbeddings
from chronotope.errors import InputError, SettingsError

RESAMPLES = 1000
COVERAGE = 0.95
# With fewer seeds on both sides there are too few other choices of them.
FEWEST_SEEDS = 3


@dataclass(frozen=True)
class Position(Answer):
    """Where a word stands in one condition.

    Attributes
    ----------
    condition
        Where.
    support
        How often the word occurs there.
    value
        The cosine of its vector with the axis: 1 at the positive end, −1 at the negative; None where the word, or one
        side of the axis, has too little support.
    low, high
        The ends of the 95 % interval over other choices of seed words; None where neither side has three
        seeds.
    seeds
        How many seed words there are on the two sides.
    """

    condition: str
    support: int
    value: float | None
    low: float | None
    high: float | None
    seeds: tuple[int, int]


@dataclass(frozen=True)
class Positions(Answer):
    """Where a word stands along an axis, in every condition.

    Attributes
    ----------
    word
        The word.
    axis
        What distinguishes the conditions.
    plus, minus
        The seed words at the two ends; without `minus` the value is the similarity with the seeds.
    fixed
        Whether the axis is the same in all conditions.
    rows
        One for each condition.
    min_support, signature
        How the answer was made.
    """

    word: str
    axis: str
    plus: tuple[str, ...]
    minus: tuple[str, ...]
    fixed: bool
    rows: tuple[Position, ...]
    min_support: int
    signature: str

    @property
    def formula(self) -> str:
        """The axis as it is written."""
        return str(Formula(self.plus, self.minus))


def positions(
    embeddings: ConditionedEmbeddings,
    word: str,
    formula: str,
    *,
    fixed: bool = False,
    min_support: int = 5,
    resamples: int = RESAMPLES,
    seed: int = 1,
) -> Positions:
    """Where a word stands along an axis such as `fruit - company`, in every condition.

    The axis runs from the mean direction of the negative seeds to that of the positive ones.

    Parameters
    ----------
    embeddings
        The embeddings.
    word
        The word.
    formula
        The axis: seed words with + and − between them, or seed words alone. See `chronotope.analysis.formula.parse`.
    fixed
        Take the seeds as they are used over all conditions together, not as they are used in each: for seeds that are
        rare, or where their own change shall not matter.
    min_support
        The word and the seeds count in a condition where they occur at least so often.
    resamples
        How many other choices of seed words (drawn with replacement) make the interval.
    seed
        Of these draws.

    Examples
    --------
    >>> from chronotope.conditions import Conditions
    >>> from chronotope.vocabulary import Support
    >>> support = Support(np.array([0, 3, 6]), np.array([0, 1, 2] * 2), np.array([9] * 6))
    >>> vectors = [[1, 0.5], [1, 0], [-2, -0.5], [-1, 0.5], [2, 0], [-1, -0.5]]
    >>> answer = positions(ConditionedEmbeddings(
    ...     ["apple", "fruit", "company"], Conditions.of_times(["1990", "2010"]), support, vectors),
    ...     "apple", "fruit - company")
    >>> [round(row.value, 1) for row in answer.rows]
    [0.9, -0.8]
    """
    at_least("min_support", min_support, 1)
    plus, minus = parse(formula, embeddings)
    for name in (word, *plus, *minus):
        embeddings.index(name)
    if word in plus + minus:
        raise SettingsError(f"'{word}' is itself a seed of '{formula}'; a word cannot be measured by itself")
    if fixed:
        in_one_space(embeddings)
    labels = embeddings.conditions.labels
    rng = np.random.default_rng(seed)
    everywhere = [_everywhere(embeddings, side, min_support) for side in (plus, minus)] if fixed else None
    rows = []
    for label in labels:
        sides = everywhere or [_seeds(embeddings, side, label, min_support) for side in (plus, minus)]
        support = embeddings.support(word, label)
        seeds = len(sides[0]), len(sides[1])
        if support < min_support or not seeds[0] or (minus and not seeds[1]):
            rows.append(Position(label, support, None, None, None, seeds))
            continue
        own = embeddings.carried([word], label, label)[0].astype(np.float64)
        value = float(_cosines(own, *(side.mean(axis=0, keepdims=True) for side in sides if len(side)))[0])
        low, high = _interval(own, [side for side in sides if len(side)], resamples, rng)
        rows.append(Position(label, support, value, low, high, seeds))
    if all(row.value is None for row in rows):
        raise InputError(f"'{word}' and the seeds of '{formula}' are together frequent enough in no condition")
    return Positions(
        word, embeddings.conditions.axis, plus, minus, fixed, tuple(rows), min_support, embeddings.signature
    )


def _seeds(embeddings: ConditionedEmbeddings, words: Sequence[str], label: str, least: int) -> NDArray[np.float64]:
    """(S, D) the unit vectors of the seeds that have enough support in a condition."""
    present = [word for word in words if embeddings.support(word, label) >= least]
    return embeddings.carried(present, label, label).astype(np.float64)


def _everywhere(embeddings: ConditionedEmbeddings, words: Sequence[str], least: int) -> NDArray[np.float64]:
    """(S, D) the mean directions of the seeds over all conditions."""
    rows = [own_vectors(embeddings, word, least).unit.mean(axis=0) for word in words]
    unit = np.reshape(rows, (len(rows), embeddings.dimensions))
    return np.asarray(unit / np.sqrt(np.square(unit).sum(axis=1, keepdims=True)))


def _cosines(
    own: NDArray[np.float64], plus: NDArray[np.float64], minus: NDArray[np.float64] | None = None
) -> NDArray[np.float64]:
    """(N,) the cosines of a word with N axes; 0 where the two ends are the same."""
    axes = plus if minus is None else plus - minus
    length = np.sqrt(np.square(axes).sum(axis=1))
    length[length == 0] = 1
    return np.asarray(np.multiply(axes, own).sum(axis=1) / length)


def _interval(
    own: NDArray[np.float64], sides: Sequence[NDArray[np.float64]], resamples: int, rng: np.random.Generator
) -> tuple[float, float] | tuple[None, None]:
    """The interval over other choices of seeds; none where there is no choice."""
    if not resamples or max(len(side) for side in sides) < FEWEST_SEEDS:
        return None, None
    drawn = [side[rng.integers(0, len(side), (resamples, len(side)))].mean(axis=1) for side in sides]
    low, high = np.quantile(_cosines(own, *drawn), [(1 - COVERAGE) / 2, (1 + COVERAGE) / 2])
    return float(low), float(high)
