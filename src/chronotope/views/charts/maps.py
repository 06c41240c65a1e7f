"""Maps: places as dots, or as areas if polygons are given, on the borders of countries."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

import altair as alt
import numpy as np
from numpy.typing import NDArray

from chronotope.analysis.answer import Answer
from chronotope.analysis.charts import Plane
from chronotope.errors import some_of
from chronotope.views.charts import style
from chronotope.views.charts.placing import draw_labels

WIDTH, HEIGHT, LOWEST, MARGIN = 680, 470, 240, 50
LAND, BORDER = "#f0eee9", "#cfcbc2"
GLOBE = 120  # degrees of longitude; wider maps keep areas equal, narrower ones keep angles
LEAST = 0.07  # radians; a single place is shown with its surroundings
DEGREES = (1, 2, 5, 10, 15, 30)  # between the lines of a map

Ring = Sequence[Sequence[float]]


class Frame(NamedTuple):
    """From degrees to pixels: projection, central longitude, scale, translation, and the height of the map."""

    kind: str
    lon: float
    scale: float
    shift: tuple[float, float]
    height: float

    def pixels(self, points: Ring) -> NDArray[np.float64]:
        """Return positions of longitudes and latitudes, from the upper left corner."""
        found = _project(self.kind, np.array(points, dtype=np.float64) - (self.lon, 0))
        return found * (self.scale, -self.scale) + self.shift

    def meets(self, ring: Ring) -> bool:
        """Return whether the bounding box of a ring meets the map."""
        found = self.pixels(ring)
        return bool((found.min(axis=0) < (WIDTH, self.height)).all() and (found.max(axis=0) > 0).all())


def _project(kind: str, degrees: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return projected positions by the formulas of d3, before scale and translation."""
    x, y = np.radians((degrees[:, 0] + 180) % 360 - 180), np.radians(degrees[:, 1].clip(-85, 85))
    if kind == "mercator":
        return np.column_stack([x, np.log(np.tan(np.pi / 4 + y / 2))])
    root, (a, b, c, d) = np.sqrt(0.75), (1.340264, -0.081106, 0.000893, 0.003796)
    t = np.arcsin(root * np.sin(y))
    across = x * np.cos(t) / (root * (a + 3 * b * t**2 + t**6 * (7 * c + 9 * d * t**2)))
    return np.column_stack([across, t * (a + b * t**2 + t**6 * (c + d * t**2))])


def _frame(corners: Ring) -> Frame:
    """Return the map projection with the largest scale at which all places fit."""
    points = np.array(corners, dtype=np.float64)
    # The globe is cut in the widest range of longitude without a place.
    lons = np.unique((points[:, 0] + 180) % 360 - 180)
    gaps = np.diff(lons, append=lons[0] + 360)
    span, start = 360 - gaps.max(), np.roll(lons, -1)[gaps.argmax()]
    center = float((start + span / 2 + 180) % 360 - 180)
    kind = "mercator" if span <= GLOBE else "equalEarth"
    found = _project(kind, points - (center, 0))
    across, down = np.maximum(np.ptp(found, axis=0), LEAST)
    scale = float(min((WIDTH - 2 * MARGIN) / across, (HEIGHT - 2 * MARGIN) / down))
    height = round(max(LOWEST, down * scale + 2 * MARGIN))
    middle = (found.min(axis=0) + found.max(axis=0)) / 2 * scale
    return Frame(kind, center, scale, (WIDTH / 2 - float(middle[0]), height / 2 + float(middle[1])), height)


def draw(answer: Answer, chart: Plane, rows: list[dict[str, Any]]) -> style.Drawing:
    """Return places on a map, colored by their value."""
    value = chart.value or "count"
    by_name = {str(row[chart.label]).casefold(): row for row in rows}
    areas = _areas(answer.facts.get("polygons"), by_name)
    others = [row for name, row in by_name.items() if name not in areas]
    placed = [row for row in others if row[chart.x] is not None and row[chart.y] is not None]
    missing = [style.spaced(row[chart.label]) for row in others if row not in placed]
    known = [row[value] for row in rows if row[value] is not None]
    corners = [(row[chart.x], row[chart.y]) for row in placed]
    frame = _frame(corners + [corner for rings in areas.values() for ring in rings for corner in ring])
    shapes: style.Rows = [
        {**_feature(rings), "value": by_name[name][value], "text": style.shorten(by_name[name][chart.label])}
        for name, rings in areas.items()
    ]
    points: style.Rows = []
    for row, (x, y) in zip(placed, frame.pixels(corners).round(2).tolist() if placed else [], strict=True):
        number = "" if row[value] is None else f" {style.number(row[value], style.decimals(known))}"
        point = {"x": x, "y": y, "value": row[value], "text": style.shorten(row[chart.label]) + number}
        points.append({**point, "opacity": 0.4 if style.is_faint(row, chart.faint) else 1})
    color = style.value_color(known, style.axis_title(answer, value))
    tooltip = ["text:N", alt.Tooltip("value:Q", format=".3f")]
    layers = _background(frame)
    for rows_of, kind, look in (
        (shapes, "geoshape", {"stroke": BORDER, "strokeWidth": 0.8, "clip": True}),
        (points, "point", {"stroke": style.QUIET, "strokeWidth": 1, "size": 170}),
    ):
        place = style.pixels() if kind == "point" else {}
        full, empty = ([row for row in rows_of if (row["value"] is None) == test] for test in (False, True))
        if full:
            layers.append(style.layer(full, kind, **look).encode(**place, fill=color, tooltip=tooltip))
        if empty:
            layers.append(style.layer(empty, kind, fill="white", **look).encode(**place, tooltip=["text:N"]))
    layers += draw_labels([{**point, "color": style.INK, "bold": False} for point in points], (WIDTH, frame.height))
    notes = ["White: no value."] if len(known) < len(rows) else []
    notes += [f"Pale: fewer than {style.FEW} occurrences."] if any(row["opacity"] < 1 for row in points) else []
    if missing and not any(note.startswith("Without coordinates") for note in answer.notes):
        notes.append(f"Without coordinates, so not on the map: {some_of(missing)}.")
    turned: dict[str, Any] = {"type": frame.kind, "scale": frame.scale, "translate": list(frame.shift)}
    turned["rotate"] = [-frame.lon, 0, 0]
    view = alt.ViewBackground(stroke=style.GRID)
    drawn = alt.layer(*layers).project(**turned).properties(width=WIDTH, height=frame.height, view=view)
    return style.Drawing(drawn, WIDTH + 120, notes)


def _areas(polygons: Any, places: dict[str, Any]) -> dict[str, list[Ring]]:
    """Return the outer rings of each place that a feature of the GeoJSON names in one of its properties or its id."""
    found: dict[str, list[Ring]] = {}
    for feature in (polygons or {}).get("features", []):
        names = [str(name).casefold() for name in [*(feature.get("properties") or {}).values(), feature.get("id")]]
        geometry = feature.get("geometry") or {}
        parts = geometry.get("coordinates", []) if geometry.get("type") in ("Polygon", "MultiPolygon") else []
        parts = [parts] if geometry.get("type") == "Polygon" else parts
        for name in [name for name in names if name in places][:1]:
            found.setdefault(name, []).extend(_clockwise(part[0]) for part in parts)
    return found


def _clockwise(ring: Ring) -> Ring:
    """Return a ring clockwise, as d3 expects the outer border of an area; GeoJSON has the other direction."""
    x, y = np.array([point[:2] for point in ring], dtype=np.float64).T
    area = (x[:-1] * y[1:] - x[1:] * y[:-1]).sum()
    points: Ring = np.column_stack([x, y])[:: -1 if area > 0 else 1].tolist()
    return points


def _feature(rings: Sequence[Ring]) -> dict[str, Any]:
    return {"type": "Feature", "geometry": {"type": "MultiPolygon", "coordinates": [[ring] for ring in rings]}}


def _background(frame: Frame) -> list[Any]:
    """Return lines at round degrees, and the countries within the frame."""
    span = np.degrees(frame.height / frame.scale)
    step = next((step for step in DEGREES if span / step <= 5), DEGREES[-1])
    net = alt.Chart(alt.graticule(step=[step, step])).mark_geoshape(filled=False, stroke=style.GRID, clip=True)
    countries = [_feature([ring for ring in _world() if frame.meets(ring)])]
    land = style.layer(countries, "geoshape", fill=LAND, stroke=BORDER, strokeWidth=0.6, clip=True)
    return [net, land]


@cache
def _world() -> list[Ring]:
    """Return the borders of countries (Natural Earth 1:110m, public domain), each ring clockwise."""
    rings: list[Ring] = json.loads(files(__package__).joinpath("world.json").read_text(encoding="utf-8"))
    return rings
