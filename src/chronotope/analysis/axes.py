"""Where a word stands along an axis that a formula of other words spans, in every condition."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from chronotope.analysis.old_answer import Answer
from chronotope.analysis.formula import Formula, parse
from chronotope.analysis.own_vectors import in_one_space, what_helps
from chronotope.analysis.seeds import Seeds
from chronotope.config import at_least
from chronotope.embeddings import ConditionedEmbeddings
from chronotope.errors import InputError, SettingsError

if TYPE_CHECKING:
    from chronotope.analysis.significance.few_words import FewWords, Noiseless
    from chronotope.cooccurrence import Counts

Progress = Callable[[str, int, int | None], None]

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
        The ends of a 95 % interval: of the corrected value over other documents, or of the value over other choices of
        seed words (see `Positions.interval`); None where documents, or seeds, are too few.
    seeds
        How many seed words on the two sides are frequent enough there.
    corrected
        The cosine less the noise, which draws a rare word toward 0; None where documents were not drawn again, or are
        too few.
    """

    condition: str
    support: int
    value: float | None
    low: float | None
    high: float | None
    seeds: tuple[int, int]
    corrected: float | None = None


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
    min_count, signature
        How the answer was made.
    interval
        What the intervals are over: 'documents', or the 'seeds'.
    bootstrap
        How often documents were drawn again.
    """

    word: str
    axis: str
    plus: tuple[str, ...]
    minus: tuple[str, ...]
    fixed: bool
    rows: tuple[Position, ...]
    min_count: int
    signature: str
    interval: str = "seeds"
    bootstrap: int = 0

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
    min_count: int = 5,
    resamples: int = RESAMPLES,
    seed: int = 1,
    counts: Counts | None = None,
    bootstrap: int = 0,
    threads: int | None = None,
    progress: Progress | None = None,
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
        Take the seeds as they are used over all conditions together, not as they are used in each: where their own
        change shall not matter.
    min_count
        The word and the seeds count in a condition where they occur at least so often. A seed that is rarer there
        stands as it is used elsewhere, so that the axis does not jump from seed to seed; one on each side must be
        frequent enough.
    resamples
        How many other choices of seed words (drawn with replacement) make the interval, unless `bootstrap` is given.
    seed
        Of these draws.
    counts, bootstrap, threads, progress
        As for `series`: intervals over other documents, instead of other seeds.

    Examples
    --------
    >>> from chronotope.conditions import Conditions
    >>> from chronotope.cooccurrence.vocabulary import Support
    >>> support = Support(np.array([0, 3, 6]), np.array([0, 1, 2] * 2), np.array([9] * 6))
    >>> vectors = [[1, 0.5], [1, 0], [-2, -0.5], [-1, 0.5], [2, 0], [-1, -0.5]]
    >>> answer = positions(ConditionedEmbeddings(
    ...     ["apple", "fruit", "company"], Conditions.of_times(["1990", "2010"]), support, vectors),
    ...     "apple", "fruit - company")
    >>> [round(row.value, 1) for row in answer.rows]
    [0.9, -0.8]
    """
    at_least("min_count", min_count, 1)
    at_least("bootstrap", bootstrap, 0)
    plus, minus = parse(formula, embeddings)
    for name in (word, *plus, *minus):
        embeddings.index(name)
    if word in plus + minus:
        raise SettingsError(f"'{word}' is itself a seed of '{formula}'; a word cannot be measured by itself")
    if fixed:
        in_one_space(embeddings)
    support = np.array([list(embeddings.count(name).values()) for name in (word, *plus, *minus)])
    enough = support >= min_count
    seeds = Seeds(embeddings, plus, minus, enough[1:], fixed)
    known = enough[0] & seeds.known
    if not known.any():
        helps = what_helps(embeddings.conditions, min_count)
        raise InputError(f"'{word}' and the seeds of '{formula}' are together frequent enough in no condition{helps}")
    figures = np.full((4, len(known)), np.nan)
    rng = np.random.default_rng(seed)
    for condition in np.flatnonzero(known).tolist():
        label = embeddings.conditions.labels[condition]
        own = embeddings.project([word], label, label)[0].astype(np.float64)
        sides = seeds.in_condition(condition)
        figures[0, condition] = _cosines(own, *(side.mean(axis=0, keepdims=True) for side in sides))[0]
        figures[2:, condition] = _interval(own, sides, 0 if bootstrap else resamples, rng)
    if bootstrap:
        from chronotope.analysis.significance.few_words import FewWords

        few = FewWords(embeddings, counts, (word, *plus, *minus))
        drawn = few.drawn(bootstrap, seed, threads=threads, progress=progress)
        figures[1:] = np.where(known, _noiseless(few, drawn, seeds), np.nan)
    rows = tuple(
        Position(label, int(support[0, at]), _told(value), _told(low), _told(high), seeds.many(at), _told(corrected))
        for at, (label, value, corrected, low, high) in enumerate(
            zip(embeddings.conditions.labels, *figures, strict=True)
        )
    )
    return Positions(
        word,
        embeddings.conditions.axis,
        plus,
        minus,
        fixed,
        rows,
        min_count,
        embeddings.signature,
        "documents" if bootstrap else "seeds",
        bootstrap,
    )


def _noiseless(few: FewWords, drawn: NDArray[np.float32], seeds: Seeds) -> Noiseless:
    """The positions less the noise of the text."""
    from chronotope.analysis.significance.few_words import Noiseless

    observed, documents = few.observed(), few.documents
    axis, drawn_axis = seeds.axis(observed[1:]), np.array([seeds.axis(vectors[1:]) for vectors in drawn])
    held = np.where(seeds.enough, documents[1:], 0)
    fewest = documents[0] if seeds.fixed else np.minimum(documents[0], held.sum(axis=0))
    return Noiseless.cosines(observed[0], axis, drawn[:, 0], drawn_axis, fewest)


def _told(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None


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
) -> tuple[float, float]:
    """The interval over other choices of seeds; NaN where there is no choice."""
    if not resamples or max(len(side) for side in sides) < FEWEST_SEEDS:
        return np.nan, np.nan
    drawn = [side[rng.integers(0, len(side), (resamples, len(side)))].mean(axis=1) for side in sides]
    low, high = np.quantile(_cosines(own, *drawn), [(1 - COVERAGE) / 2, (1 + COVERAGE) / 2])
    return float(low), float(high)
