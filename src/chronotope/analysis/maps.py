"""Where on the map a word is used how, and whether neighboring places are alike."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from chronotope.analysis.old_answer import Answer
from chronotope.analysis.axes import positions
from chronotope.analysis.geography import Coordinates, MoransI, morans_i, place_links
from chronotope.analysis.own_vectors import in_one_space, overall, own_vectors
from chronotope.embeddings import ConditionedEmbeddings
from chronotope.errors import SettingsError


@dataclass(frozen=True)
class PlaceValue(Answer):
    """A word's value in one place.

    Attributes
    ----------
    place
        Where.
    support
        How often the word occurs there.
    value, low, high
        The value and the ends of its interval; None where there is none.
    lat, lon
        Where it is on the map, in degrees; None where that is not known.
    """

    place: str
    support: int
    value: float | None
    low: float | None = None
    high: float | None = None
    lat: float | None = None
    lon: float | None = None


@dataclass(frozen=True)
class WordMap(Answer):
    """How a word is used over the places.

    Attributes
    ----------
    word
        The word.
    measure
        What the values are: a formula, or 'overall', the similarity with what the word means in the other places.
    rows
        One for each place.
    moran
        Whether neighboring places are alike; None where no neighbors are known, or too few places have a value.
    min_count, signature
        How the answer was made.
    """

    word: str
    measure: str
    rows: tuple[PlaceValue, ...]
    moran: MoransI | None
    min_count: int
    signature: str


def word_map(
    embeddings: ConditionedEmbeddings,
    word: str,
    formula: str | None = None,
    *,
    coordinates: Coordinates | None = None,
    edges: Iterable[tuple[str, str]] | None = None,
    nearest: int = 3,
    permutations: int = 999,
    min_count: int = 5,
) -> WordMap:
    """How a word is used in each place: like everywhere else or not, or where along an axis.

    Parameters
    ----------
    embeddings
        The embeddings; they have places. Over time × place a place's value is that of its time bins together: of their
        mean direction, or the mean of their positions along the axis, weighted by support.
    word
        The word.
    formula
        An axis as for `positions`; by default the similarity with what the word means in the other places.
    coordinates
        Latitude and longitude of the places, by lower-case name.
    edges
        Which places are neighbors; by default the nearest by coordinates.
    nearest
        How many neighbors a place chooses by coordinates.
    permutations
        For the p of Moran's I.
    min_count
        A value is given where the word occurs at least so often.
    """
    conditions = embeddings.conditions
    if not conditions.places:
        raise SettingsError("the conditions of this model are not places; there is nothing to put on a map")
    if formula is None:
        in_one_space(embeddings)
        own = own_vectors(embeddings, word, min_count, least=2)
        where = np.array(conditions.place_of)[own.conditions]
        measured: dict[int, tuple[float, float | None, float | None]] = {
            place: (value, None, None) for place, value in _overall_by_place(own.unit, where).items()
        }
    else:
        measured = _positions_by_place(embeddings, word, formula, min_count)
    known = coordinates or {}
    rows = []
    for number, place in enumerate(conditions.places):
        here = [condition for condition in range(len(conditions)) if conditions.place_of[condition] == number]
        support = sum(embeddings.observed.of(embeddings.index(word), condition) for condition in here)
        lat, lon = known.get(place.casefold(), (None, None))
        value, low, high = measured.get(number, (None, None, None))
        rows.append(PlaceValue(place, support, value, low, high, lat, lon))
    moran = None
    if coordinates is not None or edges is not None:
        links = place_links(conditions.places, edges=edges, coordinates=coordinates, nearest=nearest)
        # A place that is not on the map has no neighbors to be like or unlike.
        values = [row.value if edges is not None or row.lat is not None else None for row in rows]
        moran = morans_i(values, links, permutations=permutations)
    return WordMap(word, formula or "overall", tuple(rows), moran, min_count, embeddings.signature)


def _overall_by_place(unit: NDArray[np.float64], place: NDArray[np.int64]) -> dict[int, float]:
    """For each place the cosine of its mean direction with that of the other places."""
    numbers = np.unique(place)
    means = np.array([unit[place == number].mean(axis=0) for number in numbers])
    means /= np.sqrt(np.square(means).sum(axis=1, keepdims=True))
    cosines = np.multiply(means, overall(means)).sum(axis=1)
    return dict(zip(numbers.tolist(), cosines.tolist(), strict=True))


def _positions_by_place(
    embeddings: ConditionedEmbeddings, word: str, formula: str, min_count: int
) -> dict[int, tuple[float, float | None, float | None]]:
    """For each place the mean position over its time bins; an interval where it has a single one."""
    found: dict[int, list[tuple[float, float | None, float | None, int]]] = {}
    answer = positions(embeddings, word, formula, min_count=min_count)
    for place, row in zip(embeddings.conditions.place_of, answer.rows, strict=True):
        if row.value is not None:
            found.setdefault(place, []).append((row.value, row.low, row.high, row.support))
    means: dict[int, tuple[float, float | None, float | None]] = {}
    for place, rows in found.items():
        if len(rows) == 1:
            means[place] = rows[0][:3]
        else:
            means[place] = (float(np.average([row[0] for row in rows], weights=[row[3] for row in rows])), None, None)
    return means
