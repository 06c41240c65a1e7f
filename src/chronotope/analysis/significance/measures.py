"""How much each word changed, over vectors that are looked at one condition at a time.

The same functions measure a model and its resamples, so that a score is compared with scores of its own kind. They
never hold more than two conditions and a few sums.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from chronotope.conditions import Conditions
from chronotope.embeddings import ConditionedEmbeddings
from chronotope.embeddings.nearest import Floats, unit_rows
from chronotope.errors import SettingsError

MEASURES = ("ends", "steps", "series", "unusual")

Words = NDArray[np.int64]


class Rows(Protocol):
    """Vectors of words, condition by condition."""

    def at(self, condition: int) -> tuple[Words, Floats]:
        """The words that count in a condition, ascending, and their centered unit vectors."""
        ...

    def project(self, words: Words, condition: int, to: int) -> Floats:
        """The unit vectors of words in one condition, as they stand among those of another."""
        ...


class Measured(NamedTuple):
    """The change of each word that could be measured, words ascending.

    Attributes
    ----------
    words
        (K,) the numbers of the words.
    scores
        (K,) how much each changed.
    before, after
        (K,) the conditions at the two ends of the change.
    """

    words: Words
    scores: NDArray[np.float64]
    before: NDArray[np.int64]
    after: NDArray[np.int64]


class Question(NamedTuple):
    """What is asked of each word.

    Attributes
    ----------
    over
        'ends': 1 − the cosine between two conditions. 'steps': the largest such change between consecutive bins.
        'series': 1 − the mean cosine over all pairs of conditions. 'unusual': 1 − the cosine of the most unusual
        condition with the mean direction of the others.
    conditions
        The conditions that take part, ascending.
    steps
        For 'ends' and 'steps' the pairs that are compared.
    """

    over: str
    conditions: tuple[int, ...]
    steps: tuple[tuple[int, int], ...] = ()

    @property
    def identity(self) -> list[Any]:
        """What is asked, as plain data."""
        return [self.over, list(self.conditions), [list(step) for step in self.steps]]

    def measure(self, rows: Rows, words: int) -> Measured:
        """The answer for every word, out of `words`."""
        if self.over in ("ends", "steps"):
            return _largest_step(rows, self.steps, words)
        return _among_all(rows, self.conditions, words, self.over == "series")


def ask(conditions: Conditions, start: str | None, end: str | None, over: str | None) -> Question:
    """The question that is meant, by default what suits the conditions: the ends of time, or the unusual place.

    Examples
    --------
    >>> ask(Conditions.of_times(["1990", "2000", "2010"]), None, None, None).steps
    ((0, 2),)
    >>> ask(Conditions.of_times(["1990", "2000", "2010"]), "2000", None, "steps").steps
    ((1, 2),)
    >>> ask(Conditions.of_places(["canada", "india"]), None, None, None).over
    'unusual'
    """
    timed = conditions.axis == "time"
    if over is None:
        over = "ends" if timed or start is not None or end is not None else "unusual"
    if over not in MEASURES:
        raise SettingsError(f"a change is measured over {', '.join(MEASURES)}, not '{over}'")
    if over != "ends" and not timed and (start is not None or end is not None):
        raise SettingsError(f"a change over '{over}' takes all conditions; leave out --from and --to")
    if over == "ends" and not timed and (start is None or end is None):
        raise SettingsError("name both conditions to compare (--from and --to), or neither")
    first = 0 if start is None else conditions.index(start)
    last = len(conditions) - 1 if end is None else conditions.index(end)
    if len(conditions) == 1:
        raise SettingsError(
            f"a change is between two conditions, and this model has one, {conditions.labels[0]}; prepare the text "
            "with shorter time bins (--every), or with --place"
        )
    if first == last:
        raise SettingsError(f"a change is between two conditions; both are {conditions.labels[first]}")
    if over == "ends":
        return Question(over, tuple(sorted((first, last))), ((first, last),))
    if first > last:
        raise SettingsError(f"{conditions.labels[last]} comes before {conditions.labels[first]}; exchange them")
    taken = tuple(range(first, last + 1))
    steps = tuple(_consecutive(conditions, taken)) if over == "steps" else ()
    if over == "steps" and not steps:
        raise SettingsError("steps are between consecutive time bins, and these conditions have none")
    return Question(over, taken, steps)


def _consecutive(conditions: Conditions, taken: Sequence[int]) -> list[tuple[int, int]]:
    """Each condition with the next in time, of the same place."""
    if not conditions.times:
        return []
    latest: dict[int, int] = {}
    steps = []
    for number in taken:
        place = conditions.place_of[number] if conditions.places else 0
        if place in latest:
            steps.append((latest[place], number))
        latest[place] = number
    return steps


def _largest_step(rows: Rows, steps: Sequence[tuple[int, int]], words: int) -> Measured:
    largest = np.full(words, -np.inf)
    before, after = np.zeros((2, words), dtype=np.int64)
    for first, last in steps:
        own, (there, unit) = rows.at(first)[0], rows.at(last)
        common, _, place = np.intersect1d(own, there, assume_unique=True, return_indices=True)
        cosine = np.multiply(rows.project(common, first, last), unit[place], dtype=np.float64).sum(axis=1)
        further = 1 - cosine > largest[common]
        moved = common[further]
        largest[moved], before[moved], after[moved] = 1 - cosine[further], first, last
    return _measured(np.isfinite(largest), largest, before, after)


def _among_all(rows: Rows, conditions: Sequence[int], words: int, mean: bool) -> Measured:
    """The most unusual condition against the others, or the mean over all pairs; the ends are the same for both."""
    total: NDArray[np.float64] | None = None
    many = np.zeros(words, dtype=np.int64)
    for condition in conditions:
        own, unit = rows.at(condition)
        total = np.zeros((words, unit.shape[1])) if total is None else total
        total[own] += unit
        many[own] += 1
    assert total is not None
    nearest, farthest = np.full(words, -np.inf), np.full(words, np.inf)
    before, after = np.zeros((2, words), dtype=np.int64)
    for condition in conditions:
        own, unit = rows.at(condition)
        others = unit_rows((total[own] - unit).astype(np.float32))
        cosine = np.multiply(unit, others, dtype=np.float64).sum(axis=1)
        # Of two conditions both are as far from the other: the first is the typical one, the last the unusual.
        closer, further = cosine > nearest[own], cosine <= farthest[own] + 1e-9
        nearest[own[closer]], before[own[closer]] = cosine[closer], condition
        farthest[own[further]], after[own[further]] = cosine[further], condition
    known = many >= 2
    if not mean:
        return _measured(known, 1 - farthest, before, after)
    pairs = np.maximum(many * (many - 1), 1)
    return _measured(known, 1 - (np.square(total).sum(axis=1) - many) / pairs, before, after)


def _measured(
    known: NDArray[np.bool_], scores: NDArray[np.float64], before: NDArray[np.int64], after: NDArray[np.int64]
) -> Measured:
    """The words that are known; rounding makes no change less than none."""
    return Measured(np.flatnonzero(known), np.maximum(scores[known], 0), before[known], after[known])


def own_share(
    embeddings: ConditionedEmbeddings, words: NDArray[np.int64], before: int, after: int, min_count: int
) -> NDArray[np.float64]:
    """(K,) the share of each word's movement between two conditions that is its own: 0 none, 1 all.

    The common part is what a factor for each dimension, the same for all words, makes of a word's vector. Models with
    condition vectors (cw2v) bring these factors; for others they are those that make the vectors of all words with
    enough support as large in the one condition as in the other. (Those of least squared error would be small where the
    vectors of the first condition are noisy: noise would pass for a movement of all words, and the share would depend
    on which condition comes first.) The remainder is the word's own. The share is that of the squared lengths, of
    centered vectors.

    Examples
    --------
    >>> from chronotope.conditions import Conditions
    >>> from chronotope.cooccurrence.vocabulary import Support
    >>> support = Support(np.array([0, 3, 6]), np.array([0, 1, 2] * 2), np.array([9] * 6))
    >>> moved = [[2, 0], [-1, 1], [-1, -1], [4, 0], [-2, 1], [-2, -1]]
    >>> embeddings = ConditionedEmbeddings(["a", "b", "c"], Conditions.of_times(["1990", "2000"]), support, moved)
    >>> own_share(embeddings, np.array([0, 1, 2]), 0, 1, 5).round(6).tolist()
    [0.0, 0.0, 0.0]
    """
    observed = embeddings.observed
    first, last = (observed.words_in(at)[observed.counts_in(at) >= min_count] for at in (before, after))
    shared = np.intersect1d(first, last, assume_unique=True).astype(np.int64)
    old, new = (_centered(embeddings, shared, at) for at in (before, after))
    place = np.searchsorted(shared, words)
    factors = embeddings.condition_factors
    if (factors == 1).all():
        sizes = np.square(old).sum(axis=0), np.square(new).sum(axis=0)
        # Half of the way each: the one condition grows to the mean size of both, and from there to the other's.
        half = np.divide(sizes[1], sizes[0], out=np.ones_like(sizes[0]), where=(sizes[0] > 0) & (sizes[1] > 0)) ** 0.25
        common = old[place] * (half - 1) + new[place] * (1 - 1 / half)
    else:
        apart = (factors[after] - factors[before]).astype(np.float64)
        common = embeddings.common[words] * apart - (embeddings.common[shared] * apart).mean(axis=0)
    own = new[place] - old[place] - common
    squares = np.square(own).sum(axis=1), np.square(common).sum(axis=1)
    total = squares[0] + squares[1]
    return np.asarray(np.divide(squares[0], total, out=np.zeros(len(words)), where=total > 0))


def _centered(embeddings: ConditionedEmbeddings, words: NDArray[np.int64], condition: int) -> NDArray[np.float64]:
    observed = embeddings.observed
    pairs = observed.start[condition] + np.searchsorted(observed.words_in(condition), words)
    return np.asarray(embeddings.vectors[pairs].astype(np.float64) - embeddings.center[condition])
