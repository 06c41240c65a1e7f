"""Places: how far apart they are in their use of words, and one word over all of them, or over time × place."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import pairwise
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from chronotope.analysis import geography, params
from chronotope.analysis.answer import Answer, question
from chronotope.analysis.axes import parse, positions
from chronotope.analysis.changepoints import Timeline, p_value
from chronotope.analysis.charts import Plane, Tiles
from chronotope.analysis.measures import Numbers
from chronotope.analysis.own_vectors import in_one_space, overall, own_vectors, unit_vectors
from chronotope.analysis.params import Alpha, AnyFormula, MinCount, Model, Param, Progress, Word
from chronotope.errors import InputError, SettingsError, fewer_than, number_of, some_of
from chronotope.runtime.blas import one_blas_thread

HALF_WEIGHT = 50  # occurrences where a word is rarer, at which it gets half of its weight
WORDS_AT_ONCE = 256  # between two reports of progress
MOST_ORDERED = 1000  # places; ordering the leaves of a larger tree takes minutes


@question(
    "places",
    group="All words",
    columns="place other distance words group other_group",
    chart=Tiles(x="place", y="other", value="distance", faint=None),
)
def places(
    model: Model,
    *,
    groups: Annotated[
        int | None, Param("Number of groups (default: cut at the widest gap).", least=1, most=10_000)
    ] = None,
    min_count: MinCount = 10,
    progress: Progress = None,
) -> Answer:
    """How far apart are places in their use of words, and how do they group?

    The distance is the weighted mean of 1 − cosine over the words that both places have. A word weighs n / (n + 50), n
    being its smaller count: the vectors of rare words are noisy. With time × place it is the mean over the time bins
    that both places have. Groups come from average linkage.
    """
    import polars as pl

    conditions = model.conditions
    names = conditions.places
    if len(names) < 2:
        raise SettingsError("the conditions of this model are not places; there is nothing to compare")
    in_one_space(model)
    times = np.array(conditions.time_of) if conditions.times else np.zeros(len(conditions), int)
    totals, counts, words = (np.zeros((len(names), len(names)), kind) for kind in (np.float64, np.int32, np.int32))
    for time in np.unique(times):
        together = np.flatnonzero(times == time).tolist()
        stage = f"comparing places{f' in {conditions.times[time]}' if conditions.times else ''}"
        with one_blas_thread():  # setting the limit takes longer than the products of a word
            distance, shared = _between(model, together, min_count, stage, progress)
        there = np.ix_(*[[conditions.place_of[number] for number in together]] * 2)
        totals[there] += distance
        counts[there] += shared > 0
        words[there] += shared
    np.fill_diagonal(counts, 1)
    if not counts.all():
        often = f"occurs {number_of(min_count, 'times')} in both"
        raise SettingsError(f"two of the places share no word that {often}; lower min_count (--min-count)")
    totals /= counts
    order, group, merges, fidelity = _clusters(totals, groups)
    first, second = np.repeat(order, len(order)), np.tile(order, len(order))
    place, of = pl.Series(names), np.array(group)
    rows = pl.DataFrame(
        {"place": place.gather(first), "other": place.gather(second), "distance": totals[first, second]}
        | {"words": words[first, second], "group": of[first], "other_group": of[second]}
    )
    facts: dict[str, Any] = {"order": [names[a] for a in order], "merges": merges, "fidelity": fidelity}
    facts |= {"groups": max(group), "min_count": min_count}
    title = "Distance of places in their use of words"
    notes = ["Little text makes a place seem more distant than it is."]
    return Answer(rows, title=title, notes=notes, facts=facts)


def _between(
    model: Model, conditions: Sequence[int], min_count: int, stage: str, progress: Progress
) -> tuple[Numbers, NDArray[np.int32]]:
    """Return the (C, C) weighted mean of 1 − cosine over the words of every two conditions, and the number of words."""
    matrices = [model.matrix(model.conditions.labels[at], min_count) for at in conditions]
    word = np.concatenate([matrix.word for matrix in matrices])
    order = np.argsort(word, kind="stable")
    unit = np.concatenate([matrix.unit for matrix in matrices])[order]
    count = np.concatenate([matrix.support for matrix in matrices])[order].astype(np.float32)
    where = np.repeat(np.arange(len(conditions)), [len(matrix.word) for matrix in matrices])[order]
    size = len(conditions)
    distance, weights, shared = (np.zeros((size, size), kind) for kind in (np.float64, np.float32, np.int32))
    bounds = np.flatnonzero(np.diff(word[order], prepend=-1, append=-1))
    for number, (begin, end) in enumerate(pairwise(bounds.tolist())):
        if progress and number % WORDS_AT_ONCE == 0:
            progress(stage, number, len(bounds) - 1)
        rows = slice(begin, end)
        rarer, there = np.minimum.outer(count[rows], count[rows]), np.ix_(where[rows], where[rows])
        weight = rarer / (rarer + HALF_WEIGHT)
        distance[there] += weight * (1 - unit[rows] @ unit[rows].T)
        weights[there] += weight
        shared[there] += 1
    distance += distance.T.copy()
    distance /= 2 * np.where(weights == 0, 1, weights)
    np.fill_diagonal(distance, 0)
    return distance, shared


def _clusters(distances: Numbers, groups: int | None) -> tuple[list[int], list[int], list[list[float]], float | None]:
    """Return the order of places, the group of each, the merges and the fidelity of the tree.

    A merge is two nodes and their distance. Nodes are numbered: the places in that order, then the merges.
    Fidelity is the cophenetic correlation: how well the tree preserves the distances.
    """
    from scipy.cluster.hierarchy import cophenet, fcluster, leaves_list, linkage
    from scipy.spatial.distance import squareform

    size, condensed = len(distances), squareform(distances, checks=False)
    tree = linkage(condensed, "average", optimal_ordering=size <= MOST_ORDERED)
    order = leaves_list(tree)
    if groups is None:
        # The tree is cut at the widest gap between one join and the next.
        gaps = np.diff(tree[:, 2])
        groups = size - 1 - int(gaps.argmax()) if len(gaps) else 1
    member = fcluster(tree, min(groups, size), "maxclust")
    first_seen = {group: number for number, group in enumerate(dict.fromkeys(member[order].tolist()), 1)}
    fidelity = float(cophenet(tree, condensed)[0]) if size > 2 and np.ptp(condensed) > 0 else None
    position = np.append(np.argsort(order), np.arange(size, 2 * size))
    merges = [[int(position[int(a)]), int(position[int(b)]), float(height)] for a, b, height, _ in tree]
    return order.tolist(), [first_seen[one] for one in member.tolist()], merges, fidelity


@question(
    "map",
    group="A word",
    columns="word place count value low high lat lon",
    chart=Plane(x="lon", y="lat", label="place", value="value"),
)
def word_map(
    model: Model,
    word: Word,
    *,
    formula: AnyFormula = None,
    coordinates: params.Coordinates = None,
    edges: params.Edges = None,
    nearest: Annotated[int, Param("Number of nearest places that count as neighbors.", least=1, most=1000)] = 3,
    shuffles: params.Shuffles = 999,
    min_count: MinCount = 5,
) -> Answer:
    """How does a word differ by place?

    The value is the similarity of the word with its use in all other places, or its position on the axis of `formula`.
    Places within a place, and those around it, are not compared with it. With time × place, the similarity is that of
    the mean direction over the place's time bins, and the position is the mean of theirs, weighted by count. With
    `coordinates` or `edges`, Moran's I tests whether neighboring places are alike.
    """
    conditions = model.conditions
    if not conditions.places:
        raise SettingsError("the conditions of this model are not places; there is nothing to put on a map")
    word = model.words[model.index(word)]
    known = None if coordinates is None else geography.read_coordinates(coordinates)
    values = _by_place(model, word, formula, min_count)
    counts = np.bincount(conditions.place_of, list(model.count(word).values())).astype(int)
    rows: list[dict[str, Any]] = []
    alone: list[str] = []  # places that share their text with all others where the word occurs
    for number, place in enumerate(conditions.places):
        lat, lon = (None, None) if known is None else known.points.get(place.casefold(), (None, None))
        value, low, high = values.get(number, (None, None, None))
        if value is not None and np.isnan(value):
            alone.append(place)
            value = None
        rows.append(
            {"word": word, "place": place, "count": counts[number], "value": value}
            | {"low": low, "high": high, "lat": lat, "lon": lon}
        )
    notes, facts = _map_facts(rows, known, edges, nearest, shuffles)
    if alone:
        notes.insert(0, f"Without a value, since {word} is too rare everywhere else: {some_of(alone)}.")
    if rare := [row["place"] for row in rows if row["value"] is None and row["place"] not in alone]:
        notes.insert(0, f"Without a value, since {word} occurs {fewer_than(min_count)}: {some_of(rare)}.")
    facts = {"axis": "place", "formula": formula, "min_count": min_count, **facts}
    return Answer(rows, title=f"{word} by place: {_measure(formula)}", notes=notes, facts=facts)


def _measure(formula: str | None) -> str:
    return f"position on {formula}" if formula else "similarity with its use everywhere else"


def _map_facts(
    rows: Sequence[dict[str, Any]], known: geography.Coordinates | None, edges: Any, nearest: int, shuffles: int
) -> tuple[list[str], dict[str, Any]]:
    """Return notes, and Moran's I and polygons as facts."""
    notes: list[str] = []
    facts: dict[str, Any] = {"moran": None}
    places = [row["place"] for row in rows]
    if known is not None:
        if missing := geography.without_coordinates(places, known):
            notes.append(f"Without coordinates: {some_of(missing)}.")
        if known.polygons:
            facts["polygons"] = geography.feature_collection(places, known)
    if known is not None or edges is not None:
        links = geography.place_links(places, edges, known, nearest)
        # A place that is not on the map has no neighbors.
        values = [row["value"] if edges is not None or row["lat"] is not None else None for row in rows]
        facts["moran"] = moran = geography.morans_i(values, links, shuffles=shuffles)
        if moran is None:
            notes.append("No Moran's I: it needs four places with different values, and neighbors among them.")
        else:
            alike = "are alike" if moran["p"] <= 0.05 else "show no significant pattern"
            notes.append(f"Neighboring places {alike}: Moran's I {moran['value']:.2f}, p = {moran['p']:.3f}.")
    return notes, facts


def _by_place(
    model: Model, word: str, formula: str | None, min_count: int
) -> dict[int, tuple[float, float | None, float | None]]:
    """Return the value of each place, and its interval if it has one condition and the axis enough seeds."""
    place_of = np.array(model.conditions.place_of)
    if formula is None:
        in_one_space(model)
        own = own_vectors(model, word, min_count, least=2)
        where = place_of[own.conditions]
        numbers = np.unique(where)
        means = unit_vectors(np.array([own.unit[where == number].mean(axis=0) for number in numbers]))
        only_places = tuple(range(len(model.conditions.places)))
        places = replace(model.conditions, times=(), time_of=(), place_of=only_places)
        cosines = np.multiply(means, overall(means, places.apart(numbers.tolist()))).sum(axis=1)
        return {place: (value, None, None) for place, value in zip(numbers.tolist(), cosines.tolist(), strict=True)}
    by_place: dict[int, list[dict[str, Any]]] = {}
    rows = positions(model, word, parse(formula, model), range(len(place_of)), min_count)
    for place, row in zip(place_of.tolist(), rows, strict=True):
        if np.isfinite(row["position"]):
            by_place.setdefault(place, []).append(row)
    values: dict[int, tuple[float, float | None, float | None]] = {}
    for place, found in by_place.items():
        mean = float(np.average([row["position"] for row in found], weights=[row["count"] for row in found]))
        values[place] = (mean, found[0]["low"], found[0]["high"]) if len(found) == 1 else (mean, None, None)
    return values


@question(
    "grid",
    group="A word",
    columns="word time place condition count value changed shift p",
    chart=Tiles(x="time", y="place", value="value", mark="changed"),
)
def grid(
    model: Model,
    word: Word,
    *,
    formula: AnyFormula = None,
    alpha: Alpha = 0.05,
    min_count: MinCount = 5,
) -> Answer:
    """How does a word differ by time and place, and which places change first?

    The value is the similarity of the word with its use in all other conditions, or its position on the axis of
    `formula`. The largest change in each place has its `shift` and `p` in the row of the first bin after it; `changed`
    says whether it is significant. `p` compares with words of similar frequency, corrected for the number of places.
    `facts["changes"]` lists the places in the order in which they change.
    """
    conditions = model.conditions
    if not (conditions.times and conditions.places):
        has = "this model has no places" if conditions.times else "this model has no time bins"
        raise SettingsError(f"a grid needs time bins in places; {has}")
    in_one_space(model)
    word = model.words[model.index(word)]
    if formula is None:
        own = own_vectors(model, word, min_count, least=2)
        cosines = np.multiply(own.unit, overall(own.unit, conditions.apart(own.conditions.tolist()))).sum(axis=1)
        values = dict(zip(own.conditions.tolist(), cosines.tolist(), strict=True))
    else:
        rows = positions(model, word, parse(formula, model), range(len(conditions)), min_count)
        values = {at: row["position"] for at, row in enumerate(rows)}
    changes = _changes(model, word, alpha, min_count)
    order = {label: number for number, label in enumerate(conditions.labels)}
    changes.sort(key=lambda one: (not one["accepted"], order.get(one["after"] or "", len(order)), one["place"]))
    largest, counts = {one["after"]: one for one in changes}, model.count(word)
    cells = []
    for number, label in enumerate(conditions.labels):
        time, place = conditions.times[conditions.time_of[number]], conditions.places[conditions.place_of[number]]
        cell = {"word": word, "time": time, "place": place, "condition": label, "count": counts[label]}
        change = largest.get(label, {})
        cell |= {"value": values.get(number), "changed": change.get("accepted", False)}
        cells.append(cell | {"shift": change.get("shift"), "p": change.get("p")})
    notes = [f"Shown where {word} occurs {number_of(min_count, 'times')} or more."]
    accepted = [str(one["after"]) for one in changes if one["accepted"]]
    notes.append(f"Significant changes begin in {some_of(accepted)}." if accepted else "No change is significant.")
    facts = {"formula": formula, "alpha": alpha, "min_count": min_count, "changes": changes}
    return Answer(cells, title=f"{word} by time and place: {_measure(formula)}", notes=notes, facts=facts)


def _changes(model: Model, word: str, alpha: float, min_count: int) -> list[dict[str, Any]]:
    """Return the largest change of a word in each place; nulls where it or the words to compare with are too rare."""
    shifts = {}
    for place in model.conditions.places:
        with suppress(InputError):
            line = Timeline.of(model, word, place, None, min_count)
            shift = line.largest()
            if len(shift.null):
                shifts[place] = line.points({shift.split: np.nan})[0], shift
    # All places share one null: that of one place is too coarse for a correction by the number of places.
    null = np.concatenate([shift.null for _, shift in shifts.values()] or [np.empty(0)])
    changes: list[dict[str, Any]] = []
    for place in model.conditions.places:
        change: dict[str, Any] = {"place": place, "after": None, "shift": None, "p": None, "accepted": False}
        if place in shifts:
            point, shift = shifts[place]
            p = min(1.0, len(shifts) * p_value(shift.size, null))
            change |= {"after": point["after"], "shift": point["shift"], "p": p, "accepted": p <= alpha}
        changes.append(change)
    return changes
