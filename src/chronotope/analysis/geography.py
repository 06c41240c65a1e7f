"""Places on the map: their coordinates, their neighbors, and whether a value is alike in neighboring places."""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from chronotope.conditions import Conditions
from chronotope.errors import InputError, some_of
from chronotope.io.untrusted import read_text

NAMES = ("place", "name", "id")


class Coordinates(NamedTuple):
    """Where places are, by lower-case name."""

    points: dict[str, tuple[float, float]]  # latitude and longitude in degrees
    polygons: dict[str, Any] | None = None  # GeoJSON geometries


def read_coordinates(source: Any) -> Coordinates:
    """Read the coordinates of places; raise InputError if one is not valid.

    `source` is a CSV file with the columns place, lat, lon; a GeoJSON file of points or polygons with a property
    'place', 'name' or 'id'; a polars or pandas frame with the columns of the CSV; or a mapping {place: (lat, lon)}.
    """
    if isinstance(source, Coordinates):
        return source
    if isinstance(source, Mapping):
        return Coordinates({_key(place): _point(where, f"'{place}'") for place, where in source.items()})
    if isinstance(source, str | Path):
        return _read_file(Path(source))
    if not hasattr(source, "columns"):
        raise InputError(f"coordinates must be a file, a frame or a mapping, not {type(source).__name__}")
    _check_columns(list(source.columns), "the frame of coordinates")
    rows = zip(*(list(source[name]) for name in ("place", "lat", "lon")), strict=True)
    return Coordinates({_key(row[0]): _point(row[1:], f"row {at} ('{row[0]}')") for at, row in enumerate(rows)})


def _read_file(path: Path) -> Coordinates:
    text = read_text(path)
    if text.lstrip().startswith("{"):
        return _read_geojson(path, text)
    rows = csv.DictReader(text.splitlines())
    _check_columns(rows.fieldnames or (), str(path))
    return Coordinates(
        {_key(row["place"]): _point((row["lat"], row["lon"]), f"{path}, line {rows.line_num}") for row in rows}
    )


def _read_geojson(path: Path, text: str) -> Coordinates:
    try:
        data = json.loads(text)
    except ValueError as error:
        raise InputError(f"{path} is not valid JSON: {error}") from None
    features = data.get("features")
    if not isinstance(features, list):
        raise InputError(f"{path} is not a GeoJSON feature collection")
    points: dict[str, tuple[float, float]] = {}
    polygons: dict[str, Any] = {}
    for number, feature in enumerate(features, 1):
        where = f"{path}, feature {number}"
        try:
            properties = {str(key).casefold(): value for key, value in (feature.get("properties") or {}).items()}
            names = [properties.get(name) for name in NAMES] + [feature.get("id")]
            geometry = feature["geometry"]
            kind, coordinates = geometry["type"], geometry["coordinates"]
        except (AttributeError, KeyError, TypeError):
            raise InputError(f"{where}: no geometry with coordinates") from None
        name = next((str(name) for name in names if name not in (None, "")), None)
        if name is None:
            raise InputError(f"{where}: no property {', '.join(NAMES)} that names the place")
        if kind == "Point":
            points[_key(name)] = _point(coordinates[1::-1], where)
        elif kind in ("Polygon", "MultiPolygon"):
            points[_key(name)] = _middle(coordinates if kind == "MultiPolygon" else [coordinates], where)
            polygons[_key(name)] = geometry
        else:
            raise InputError(f"{where}: a {kind} is neither a point nor a polygon")
    return Coordinates(points, polygons or None)


def _check_columns(columns: Iterable[str], what: str) -> None:
    if missing := [name for name in ("place", "lat", "lon") if name not in columns]:
        raise InputError(f"{what} has no column '{missing[0]}'; it needs place, lat and lon")


def _key(place: Any) -> str:
    return str(place).strip().casefold()


def _point(pair: Sequence[Any], where: str) -> tuple[float, float]:
    """Return a latitude and a longitude as numbers; raise InputError if they are not degrees."""
    try:
        lat, lon = map(float, pair)
    except (TypeError, ValueError):
        lat, lon = math.nan, math.nan
    if not (abs(lat) <= 90 and abs(lon) <= 360):
        raise InputError(f"{where}: expected latitude and longitude in degrees, found {pair}")
    return lat, lon


def _middle(polygons: Sequence[Any], where: str) -> tuple[float, float]:
    """Return the middle of the bounding box of the largest polygon, by its outer ring."""
    try:
        corners = [np.array([point[:2] for point in polygon[0]], dtype=np.float64) for polygon in polygons]
        largest = max(corners, key=lambda ring: np.ptp(ring, axis=0).prod())
    except (IndexError, TypeError, ValueError):
        raise InputError(f"{where}: a polygon needs a ring of [longitude, latitude] pairs") from None
    return _point(((largest.min(axis=0) + largest.max(axis=0)) / 2)[::-1].tolist(), where)


def without_coordinates(places: Sequence[str], coordinates: Coordinates) -> list[str]:
    """Return the places without coordinates; raise InputError if fewer than two have any.

    >>> without_coordinates(["Bern", "Cork", "Dax"], read_coordinates({"bern": (47, 7), "Dax": (44, -1)}))
    ['Cork']
    """
    missing = [place for place in places if _key(place) not in coordinates.points]
    if len(places) - len(missing) < 2:
        many = f"{len(places) - len(missing)} of the {len(places):,} places"
        raise InputError(f"coordinates are known for {many}, and a map needs two; the places are: {some_of(places)}")
    return missing


def feature_collection(places: Sequence[str], coordinates: Coordinates) -> dict[str, Any]:
    """Return the polygons of places as GeoJSON, each with the property `place`."""
    shapes = [(place, (coordinates.polygons or {}).get(_key(place))) for place in places]
    known = [{"properties": {"place": name}, "geometry": shape} for name, shape in shapes if shape]
    return {"type": "FeatureCollection", "features": [{"type": "Feature", **one} for one in known]}


def nearest_places(points: Sequence[tuple[float, float]], nearest: int = 3) -> list[tuple[int, int]]:
    """Return pairs of points (lat, lon) where one is among the `nearest` of the other by great-circle distance.

    >>> nearest_places([(0, 0), (0, 1), (0, 10), (0, 12)], nearest=1)
    [(0, 1), (2, 3)]
    """
    from sklearn.neighbors import NearestNeighbors

    index = NearestNeighbors(n_neighbors=min(nearest, len(points) - 1), algorithm="ball_tree", metric="haversine")
    neighbors = index.fit(np.radians(points)).kneighbors(return_distance=False)
    return sorted({(min(a, b), max(a, b)) for a, row in enumerate(neighbors.tolist()) for b in row})


def place_links(
    places: Sequence[str], edges: Any = None, coordinates: Coordinates | None = None, nearest: int = 3
) -> list[tuple[int, int]]:
    """Return the pairs of neighboring places, by number: those of `edges`, or the nearest by coordinates.

    Edges are pairs of places, in any case, or a file with lines `place,place`. A place without coordinates has no
    neighbors by coordinates.
    """
    if edges is not None:
        pairs = read_edges(edges) if isinstance(edges, str | Path) else edges
        links = [(a, b) for a, b in Conditions.of_places(places).graph(pairs).edges.tolist()]
        if not links:
            raise InputError("the edges name fewer than two places of the model; each is a line `place,place`")
        return links
    points = {} if coordinates is None else coordinates.points
    known = [index for index, place in enumerate(places) if _key(place) in points]
    nearby = nearest_places([points[_key(places[index])] for index in known], nearest)
    return [(known[a], known[b]) for a, b in nearby]


def read_edges(path: str | Path) -> list[tuple[str, str]]:
    """Read pairs of places from a file with lines `place,place`."""
    pairs = []
    for number, line in enumerate(read_text(path).splitlines(), start=1):
        parts = [part.strip() for part in line.split(",")]
        if len(parts) == 2 and all(parts):
            pairs.append((parts[0], parts[1]))
        elif line.strip():
            raise InputError(f"{path}, line {number}: expected `place,place`, found '{line}'")
    return pairs


def morans_i(
    values: Iterable[float | None], links: Iterable[tuple[int, int]], *, shuffles: int = 999
) -> dict[str, float | int] | None:
    """Return Moran's I: whether neighboring places have similar values; `links` are pairs of place numbers.

    The result is the value (about −1: neighbors differ, 0: no pattern, 1: alike), its expected value without a pattern,
    p from random assignments of values to places, and the number of places and links. It is None with fewer than four
    places with a value, equal values, or no links.

    >>> north, south = [1.0, 1.1, 0.9], [0.0, 0.1, -0.1]
    >>> chain = [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5)]
    >>> round(morans_i(north + south, chain)["value"], 2)
    0.61
    """
    known = [(place, value) for place, value in enumerate(values) if value is not None]
    number = {place: index for index, (place, _) in enumerate(known)}
    pairs = sorted({(min(a, b), max(a, b)) for a, b in links if a in number and b in number and a != b})
    if len(known) < 4 or not pairs or len({value for _, value in known}) == 1:
        return None
    ends = np.array([(number[a], number[b]) for a, b in pairs])
    deviations = np.array([value for _, value in known], dtype=np.float64)
    deviations -= deviations.mean()
    observed = float(_moran(deviations[None], ends)[0])
    orders = np.tile(np.arange(len(known)), (shuffles, 1))
    shuffled = deviations[np.random.default_rng(1).permuted(orders, axis=1)]
    p = (1 + int(np.count_nonzero(_moran(shuffled, ends) >= observed - 1e-12))) / (1 + shuffles)
    expected = -1 / (len(known) - 1)
    return {"value": observed, "expected": expected, "p": p, "places": len(known), "links": len(pairs)}


def _moran(deviations: NDArray[np.float64], ends: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return I for each of (N, places) assignments of the same deviations from the mean."""
    together = np.multiply(deviations[:, ends[:, 0]], deviations[:, ends[:, 1]]).sum(axis=1)
    spread = np.square(deviations).sum(axis=1)
    return np.asarray(deviations.shape[1] / len(ends) * together / spread)
