"""Answers about one word, its places and its axes, as tables."""

from __future__ import annotations

from collections.abc import Sequence

from chronotope.analysis.analogy import Analogy
from chronotope.analysis.axes import Positions
from chronotope.analysis.changepoints import ChangePoints
from chronotope.analysis.everywhere import Everywhere
from chronotope.analysis.geography import MoransI
from chronotope.analysis.grid import Grid
from chronotope.analysis.maps import WordMap
from chronotope.analysis.movers import Mover
from chronotope.analysis.places import PlaceDistances
from chronotope.analysis.properties import Consistency, Deviations
from chronotope.analysis.series import OVERALL, PREVIOUS, SelfSimilarity, Series
from chronotope.analysis.trajectory import Trajectory
from chronotope.errors import fewer_than
from chronotope.views.tables import Cell, Table, matches

JUDGED = ("corrected", "low", "high")
# A table of more places cannot be read.
MOST_COLUMNS = 24


def series(answer: Series) -> Table:
    """A word's similarity with itself, condition by condition."""
    against = {PREVIOUS: "the condition before", OVERALL: "all other conditions"}.get(answer.against, answer.against)
    drawn = bool(answer.bootstrap)
    columns = ("condition", "similarity", *(JUDGED if drawn else ()), "count", "per million")
    rows = tuple(
        (label, value, *(judged if drawn else ()), count, share)
        for label, value, judged, count, share in zip(
            answer.conditions,
            answer.values,
            zip(answer.corrected, answer.low, answer.high, strict=True),
            answer.support,
            answer.per_million,
            strict=True,
        )
    )
    notes = [_rare(answer.min_count, answer.values), _drawn(answer.bootstrap), "per million: words of the vocabulary"]
    return Table(columns, rows, f"{answer.word} compared with itself in {against}", _joined(notes))


def self_similarity(answer: SelfSimilarity) -> Table:
    """A word's similarity with itself, every condition with every other."""
    rows = tuple((label, *row) for label, row in zip(answer.conditions, answer.similarity, strict=True))
    columns = ("condition", *answer.conditions)
    return Table(
        columns, rows, f"{answer.word} compared with itself", _rare(answer.min_count, sum(answer.similarity, ()))
    )


def change_points(answer: ChangePoints) -> Table:
    """The points at which a word changed, and who joined and left it there."""
    where = f" in {answer.place}" if answer.place else ""
    title = f"When {answer.word} changed{where}"
    if not answer.accepted:
        title = f"{answer.word}{where} shows no change that is more than chance; the nearest to one:"
    columns = ("last before", "first after", "shift", "p", "p among words", "joined", "left")
    rows = tuple(
        (point.last, point.first, point.shift, point.p, point.p_words, _names(point.joined), _names(point.left))
        for point in answer.points
    )
    note = (
        f"{len(answer.conditions)} bins; p: against {answer.permutations:,} random orders of the bins; p among words: "
        f"against words as frequent; both at most {answer.level:g} (in fewer than 8 bins only the second can be)"
    )
    return Table(columns, rows, title, note)


def trajectory(answer: Trajectory) -> Table:
    """A word's path and its company, with their places in the plane."""
    path: list[tuple[Cell, ...]] = [
        (answer.word, point.condition, point.x, point.y, point.support) for point in answer.path
    ]
    path += [(one.word, ", ".join(one.near_in), one.x, one.y, None) for one in answer.company]
    columns = ("word", "in, or near it in", "x", "y", "count")
    return Table(columns, tuple(path), f"{answer.word} among its company ({answer.method})", answer.note)


def everywhere(answer: Everywhere) -> Table:
    """Who plays a word's part in each condition."""
    rows = tuple(
        (
            part.condition,
            ", ".join(match.word for match in part.matches) or "none",
            part.nearest.word if part.nearest else None,
            part.nearest.similarity if part.nearest else None,
            part.needed,
        )
        for part in answer.parts
    )
    note = (
        f"none: nothing is as near as it takes; a vector without meaning gets that near with a chance of "
        f"{answer.chance:g}"
    )
    columns = ("condition", "plays the part", "nearest", "similarity", "needed")
    return Table(columns, rows, f"Who plays the part of {answer.word} in {answer.at}?", note)


def analogy(answer: Analogy) -> Table:
    """The words that complete an analogy."""
    where = answer.at if answer.at == answer.to else f"{answer.at}, answered in {answer.to}"
    return matches(answer.matches, title=f"{answer.a} is to {answer.b} as {answer.c} is to … ({where})")


def positions(answer: Positions) -> Table:
    """Where a word stands along an axis."""
    drawn, several = bool(answer.bootstrap), any(row.low is not None for row in answer.rows)
    judged = JUDGED if drawn else JUDGED[1:] if several else ()
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (row.condition, row.value, *(getattr(row, name) for name in judged), row.support, *row.seeds)
        for row in answer.rows
    )
    columns = ("condition", "position", *judged, "count", "seeds +", "seeds −")
    notes = [_drawn(answer.bootstrap)]
    notes.append("low, high: 95 % interval over the choice of seed words" if several and not drawn else "")
    if any(row.value is None for row in answer.rows):
        notes.append(f"–: {answer.word}, or one side, is seen {fewer_than(answer.min_count)}")
    wanted = len(answer.plus), len(answer.minus)
    if any(row.seeds != wanted for row in answer.rows) and not answer.fixed:
        notes.append("a seed that is rare somewhere stands there as it is used elsewhere")
    return Table(columns, rows, f"{answer.word} along {answer.formula}", _joined(notes))


def distances(answer: PlaceDistances) -> Table:
    """How far apart places are, and their groups."""
    note = "mean of 1 − cosine over shared words, weighted by support"
    if answer.fidelity is not None:
        note += f"; the tree keeps the distances with a correlation of {answer.fidelity:.2f}"
    if len(answer.places) > MOST_COLUMNS:
        return _nearest(answer, note)
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (place, group, *row) for place, group, row in zip(answer.places, answer.groups, answer.distances, strict=True)
    )
    return Table(("place", "group", *answer.places), rows, "Places by their use of words", note)


def _nearest(answer: PlaceDistances, note: str) -> Table:
    """Of very many places each with the one that is most like it."""
    rows = []
    for at, (place, group) in enumerate(zip(answer.places, answer.groups, strict=True)):
        distance, other = min((value, to) for to, value in enumerate(answer.distances[at]) if to != at)
        rows.append((place, group, answer.places[other], distance))
    columns = ("place", "group", "most like", "distance")
    return Table(columns, tuple(rows), "Places by their use of words", f"{note}; all distances: --json")


def word_map(answer: WordMap) -> Table:
    """A word's value in each place."""
    intervals = any(row.low is not None for row in answer.rows)
    located = any(row.lat is not None for row in answer.rows)
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (
            row.place,
            row.value,
            *((row.low, row.high) if intervals else ()),
            row.support,
            *((row.lat, row.lon) if located else ()),
        )
        for row in answer.rows
    )
    columns = ("place", "value", *(("low", "high") if intervals else ()), "count", *(("lat", "lon") if located else ()))
    measured = "compared with the other places" if answer.measure == "overall" else f"along {answer.measure}"
    notes = [_rare(answer.min_count, [row.value for row in answer.rows])]
    notes.append(moran(answer.moran) if answer.moran else "")
    return Table(columns, rows, f"{answer.word} {measured}", _joined(notes))


def moran(answer: MoransI) -> str:
    """Moran's I in words."""
    return (
        f"Moran's I {answer.value:.3f} over {answer.links} links of {answer.places} places "
        f"({answer.expected:.3f} where the map says nothing), p {answer.p:.3f}"
    )


def grid(answer: Grid) -> Table:
    """A word over time × place, with the time at which each place changed."""
    rows: list[tuple[Cell, ...]] = []
    for change in answer.changes:
        at = answer.places.index(change.place)
        when = change.first if change.accepted else None
        rows.append((change.place, when, change.p, change.p_words, *(values[at] for values in answer.values)))
    measured = "compared with the other conditions" if answer.measure == "overall" else f"along {answer.measure}"
    columns = ("place", "changes in", "p", "p among words", *answer.times)
    notes = ["the places that change first are on top", _rare(answer.min_count, sum(answer.values, ()))]
    return Table(columns, tuple(rows), f"{answer.word} {measured}", _joined(notes))


def properties(second: Consistency | None, third: Deviations) -> str:
    """What was measured of the paper's second and third property, in two lines."""
    told = []
    if second:
        told.append(
            f"near bins are closer: mean similarity {second.similarity[0]:.3f} at one step, "
            f"{second.similarity[-1]:.3f} at {second.lags[-1]}; nearer at one step for {second.nearer:.1%} "
            f"of {second.words:,} words"
        )
    if third.rows:
        largest = ", ".join(row.word for row in third.rows[:5])
        kept = "" if third.agreement is None else f" (rank correlation with change {third.agreement:.2f})"
        told.append(f"words differ in how much is their own: most {largest}{kept}")
    return "\n".join(told)


def _names(movers: Sequence[Mover]) -> str:
    return ", ".join(mover.word for mover in movers)


def _joined(notes: Sequence[str]) -> str:
    return "; ".join(note for note in notes if note)


def _drawn(bootstrap: int) -> str:
    """What the columns of a bootstrap are."""
    if not bootstrap:
        return ""
    return f"corrected: less the noise of the text; low, high: its 95 % interval ({bootstrap:,} draws of documents)"


def _rare(min_count: int, values: Sequence[float | None]) -> str:
    """What a dash means, where there is one."""
    return f"–: seen {fewer_than(min_count)}" if None in values else ""
