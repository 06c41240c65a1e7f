"""A word over time × place: its value in every bin of every place, and which places change first."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from chronotope.analysis.old_answer import Answer
from chronotope.analysis.axes import positions
from chronotope.analysis.changepoints import change_points
from chronotope.analysis.own_vectors import in_one_space, overall, own_vectors
from chronotope.embeddings import ConditionedEmbeddings
from chronotope.errors import InputError, SettingsError


@dataclass(frozen=True)
class PlaceChange(Answer):
    """When a word changed in one place.

    Attributes
    ----------
    place
        Where.
    first
        The first time bin of the new use; None where the word is seen in too few bins.
    shift, p, p_words, accepted
        As in `ChangePoint`; None (and False) where the word is seen in too few bins.
    """

    place: str
    first: str | None
    shift: float | None
    p: float | None
    p_words: float | None
    accepted: bool


@dataclass(frozen=True)
class Grid(Answer):
    """A word over time × place.

    Attributes
    ----------
    word
        The word.
    measure
        What the values are: a formula, or 'overall', the similarity with what the word means in the other conditions.
    times, places
        The labels of the two axes.
    values, support
        For each time bin and each place the value (None where the word is too rare), and how often the word occurs.
    changes
        When the word changed in each place: those that changed first, then those where no change is certain.
    min_count, signature
        How the answer was made.
    """

    word: str
    measure: str
    times: tuple[str, ...]
    places: tuple[str, ...]
    values: tuple[tuple[float | None, ...], ...]
    support: tuple[tuple[int, ...], ...]
    changes: tuple[PlaceChange, ...]
    min_count: int
    signature: str


def grid(
    embeddings: ConditionedEmbeddings,
    word: str,
    formula: str | None = None,
    *,
    level: float = 0.05,
    permutations: int = 999,
    min_count: int = 5,
) -> Grid:
    """A word's value in every time bin of every place, and which places lead and which follow.

    Parameters
    ----------
    embeddings
        The embeddings; their conditions are times × places.
    word
        The word.
    formula
        An axis as for `positions`; by default the similarity with what the word means in the other conditions.
    level, permutations
        As for `change_points`, which is asked for each place.
    min_count
        A value is given where the word occurs at least so often.
    """
    conditions = embeddings.conditions
    if not (conditions.times and conditions.places):
        raise SettingsError(
            f"a grid needs time bins in places; the conditions of this model are {conditions.axis} alone"
        )
    in_one_space(embeddings)
    shape = len(conditions.times), len(conditions.places)
    number = embeddings.index(word)
    known: dict[tuple[int, int], float]
    where = list(zip(conditions.time_of, conditions.place_of, strict=True))
    if formula is None:
        own = own_vectors(embeddings, word, min_count, least=2)
        cosines = np.multiply(own.unit, overall(own.unit)).sum(axis=1)
        known = {where[at]: float(cosine) for at, cosine in zip(own.conditions.tolist(), cosines, strict=True)}
    else:
        rows = positions(embeddings, word, formula, min_count=min_count, resamples=0).rows
        known = {at: row.value for at, row in zip(where, rows, strict=True) if row.value is not None}
    counts = {at: embeddings.observed.of(number, condition) for condition, at in enumerate(where)}
    changes = [_change(embeddings, word, place, level, permutations, min_count) for place in conditions.places]
    order = {time: at for at, time in enumerate(conditions.times)}
    changes.sort(key=lambda one: (not one.accepted, order.get(one.first or "", len(order)), one.place))
    return Grid(
        word,
        formula or "overall",
        conditions.times,
        conditions.places,
        tuple(tuple(known.get((time, place)) for place in range(shape[1])) for time in range(shape[0])),
        tuple(tuple(counts.get((time, place), 0) for place in range(shape[1])) for time in range(shape[0])),
        tuple(changes),
        min_count,
        embeddings.signature,
    )


def _change(
    embeddings: ConditionedEmbeddings, word: str, place: str, level: float, permutations: int, min_count: int
) -> PlaceChange:
    """The largest change of a word in a place."""
    try:
        found = change_points(
            embeddings,
            word,
            place=place,
            most=1,
            level=level,
            permutations=permutations,
            top=0,
            min_count=min_count,
        )
    except InputError:
        # Too rare in this place; that is an answer, too.
        return PlaceChange(place, None, None, None, None, False)
    point = found.points[0]
    conditions = embeddings.conditions
    first = conditions.times[conditions.time_of[conditions.index(point.first)]]
    return PlaceChange(place, first, point.shift, point.p, point.p_words, point.accepted)
