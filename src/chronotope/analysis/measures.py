"""How much each word changed: the same measures for a model and for its resamples, one condition at a time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from chronotope.conditions import SEPARATOR, Conditions
from chronotope.embeddings import ConditionedEmbeddings
from chronotope.embeddings.nearest import Floats, unit_rows
from chronotope.errors import SettingsError

Words = NDArray[np.int64]
Numbers = NDArray[np.float64]

PEERS = 200
MAD_TO_SD = 1.4826


class Rows(NamedTuple):
    """Vectors of words, condition by condition: of a model, or of a resample."""

    at: Callable[[int], tuple[Words, Floats]]  # the words of a condition, ascending, and their centered unit vectors
    project: Callable[[Words, int, int], Floats]  # unit vectors in one condition, mapped to the space of another


def model_rows(model: ConditionedEmbeddings, min_count: int) -> Rows:
    """Return the vectors of a model; in each condition, of the words that occur at least `min_count` times."""
    labels = model.conditions.labels

    def at(condition: int) -> tuple[Words, Floats]:
        found = model.matrix(labels[condition], min_count)
        return found.word, found.unit

    def project(words: Words, condition: int, to: int) -> Floats:
        return model.project([model.words[word] for word in words], labels[condition], labels[to])

    return Rows(at, project)


class Measured(NamedTuple):
    """The measured words, ascending: how much each changed, and the conditions at both ends of the change."""

    words: Words
    change: Numbers
    before: Words
    after: Words


class Task(NamedTuple):
    """A comparison to resample, with its measured words; finished resamples are kept in `folder`."""

    model: ConditionedEmbeddings
    comparison: Comparison
    measured: Measured
    min_count: int
    threads: int | None = None
    progress: Callable[[str, int, int | None], None] | None = None
    folder: str | Path | None = None


class Comparison(NamedTuple):
    """The conditions in which each word is compared with itself.

    'ends': 1 − cosine between two conditions. 'steps': the largest such change between consecutive bins. 'series':
    1 − mean cosine over all pairs of conditions. 'unusual': 1 − cosine of the most unusual condition with the mean
    direction of the others.
    """

    over: str
    conditions: tuple[int, ...]  # ascending
    steps: tuple[tuple[int, int], ...] = ()  # the pairs that are compared, for 'ends' and 'steps'

    @property
    def ends(self) -> tuple[int, int]:
        """The first and the last condition, in the order that was asked for."""
        return self.steps[0] if self.over == "ends" else (self.conditions[0], self.conditions[-1])

    def measure(self, rows: Rows, words: int) -> Measured:
        """Measure every word; `words` is the size of the vocabulary."""
        if self.steps:
            return _largest_step(rows, self.steps, words)
        return _among_all(rows, self.conditions, words, self.over == "series")

    def counts(self, model: ConditionedEmbeddings, min_count: int) -> tuple[Words, Words, Numbers]:
        """Return for each word of the vocabulary, over the conditions in which it occurs `min_count` times or more,
        their number, its count in them, and the harmonic mean of its counts."""
        observed, (many, total) = model.observed, np.zeros((2, len(model)), dtype=np.int64)
        inverse = np.zeros(len(model))
        for condition in self.conditions:
            count = observed.counts_in(condition)
            word = observed.words_in(condition)[count >= min_count]
            count = count[count >= min_count]
            many[word] += 1
            total[word] += count
            inverse[word] += 1 / count
        return many, total, np.divide(many, inverse, out=np.zeros(len(model)), where=many > 0)

    def frequency(self, model: ConditionedEmbeddings, words: Words, min_count: int) -> Numbers:
        """Return the count that decides the noise of each word: harmonic mean for two conditions, else the sum."""
        _, total, harmonic = self.counts(model, min_count)
        return harmonic[words] if self.over == "ends" else total[words].astype(np.float64)


def compare(conditions: Conditions, start: str | None, end: str | None, over: str = "auto") -> Comparison:
    """Return the comparison for the parameters of `drift`; raise SettingsError if they do not fit the conditions.

    >>> compare(Conditions.of_times(["1990", "2000", "2010"]), None, None).steps
    ((0, 2),)
    >>> compare(Conditions.of_times(["1990", "2000", "2010"]), "2000", None, "steps").steps
    ((1, 2),)
    >>> compare(Conditions.of_places(["canada", "india"]), None, None).over
    'unusual'
    """
    timed = conditions.axis == "time"
    if over == "auto":
        over = "ends" if timed or start is not None or end is not None else "unusual"
    if over != "ends" and not timed and (start is not None or end is not None):
        raise SettingsError(f"a change over '{over}' takes all conditions; leave out --from and --to")
    if over == "ends" and not timed and (start is None or end is None):
        raise SettingsError("name both conditions to compare: start and end (--from and --to)")
    first = 0 if start is None else conditions.index(start)
    last = len(conditions) - 1 if end is None else conditions.index(end)
    labels = conditions.labels
    if len(conditions) == 1:
        helps = "prepare the text with shorter time bins (--every), or with --place"
        raise SettingsError(f"a change is between two conditions, and this model has one, {labels[0]}; {helps}")
    if first == last:
        raise SettingsError(f"a change is between two conditions; both are {labels[first]}")
    if over == "ends":
        for inner, outer in ((first, last), (last, first)):
            if conditions.levels > 1 and labels[inner].startswith(labels[outer] + SEPARATOR):
                raise SettingsError(f"{labels[inner]} lies within {labels[outer]}: they share their texts")
        return Comparison(over, tuple(sorted((first, last))), ((first, last),))
    if first > last:
        raise SettingsError(f"{labels[last]} comes before {labels[first]}; swap them")
    among = tuple(number for number in conditions.leaves if first <= number <= last)
    steps = tuple(_consecutive(conditions, among)) if over == "steps" else ()
    if over == "steps" and not steps:
        raise SettingsError("steps are between consecutive time bins, and these conditions have none")
    return Comparison(over, among, steps)


def _consecutive(conditions: Conditions, among: Sequence[int]) -> list[tuple[int, int]]:
    """Pair each condition with the next in time, in the same place."""
    latest: dict[int, int] = {}
    steps = []
    for number in among if conditions.times else ():
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
    """Measure 'series' (`mean`) or 'unusual'; the ends are the most typical and the most unusual condition."""
    total: Numbers | None = None
    many, squares = np.zeros((2, words))
    for condition in conditions:
        own, unit = rows.at(condition)
        total = np.zeros((words, unit.shape[1])) if total is None else total
        total[own] += unit
        many[own] += 1
        squares[own] += np.square(unit, dtype=np.float64).sum(axis=1)
    assert total is not None
    nearest, farthest = np.full(words, -np.inf), np.full(words, np.inf)
    before, after = np.zeros((2, words), dtype=np.int64)
    for condition in conditions:
        own, unit = rows.at(condition)
        others = unit_rows((total[own] - unit).astype(np.float32))
        cosine = np.multiply(unit, others, dtype=np.float64).sum(axis=1)
        # Two conditions are equally far from each other: the first counts as typical, the last as unusual.
        closer, further = cosine > nearest[own], cosine <= farthest[own] + 1e-9
        nearest[own[closer]], before[own[closer]] = cosine[closer], condition
        farthest[own[further]], after[own[further]] = cosine[further], condition
    if not mean:
        return _measured(many >= 2, 1 - farthest, before, after)
    # ‖Σ u‖² is the sum of the cosines over all ordered pairs, plus the squares of the vectors themselves.
    cosines = (np.square(total).sum(axis=1) - squares) / np.maximum(many * (many - 1), 1)
    return _measured(many >= 2, 1 - cosines, before, after)


def _measured(known: NDArray[np.bool_], change: Numbers, before: Words, after: Words) -> Measured:
    return Measured(np.flatnonzero(known), np.maximum(change[known], 0), before[known], after[known])


def matched_z(scores: Numbers, frequency: Numbers) -> Numbers:
    """Return how far each score stands out among words of similar frequency, in robust standard deviations.

    Median and median absolute deviation are not affected by the few words that did change.

    >>> matched_z(np.array([0.1, 0.2, 0.3, 0.9]), np.full(4, 9.0)).round(2).tolist()
    [-1.01, -0.34, 0.34, 4.38]
    """
    if not len(scores):
        return np.zeros(0)
    order, peers = np.argsort(frequency, kind="stable"), min(PEERS, len(scores))
    ordered = scores[order]
    windows = sliding_window_view(ordered, peers)
    middle = np.median(windows, axis=1)
    spread = MAD_TO_SD * np.median(np.abs(windows - middle[:, None]), axis=1)
    # A word is in the middle of its peers, except at both ends.
    own = np.clip(np.arange(len(scores)) - peers // 2, 0, len(scores) - peers)
    z = np.zeros(len(scores))
    z[order] = np.divide(ordered - middle[own], spread[own], out=np.zeros(len(scores)), where=spread[own] > 0)
    return z


def own_share(model: ConditionedEmbeddings, words: Words, before: int, after: int, min_count: int) -> Numbers:
    """Return the share of each word's movement between two conditions that is specific to it: 0 none, 1 all.

    The common part multiplies each dimension by one factor for all words. For models with condition vectors (cw2v),
    these are the factors; for others, the factors make the size of each dimension over all words equal. (Least squares
    would take the noise of the first condition for a common movement.) Shares are of squared lengths of centered
    vectors.

    >>> from chronotope.cooccurrence.vocabulary import Support
    >>> support = Support(np.array([0, 3, 6]), np.array([0, 1, 2] * 2), np.array([9] * 6))
    >>> moved = [[2, 0], [-1, 1], [-1, -1], [4, 0], [-2, 1], [-2, -1]]
    >>> model = ConditionedEmbeddings(["a", "b", "c"], Conditions.of_times(["1990", "2000"]), support, moved)
    >>> own_share(model, np.array([0, 1, 2]), 0, 1, 5).round(6).tolist()
    [0.0, 0.0, 0.0]
    """
    observed = model.observed
    first, last = (observed.words_in(at)[observed.counts_in(at) >= min_count] for at in (before, after))
    shared = np.intersect1d(first, last, assume_unique=True).astype(np.int64)
    old, new = (_centered(model, shared, at) for at in (before, after))
    place = np.searchsorted(shared, words)
    factors = model.condition_factors
    if (factors == 1).all():
        sizes = np.square(old).sum(axis=0), np.square(new).sum(axis=0)
        # The first half of the way leads to the geometric mean of both sizes.
        half = np.divide(sizes[1], sizes[0], out=np.ones_like(sizes[0]), where=(sizes[0] > 0) & (sizes[1] > 0)) ** 0.25
        common = old[place] * (half - 1) + new[place] * (1 - 1 / half)
    else:
        apart = (factors[after] - factors[before]).astype(np.float64)
        common = model.common[words] * apart - (model.common[shared] * apart).mean(axis=0)
    own = new[place] - old[place] - common
    squares = np.square(own).sum(axis=1), np.square(common).sum(axis=1)
    total = squares[0] + squares[1]
    return np.asarray(np.divide(squares[0], total, out=np.zeros(len(words)), where=total > 0))


def _centered(model: ConditionedEmbeddings, words: Words, condition: int) -> Numbers:
    observed = model.observed
    pairs = observed.start[condition] + np.searchsorted(observed.words_in(condition), words)
    return np.asarray(model.vectors[pairs].astype(np.float64) - model.center[condition])
