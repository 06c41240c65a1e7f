"""A word's value in each place on a map: dots on coordinates, a net of degrees, and nothing from the network."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import altair as alt

from chronotope.analysis.maps import PlaceValue, WordMap
from chronotope.errors import SettingsError, fewer_than
from chronotope.views.placing import Box, place_labels
from chronotope.views.plane import HEIGHT, SMALL, WIDTH, in_pixels, label_size, leaders, rules, texts
from chronotope.views.ranked import measure, told
from chronotope.views.style import FAINT, INK, QUIET, Rows, data, finished

MARGIN, LOWEST = 60, 200
# The net of degrees has the widest meshes of which there are so many, across and down.
STEPS, MESHES = (60, 30, 15, 10, 5, 2, 1), 3


class Frame(NamedTuple):
    """Where degrees lie in pixels: the place in the middle, pixels a degree of latitude, and the size of the map."""

    lat: float
    lon: float
    scale: float
    height: float

    def pixel(self, lat: float, lon: float) -> tuple[float, float]:
        """The place of a point, from the upper left corner."""
        x = WIDTH / 2 + (lon - self.lon) * math.cos(math.radians(self.lat)) * self.scale
        return round(x, 2), round(self.height / 2 - (lat - self.lat) * self.scale, 2)

    @property
    def reach(self) -> tuple[float, float]:
        """How many degrees there are from the middle to the edge, down and across."""
        return self.height / 2 / self.scale, WIDTH / 2 / self.scale / math.cos(math.radians(self.lat))


def word_map(answer: WordMap, *, subtitle: str | None = None) -> Any:
    """A word's value in each place, as dots where the places are: the darker, the larger; open where it is too rare.

    Parameters
    ----------
    answer
        What `chronotope.analysis.word_map` found, with coordinates.
    subtitle
        A line below the title; by default how the embeddings were made.
    """
    located = [row for row in answer.rows if row.lat is not None and row.lon is not None]
    known = [row.value for row in located if row.value is not None]
    if not known:
        raise SettingsError("no place with a value has coordinates; give a file with place,lat,lon (--coordinates)")
    frame = framed(located)
    pixels = [frame.pixel(row.lat or 0, row.lon or 0) for row in located]
    names = [row.place if row.value is None else f"{row.place} {row.value:.2f}".replace(" 0.", " .") for row in located]
    sizes = [label_size(name, SMALL) for name in names]
    boxes = dict(enumerate(place_labels(pixels, sizes, (WIDTH, frame.height))))
    dots: Rows = [{"x": x, "y": y, "value": row.value} for (x, y), row in zip(pixels, located, strict=True)]
    scale = alt.Scale(scheme="blues", domain=[min(known), max(known)])
    base = alt.Chart(data(dots)).encode(**in_pixels(frame.height))
    layers = (
        *_net(frame, list(boxes.values())),
        rules(leaders(pixels, boxes), frame.height, strokeWidth=0.8, opacity=0.7),
        base.mark_point(filled=True, size=240, opacity=1, stroke=QUIET, strokeWidth=1)
        .encode(color=alt.Color("value:Q", scale=scale, legend=None))
        .transform_filter("isValid(datum.value)"),
        base.mark_point(filled=False, size=120, color=QUIET).transform_filter("!isValid(datum.value)"),
        texts([(name, boxes[at], INK) for at, name in enumerate(names)], SMALL, "normal", frame.height),
    )
    chart = alt.layer(*layers).properties(width=WIDTH, height=frame.height, view=alt.ViewBackground(stroke=FAINT))
    rare = f"; open: {fewer_than(answer.min_count)}" if len(known) < len(located) else ""
    said = measure(answer)
    lines = told(answer, subtitle, f"{said[:1].upper()}{said[1:]}; the darker, the larger{rare}")
    return finished(chart, f"“{answer.word}” on the map", lines)


def framed(located: Sequence[PlaceValue]) -> Frame:
    """The frame that holds all places, as large as fits, no higher than it needs to be."""
    lats, lons = [row.lat or 0.0 for row in located], [row.lon or 0.0 for row in located]
    lat, lon = (min(lats) + max(lats)) / 2, (min(lons) + max(lons)) / 2
    narrowed = math.cos(math.radians(lat))
    down, across = (max(lats) - min(lats)) or 1.0, ((max(lons) - min(lons)) * narrowed) or 1.0
    scale = min((WIDTH - 2 * MARGIN) / across, (HEIGHT - 2 * MARGIN) / down)
    return Frame(lat, lon, scale, max(LOWEST, down * scale + 2 * MARGIN))


def _net(frame: Frame, names: Sequence[Box]) -> list[Any]:
    """Faint lines at round degrees, each with its number at the edge where no name of a place is."""
    down, across = frame.reach
    lines: Rows = []
    labels: list[tuple[str, Box, str]] = []
    for degree in _round_degrees(frame.lat - down, frame.lat + down):
        y = frame.pixel(degree, 0)[1]
        lines.append({"x": 0, "y": y, "x2": WIDTH, "y2": y, "color": FAINT})
        labels.append((_named(degree, "N", "S"), Box(WIDTH - 20, y - 7, 30, 12, far=False), QUIET))
    for degree in _round_degrees(frame.lon - across, frame.lon + across):
        x = frame.pixel(0, degree)[0]
        lines.append({"x": x, "y": 0, "x2": x, "y2": frame.height, "color": FAINT})
        labels.append((_named(degree, "E", "W"), Box(x + 18, frame.height - 8, 30, 12, far=False), QUIET))
    clear = [
        (name, box, color)
        for name, box, color in labels
        if 20 < box.x < WIDTH - 10 and 10 < box.y < frame.height and not any(_overlap(box, other) for other in names)
    ]
    return [rules(lines, frame.height, strokeWidth=1), texts(clear, SMALL - 2, "normal", frame.height)]


def _round_degrees(low: float, high: float) -> list[int]:
    """Round degrees between two, a few of them.

    Examples
    --------
    >>> _round_degrees(-12.0, 67.0), _round_degrees(44.2, 51.1)
    ([0, 30, 60], [46, 48, 50])
    """
    step = next((step for step in STEPS if (high - low) / step >= MESHES - 0.5), STEPS[-1])
    return list(range(math.ceil(low / step) * step, math.floor(high / step) * step + 1, step))


def _overlap(a: Box, b: Box) -> bool:
    return abs(a.x - b.x) < (a.width + b.width) / 2 and abs(a.y - b.y) < (a.height + b.height) / 2


def _named(degree: int, positive: str, negative: str) -> str:
    return f"{abs(degree)}°{positive if degree > 0 else negative if degree < 0 else ''}"
