"""Lines over time: a line for each value of a column, with intervals, gaps, faint points and labels at its end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import cycle
from typing import Any, NamedTuple

import altair as alt
import polars as pl

from chronotope.analysis.answer import Answer
from chronotope.analysis.charts import Lines, Ranked
from chronotope.conditions import SEPARATOR
from chronotope.errors import some_of
from chronotope.views.charts import ranked, style
from chronotope.views.charts.placing import spread

WIDE, SMALL = (560, 320), (250, 170)  # of a chart, and of one of several panels
LABEL_GAP = 16.5
MOST_BANDS, NO_BANDS = 6, "Intervals are not drawn: there are too many lines."
FROM_ZERO = ("per_million", "count", "share")
CHANGE = 0.15  # share of the range; a line that moves less is neither rising nor falling
# Lines also differ in their dashes, for copies without color.
DASHES = ([1, 0], [7, 3], [2, 2], [9, 3, 2, 3], [12, 4], [4, 4], [2, 4], [6, 2, 2, 2])

Row = dict[str, Any]
Pair = tuple[float, float]


class Line(NamedTuple):
    """A named line: its rows by their position on the axis. A position without a row is a gap."""

    name: str
    rows: dict[int, Row]


def draw(answer: Answer, chart: Lines) -> style.Drawing:
    """Return lines over time; for places or a single condition ranked bars."""
    rows = _rows(answer, chart)
    labels = _order(rows, answer.facts.get("conditions"))
    axis = answer.facts.get("axis", "time")
    if axis == "place" or len(labels) < 2:
        return _bars(answer, chart, rows, single=len(labels) < 2)
    panels: dict[str, list[Row]] = {"": rows}
    places = {label.partition(SEPARATOR)[2] for label in labels}
    if axis != "time" or len(places) == 1:
        rows = [
            {**row, "x": row["x"].partition(SEPARATOR)[0], "place": row["x"].partition(SEPARATOR)[2]} for row in rows
        ]
        panels, labels = {"": rows}, list(dict.fromkeys(label.partition(SEPARATOR)[0] for label in labels))
    if axis != "time":
        # A line for each place, and a panel for each name.
        every = dict.fromkeys(row["name"] for row in rows)
        panels = {name: [{**row, "name": row["place"]} for row in rows if row["name"] == name] for name in every}
        panels = panels if len(every) > 1 else {"": next(iter(panels.values()))}
    names = list(panels)[: chart.limit]
    notes = [f"Place: {place}." for place in places if place and len(places) == 1]
    notes += [f"Not drawn: {some_of(list(panels)[chart.limit :])}."] if len(panels) > chart.limit else []
    size = WIDE if len(names) == 1 else SMALL
    drawn = []
    for name in names:
        found = _lines(panels[name], labels)
        shown = found[: chart.limit] if chart.color == "word" else _choose(found, chart.limit, len(labels))
        if len(shown) < len(found):
            hidden = [style.spaced(line.name) for line in found if line not in shown]
            of = f" of {name}" if name else ""
            notes.append(f"Drawn: {len(shown)} of {len(found)} lines{of}, without {some_of(hidden)}.")
        panel = _panel(shown, labels, style.axis_title(answer, chart.y), size, chart, notes)
        drawn.append(style.heading(panel, name))
    if any(row["opacity"] < 1 for name in names for row in panels[name]):
        notes.append(style.FAINT)
    if len(drawn) == 1:
        return style.Drawing(drawn[0], size[0] + 100, notes)
    return style.Drawing(alt.concat(*drawn, columns=2, spacing=30), 2 * size[0] + 240, notes)


def _rows(answer: Answer, chart: Lines) -> list[Row]:
    """Return the rows by the names that the chart uses."""
    frame, value = answer.frame, style.best_column(answer.frame, chart.y)
    pairs = chart.color != "word" and "word" in frame.columns and frame["word"].n_unique() > 1
    return [
        {"name": f"{row['word']} – {row[chart.color]}" if pairs else str(row[chart.color]), "x": row[chart.x] or ""}
        | {"y": row[value], **style.interval(row, chart.band)}
        | {"opacity": 0.6 if style.is_faint(row, chart.faint) and row[value] is not None else 1}
        for row in frame.iter_rows(named=True)
    ]


def _order(rows: Sequence[Row], known: Sequence[str] | None) -> list[str]:
    """Return the conditions as the answer or a complete line orders them, else sorted; without empty ends."""
    lines: dict[str, list[str]] = {"": list(known or ())}
    for row in rows:
        lines.setdefault(f"of {row['name']}", []).append(row["x"])
    every = {row["x"] for row in rows}
    order = next((order for order in lines.values() if every <= set(order)), sorted(every))
    valued = [order.index(row["x"]) for row in rows if row["y"] is not None]
    return order[min(valued) : max(valued) + 1]


def _lines(rows: Sequence[Row], labels: Sequence[str]) -> list[Line]:
    places = {label: at for at, label in enumerate(labels)}
    found: dict[str, dict[int, Row]] = {}
    for row in rows:
        if row["y"] is not None:
            found.setdefault(row["name"], {})[places[row["x"]]] = row
    return [Line(name, by_place) for name, by_place in found.items()]


def _choose(lines: list[Line], limit: int, count: int) -> list[Line]:
    """Return the lines to draw: the two highest at each end, then the highest of each condition between, in turn."""
    chosen: list[str] = []
    for at in cycle([0, count - 1, 0, count - 1, *range(1, count - 1)]):
        here = [line for line in lines if line.name not in chosen and at in line.rows]
        if here:
            chosen.append(max(here, key=lambda line: line.rows[at]["y"]).name)
        if len(chosen) >= min(limit, len(lines)):
            break
    return [line for line in lines if line.name in chosen]


def _panel(lines: list[Line], labels: list[str], title: str, size: Pair, chart: Lines, notes: list[str]) -> Any:
    every = [row for line in lines for row in line.rows.values()]
    banded = len(lines) <= MOST_BANDS
    ends = [row[end] for row in every for end in ("low", "high") if banded and row[end] is not None]
    if not banded and any(row["low"] is not None for row in every) and NO_BANDS not in notes:
        notes.append(NO_BANDS)
    low, high = style.limits([row["y"] for row in every], ends, zero=chart.y in FROM_ZERO)
    # With many neighbors, the color shows the direction; falling lines are labeled on the left.
    by_direction = chart.color not in ("word", "sense") and len(lines) > 4 and size == WIDE
    colors = dict(zip((line.name for line in lines), cycle(style.COLORS)))
    if by_direction:
        colors = _directions(lines, high - low)
        notes.append("Blue lines fall, orange lines rise, gray lines change little.")
    left = [line for line in lines if by_direction and colors[line.name] in style.BLUES]
    if banded and style.is_cut(every, low, high):
        notes.append(style.CUT)
    # Vega splits a line where a column changes, so points have rows of their own.
    plain, lone, points = [], [], []
    used: list[str] = []
    for at, line in enumerate(lines):
        color = colors[line.name]
        dash = used.count(color) if by_direction else at % len(DASHES)
        used.append(color)
        gap = {"y": None, "low": None, "high": None, "opacity": 1}
        for place, label in enumerate(labels):
            row = {**gap, **line.rows.get(place, {}), "x": label, "name": style.shorten(line.name)}
            opacity = row.pop("opacity")
            plain.append({**row, "color": color, "dash": dash})
            if row["low"] is not None and not {place - 1, place + 1} & line.rows.keys():
                lone.append(plain[-1])
            if row["y"] is not None:
                fill = "white" if opacity < 1 else color
                points.append({**row, "stroke": color, "fill": fill, "opacity": opacity})
    room = max((style.LETTER * style.LABEL * min(len(line.name), style.MOST_LETTERS) + 26 for line in left), default=0)
    header: dict[str, Any] = {"titleAngle": 0, "titleAlign": "left", "titleBaseline": "bottom", "titleY": -10}
    y_scale = alt.Scale(domain=[low, high], nice=False, zero=False)
    y_axis = style.value_axis(title, offset=room, titleX=-35 - room, **header)
    longest = style.SMALL * style.LETTER * max(map(len, labels)) + 24
    x_style: dict[str, Any] = {"labelAngle": 0, "grid": False, "domainColor": style.QUIET, "tickColor": style.QUIET}
    x_axis = alt.Axis(values=style.ticks(labels, int(size[0] / longest)), title=None, **x_style)
    where = {
        "x": alt.X("x:O", scale=alt.Scale(type="point", domain=labels, padding=0), axis=x_axis),
        "y": alt.Y("y:Q", scale=y_scale, axis=y_axis),
    }
    interval = {**where, "y": alt.Y("low:Q", scale=y_scale, axis=y_axis), "y2": "high:Q", "detail": "name:N"}
    dashes = alt.StrokeDash("dash:O", scale=alt.Scale(domain=list(range(8)), range=list(DASHES)), legend=None)
    tooltip = ["name:N", alt.Tooltip("x:N", title=chart.x), alt.Tooltip("y:Q", format=".3f", title=chart.y)]
    layers = [style.layer(plain, "line", strokeWidth=2.2).encode(**where, detail="name:N", strokeDash=dashes)]
    if ends:
        layers.insert(
            0, style.layer(plain, "area", clip=True, opacity=0.15 if len(lines) < 4 else 0.06).encode(**interval)
        )
        layers.insert(0, style.layer(lone, "rule", clip=True, opacity=0.4, strokeWidth=2).encode(**interval))
    layers.append(style.layer(points, "point", size=30, strokeWidth=1.4).encode(**where, tooltip=tooltip))
    for group, side in ((left, -1), ([line for line in lines if line not in left], 1)):
        layers += _names(group, side, len(labels), colors, (low, high), size)
    return alt.layer(*layers).properties(width=size[0], height=size[1])


def _names(lines: list[Line], side: int, count: int, colors: dict[str, str], domain: Pair, size: Pair) -> list[Any]:
    """Return the names of lines beside the panel (side -1: left, 1: right), and thin connectors from their ends."""
    ends = [(max if side > 0 else min)(line.rows) for line in lines]
    low, high = domain
    heights = [(high - line.rows[at]["y"]) / (high - low) * size[1] for line, at in zip(lines, ends, strict=True)]
    edge = size[0] + 14 if side > 0 else -14
    joins: style.Rows = []
    names: style.Rows = []
    for line, at, y, place in zip(lines, ends, heights, spread(heights, LABEL_GAP, 0, size[1]), strict=True):
        x, color = at * size[0] / (count - 1) + 6 * side, colors[line.name]
        joins.append({"x": x, "y": y, "x2": edge - 3 * side, "y2": place, "color": color})
        names.append({"x": edge, "y": place, "text": style.shorten(line.name), "color": color})
    text = style.texts(names, style.LABEL, align="left" if side > 0 else "right")
    return [style.rules(joins, strokeWidth=0.8, opacity=0.6), text] if lines else []


def _directions(lines: list[Line], span: float) -> dict[str, str]:
    """Return shades of blue for falling lines, of orange for rising ones, of gray for others."""
    grays, oranges, blues = cycle(style.GRAYS), cycle(style.ORANGES), cycle(style.BLUES)
    colors = {}
    for name, rows in lines:
        change = rows[max(rows)]["y"] - rows[min(rows)]["y"]
        colors[name] = next(grays if abs(change) < CHANGE * span else oranges if change > 0 else blues)
    return colors


def _bars(answer: Answer, chart: Lines, rows: Sequence[Row], *, single: bool) -> style.Drawing:
    """Return bars: one for each name in a single condition; places in the order of their values.

    Panels are words, or places; with many places and few names they are names, so that no name is hidden.
    """
    value = style.best_column(answer.frame, chart.y)
    frame = answer.frame.with_columns(pl.Series("name", [row["name"] for row in rows]))
    few_names = frame["name"].n_unique() <= ranked.MOST_PANELS < frame[chart.x].n_unique()
    by_word = (chart.color == "word" or few_names) and not single
    group = None if single or (by_word and frame["name"].n_unique() == 1) else "name" if by_word else chart.x
    label, limit = (chart.x, 200) if by_word else ("name", 30)
    if not single or chart.color != "word":
        first = pl.col("first").min().over(group) if group else pl.lit(0)
        frame = frame.with_row_index("first").with_columns(first.alias("first"))
        frame = frame.sort("first", value, descending=[False, True], nulls_last=True)
    bars = Ranked(label, chart.y, chart.band, group, faint=chart.faint, limit=limit)
    return ranked.draw(replace(answer, rows=frame), bars)
