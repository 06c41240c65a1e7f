"""When a word changed (`changepoints`): the points in time at which the mean of its vectors shifts.

Two p-values judge a point. `p` compares the series with itself in random order, as Kulkarni et al. (2015) do; it
assumes independent bins, so that in a smoothed model nearly every word has a small p. `p_words` compares the shift with
the largest shifts of words of like frequency, which are smoothed just as much. A point is accepted if both are small.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from chronotope.analysis.answer import Answer, question
from chronotope.analysis.charts import Ranked
from chronotope.analysis.own_vectors import in_one_space, own_vectors, timeline
from chronotope.analysis.params import Alpha, MinCount, Model, Param, Place, Seed, Shuffles, Word, condition_param
from chronotope.analysis.series import hidden_conditions
from chronotope.errors import SettingsError
from chronotope.runtime.blas import one_blas_thread

Numbers = NDArray[np.float64]

REFERENCES = 200
# Fewer words than this cannot show that a shift is rare.
FEWEST_REFERENCES = 19
# In a shorter series even a perfect shift occurs among its random orders in more than one case of twenty.
SHORTEST_FOR_P = 8
# Smoothing spreads a change over the bins around it: a second shift must be at least this share of the largest.
ECHO = 0.25
# Minimum number of bins on each side of a shift.
LEAST = 2
# Size of a block of shuffled series, in numbers.
BLOCK_NUMBERS = 1 << 22
# Neighbors of each condition that may be among the words that joined or left.
NEAR = 10
# Number of conditions on each side of a point in which neighbors are looked for.
REACH = 5


class Point(NamedTuple):
    """A point in time at which a word shifts."""

    before: str  # the last condition before it
    after: str  # the first condition after it
    shift: float  # 1 − cosine of the mean vectors of the stretches before and after
    p: float  # among random orders of the bins
    p_words: float | None  # among words of like frequency; None if there are too few
    accepted: bool  # significant
    stretches: tuple[list[int], list[int]]  # the conditions before and after


@question(
    "changepoints",
    group="A word",
    columns="word place before after shift p p_words accepted joined left",
    chart=Ranked(label="after", value="shift", detail=("p", "p_words"), faint=None),
)
def changepoints(
    model: Model,
    word: Word,
    *,
    place: Place = None,
    against: Annotated[
        str | None,
        condition_param("Look for shifts of the similarity with this condition (or `first`), not of the vectors."),
    ] = None,
    most: Annotated[int, Param("Maximum number of change points.", least=1, most=1000)] = 3,
    alpha: Alpha = 0.05,
    shuffles: Shuffles = 999,
    top: Annotated[int, Param("Number of words that joined, and that left.", least=0, most=1000)] = 5,
    min_count: MinCount = 5,
    seed: Seed = 1,
) -> Answer:
    """When did a word change, and which words joined and left its neighbors then?

    The largest shift of the whole series is looked for first, then the largest on either side of it, and so on. If no
    point is significant, the one row is the largest shift, with `accepted` false. A word that leaves and soon returns
    can be missed: no single point then splits its series in two.

    Examples
    --------
    >>> import chronotope as ct
    >>> world = ct.invented_world(years=range(1990, 2000), places=["arlen"], documents=600)
    >>> model = ct.GraphModel(dimensions=50).fit(ct.count(ct.read_corpus(world.records, time="time"), min_count=5))
    >>> [row["after"] for row in changepoints(model, "bank") if row["accepted"]]
    ['1995']
    """
    options: dict[str, Any] = {"alpha": alpha, "shuffles": shuffles, "min_count": min_count}
    points = find_points(model, word, place=place, against=against, most=most, seed=seed, **options)
    rows = []
    for point in points:
        joined, left = moved_words(model, word, *point.stretches, top, min_count) if point.accepted else ([], [])
        shown = {name: value for name, value in point._asdict().items() if name != "stretches"}
        rows.append({"word": word, "place": place} | shown | {"joined": joined, "left": left})
    accepted, where = sum(point.accepted for point in points), f" in {place}" if place else ""
    notes = hidden_conditions(model, [word], timeline(model.conditions, place), min_count)
    if not accepted:
        ends = f"between {points[0].before} and {points[0].after}"
        notes.insert(0, f"The largest shift, {ends}, is not significant.")
    notes.append(
        f"p: among {shuffles:,} random orders of the bins; p_words: among words of like frequency. Both must be at "
        f"most {alpha:g}; with fewer than {SHORTEST_FOR_P} bins, p_words alone."
    )
    title = f"{word}{where}: {'change points' if accepted else 'no significant change point'}"
    facts = {"place": place, "against": against, "accepted": accepted, **options}
    return Answer(rows, title=title, notes=notes, facts=facts)


def find_points(
    model: Model,
    word: str,
    *,
    place: str | None = None,
    against: str | None = None,
    most: int = 3,
    alpha: float = 0.05,
    shuffles: int = 999,
    min_count: int = 5,
    seed: int = 1,
) -> list[Point]:
    """Return the significant change points of a word in order of time; if there is none, its largest shift.

    Raise InputError if the word occurs often enough in too few bins. The parameters are those of `changepoints`.
    """
    in_one_space(model)
    labels = model.conditions.labels
    least = 2 * LEAST + (against is not None)  # the condition that is compared with is left out
    conditions, unit = own_vectors(model, word, min_count, timeline(model.conditions, place), least=least)
    others = _words_of_like_frequency(model, model.index(word), conditions, min_count)
    series = unit
    if against is not None:
        base = int(conditions[0]) if against == "first" else model.conditions.index(against)
        if base not in conditions:
            raise SettingsError(f"the word is too rare in {against} to be compared with")
        kept = conditions != base
        series, others = _similarities(unit, others, conditions == base)
        conditions, unit = conditions[kept], unit[kept]
    candidates = _candidates(series, others, alpha, shuffles, seed)
    candidates.sort(key=lambda one: (not one.accepted, one.p, one.p_words or 0))
    chosen = [one for one in candidates if one.accepted][:most] or candidates[:1]
    chosen.sort(key=lambda one: one.split)
    bounds = [0, *(one.split for one in chosen), len(unit)]
    points = []
    for begin, one, end in zip(bounds, chosen, bounds[2:], strict=False):
        before, after = conditions[begin : one.split].tolist(), conditions[one.split : end].tolist()
        shift = _distance(unit[begin : one.split], unit[one.split : end])
        points.append(Point(labels[before[-1]], labels[after[0]], shift, *one[1:], (before, after)))
    return points


class _Candidate(NamedTuple):
    """The largest shift of a stretch."""

    split: int
    p: float
    p_words: float | None
    accepted: bool


def _candidates(series: Numbers, others: Numbers, alpha: float, shuffles: int, seed: int) -> list[_Candidate]:
    """Judge the largest shift of the whole series, then those on both sides of each accepted one."""
    tried: list[_Candidate] = []
    largest = 0.0
    stretches = [(0, len(series))]
    while stretches:
        begin, end = stretches.pop(0)
        if end - begin < 2 * LEAST:
            continue
        shift = mean_shift(series[begin:end], shuffles=shuffles, seed=seed)
        split, p_words = begin + shift.split, None
        if len(others) >= FEWEST_REFERENCES:
            sizes = largest_shifts(others[:, begin:end])[1]
            p_words = (1 + int(np.count_nonzero(sizes >= shift.size))) / (1 + len(sizes))
        distance = _distance(series[begin:split], series[split:end])
        # A short series is judged by the other words alone, as a whole but not in parts.
        by_order = shift.p <= alpha or (not tried and len(series) < SHORTEST_FOR_P and p_words is not None)
        accepted = by_order and (p_words is None or p_words <= alpha) and distance >= ECHO * largest
        tried.append(_Candidate(split, shift.p, p_words, accepted))
        if accepted:
            largest = max(largest, distance)
            stretches += [(begin, split), (split, end)]
    return tried


class Shift(NamedTuple):
    """The largest shift of a series: the first value after it, √(n₁ n₂ / n) · distance of the means, and p."""

    split: int
    size: float
    p: float


def mean_shift(values: Numbers, *, shuffles: int = 999, seed: int = 1) -> Shift:
    """Return the largest shift of the mean of a series (T,) or (T, D), with its p among random orders.

    Unlike Kulkarni et al., a difference is weighted by √(n₁ n₂ / n), so that one odd value at an end is no shift, and
    the largest over all points is compared with the largest over all points, so that p is uniform without a change.

    Examples
    --------
    >>> mean_shift(np.array([0.9, 1, 1.1, 1, 0.1, 0, 0.1, 0])).split
    4
    """
    rows = np.asarray(values, dtype=np.float64).reshape(len(values), -1)
    split, size = (part[0] for part in largest_shifts(rows[None]))
    if rows.shape[1] > rows.shape[0]:
        # Shorter vectors with the same inner products: their means move in the same way.
        with one_blas_thread():
            rows = np.linalg.qr(rows.T)[1].T
    rng = np.random.default_rng([seed, len(rows)])
    reached, block = 0, max(1, BLOCK_NUMBERS // rows.size)
    for begin in range(0, shuffles, block):
        orders = np.tile(np.arange(len(rows)), (min(block, shuffles - begin), 1))
        sizes = largest_shifts(rows[rng.permuted(orders, axis=1)])[1]
        # An order that shifts exactly as much must count, whatever the rounding of its sums.
        reached += int(np.count_nonzero(sizes >= size * (1 - 1e-9)))
    return Shift(int(split), float(size), (reached + 1) / (shuffles + 1))


def largest_shifts(series: Numbers) -> tuple[NDArray[np.int64], Numbers]:
    """Return where each of (R, T, D) series shifts most, and how much."""
    length = series.shape[1]
    splits = np.arange(LEAST, length - LEAST + 1)
    centered = series - series.mean(axis=1, keepdims=True)
    # Centered, the values before a point add up to minus the values after it.
    before = np.cumsum(centered, axis=1)[:, splits - 1]
    sizes = length / (splits * (length - splits)) * np.square(before).sum(axis=2)
    best = sizes.argmax(axis=1)
    return splits[best], np.sqrt(sizes[np.arange(len(series)), best])


def _words_of_like_frequency(model: Model, word: int, conditions: NDArray[np.int64], min_count: int) -> Numbers:
    """(R, T, D) the unit vectors of words of like frequency that occur often enough in the same conditions."""
    matrices = [model.matrix(model.conditions.labels[condition], min_count) for condition in conditions]
    present = np.zeros(len(model), dtype=np.int64)
    for matrix in matrices:
        present[matrix.word] += 1
    shared = np.flatnonzero(present == len(matrices))
    places = [np.searchsorted(matrix.word, shared) for matrix in matrices]
    count = np.sum([matrix.support[at] for matrix, at in zip(matrices, places, strict=True)], axis=0)
    rank = np.argsort(np.lexsort((shared, -count)))
    distance = np.abs(rank - rank[shared == word][0])
    kept = np.sort(np.lexsort((rank, distance))[1 : REFERENCES + 1])
    vectors = [matrix.unit[at[kept]] for matrix, at in zip(matrices, places, strict=True)]
    return np.stack(vectors, axis=1).astype(np.float64)


def _similarities(own: Numbers, others: Numbers, base: NDArray[np.bool_]) -> tuple[Numbers, Numbers]:
    """Return the similarities with one condition, for the word and for others, standardized over the others."""
    mine = np.multiply(own[~base], own[base]).sum(axis=1)
    theirs = np.multiply(others[:, ~base], others[:, base]).sum(axis=2)
    if len(theirs) >= FEWEST_REFERENCES:
        mean, spread = theirs.mean(axis=0), theirs.std(axis=0)
        spread[spread == 0] = 1
        mine, theirs = (mine - mean) / spread, (theirs - mean) / spread
    return mine[:, None], theirs[:, :, None]


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
    """Return the neighbors that joined and those that left between two stretches, the largest movements first.

    Candidates are among the nearest words somewhere in the stretch that they joined (or left).
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
