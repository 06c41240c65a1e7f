"""Where labels go in a plane: beside their points, none over another, none over a point or a line of the drawing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

# Around a point, in the order in which they are tried where nothing is in the way: right, left, above, below, corners.
AROUND = (
    (1, 0),
    (-1, 0),
    (0, -1),
    (0, 1),
    (1, -1),
    (1, 1),
    (-1, -1),
    (-1, 1),
    (0.5, -1),
    (0.5, 1),
    (-0.5, -1),
    (-0.5, 1),
)
REACHES = (7, 16, 28, 44, 64)
# What it costs to cover another label, a point, a point of a line; to leave the picture; to be a pixel farther away.
ON_LABEL, ON_POINT, ON_LINE, OUTSIDE, FARTHER = 1000.0, 60.0, 14.0, 5000.0, 0.35


class Box(NamedTuple):
    """A label: its middle and size, in pixels, and whether it stands so far off that it wants a line to its point."""

    x: float
    y: float
    width: float
    height: float
    far: bool


def place_labels(
    points: Sequence[tuple[float, float]],
    sizes: Sequence[tuple[float, float]],
    frame: tuple[float, float],
    line: Sequence[tuple[float, float]] = (),
) -> list[Box]:
    """Where each label goes, in the order given: what comes first has the first choice.

    Parameters
    ----------
    points
        What the labels belong to, in pixels from the upper left corner.
    sizes
        The width and height of each label.
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
    marks = np.array([*points], dtype=np.float64).reshape(-1, 2)
    along = np.array([*line], dtype=np.float64).reshape(-1, 2)
    placed: list[Box] = []
    for number, ((x, y), (width, height)) in enumerate(zip(points, sizes, strict=True)):
        best, lowest = None, np.inf
        others = np.delete(marks, number, axis=0)
        for reach in REACHES:
            for across, down in AROUND:
                box = Box(
                    x + across * (reach + width / 2),
                    y + down * (reach + height / 2) * (1 if abs(across) < 1 else 0.8),
                    width,
                    height,
                    reach > REACHES[1],
                )
                cost = _cost(box, placed, others, along, frame) + FARTHER * reach
                if cost < lowest - 1e-9:
                    best, lowest = box, cost
            if lowest < ON_LINE:
                break
        assert best is not None
        placed.append(best)
    return placed


def _cost(
    box: Box,
    placed: Sequence[Box],
    points: NDArray[np.float64],
    line: NDArray[np.float64],
    frame: tuple[float, float],
) -> float:
    left, right = box.x - box.width / 2, box.x + box.width / 2
    top, bottom = box.y - box.height / 2, box.y + box.height / 2
    cost = OUTSIDE * (left < 0 or top < 0 or right > frame[0] or bottom > frame[1])
    for other in placed:
        across = (box.width + other.width) / 2 - abs(box.x - other.x)
        down = (box.height + other.height) / 2 - abs(box.y - other.y)
        if across > 0 and down > 0:
            cost += ON_LABEL + across * down
    return float(cost + ON_POINT * _inside(points, box, 4) + ON_LINE * _inside(line, box, 2))


def _inside(points: NDArray[np.float64], box: Box, margin: float) -> int:
    """How many points a label covers, or nearly so."""
    near = np.abs(points - (box.x, box.y)) < (box.width / 2 + margin, box.height / 2 + margin)
    return int(np.count_nonzero(near.all(axis=1)))
