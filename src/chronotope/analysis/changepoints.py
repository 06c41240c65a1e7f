"""When a word changed (`changepoints`): the points in time at which the mean of its vectors shifts.

A model that smooths over time makes every series drift: a test that takes bins as independent finds a change in nearly
every word. So a shift, in units of the word's other steps, is compared with the largest shifts of words of similar
frequency, which are smoothed equally. p is corrected for the number of tests: a stretch of the series is tested at its
share of the level (Meinshausen, 2008).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Annotated, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from chronotope.analysis.answer import Answer, question
from chronotope.analysis.charts import Ranked
from chronotope.analysis.measures import MAD_TO_SD
from chronotope.analysis.own_vectors import in_one_space, own_vectors, timeline
from chronotope.analysis.params import Alpha, MinCount, Model, Param, Place, Word, condition_param
from chronotope.analysis.series import hidden_conditions, spelled
from chronotope.errors import SettingsError, number_of

Numbers = NDArray[np.float64]

REFERENCES, FEWEST_REFERENCES = 200, 19  # words to compare with; fewer cannot show that a shift is rare
LEAST = 2  # bins on each side of a shift
# Smoothing spreads a change over the bins around it: a second shift must be at least this share of the largest.
ECHO = 0.25
CHANGED = 5.0  # robust standard deviations; a word that shifted more has changed, too, and is left out of the null
TINY = 1e-12
NEAR, REACH = 10, 5  # words that may have joined or left: neighbors in each condition; conditions on each side


@question(
    "changepoints",
    group="A word",
    columns="word place before after shift p joined left",
    chart=Ranked(label="after", value="shift", detail=("p",), faint=None),
)
def changepoints(
    model: Model,
    word: Word,
    *,
    place: Place = None,
    against: Annotated[str | None, condition_param("Look for shifts of similarity with it (or with `first`).")] = None,
    most: Annotated[int, Param("Maximum number of change points.", least=1, most=1000)] = 3,
    alpha: Alpha = 0.05,
    top: Annotated[int, Param("Number of words that joined, and that left.", least=0, most=1000)] = 5,
    min_count: MinCount = 5,
) -> Answer:
    """When did a word change, and which words joined and left its neighbors then?

    The test begins with the largest shift of the whole series. If it is significant, the largest shift on either side
    of it is tested, and so on. Only significant points have a row. A change that is soon reversed can be missed,
    because no single point splits the series in two.

    Examples
    --------
    >>> import chronotope as ct
    >>> world = ct.invented_world(years=range(1990, 2000), places=["arlen"], documents=600)
    >>> model = ct.GraphModel(dimensions=50).fit(ct.count(ct.read_corpus(world.records, time="time"), min_count=5))
    >>> changepoints(model, "bank")["after"].to_list()
    ['1995']
    """
    in_one_space(model)
    (word,) = spelled(model, word)
    line = Timeline.of(model, word, place, against, min_count)
    tried = _candidates(line, alpha)
    significant = sorted((p, split) for split, p in tried if p <= alpha)
    chosen = {split: p for p, split in significant[:most]}
    rows: list[dict[str, Any]] = [{"word": word, "place": place, **point} for point in line.points(chosen)]
    for row, stretches in zip(rows, line.stretches(chosen), strict=True):
        row["joined"], row["left"] = moved_words(model, word, *stretches, top, min_count)
    notes = hidden_conditions(model, [word], timeline(model.conditions, place), min_count)
    if line.others < FEWEST_REFERENCES:
        notes.insert(0, f"No p: only {number_of(line.others, 'other words')} occur often enough in all these bins.")
    elif not rows:
        (largest,) = line.points(dict(tried[:1]))
        ends = f"between {largest['before']} and {largest['after']}"
        notes.insert(0, f"The largest shift, {ends}, is not significant (p = {largest['p']:.3f}).")
    if more := len(significant) - len(rows):
        notes.append(f"{number_of(more, 'more points')} left out (`most`).")
    compared = f"the largest shifts of {number_of(line.others, 'words')} of similar frequency"
    notes.append(f"p: compared with {compared} (without outliers), corrected for the number of shifts tested.")
    title = f"{word}{f' in {place}' if place else ''}: {'change points' if rows else 'no significant change point'}"
    facts = {"place": place, "against": against, "accepted": len(rows), "alpha": alpha, "min_count": min_count}
    return Answer(rows, title=title, notes=notes, facts=facts)


class Timeline(NamedTuple):
    """The series of a word and of words of similar frequency, over the bins in which the word is frequent enough."""

    labels: Sequence[str]  # of all conditions of the model
    conditions: NDArray[np.int64]  # (T,)
    unit: Numbers  # (T, D) the vectors of the word
    series: Numbers  # (1 + R, T, D) those of the word and of R others; or (1 + R, T, 1) similarities
    frequency: Numbers  # (1 + R,) how often they occur

    @classmethod
    def of(cls, model: Model, word: str, place: str | None, against: str | None, min_count: int) -> Timeline:
        """Read the series; raise InputError if the word occurs often enough in too few bins."""
        least = 2 * LEAST + (against is not None)  # the condition that is compared with is left out
        conditions, unit = own_vectors(model, word, min_count, timeline(model.conditions, place), least=least)
        series, count = _words_of_like_frequency(model, model.index(word), conditions, min_count)
        if against is not None:
            base = int(conditions[0]) if against == "first" else model.conditions.index(against)
            if base not in conditions:
                raise SettingsError(f"the word is too rare in {against} to be compared with")
            kept = conditions != base
            series, conditions, unit = _similarities(series, conditions == base), conditions[kept], unit[kept]
        return cls(model.conditions.labels, conditions, unit, series, count)

    @property
    def others(self) -> int:
        """Number of words to compare with."""
        return len(self.series) - 1

    def stretches(self, splits: Iterable[int]) -> list[tuple[list[int], list[int]]]:
        """Return the conditions before and after each of some positions, up to the next."""
        parts = [part.tolist() for part in np.split(self.conditions, sorted(splits))]
        return list(pairwise(parts))

    def points(self, splits: Mapping[int, float]) -> list[dict[str, Any]]:
        """Return the change points at some positions, given with their p."""
        units = pairwise(np.split(self.unit, sorted(splits)))
        ends = [(self.labels[before[-1]], self.labels[after[0]]) for before, after in self.stretches(splits)]
        return [
            {"before": before, "after": after, "shift": _distance(*unit), "p": p}
            for (before, after), unit, (_, p) in zip(ends, units, sorted(splits.items()), strict=True)
        ]

    def largest(self, begin: int = 0, end: int | None = None) -> Shift:
        """Return the largest shift of a stretch."""
        split, size = largest_shifts(self.series[:, begin:end])
        if self.others < FEWEST_REFERENCES:
            return Shift(begin + int(split[0]), 0.0, np.empty(0))
        # Rare words shift more: only what a line over the frequencies does not explain counts.
        known = np.stack([np.ones(len(size)), np.log(self.frequency / self.frequency[0])], axis=1)
        size = np.log(np.maximum(size, TINY))
        size -= known @ np.linalg.lstsq(known[1:], size[1:])[0]
        size /= MAD_TO_SD * np.median(np.abs(size[1:])) or 1.0
        return Shift(begin + int(split[0]), float(size[0]), size[1:][size[1:] < CHANGED])


class Shift(NamedTuple):
    """The largest shift in a stretch: the first position after it, its standardized size, and those of other words."""

    split: int
    size: float
    null: Numbers


def p_value(size: float, null: Numbers) -> float:
    """Return the share of the null that is at least as large, the value itself included; 1 without a null."""
    # An equal shift must count, however its sums were rounded.
    return (1 + int(np.count_nonzero(null >= size - 1e-9))) / (1 + len(null))


def _candidates(line: Timeline, alpha: float) -> list[tuple[int, float]]:
    """Return position and p of the largest shift of the series, then of those on both sides of each significant one."""
    tried: list[tuple[int, float]] = []
    size, largest = len(line.conditions), 0.0
    stretches = [(0, size, 0.0)]
    while stretches:
        begin, end, least = stretches.pop(0)
        if end - begin < 2 * LEAST:
            continue
        split, shift, null = line.largest(begin, end)
        p = max(least, min(1.0, p_value(shift, null) * size / (end - begin)))
        distance = _distance(line.series[0, begin:split], line.series[0, split:end])
        if distance < ECHO * largest:
            continue
        tried.append((split, p))
        if p <= alpha:
            largest = max(largest, distance)
            stretches += [(begin, split, p), (split, end, p)]
    return tried


def largest_shifts(series: Numbers) -> tuple[NDArray[np.int64], Numbers]:
    """Return where the mean of each of (R, T, D) series shifts most, and how much.

    A shift is √(n₁ n₂ / n) · distance of the means, so that one outlier at an end is no shift, divided by the root mean
    square of the other steps from bin to bin, because some words vary more than others.

    >>> split, size = largest_shifts(np.array([0.9, 1, 1.1, 1, 0.1, 0, 0.1, 0]).reshape(1, -1, 1))
    >>> int(split[0]), float(size[0].round(1))
    (4, 13.4)
    """
    length = series.shape[1]
    splits = np.arange(LEAST, length - LEAST + 1)
    centered = series - series.mean(axis=1, keepdims=True)
    # Centered, the values before a point add up to minus the values after it.
    before = np.cumsum(centered, axis=1)[:, splits - 1]
    sizes = length / (splits * (length - splits)) * np.square(before).sum(axis=2)
    best = sizes.argmax(axis=1)
    steps = np.square(np.diff(series, axis=1)).sum(axis=2)
    own = np.arange(length - 1) != splits[best, None] - 1
    noise = (steps * own).sum(axis=1) / (length - 2)
    return splits[best], np.sqrt(sizes.max(axis=1) / np.maximum(noise, TINY))


def _words_of_like_frequency(
    model: Model, word: int, conditions: NDArray[np.int64], min_count: int
) -> tuple[Numbers, Numbers]:
    """Return the unit vectors, (1 + R, T, D), and the counts of a word and the R words nearest in frequency.

    All occur often enough in the same conditions.
    """
    matrices = [model.matrix(model.conditions.labels[condition], min_count) for condition in conditions]
    present = np.zeros(len(model), dtype=np.int64)
    for matrix in matrices:
        present[matrix.word] += 1
    shared = np.flatnonzero(present == len(matrices))
    places = [np.searchsorted(matrix.word, shared) for matrix in matrices]
    count = np.sum([matrix.support[at] for matrix, at in zip(matrices, places, strict=True)], axis=0)
    rank = np.argsort(np.lexsort((shared, -count)))
    kept = np.lexsort((rank, np.abs(rank - rank[shared == word])))[: REFERENCES + 1]
    vectors = [matrix.unit[at[kept]] for matrix, at in zip(matrices, places, strict=True)]
    return np.stack(vectors, axis=1).astype(np.float64), count[kept].astype(np.float64)


def _similarities(series: Numbers, base: NDArray[np.bool_]) -> Numbers:
    """Return the similarities with one condition, each condition standardized over the other words."""
    found = np.multiply(series[:, ~base], series[:, base]).sum(axis=2)
    if len(found) > FEWEST_REFERENCES:
        mean, spread = found[1:].mean(axis=0), found[1:].std(axis=0)
        spread[spread == 0] = 1
        found = (found - mean) / spread
    return np.asarray(found[:, :, None])


def _distance(before: Numbers, after: Numbers) -> float:
    """Return 1 − cosine of the mean vectors of two stretches; of plain numbers, the difference of the means."""
    old, new = before.mean(axis=0), after.mean(axis=0)
    if before.shape[1] == 1:
        return float(abs(old[0] - new[0]))
    length = float(np.sqrt(np.square(old).sum() * np.square(new).sum()))
    return float(1 - (old * new).sum() / length) if length else 0.0


def moved_words(
    model: Model, word: str, before: Sequence[int], after: Sequence[int], top: int, min_count: int
) -> tuple[list[str], list[str]]:
    """Return the neighbors that joined and the neighbors that left between two stretches, the largest changes first.

    Candidates are among the nearest words in a condition of the stretch that they joined (or left).
    """
    labels = model.conditions.labels
    stretches = [[labels[at] for at in before[-REACH:]], [labels[at] for at in after[:REACH]]]
    near = [
        {match.word for label in stretch for match in model.neighbors(word, label, NEAR, min_count=min_count)}
        for stretch in stretches
    ]
    names = sorted(near[0] | near[1])
    if not names:
        return [], []

    def similarities(label: str) -> Numbers:
        unit = model.project([word, *names], label, label).astype(np.float64)
        return np.asarray(np.multiply(unit[1:], unit[0]).sum(axis=1))

    old, new = (np.mean([similarities(label) for label in stretch], axis=0) for stretch in stretches)
    gains = sorted(zip((new - old).tolist(), names, strict=True), key=lambda pair: pair[0])
    left = [name for gain, name in gains if name in near[0] and gain < 0]
    joined = [name for gain, name in sorted(gains, key=lambda pair: -pair[0]) if name in near[1] and gain > 0]
    return joined[:top], left[:top]
