"""Points in a plane: the path of a word among its neighbors; on a map if they have coordinates."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import pairwise
from typing import Any

import altair as alt
import numpy as np

from chronotope.analysis.answer import Answer
from chronotope.analysis.charts import Plane, Ranked
from chronotope.views.charts import maps, ranked, style
from chronotope.views.charts.maps import HEIGHT, LOWEST, MARGIN, WIDTH
from chronotope.views.charts.placing import Points, draw_labels

MOST_ON_PATH = 14  # labels; of a longer path every second, third … point has one, and the last
PATH = (style.COLORS[0], "#7a6a72", style.COLORS[1])

Row = dict[str, Any]


def draw(answer: Answer, chart: Plane) -> style.Drawing:
    """Return a map if the columns are coordinates (bars if none is known), else a path among labeled points."""
    rows = list(answer.frame.iter_rows(named=True))
    if {chart.x, chart.y} != {"lon", "lat"}:
        return _path(answer, chart, rows)
    if answer.facts.get("polygons") or any(row["lat"] is not None for row in rows):
        return maps.draw(answer, chart, rows)
    value = chart.value or "count"
    frame = answer.frame.sort(value, descending=True, nulls_last=True, maintain_order=True)
    bars = Ranked(chart.label, value, ("low", "high"), faint=chart.faint, limit=chart.limit)
    return ranked.draw(replace(answer, rows=frame), bars)


def _path(answer: Answer, chart: Plane, every: list[Row]) -> style.Drawing:
    """Return the path from blue (first) to orange (last); neighbors in gray."""
    rows = sorted(every[: chart.limit], key=lambda row: row[chart.kind] != "path" if chart.kind else True)
    steps = sum(row[chart.kind] == "path" for row in rows) if chart.kind else 0
    joined = steps > 1 and answer.facts.get("axis", "time") == "time"
    where, height = _fit([(row[chart.x], row[chart.y]) for row in rows], even=answer.facts.get("method") != "lle")
    colors = [_between(at / max(steps - 1, 1)) if joined else style.COLORS[0] for at in range(steps)]
    faint = [at < steps and style.is_faint(row, chart.faint) for at, row in enumerate(rows)]
    points: style.Rows = []
    dots: style.Rows = []
    for at, (row, (x, y)) in enumerate(zip(rows, where, strict=True)):
        place, on_path = {"x": x, "y": y, "text": style.shorten(row[chart.label])}, at < steps
        stroke = colors[at] if on_path else style.PALE
        points.append({**place, "bold": on_path, "color": stroke if on_path else style.INK})
        dots.append(
            {**place, "size": 90 if on_path else 34, "stroke": stroke, "fill": "white" if faint[at] else stroke}
        )
    # A step over a missing time bin is dotted.
    line = list(answer.facts.get("conditions") or [row[chart.label] for row in rows[:steps]])
    number = [line.index(row[chart.label]) for row in rows[:steps]] if joined else []
    segments: style.Rows = [
        {"x": a["x"], "y": a["y"], "x2": b["x"], "y2": b["y"], "color": a["color"], "far": there - here > 1}
        for (here, a), (there, b) in pairwise(zip(number, points, strict=False))
    ]
    # The ends of the path choose their places first, then its middle, then the neighbors.
    nth = -(-steps // MOST_ON_PATH) if joined else 1
    order = dict.fromkeys([*([0, steps - 1] if steps else []), *range(nth, steps - nth + (nth == 1), nth)])
    labels = draw_labels([points[at] for at in (*order, *range(steps, len(rows)))], (WIDTH, height), _along(segments))
    look = {"strokeWidth": 2.6, "opacity": 0.7, "strokeCap": "round"}
    near, far = ([one for one in segments if one["far"] == test] for test in (False, True))
    path = [style.rules(near, **look), style.rules(far, strokeDash=[1, 6], **look)]
    dot = style.layer(dots, "point", opacity=1, strokeWidth=1.6)
    layers = [*path, dot.encode(**style.pixels(), size=alt.Size("size:Q", scale=None), tooltip=["text:N"]), *labels]
    notes = ["Path from blue (first) to orange (last)."] if joined else []
    notes += ["Dotted: time bins in between are left out."] if far else []
    notes += ["Gray: words near it."] if 0 < steps < len(rows) else []
    notes += [f"Drawn: {len(rows)} of {len(every)} points."] if len(rows) < len(every) else []
    notes += [style.FAINT] if any(faint) else []
    return style.Drawing(alt.layer(*layers).properties(width=WIDTH, height=height), WIDTH, notes)


def _fit(points: Points, *, even: bool) -> tuple[list[tuple[float, float]], float]:
    """Return points in pixels from the upper left corner, and the height; `even`: both axes have one scale."""
    array = np.array(points, dtype=np.float64)
    span = np.ptp(array, axis=0)
    scale = (WIDTH - 2 * MARGIN - 40, HEIGHT - 2 * MARGIN) / np.where(span > 0, span, 1)
    scale = np.full(2, scale.min()) if even else scale
    height = float(max(LOWEST, span[1] * scale[1] + 2 * MARGIN))
    middle = (array.min(axis=0) + array.max(axis=0)) / 2
    placed = (array - middle) * scale * (1, -1) + (WIDTH / 2, height / 2)
    return [(x, y) for x, y in placed.round(2).tolist()], height


def _along(segments: style.Rows) -> list[tuple[float, float]]:
    """Return points along segments, at most 8 pixels apart."""
    ends = [((row["x"], row["y"]), (row["x2"], row["y2"])) for row in segments]
    parts = [np.linspace(a, b, 2 + int(math.dist(a, b) / 8))[1:-1] for a, b in ends]
    return [(x, y) for part in parts for x, y in part.tolist()]


def _between(share: float) -> str:
    """Return a color between blue (0), gray (0.5) and orange (1)."""
    stops = np.array([[int(color[at : at + 2], 16) for at in (1, 3, 5)] for color in PATH])
    return "#" + "".join(f"{round(np.interp(share, (0, 0.5, 1), part)):02x}" for part in stops.T)
