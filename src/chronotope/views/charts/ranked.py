"""Ranked bars: a bar for each row, or a dot with its interval, in panels by a column, with details as text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import altair as alt

from chronotope.analysis.answer import Answer
from chronotope.analysis.charts import Ranked
from chronotope.errors import some_of
from chronotope.views.charts import style

ROW, WIDTHS = 24, (360, 220, 150)  # height of a row; width of a panel by the number of columns
MOST_PANELS = 6  # with more groups, each is one bar
MOST_DETAIL, MOST_WORDS = 70, 3
SHORT = 16  # letters; with longer details panels are below each other
NUMBER = 46  # pixels for the value beside a bar


def draw(answer: Answer, chart: Ranked) -> style.Drawing:
    """Return bars in the order of the rows; with many groups only the first bar of each, labeled with all its words."""
    value = style.best_column(answer.frame, chart.value)
    groups: dict[str, style.Rows] = {}
    unknown = []
    for row in answer.frame.iter_rows(named=True):
        if row[value] is None:
            unknown.append(style.shorten(row[chart.label]))
        else:
            group = row[chart.group] if chart.group else None
            groups.setdefault(style.spaced(group or ""), []).append(_bar(row, chart, value))
    told = any(note.startswith("Without a value") for note in answer.notes)
    notes = [f"Without a value: {some_of(unknown)}."] if unknown and not told else []
    limit = chart.limit
    if len(groups) > MOST_PANELS:
        groups, limit = {"": [_first_of(group, bars) for group, bars in groups.items()]}, 100
        notes.append("A bar shows the value of the first word beside it.")
    for group, bars in groups.items():
        if len(bars) > limit:
            notes.append(f"Drawn: the first {limit} of {len(bars):,} rows{f' of {group}' if group else ''}.")
        del bars[limit:]
    every = [bar for bars in groups.values() for bar in bars]
    ends = [bar[end] for bar in every for end in ("low", "high", "needed") if bar[end] is not None]
    domain = style.limits([bar["value"] for bar in every], ends, zero=True)
    notes += [style.CUT] if style.is_cut(every, *domain) else []
    bare = [bar["label"] for bar in every if bar["low"] is None]
    if 0 < len(bare) < len(every) and not any(note.startswith("Without an interval") for note in answer.notes):
        notes.append(f"Without an interval: {some_of(list(dict.fromkeys(bare)))}.")
    marked = any(bar["needed"] is not None for bar in every)
    notes += ["Dark line: the similarity that a match needs."] if marked else []
    notes += [style.FAINT] if any(bar["opacity"] < 0.6 for bar in every) else []
    longest = max(len(bar["detail"]) for bar in every)
    columns = 1 if longest > SHORT else min(len(WIDTHS), len(groups))
    width, title = WIDTHS[columns - 1], style.axis_title(answer, chart.value)
    digits = style.decimals([bar["value"] for bar in every], least=3)
    panels = []
    for at, (group, bars) in enumerate(groups.items()):
        panel = _panel(bars, width, domain, title if at >= len(groups) - columns else None, digits)
        panels.append(style.heading(panel, "" if len(groups) == 1 and group in style.spaced(answer.title) else group))
    drawn = alt.concat(*panels, columns=columns, spacing={"row": 24, "column": 34}) if len(panels) > 1 else panels[0]
    return style.Drawing(drawn, columns * (width + 130 + style.LETTER * style.SMALL * longest), notes)


def _bar(row: dict[str, Any], chart: Ranked, value: str) -> dict[str, Any]:
    """Return a bar; it is hollow if it is not a result."""
    hollow = "no counterpart" if row.get("match") is False else ""
    absent = "absent; from other conditions" if row.get("fallback") else ""
    color = style.QUIET if hollow else style.COLORS[row[value] < 0]
    faint = style.is_faint(row, chart.faint)
    detail = " · ".join(part for part in (hollow, _detail(row, chart.detail), absent) if part)
    look = {"stroke": color, "fill": "white" if hollow or faint else color, "opacity": 0.5 if faint else 0.9}
    bar = {"label": style.shorten(row[chart.label]), "value": row[value], "zero": 0, "needed": row.get("needed")}
    return {**bar, **style.interval(row, chart.band), "hollow": hollow, "detail": detail, **look}


def _detail(row: dict[str, Any], columns: Sequence[str]) -> str:
    """Return the text beside a bar: 'before → after' for a pair of such columns, else texts and named numbers."""
    arrow = [name.rpartition("_")[2] for name in columns] == ["before", "after"]
    parts = []
    for name in columns:
        value = row.get(name)
        if isinstance(value, list):
            text = ", ".join(map(style.spaced, value[:MOST_WORDS]))
        elif isinstance(value, float):
            text = f"{value:.3f}" if name in ("p", "q") else f"{value:.2f}"
        else:
            text = "" if value is None else f"{value:,}" if isinstance(value, int) else style.spaced(value)
        named = isinstance(value, int | float) and not arrow
        parts.append(f"{style.spaced(name)} {text}" if named else text or ("–" if arrow else ""))
    return style.shorten((" → " if arrow else " · ").join(part for part in parts if part), MOST_DETAIL)


def _first_of(group: str, bars: style.Rows) -> dict[str, Any]:
    """Return one bar for a group, with the names of all its bars beside it."""
    first = bars[0]
    names = ", ".join(bar["label"] for bar in bars[:MOST_WORDS] if not bar["hollow"])
    detail = f"{first['hollow']}; nearest: {first['label']}" if first["hollow"] else style.shorten(names, MOST_DETAIL)
    return {**first, "label": group, "detail": detail}


def _panel(bars: style.Rows, width: int, domain: tuple[float, float], title: str | None, digits: int) -> Any:
    """Return one panel: labels left, bars or dots, values and details right."""
    rows: style.Rows = [{**bar, "at": at} for at, bar in enumerate(bars)]
    scale = alt.Scale(domain=list(domain), nice=False)
    axis = style.value_axis(title, tickCount=3 if width < WIDTHS[0] else 5)
    y = alt.Y("at:O", axis=None, scale=alt.Scale(paddingInner=0.3, paddingOuter=0.15))
    x, low, needed = (alt.X(f"{name}:Q", scale=scale, axis=axis) for name in ("value", "low", "needed"))
    tooltip = ["label:N", alt.Tooltip("value:Q", format=".4~f")]
    layers: list[Any] = []
    if domain[0] < 0:
        layers.append(style.layer([{"value": 0, "color": style.PALE}], "rule").encode(x=x))
    if any(bar["low"] is not None for bar in bars):
        lines: style.Rows = [{**row, "opacity": 0.45} for row in rows if row["low"] is not None]
        layers.append(style.layer(lines, "rule", strokeWidth=2.4, clip=True).encode(x=low, x2="high:Q", y=y))
        layers.append(style.layer(rows, "point", size=70, strokeWidth=1.6).encode(x=x, y=y, tooltip=tooltip))
    else:
        layers.append(style.layer(rows, "bar", strokeWidth=1).encode(x=x, x2="zero:Q", y=y, tooltip=tooltip))
    if any(bar["needed"] is not None for bar in bars):
        marks: style.Rows = [{"needed": row["needed"], "at": row["at"], "color": style.INK} for row in rows]
        layers.append(style.layer(marks, "tick", thickness=1.6, height=ROW - 4, opacity=0.6).encode(x=needed, y=y))
    names: style.Rows = []
    beside: style.Rows = []
    for at, bar in enumerate(bars):
        place = {"y": (at + 0.5) * ROW, "color": style.QUIET}
        names.append({**place, "x": -10, "text": bar["label"], "color": style.QUIET if bar["hollow"] else style.INK})
        beside.append({**place, "x": width + 10, "text": style.number(bar["value"], digits)})
        beside.append({**place, "x": width + 10 + NUMBER, "text": bar["detail"]})
    layers += [style.texts(names, style.LABEL, align="right"), style.texts(beside, align="left")]
    return alt.layer(*layers).properties(width=width, height=ROW * len(bars))
