"""Tiles: a word's similarity condition × condition, its grid over time × place, and the distances between places."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import altair as alt

from chronotope.analysis.grid import Grid
from chronotope.analysis.places import PlaceDistances
from chronotope.analysis.series import SelfSimilarity
from chronotope.errors import fewer_than
from chronotope.views.style import INK, LABEL_SIZE, LATE, QUIET, Rows, data, finished, made_by

TILE, WIDEST = 40, 640
# In smaller tiles numbers cannot be read.
SMALLEST_WITH_NUMBERS = 30
TREE = 90
# Of more places a grid shows the first, and distances show the tree alone.
MOST_PLACES = 48
LINE = 14


def self_similarity(answer: SelfSimilarity, *, subtitle: str | None = None) -> Any:
    """How similar a word in each condition is to itself in each other: the darker, the more alike.

    Parameters
    ----------
    answer
        What `chronotope.analysis.self_similarity` found.
    subtitle
        A line below the title; by default how the embeddings were made.
    """
    drawn = _tiles(answer.conditions, answer.conditions, answer.similarity)
    told = "Cosine similarity between conditions; the darker, the more alike"
    told += _missing(answer.similarity, answer.min_count)
    return finished(drawn, f"When “{answer.word}” means the same", [subtitle or made_by(answer.signature), told])


def grid(answer: Grid, *, subtitle: str | None = None) -> Any:
    """A word over time × place, places that change first on top, with a frame around the first bin after a change.

    Parameters
    ----------
    answer
        What `chronotope.analysis.grid` found.
    subtitle
        A line below the title; by default how the embeddings were made.
    """
    shown = sorted(answer.changes, key=lambda change: change.p is None)[:MOST_PLACES]
    places = [change.place for change in shown]
    numbers = [answer.places.index(place) for place in places]
    values = [[row[number] for row in answer.values] for number in numbers]
    framed = [(change.first, change.place) for change in shown if change.accepted and change.first]
    drawn = _tiles(answer.times, places, values, framed=framed)
    measured = (
        "Cosine similarity with what the word means elsewhere"
        if answer.measure == "overall"
        else f"Position along {answer.measure}"
    )
    told = [subtitle or made_by(answer.signature), measured + _missing(values, answer.min_count)]
    if framed:
        told.append("A frame: the first bin after the change of that place; places that change first are on top")
    if len(shown) < len(answer.changes):
        told.append(f"The first {len(shown)} of {len(answer.changes)} places")
    return finished(drawn, f"“{answer.word}” over time and place", told)


def distances(answer: PlaceDistances, *, subtitle: str | None = None) -> Any:
    """How far apart places are in their use of words, with the tree in which they join.

    Parameters
    ----------
    answer
        What `chronotope.analysis.place_distances` found.
    subtitle
        A line below the title; by default how the embeddings were made.
    """
    lines = [subtitle or made_by(answer.signature), "Mean of 1 − cosine over shared words, weighted by support"]
    if len(answer.places) > MOST_PLACES:
        return finished(_tree(answer, LINE, named=True), "Places by their use of words", lines)
    size = _tile_size(len(answer.places))
    values: list[list[float | None]] = [
        [None if a == b else value for b, value in enumerate(row)] for a, row in enumerate(answer.distances)
    ]
    drawn = _tiles(answer.places, answer.places, values, reverse=True, gap="")
    lines[1] += "; the darker, the more alike"
    chart = alt.hconcat(drawn, _tree(answer, size), spacing=14).resolve_scale(color="independent", y="independent")
    return finished(chart, "Places by their use of words", lines)


def _tile_size(count: int) -> float:
    return min(TILE, max(6, WIDEST / max(count, 1)))


def _missing(values: Sequence[Sequence[float | None]], min_count: int) -> str:
    if all(value is not None for row in values for value in row):
        return ""
    return f"; empty: it occurs {fewer_than(min_count)}"


def _tiles(
    across: Sequence[str],
    down: Sequence[str],
    values: Sequence[Sequence[float | None]],
    *,
    framed: Sequence[tuple[str, str]] = (),
    reverse: bool = False,
    gap: str = "·",
) -> alt.LayerChart:
    """A tile for each value; `values` has a row for each of `down`."""
    size = _tile_size(len(across))
    height = size if list(across) == list(down) else max(_tile_size(len(down)), LINE)
    known = [value for row in values for value in row if value is not None]
    low, high = min(known), max(known)
    digits = 2 if high - low > 0.05 else 3
    cells: Rows = [
        {"x": x, "y": y, "value": value, "shown": gap if value is None else f"{value:.{digits}f}".replace("0.", ".", 1)}
        for y, row in zip(down, values, strict=True)
        for x, value in zip(across, row, strict=True)
    ]
    middle = (low + high) / 2
    every_x, every_y = -(-26 // int(size)), -(-LINE // int(height))
    axis: dict[str, Any] = {"domain": False, "ticks": False, "labelPadding": 6, "labelLimit": 200}
    base = alt.Chart(data(cells)).encode(
        x=alt.X(
            "x:N",
            scale=alt.Scale(domain=list(across)),
            title=None,
            axis=alt.Axis(orient="top", labelAngle=-40, values=list(across[::every_x]), **axis),
        ),
        y=alt.Y(
            "y:N",
            scale=alt.Scale(domain=list(down)),
            title=None,
            axis=alt.Axis(labelFontSize=12, labelColor=INK, values=list(down[::every_y]), **axis),
        ),
    )
    scale = alt.Scale(scheme="blues", domain=[low, high], reverse=reverse)
    legend = alt.Legend(title=None, orient="right", gradientLength=120, tickCount=4, labelColor=QUIET, format=".2f")
    with_numbers = size >= SMALLEST_WITH_NUMBERS
    tiles = base.mark_rect(stroke="white", strokeWidth=1.5 if size > 14 else 0).encode(
        color=alt.Color("value:Q", scale=scale, legend=None if with_numbers else legend)
    )
    layers: list[Any] = [tiles.transform_filter("isValid(datum.value)")]
    if with_numbers:
        dark = f"datum.value {'<' if reverse else '>'} {middle}"
        layers.append(
            base.mark_text(fontSize=11).encode(
                text="shown:N",
                color=alt.condition(f"isValid(datum.value) && {dark}", alt.value("white"), alt.value(INK)),
            )
        )
    if framed:
        frames = alt.Chart(data([{"x": x, "y": y} for x, y in framed]))
        frame = frames.mark_rect(filled=False, stroke=LATE[0], strokeWidth=2.6)
        layers.append(frame.encode(x="x:N", y="y:N"))
    return cast("alt.LayerChart", alt.layer(*layers).properties(width=size * len(across), height=height * len(down)))


def _tree(answer: PlaceDistances, size: float, named: bool = False) -> alt.LayerChart:
    """The tree beside the tiles, or alone with names: places join where their lines meet, the later further right."""
    count = len(answer.places)
    # Of each place or group so far: how high it stands, and at which distance it was joined.
    nodes: list[tuple[float, float]] = [((place + 0.5) * size, 0.0) for place in range(count)]
    lines: Rows = []
    for a, b, distance in answer.merges:
        (y1, x1), (y2, x2) = nodes[a], nodes[b]
        lines += [
            {"x": x1, "x2": distance, "y": y1, "y2": y1},
            {"x": x2, "x2": distance, "y": y2, "y2": y2},
            {"x": distance, "x2": distance, "y": y1, "y2": y2},
        ]
        nodes.append(((y1 + y2) / 2, distance))
    last = max((distance for *_, distance in answer.merges), default=1.0) or 1.0
    width = 4 * TREE if named else TREE
    # All joins of many places lie within a narrow band; alone, the tree starts below the first of them.
    start = 0.9 * min((distance for *_, distance in answer.merges), default=0.0) if named else 0.0
    lines = [{**row, "x": max(row["x"], start)} for row in lines]
    marks: Rows = [
        {"y": (place + 0.5) * size, "shown": f"group {group}"}
        for place, group in enumerate(answer.groups)
        if place == 0 or answer.groups[place - 1] != group
    ]
    y = alt.Y("y:Q", scale=alt.Scale(domain=[0, count * size], reverse=True, nice=False), axis=None)
    x = alt.X(
        "x:Q",
        scale=alt.Scale(domain=[start, last * 1.01], nice=False),
        axis=alt.Axis(title="distance at which they join", tickCount=2, grid=False, domain=False, labelFlush=False),
    )
    base = alt.Chart(data(lines)).mark_rule(strokeWidth=1.4, color=QUIET)
    names = alt.Chart(data(marks)).mark_text(align="left", fontSize=LABEL_SIZE - 2, color=INK)
    layers = [
        base.encode(x=x, x2="x2:Q", y=y, y2="y2:Q"),
        names.encode(x=alt.value(width + 10), y=y, text="shown:N"),
    ]
    if named:
        rows: Rows = [{"y": (place + 0.5) * size, "shown": name} for place, name in enumerate(answer.places)]
        places = alt.Chart(data(rows)).mark_text(align="right", dx=-6, fontSize=LABEL_SIZE - 2, color=INK)
        layers.append(places.encode(x=alt.value(0), y=y, text="shown:N"))
    return cast("alt.LayerChart", alt.layer(*layers).properties(width=width, height=size * count))
