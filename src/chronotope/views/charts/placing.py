"""Place labels next to their points without overlaps."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import isotonic_regression

from chronotope.views.charts import style

# Pixels between point and label; directions in order of preference: right, left, above, below, corners.
REACHES = (7, 16, 28, 44, 64)
DIRECTIONS = ((1, 0), (-1, 0), (0, -1), (0, 1), *product((1, -1, 0.5, -0.5), (-1, 1)))
# Costs: covering a label, a point, a point of a line; leaving the picture; a pixel of distance.
ON_LABEL, ON_POINT, ON_LINE, OUTSIDE, FARTHER = 1000.0, 60.0, 14.0, 5000.0, 0.35

Points = Sequence[tuple[float, float]]


class Box(NamedTuple):
    """A label: center and size in pixels, and whether it is far enough from its point to need a line."""

    x: float
    y: float
    width: float
    height: float
    far: bool


def place_labels(points: Points, sizes: Points, frame: tuple[float, float], line: Points = ()) -> list[Box]:
    """Return a box for each label, earlier ones first: in pixels, within `frame`, and not over the points of `line`.

    >>> one, other = place_labels([(50, 50), (52, 50)], [(30, 12), (30, 12)], (200, 100))
    >>> one.x > 50 > other.x
    True
    """
    marks, along = (np.array([*part], dtype=np.float64).reshape(-1, 2) for part in (points, line))
    reach, way = np.repeat(REACHES, len(DIRECTIONS))[:, None], np.tile(DIRECTIONS, (len(REACHES), 1))
    slant = np.where(np.abs(way[:, :1]) < 1, [1, 1], [1, 0.8])
    middles, halves = np.empty((len(marks), 2)), np.array(sizes, dtype=np.float64).reshape(-1, 2) / 2
    far = np.zeros(len(marks), bool)
    for at, half in enumerate(halves):
        boxes = marks[at] + way * (reach + half) * slant
        inside = ((half <= boxes) & (boxes <= np.array(frame) - half)).all(axis=1)
        cost = np.where(inside, 0, OUTSIDE) + FARTHER * reach[:, 0]
        for covered, price, margin in ((np.delete(marks, at, axis=0), ON_POINT, 4), (along, ON_LINE, 2)):
            cost += price * (np.abs(covered - boxes[:, None]) < half + margin).all(axis=2).sum(axis=1)
        overlap = (half + halves[:at] - np.abs(middles[:at] - boxes[:, None])).clip(0).prod(axis=2)
        best = int((cost + ((overlap > 0) * ON_LABEL + overlap).sum(axis=1)).argmin())
        middles[at], far[at] = boxes[best], reach[best, 0] > REACHES[1]
    return [Box(*row) for row in zip(*middles.T.tolist(), *(2 * halves).T.tolist(), far.tolist(), strict=True)]


def draw_labels(rows: style.Rows, frame: tuple[float, float], line: Points = ()) -> list[Any]:
    """Return labels beside their points (rows of x, y, `text`, `color`, `bold`); thin lines lead to those far away."""
    font = style.SMALL
    sizes = [(style.LETTER * font * len(row["text"]) * (1.07 if row["bold"] else 1) + 6, font + 4) for row in rows]
    boxes = place_labels([(row["x"], row["y"]) for row in rows], sizes, frame, line)
    leaders: style.Rows = []
    for row, box in ((row, box) for row, box in zip(rows, boxes, strict=True) if box.far):
        x, y, across, down = row["x"], row["y"], box.width / 2, box.height / 2
        edge, side = min(max(x, box.x - across), box.x + across), min(max(y, box.y - down), box.y + down)
        leaders.append({"x": x, "y": y, "x2": edge, "y2": side, "color": style.QUIET})
    layers = [style.rules(leaders, strokeWidth=0.8, opacity=0.7)]
    for bold, weight in ((False, "normal"), (True, "bold")):
        here: style.Rows = [
            {"x": box.x, "y": box.y, "text": row["text"], "color": row["color"]}
            for row, box in zip(rows, boxes, strict=True)
            if row["bold"] == bold
        ]
        # A white outline keeps lines off the letters.
        outline: dict[str, Any] = {"stroke": "white", "strokeWidth": 3, "strokeJoin": "round", "fontWeight": weight}
        layers += [style.texts(here, font, **outline), style.texts(here, font, fontWeight=weight)]
    return layers


def spread(places: Sequence[float], gap: float, low: float, high: float) -> list[float]:
    """Return the nearest places in the same order that are at least `gap` apart, from `low` to `high` if they fit.

    >>> spread([0.50, 0.51, 0.9], gap=0.1, low=0, high=1)
    [0.455, 0.555, 0.9]
    """
    order, steps = np.argsort(places, kind="stable"), gap * np.arange(len(places))
    found = np.empty(len(places))
    if len(places):
        nearest = isotonic_regression(np.take(places, order) - steps).x
        found[order] = np.clip(nearest, low, max(low, high - steps[-1])) + steps
    return [round(place, 9) for place in found.tolist()]
