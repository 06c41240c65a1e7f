"""A word's path among its company, in a plane; and what every picture in pixels is made of."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import altair as alt
import numpy as np

from chronotope.analysis.trajectory import Trajectory
from chronotope.views.placing import Box, place_labels
from chronotope.views.style import EARLY, INK, LATE, QUIET, Rows, data, finished, made_by

WIDTH, HEIGHT, MARGIN = 680, 470, 46
SMALL, LARGE = 12, 13
LETTER = 0.56
Points = list[tuple[float, float]]
# A path of more conditions has every second, third … of them labeled, and the last.
MOST_LABELS = 14
METHODS = {
    "lle": "Locally linear embedding: near words are near, distances and directions mean nothing more",
    "pca": "Principal axes: the two directions in which the points differ most",
}


def trajectory(answer: Trajectory, *, subtitle: str | None = None) -> Any:
    """A word's path among its company: the word from blue, its first condition, to red, its last; company in gray.

    Parameters
    ----------
    answer
        What `chronotope.analysis.trajectory` found.
    subtitle
        A line below the title; by default how the embeddings were made.
    """
    points = [(p.x, p.y) for p in answer.path] + [(p.x, p.y) for p in answer.company]
    pixels = _fitted(points, even=answer.method == "pca")
    path, around = pixels[: len(answer.path)], pixels[len(answer.path) :]
    ordered = answer.axis == "time"
    names = [point.condition for point in answer.path] + [one.word for one in answer.company]
    sizes = [label_size(name, LARGE if at < len(path) else SMALL) for at, name in enumerate(names)]
    # The ends of the path have the first choice, then its middle, then the company.
    step = -(-len(path) // MOST_LABELS) if ordered else 1
    named = {*range(0, len(path), step), len(path) - 1, *range(len(path), len(names))}
    named -= {at for at in range(len(path) - step, len(path) - 1) if ordered}
    order = sorted(named, key=lambda at: (at not in (0, len(path) - 1), at >= len(path), at))
    labels = place_labels(
        [pixels[at] for at in order],
        [sizes[at] for at in order],
        (WIDTH, HEIGHT),
        _along(path) if ordered else (),
    )
    boxes = dict(zip(order, labels, strict=True))
    colors = [_between(at / max(len(path) - 1, 1)) if ordered else EARLY[0] for at in range(len(path))]
    layers: list[Any] = []
    if ordered:
        steps: Rows = [
            {"x": x1, "y": y1, "x2": x2, "y2": y2, "color": colors[at]}
            for at, ((x1, y1), (x2, y2)) in enumerate(pairwise(path))
        ]
        layers.append(rules(steps, strokeWidth=2.6, opacity=0.75))
    dots: Rows = [{"x": x, "y": y, "color": color} for (x, y), color in zip(path, colors, strict=True)]
    layers += [
        rules(leaders(pixels, boxes), strokeWidth=0.8, opacity=0.7),
        _marks([{"x": x, "y": y, "color": "#a6a6a6"} for x, y in around], size=34),
        _marks(dots, size=90),
        texts([(names[at], boxes[at], INK) for at in range(len(path), len(names))], SMALL, "normal"),
        texts([(names[at], boxes[at], colors[at]) for at in range(len(path)) if at in boxes], LARGE, "bold"),
    ]
    chart = alt.layer(*layers).properties(width=WIDTH, height=HEIGHT)
    why = answer.note[:1].upper() + answer.note[1:]
    lines = [subtitle or made_by(answer.signature), why or METHODS[answer.method]]
    return finished(chart, f"“{answer.word}” among its company", lines)


def _fitted(points: Sequence[tuple[float, float]], *, even: bool) -> Points:
    """Points in pixels from the upper left corner, as large as fits; `even`: both axes by one scale."""
    array = np.array(points, dtype=np.float64).reshape(-1, 2)
    span = np.ptp(array, axis=0)
    span[span == 0] = 1
    room = np.array([WIDTH - 2 * MARGIN - 40, HEIGHT - 2 * MARGIN])
    scale = np.full(2, (room / span).min()) if even else room / span
    placed = (array - (array.min(axis=0) + array.max(axis=0)) / 2) * scale * (1, -1) + (WIDTH / 2, HEIGHT / 2)
    return [(round(float(x), 2), round(float(y), 2)) for x, y in placed]


def label_size(name: str, font: int) -> tuple[float, float]:
    """About how wide and high a label is."""
    return LETTER * font * len(name) + 4, font + 3.0


def _along(path: Points) -> Points:
    """Points along a path, a few pixels apart."""
    found: Points = []
    for (x1, y1), (x2, y2) in pairwise(path):
        steps = max(1, int(math.hypot(x2 - x1, y2 - y1) / 8))
        found += [(x1 + (x2 - x1) * step / steps, y1 + (y2 - y1) * step / steps) for step in range(1, steps)]
    return found


def leaders(points: Points, boxes: dict[int, Box]) -> Rows:
    """A thin line to each label that stands far from its point."""
    rows: Rows = []
    for at, box in boxes.items():
        if box.far:
            x, y = points[at]
            edge = min(max(x, box.x - box.width / 2), box.x + box.width / 2)
            side = min(max(y, box.y - box.height / 2), box.y + box.height / 2)
            rows.append({"x": x, "y": y, "x2": edge, "y2": side, "color": QUIET})
    return rows


def _between(share: float) -> str:
    """A color on the way from the early blue over gray to the late red."""
    stops = [tuple(int(color[at : at + 2], 16) for at in (1, 3, 5)) for color in (EARLY[0], "#7a6a72", LATE[0])]
    lower, upper, part = (stops[0], stops[1], 2 * share) if share < 0.5 else (stops[1], stops[2], 2 * share - 1)
    return "#" + "".join(f"{round(a + (b - a) * part):02x}" for a, b in zip(lower, upper, strict=True))


def in_pixels(height: float = HEIGHT) -> dict[str, Any]:
    """Positions in pixels, with no axes."""
    return {
        "x": alt.X("x:Q", axis=None, scale=alt.Scale(domain=[0, WIDTH], nice=False)),
        "y": alt.Y("y:Q", axis=None, scale=alt.Scale(domain=[0, height], reverse=True, nice=False)),
    }


def rules(rows: Rows, height: float = HEIGHT, **style: Any) -> Any:
    """Straight lines from x, y to x2, y2."""
    color = alt.Color("color:N", scale=None)
    return (
        alt.Chart(data(rows))
        .mark_rule(strokeCap="round", **style)
        .encode(**in_pixels(height), x2="x2:Q", y2="y2:Q", color=color)
    )


def _marks(rows: Rows, size: int) -> Any:
    chart = alt.Chart(data(rows)).mark_point(filled=True, opacity=1, size=size)
    return chart.encode(**in_pixels(), color=alt.Color("color:N", scale=None))


def texts(labels: Sequence[tuple[str, Box, str]], size: int, weight: Any, height: float = HEIGHT) -> Any:
    """Labels where their boxes are."""
    rows: Rows = [{"x": box.x, "y": box.y, "shown": name, "color": color} for name, box, color in labels]
    chart = alt.Chart(data(rows)).mark_text(fontSize=size, fontWeight=weight, baseline="middle")
    return chart.encode(**in_pixels(height), text="shown:N", color=alt.Color("color:N", scale=None))
