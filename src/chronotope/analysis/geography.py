"""Places on the map: their coordinates, which are neighbors, and whether a quantity is alike in neighboring places."""

from __future__ import annotations

import csv
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from chronotope.analysis.old_answer import Answer
from chronotope.config import at_least
from chronotope.errors import InputError, SettingsError, UnknownConditionError, some_of

Coordinates = Mapping[str, tuple[float, float]]


@dataclass(frozen=True)
class MoransI(Answer):
    """Whether neighboring places are alike: Moran's I.

    Attributes
    ----------
    value
        From about −1 (neighbors differ) over 0 (the map says nothing) to 1 (neighbors are alike).
    expected
        What it is on average where the map says nothing: −1 / (places − 1).
    p
        How often the same values, dealt out to the places at random, are at least as much alike among neighbors.
    places, links
        How many places have a value, and how many pairs of them are neighbors.
    permutations
        How many times the values were dealt out.
    """

    value: float
    expected: float
    p: float
    places: int
    links: int
    permutations: int


def read_coordinates(path: str | Path) -> dict[str, tuple[float, float]]:
    """The latitude and longitude of places, in degrees, from a CSV file with the columns place, lat, lon."""
    with open(path, encoding="utf-8-sig", newline="") as file:
        rows = csv.DictReader(file)
        missing = {"place", "lat", "lon"} - set(rows.fieldnames or ())
        if missing:
            raise InputError(f"{path} has no column '{min(missing)}'; it needs place, lat and lon")
        found: dict[str, tuple[float, float]] = {}
        for row in rows:
            try:
                where = float(row["lat"]), float(row["lon"])
            except (TypeError, ValueError):
                where = math.nan, math.nan
            if not (abs(where[0]) <= 90 and abs(where[1]) <= 360):
                raise InputError(f"{path}, line {rows.line_num}: the coordinates of '{row['place']}' are no degrees")
            found[row["place"].strip().casefold()] = where
    return found


def nearest_places(coordinates: Sequence[tuple[float, float]], nearest: int = 3) -> list[tuple[int, int]]:
    """The pairs of places of which one is among the nearest of the other, along great circles.

    Parameters
    ----------
    coordinates
        Latitude and longitude of each place, in degrees.
    nearest
        How many neighbors a place chooses.

    Examples
    --------
    >>> nearest_places([(0, 0), (0, 1), (0, 10), (0, 12)], nearest=1)
    [(0, 1), (2, 3)]
    """
    at_least("nearest", nearest, 1)
    angles = np.radians(np.array(coordinates, dtype=np.float64).reshape(-1, 2))
    north, east = angles[:, 0], angles[:, 1]
    points = np.stack([np.cos(north) * np.cos(east), np.cos(north) * np.sin(east), np.sin(north)], axis=1)
    # The straight distance through the earth grows with the distance along it.
    gaps = np.square(points[:, None] - points[None]).sum(axis=2)
    np.fill_diagonal(gaps, np.inf)
    chosen = np.argsort(gaps, axis=1, kind="stable")[:, : min(nearest, len(points) - 1)]
    pairs = {(min(a, b), max(a, b)) for a, row in enumerate(chosen.tolist()) for b in row}
    return sorted(pairs)


def morans_i(
    values: Iterable[float | None], links: Iterable[tuple[int, int]], *, permutations: int = 999, seed: int = 1
) -> MoransI | None:
    """Moran's I of a quantity over places, with the p of a permutation; None for fewer than four, or without links.

    Parameters
    ----------
    values
        One for each place; None: the place has none and takes no part.
    links
        The pairs of neighboring places, by number.
    permutations
        How many times the values are dealt out anew.
    seed
        Of that.

    Examples
    --------
    >>> north, south = [1.0, 1.1, 0.9], [0.0, 0.1, -0.1]
    >>> chain = [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5)]
    >>> round(morans_i(north + south, chain).value, 2)
    0.61
    """
    at_least("permutations", permutations, 19)
    known = [(place, value) for place, value in enumerate(values) if value is not None]
    number = {place: index for index, (place, _) in enumerate(known)}
    pairs = {(min(a, b), max(a, b)) for a, b in links if a in number and b in number and a != b}
    pairs_array = np.array([(number[a], number[b]) for a, b in sorted(pairs)], dtype=np.int64).reshape(-1, 2)
    deviations = np.array([value for _, value in known], dtype=np.float64)
    if len(known) < 4 or not len(pairs_array) or np.ptp(deviations) == 0:
        return None
    deviations -= deviations.mean()
    observed = float(_moran(deviations[None], pairs_array)[0])
    orders = np.tile(np.arange(len(known)), (permutations, 1))
    dealt = deviations[np.random.default_rng(seed).permuted(orders, axis=1)]
    reached = np.count_nonzero(_moran(dealt, pairs_array) >= observed - 1e-12)
    p = (1 + int(reached)) / (1 + permutations)
    return MoransI(observed, -1 / (len(known) - 1), p, len(known), len(pairs_array), permutations)


def place_links(
    places: Sequence[str],
    *,
    edges: Iterable[tuple[str, str]] | None = None,
    coordinates: Coordinates | None = None,
    nearest: int = 3,
) -> list[tuple[int, int]]:
    """Which places are neighbors, by number: as given, or the nearest by coordinates.

    Parameters
    ----------
    places
        The places.
    edges
        Pairs of neighboring places by name, in any case.
    coordinates
        Where places are, by lower-case name; a place without coordinates has no neighbors.
    nearest
        How many neighbors a place chooses by coordinates.
    """
    if edges is None and coordinates is None:
        raise SettingsError("give the coordinates of the places, or the pairs that are neighbors")
    names = [place.casefold() for place in places]
    if edges is not None:
        number = {name: index for index, name in enumerate(names)}
        links: set[tuple[int, int]] = set()
        for pair in edges:
            for name in pair:
                if name.strip().casefold() not in number:
                    raise UnknownConditionError(name, places, "places")
            a, b = sorted(number[name.strip().casefold()] for name in pair)
            links |= {(a, b)} if a != b else set()
        if not links:
            raise InputError("the edges name no two places; each is a line `place,place`")
        return sorted(links)
    assert coordinates is not None
    located = [index for index, name in enumerate(names) if name in coordinates]
    found = nearest_places([coordinates[names[index]] for index in located], nearest)
    return [(located[a], located[b]) for a, b in found]


def without_coordinates(places: Sequence[str], coordinates: Coordinates) -> list[str]:
    """The places that have no coordinates; an error where fewer than two have them.

    Examples
    --------
    >>> without_coordinates(["Bern", "Cork", "Dax"], {"bern": (47, 7), "dax": (44, -1), "oslo": (60, 11)})
    ['Cork']
    """
    missing = [place for place in places if place.casefold() not in coordinates]
    if len(places) - len(missing) < 2:
        many = f"{len(places) - len(missing)} of the {len(places):,} places"
        raise InputError(f"the coordinates are of {many}, and a map needs two; the places are: {some_of(places)}")
    return missing


def _moran(deviations: NDArray[np.float64], pairs: NDArray[np.int64]) -> NDArray[np.float64]:
    """(N,) I for N ways to deal out the same deviations from the mean."""
    together = np.multiply(deviations[:, pairs[:, 0]], deviations[:, pairs[:, 1]]).sum(axis=1)
    spread = np.square(deviations).sum(axis=1)
    return np.asarray(deviations.shape[1] / len(pairs) * together / spread)
