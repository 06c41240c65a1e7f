"""Points in a plane: the path of a word among its neighbors, and maps."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache
from importlib.resources import files
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import altair as alt

from chronotope.analysis.charts import Plane, Ranked
from chronotope.errors import some_of
from chronotope.views.charts import ranked, style
from chronotope.views.charts.placing import Box, Points, place_labels

if TYPE_CHECKING:
    from chronotope.analysis.answer import Answer

WIDTH, HEIGHT, LOWEST, MARGIN = 680, 470, 240, 50
MOST_ON_PATH = 14  # labels; of a longer path every second, third … point has one, and the last
LAND, BORDER = "#f0eee9", "#cfcbc2"
GLOBE = 120  # degrees of longitude; wider maps keep areas equal, narrower ones keep angles
DEGREES = (1, 2, 5, 10, 15, 30)  # between the lines of a map

Row = dict[str, Any]


def draw(answer: Answer, chart: Plane) -> style.Drawing:
    """Return a map if the columns are coordinates (bars if none is known), else a path among labelled points."""
    rows = list(answer.frame.iter_rows(named=True))
    if {chart.x, chart.y} != {"lon", "lat"}:
        return _path(answer, chart, rows)
    if answer.facts.get("polygons") or any(row["lat"] is not None for row in rows):
        return _map(answer, chart, rows)
    value = chart.value or "count"
    frame = answer.frame.sort(value, descending=True, nulls_last=True, maintain_order=True)
    bars = Ranked(chart.label, value, ("low", "high"), faint=chart.faint, limit=chart.limit)
    return ranked.draw(replace(answer, frame=frame), bars)


def _path(answer: Answer, chart: Plane, every: list[Row]) -> style.Drawing:
    """Return the path from blue (first) to orange (last); neighbors in gray."""
    rows = sorted(every[: chart.limit], key=lambda row: row[chart.kind] != "path" if chart.kind else True)
    steps = sum(row[chart.kind] == "path" for row in rows) if chart.kind else 0
    joined = steps > 1 and answer.facts.get("axis", "time") == "time"
    where, height = _fit([(row[chart.x], row[chart.y]) for row in rows], even=answer.facts.get("method") != "lle")
    names = [style.shorten(row[chart.label]) for row in rows]
    nth = -(-steps // MOST_ON_PATH) if joined else 1
    # The ends of the path choose first, then its middle, then the neighbors.
    middle = [at for at in range(nth, steps - nth, nth)] if joined else list(range(1, steps - 1))
    order = [*dict.fromkeys([0, steps - 1] if steps else []), *middle, *range(steps, len(rows))]
    boxes = _place(order, names, where, (WIDTH, height), _along(where[:steps]) if joined else [], steps)
    colors = [_between(at / max(steps - 1, 1)) if joined else style.COLORS[0] for at in range(steps)]
    colors += [style.PALE] * (len(rows) - steps)
    faint = [at < steps and style.is_faint(row, chart.faint) for at, row in enumerate(rows)]
    dots: style.Rows = [
        {
            "x": x,
            "y": y,
            "name": name,
            "stroke": color,
            "fill": "white" if few else color,
            "size": 90 if at < steps else 34,
        }
        for at, ((x, y), name, color, few) in enumerate(zip(where, names, colors, faint, strict=True))
    ]
    segments: style.Rows = [
        {"x": x, "y": y, "x2": x2, "y2": y2, "color": color}
        for ((x, y), (x2, y2)), color in zip(pairwise(where[:steps] if joined else []), colors, strict=False)
    ]
    point = style.layer(dots, "point", opacity=1, strokeWidth=1.6)
    layers = [
        style.rules(segments, strokeWidth=2.6, opacity=0.7, strokeCap="round"),
        _leaders(where, boxes),
        point.encode(**style.pixels(), size=alt.Size("size:Q", scale=None), tooltip=["name:N"]),
        *_named([(names[at], boxes[at], style.INK) for at in order if at >= steps], style.SMALL),
        *_named([(names[at], boxes[at], colors[at]) for at in order if at < steps], style.LABEL, fontWeight="bold"),
    ]
    notes = ["Path from blue (first) to orange (last)."] if joined else []
    notes += ["Gray: words near it."] if 0 < steps < len(rows) else []
    notes += [f"Drawn: {len(rows)} of {len(every)} points."] if len(rows) < len(every) else []
    notes += [style.FAINT] if any(faint) else []
    return style.Drawing(alt.layer(*layers).properties(width=WIDTH, height=height), WIDTH, notes)


def _fit(points: Points, *, even: bool) -> tuple[list[tuple[float, float]], float]:
    """Return points in pixels from the upper left corner, and the height; `even`: both axes have one scale."""
    lows, highs = ([end(part) for part in zip(*points, strict=True)] for end in (min, max))
    room, spans = (
        (WIDTH - 2 * MARGIN - 40, HEIGHT - 2 * MARGIN),
        [high - low for low, high in zip(lows, highs, strict=True)],
    )
    scales = [space / (span or 1) for space, span in zip(room, spans, strict=True)]
    across, down = (min(scales), min(scales)) if even else scales
    height = max(LOWEST, spans[1] * down + 2 * MARGIN)
    x0, y0 = ((low + high) / 2 for low, high in zip(lows, highs, strict=True))
    return [
        (round(WIDTH / 2 + (x - x0) * across, 2), round(height / 2 - (y - y0) * down, 2)) for x, y in points
    ], height


def _place(
    order: Sequence[int],
    names: Sequence[str],
    where: Points,
    frame: tuple[float, float],
    line: Points = (),
    large: int = 0,
) -> dict[int, Box]:
    """Return the boxes of labels; the first `large` have the larger font."""
    fonts = [style.LABEL if at < large else style.SMALL for at in order]
    sizes = [(style.LETTER * font * len(names[at]) + 4, font + 3.0) for at, font in zip(order, fonts, strict=True)]
    return dict(zip(order, place_labels([where[at] for at in order], sizes, frame, line), strict=True))


def _along(path: Points) -> list[tuple[float, float]]:
    """Return points along a path, 8 pixels apart."""
    found = []
    for (x, y), (x2, y2) in pairwise(path):
        steps = max(1, int(math.hypot(x2 - x, y2 - y) / 8))
        found += [(x + (x2 - x) * step / steps, y + (y2 - y) * step / steps) for step in range(1, steps)]
    return found


def _leaders(points: Points, boxes: dict[int, Box]) -> Any:
    """Return thin lines to labels that are far from their points."""
    rows: style.Rows = []
    for (x, y), box in ((points[at], box) for at, box in boxes.items() if box.far):
        edge = min(max(x, box.x - box.width / 2), box.x + box.width / 2)
        side = min(max(y, box.y - box.height / 2), box.y + box.height / 2)
        rows.append({"x": x, "y": y, "x2": edge, "y2": side, "color": style.QUIET})
    return style.rules(rows, strokeWidth=0.8, opacity=0.7)


def _named(labels: Sequence[tuple[str, Box, str]], size: int, **more: Any) -> Iterator[Any]:
    """Return labels at their boxes, above a white outline that keeps lines off the letters."""
    rows: style.Rows = [{"x": box.x, "y": box.y, "text": name, "color": color} for name, box, color in labels]
    yield style.texts([{**row, "color": "white"} for row in rows], size, stroke="white", strokeWidth=3, **more)
    yield style.texts(rows, size, **more)


def _between(share: float) -> str:
    """Return a color between blue (0), gray (0.5) and orange (1)."""
    stops = [
        tuple(int(color[at : at + 2], 16) for at in (1, 3, 5))
        for color in (style.COLORS[0], "#7a6a72", style.COLORS[1])
    ]
    lower, upper, part = (*stops[:2], 2 * share) if share < 0.5 else (*stops[1:], 2 * share - 1)
    return "#" + "".join(f"{round(a + (b - a) * part):02x}" for a, b in zip(lower, upper, strict=True))


class Frame(NamedTuple):
    """Where degrees are in pixels: projection, central longitude, scale, translation, and the height of the map."""

    kind: str
    lon: float
    scale: float
    shift: tuple[float, float]
    height: float

    def pixel(self, point: Sequence[float]) -> tuple[float, float]:
        """Return the position of a longitude and latitude, from the upper left corner."""
        x, y = _project(self.kind, point[0] - self.lon, point[1])
        return round(self.shift[0] + self.scale * x, 2), round(self.shift[1] - self.scale * y, 2)

    def meets(self, ring: Points) -> bool:
        """Return whether the bounding box of a ring meets the map."""
        xs, ys = zip(*map(self.pixel, ring), strict=True)
        return min(xs) < WIDTH and max(xs) > 0 and min(ys) < self.height and max(ys) > 0


def _project(kind: str, lon: float, lat: float) -> tuple[float, float]:
    """Return a position by d3's formula of a projection, before scale and translation."""
    x, y = math.radians((lon + 180) % 360 - 180), math.radians(max(-85.0, min(85.0, lat)))
    if kind == "mercator":
        return x, math.log(math.tan(math.pi / 4 + y / 2))
    root = math.sqrt(3) / 2
    t = math.asin(root * math.sin(y))
    a, b, c, d = 1.340264, -0.081106, 0.000893, 0.003796
    across = x * math.cos(t) / (root * (a + 3 * b * t**2 + t**6 * (7 * c + 9 * d * t**2)))
    return across, t * (a + b * t**2 + t**6 * (c + d * t**2))


def _frame(corners: Points) -> Frame:
    """Return the frame that holds all places, as large as fits."""
    # The globe is cut where the widest stretch of longitude has no place.
    lons = sorted({(lon + 180) % 360 - 180 for lon, _ in corners})
    widest, start = max((after - before, after) for before, after in pairwise([*lons, lons[0] + 360]))
    center = (start + (360 - widest) / 2 + 180) % 360 - 180
    kind = "mercator" if 360 - widest <= GLOBE else "equalEarth"
    found = [_project(kind, lon - center, lat) for lon, lat in corners]
    (left, bottom), (right, top) = ([end(part) for part in zip(*found, strict=True)] for end in (min, max))
    least = math.radians(4)  # a single place is shown with its surroundings
    across, down = max(right - left, least), max(top - bottom, least)
    scale = min((WIDTH - 2 * MARGIN) / across, (HEIGHT - 2 * MARGIN) / down)
    height = round(max(LOWEST, down * scale + 2 * MARGIN))
    shift = WIDTH / 2 - scale * (left + right) / 2, height / 2 + scale * (top + bottom) / 2
    return Frame(kind, center, scale, shift, height)


def _map(answer: Answer, chart: Plane, rows: list[Row]) -> style.Drawing:
    """Return places on a map: areas colored by value where polygons are given, else dots."""
    value = chart.value or "count"
    by_name = {str(row[chart.label]).casefold(): row for row in rows}
    areas = _areas(answer.facts.get("polygons"), by_name)
    others = [row for name, row in by_name.items() if name not in areas]
    dots = [row for row in others if row[chart.x] is not None and row[chart.y] is not None]
    missing = [str(row[chart.label]) for row in others if row not in dots]
    known = [row[value] for row in rows if row[value] is not None]
    corners = [(row[chart.x], row[chart.y]) for row in dots]
    frame = _frame(corners + [corner for rings in areas.values() for ring in rings for corner in ring])
    where = [frame.pixel(corner) for corner in corners]
    largest = max(map(abs, known))
    names = [
        f"{row[chart.label]}{'' if row[value] is None else f' {style.number(row[value], largest)}'}" for row in dots
    ]
    boxes = _place(range(len(dots)), names, where, (WIDTH, frame.height))
    points: style.Rows = [
        {"x": x, "y": y, "value": row[value], "name": name, "opacity": 0.4 if style.is_faint(row, chart.faint) else 1}
        for (x, y), row, name in zip(where, dots, names, strict=True)
    ]
    shapes: style.Rows = [
        {**_feature(rings), "value": by_name[name][value], "name": by_name[name][chart.label]}
        for name, rings in areas.items()
    ]
    color, tooltip = style.value_color(known, style.axis_title(answer, value)), ["name:N", "value:Q"]
    shape = {"stroke": "white", "strokeWidth": 0.8, "clip": True}
    layers: list[Any] = _background(frame, corners)
    for kind, drawn, look in (
        ("geoshape", shapes, shape),
        ("point", points, {"size": 220, "stroke": style.QUIET, "strokeWidth": 1}),
    ):
        place = {} if kind == "geoshape" else style.pixels()
        empty = [
            {**row, "fill": style.PALE if kind == "geoshape" else "white"} for row in drawn if row["value"] is None
        ]
        full = [row for row in drawn if row["value"] is not None]
        if empty:
            layers.append(style.layer(empty, kind, **look).encode(**place, tooltip=["name:N"]))
        if full:
            layers.append(style.layer(full, kind, filled=True, **look).encode(**place, color=color, tooltip=tooltip))
            color = alt.Color("value:Q", scale=color.scale, legend=None)
    layers += [_leaders(where, boxes), *_named([(names[at], boxes[at], style.INK) for at in boxes], style.SMALL)]
    notes = ["White or gray: no value."] if any(row["value"] is None for row in points + shapes) else []
    notes += [f"Pale: fewer than {style.FEW} occurrences."] if any(row["opacity"] < 1 for row in points) else []
    notes += [f"Not on the map, since no coordinates are given: {some_of(missing)}."] if missing else []
    turned = {"type": frame.kind, "rotate": [-frame.lon, 0, 0], "scale": frame.scale, "translate": list(frame.shift)}
    drawn_map = alt.layer(*layers).resolve_scale(color="independent").project(**turned)
    sized = drawn_map.properties(width=WIDTH, height=frame.height, view=alt.ViewBackground(stroke=style.GRID))
    return style.Drawing(sized, WIDTH + 120, notes)


def _areas(polygons: Any, places: dict[str, Row]) -> dict[str, list[Any]]:
    """Return the rings of each place that a feature of the GeoJSON names in one of its properties or its id."""
    found: dict[str, list[Any]] = {}
    for feature in (polygons or {}).get("features", []):
        names = [str(name).casefold() for name in [*(feature.get("properties") or {}).values(), feature.get("id")]]
        geometry = feature.get("geometry") or {}
        parts = {"Polygon": [geometry.get("coordinates")], "MultiPolygon": geometry.get("coordinates")}
        for name in [name for name in names if name in places][:1]:
            found.setdefault(name, []).extend(_clockwise(part[0]) for part in parts.get(geometry.get("type"), []))
    return found


def _clockwise(ring: Sequence[Sequence[float]]) -> list[tuple[float, float]]:
    """Return a ring in the direction that d3 takes for the outer border of an area; GeoJSON has the other."""
    points = [(point[0], point[1]) for point in ring]
    area = sum(x * y2 - x2 * y for (x, y), (x2, y2) in pairwise(points))
    return points[::-1] if area > 0 else points


def _feature(rings: Sequence[Any]) -> Row:
    return {"type": "Feature", "geometry": {"type": "MultiPolygon", "coordinates": [[ring] for ring in rings]}}


def _background(frame: Frame, corners: Points) -> list[Any]:
    """Return lines at round degrees, and the countries within the frame."""
    span = math.degrees(frame.height / frame.scale)
    step = next((step for step in DEGREES if span / step <= 5), DEGREES[-1])
    net = alt.Chart(alt.graticule(step=[step, step])).mark_geoshape(filled=False, stroke=style.GRID, clip=True)
    land = style.layer(
        [_feature([ring for ring in _world() if frame.meets(ring)])], "geoshape", clip=True, strokeWidth=0.6
    )
    return [net, land.encode(fill=alt.value(LAND), stroke=alt.value(BORDER))]


@cache
def _world() -> list[list[tuple[float, float]]]:
    """Return the borders of countries (Natural Earth 1:110m, public domain), each ring clockwise."""
    text = files("chronotope.views.charts").joinpath("world.json").read_text(encoding="utf-8")
    rings: list[list[tuple[float, float]]] = json.loads(text)
    return rings
