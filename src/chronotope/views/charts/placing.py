"""Label placement: no label over another, each as near to its point as that allows."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

# Pixels between point and label; directions in order of preference: right, left, above, below, corners.
REACHES = (7, 16, 28, 44, 64)
DIRECTIONS = ((1, 0), (-1, 0), (0, -1), (0, 1), *product((1, -1, 0.5, -0.5), (-1, 1)))
# Costs: covering a label, a point, a point of a line; leaving the picture; a pixel of distance.
ON_LABEL, ON_POINT, ON_LINE, OUTSIDE, FARTHER = 1000.0, 60.0, 14.0, 5000.0, 0.35

Points = Sequence[tuple[float, float]]


class Box(NamedTuple):
    """A label: center and size in pixels, and whether it is so far from its point that it needs a line to it."""

    x: float
    y: float
    width: float
    height: float
    far: bool


def place_labels(points: Points, sizes: Points, frame: tuple[float, float], line: Points = ()) -> list[Box]:
    """Return a box for each label; earlier labels choose first.

    Parameters
    ----------
    points, sizes
        The point of each label and its width and height, in pixels from the upper left corner.
    frame
        The width and height of the picture.
    line
        Points along lines that labels should not cover.

    Examples
    --------
    >>> one, other = place_labels([(50, 50), (52, 50)], [(30, 12), (30, 12)], (200, 100))
    >>> one.x > 50 > other.x
    True
    """
    marks, along = (np.array([*part], dtype=np.float64).reshape(-1, 2) for part in (points, line))
    placed: list[Box] = []
    for at, ((x, y), (width, height)) in enumerate(zip(points, sizes, strict=True)):
        others = np.delete(marks, at, axis=0)
        costs: list[tuple[float, Box]] = []
        for reach in REACHES:
            for across, down in DIRECTIONS:
                slant = 1 if abs(across) < 1 else 0.8
                where = x + across * (reach + width / 2), y + down * (reach + height / 2) * slant
                box = Box(*where, width, height, reach > REACHES[1])
                costs.append((_cost(box, placed, others, along, frame) + FARTHER * reach, box))
            if min(cost for cost, _ in costs) < ON_LINE:
                break
        placed.append(min(costs, key=lambda pair: pair[0])[1])
    return placed


def _cost(
    box: Box, placed: Sequence[Box], points: NDArray[np.float64], line: NDArray[np.float64], frame: tuple[float, float]
) -> float:
    across, down = box.width / 2, box.height / 2
    inside = across <= box.x <= frame[0] - across and down <= box.y <= frame[1] - down
    cost = 0.0 if inside else OUTSIDE
    for other in placed:
        wide = across + other.width / 2 - abs(box.x - other.x)
        high = down + other.height / 2 - abs(box.y - other.y)
        cost += ON_LABEL + wide * high if wide > 0 and high > 0 else 0
    for covered, price, margin in ((points, ON_POINT, 4), (line, ON_LINE, 2)):
        near = np.abs(covered - (box.x, box.y)) < (across + margin, down + margin)
        cost += price * np.count_nonzero(near.all(axis=1))
    return float(cost)


def spread(places: Sequence[float], gap: float, low: float, high: float) -> list[float]:
    """Return new places in the same order, at least `gap` apart, between `low` and `high` if they fit there.

    Labels that would touch form a cluster around the mean of their places; clusters that meet are joined.

    Examples
    --------
    >>> spread([0.50, 0.51, 0.9], gap=0.1, low=0, high=1)
    [0.455, 0.555, 0.9]
    """

    def bottom(cluster: list[float]) -> float:
        reach = gap * (len(cluster) - 1)
        if reach > high - low:
            return (low + high - reach) / 2
        return min(max(sum(cluster) / len(cluster) - reach / 2, low), high - reach)

    clusters: list[list[float]] = []
    for place in sorted(places):
        clusters.append([place])
        while len(clusters) > 1 and bottom(clusters[-2]) + gap * len(clusters[-2]) > bottom(clusters[-1]):
            joined = clusters.pop()
            clusters[-1].extend(joined)
    found = [bottom(cluster) + gap * step for cluster in clusters for step in range(len(cluster))]
    order = sorted(range(len(places)), key=lambda at: places[at])
    return [round(place, 9) for _, place in sorted(zip(order, found, strict=True))]
