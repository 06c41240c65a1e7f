"""Tiles: a heat map with marks, and beside it the tree of places."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import altair as alt

from chronotope.analysis.answer import Answer
from chronotope.analysis.charts import Tiles
from chronotope.errors import some_of
from chronotope.views.charts import style

TILE, SMALLEST, WIDEST = 42, 7, 640  # pixels, the last of all tiles together
WITH_NUMBERS = 30  # pixels; numbers in smaller tiles cannot be read
LINE = 15  # pixels between labels
TREE = 110
HATCH, CORNER = "M-1,1L1,-1", "M0.4,1L1,0.4"


def draw(answer: Answer, chart: Tiles) -> style.Drawing:
    """Return a tile for each row, with a frame where the column `mark` is true."""
    across, down = (list(dict.fromkeys(answer.frame[column].to_list())) for column in (chart.x, chart.y))
    square = set(across) == set(down)
    hidden = dict.fromkeys([*across[chart.limit :], *(down[chart.limit :])])
    notes = [f"Not drawn: {some_of(list(hidden))}."] if hidden else []
    across, down = across[: chart.limit], (across if square else down)[: chart.limit]
    shown_x, shown_y = set(across), set(down)
    rows: style.Rows = [
        {"x": row[chart.x], "y": row[chart.y], "value": row[chart.value], "mark": bool(chart.mark and row[chart.mark])}
        | {"opacity": 0.45 if style.is_faint(row, chart.faint) else 1}
        for row in answer.frame.iter_rows(named=True)
        if row[chart.value] is not None and row[chart.x] in shown_x and row[chart.y] in shown_y
    ]
    if any(row["mark"] for row in rows):
        notes.append(f"Orange frame: {style.axis_title(answer, chart.mark or '').removeprefix('whether ')}.")
    if any(row["opacity"] < 1 for row in rows):
        notes.append(f"Hatched: fewer than {style.FEW} occurrences.")
    if len(rows) < len(across) * len(down):
        notes.append("Empty: no value.")
    wide = min(TILE, max(SMALLEST, WIDEST / len(across)))
    high = wide if square else min(TILE - 10, max(LINE, WIDEST / len(down)))
    # The cosine of a word with itself would widen the range of colors.
    values = [row["value"] for row in rows if row["x"] != row["y"]] or [row["value"] for row in rows]
    merges = answer.facts.get("merges") if square and not hidden else None
    more = {"orient": "top", "direction": "horizontal"} if merges else {}
    color = style.value_color(values, style.axis_title(answer, chart.value), **more)
    tiles = _tiles(rows, (across, down), (wide, high), values, color)
    if not merges:
        return style.Drawing(tiles, wide * len(across) + 160, notes)
    group_of = dict(answer.frame.select("place", "group").iter_rows()) if "group" in answer.frame.columns else {}
    tree = _tree(merges, [group_of.get(place) for place in down], high)
    both = alt.hconcat(tiles, tree, spacing=12).resolve_scale(y="independent")
    return style.Drawing(both, wide * len(across) + TREE + 100, notes)


def _tiles(rows: style.Rows, axes: Sequence[list[str]], size: Sequence[float], values: Any, color: alt.Fill) -> Any:
    (across, down), (wide, high), low, top = axes, size, min(values), max(values)
    plain: dict[str, Any] = {"domain": False, "ticks": False, "labelPadding": 5, "labelLimit": 180, "title": None}
    flat = max(map(len, across)) * style.SMALL * style.LETTER < wide
    x_ticks, y_ticks = (
        style.ticks(at, int(size * len(at) / (LINE if size >= LINE else 2 * LINE)))
        for at, size in ((across, wide), (down, high))
    )
    x_axis = alt.Axis(orient="top", labelAngle=0 if flat else -45, values=x_ticks, **plain)
    y_axis = alt.Axis(labelColor=style.INK, values=y_ticks, **plain)
    where = {
        "x": alt.X("x:N", scale=alt.Scale(domain=across), axis=x_axis),
        "y": alt.Y("y:N", scale=alt.Scale(domain=down), axis=y_axis),
    }
    tooltip = ["x:N", "y:N", alt.Tooltip("value:Q", format=".4~f")]
    tile = style.layer(rows, "rect", stroke="white", strokeWidth=1.5 if wide > 14 else 0.3)
    numbers = wide >= WITH_NUMBERS
    hatched: style.Rows = [{"x": row["x"], "y": row["y"], "color": style.QUIET} for row in rows if row["opacity"] < 1]
    hatch = {"shape": CORNER if numbers else HATCH, "size": (min(wide, high) * 0.85) ** 2, "strokeWidth": 0.9}
    layers = [tile.encode(**where, fill=color, tooltip=tooltip)]
    layers.append(style.layer(hatched, "point", **hatch).encode(**where))
    if numbers:
        texts: style.Rows = []
        for row in rows:
            share = (row["value"] - low) / ((top - low) or 1)
            dark = row["opacity"] == 1 and (abs(2 * share - 1) > 0.6 if low < 0 < top else share > 0.55)
            text = style.number(row["value"], style.decimals(values)).replace("0.", ".", 1)
            texts.append({"x": row["x"], "y": row["y"], "text": text, "color": "white" if dark else style.INK})
        layers.append(style.layer(texts, "text", fontSize=11).encode(**where, text="text:N"))
    marked: style.Rows = [{"x": row["x"], "y": row["y"], "color": style.COLORS[1]} for row in rows if row["mark"]]
    frame = style.layer(marked, "rect", filled=False, strokeWidth=2.6 if wide > 14 else 1.6)
    chart = alt.layer(*layers, frame.encode(**where))
    return chart.properties(width=wide * len(across), height=high * len(down))


def _tree(merges: Sequence[tuple[int, int, float]], groups: list[int | None], size: float) -> Any:
    """Return the tree: places join where their lines meet, at the distance below."""
    last = max(distance for *_, distance in merges) or 1.0
    # Height and distance of each place, then of each group.
    nodes = [((place + 0.5) * size, 0.0) for place in range(len(groups))]
    lines: style.Rows = []
    for a, b, distance in merges:
        (y1, x1), (y2, x2) = nodes[a], nodes[b]
        for start, end, y, y_end in ((x1, distance, y1, y1), (x2, distance, y2, y2), (distance, distance, y1, y2)):
            lines.append({"x": start / last * TREE, "x2": end / last * TREE, "y": y, "y2": y_end, "color": style.QUIET})
        nodes.append(((y1 + y2) / 2, distance))
    axis = style.value_axis("distance at which they join", grid=False, tickCount=2)
    ruler = style.layer([{"value": 0}], "point", opacity=0)
    ruler = ruler.encode(x=alt.X("value:Q", scale=alt.Scale(domain=[0, last], nice=False), axis=axis))
    names: style.Rows = [
        {"x": TREE + 10, "y": (at + 0.5) * size, "text": f"group {group}", "color": style.QUIET}
        for at, group in enumerate(groups)
        if group is not None and group not in groups[:at]
    ]
    layers = [ruler, style.rules(lines, strokeWidth=1.4), style.texts(names, align="left")]
    return alt.layer(*layers).properties(width=TREE, height=size * len(groups))
