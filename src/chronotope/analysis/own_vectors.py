"""A word's own vectors: one for each condition in which it has enough support, and the conditions in order of time."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from chronotope.conditions import Conditions
from chronotope.config import at_least
from chronotope.embeddings import ConditionedEmbeddings
from chronotope.errors import InputError, SettingsError, UnknownConditionError, number_of


class OwnVectors(NamedTuple):
    """The centered unit vectors of a word where it has enough support.

    Attributes
    ----------
    conditions
        (N,) the numbers of those conditions.
    unit
        (N, D) its vectors there.
    """

    conditions: NDArray[np.int64]
    unit: NDArray[np.float64]


def own_vectors(
    embeddings: ConditionedEmbeddings, word: str, min_count: int, among: Iterable[int] | None = None, least: int = 1
) -> OwnVectors:
    """The vectors of a word in the conditions where it occurs often enough.

    Parameters
    ----------
    embeddings
        The embeddings.
    word
        The word.
    min_count
        What is often enough; at least 1, since an absent word has no vector of its own.
    among
        The numbers of the conditions to look at, in order; by default all.
    least
        How many conditions there must be: with fewer the question has no answer.
    """
    at_least("min_count", min_count, 1)
    number, labels = embeddings.index(word), embeddings.conditions.labels
    looked_at = range(len(labels)) if among is None else among
    kept = [condition for condition in looked_at if embeddings.observed.of(number, condition) >= min_count]
    if len(kept) < least:
        where = f"in {len(kept)} of the conditions" if kept else "in no condition"
        enough, helps = number_of(min_count, "times"), what_helps(embeddings.conditions, min_count)
        raise InputError(f"'{word}' occurs {enough} or more {where}; this needs {least}{helps}")
    rows = [embeddings.project([word], labels[condition], labels[condition])[0] for condition in kept]
    return OwnVectors(np.array(kept, dtype=np.int64), np.array(rows, dtype=np.float64).reshape(len(kept), -1))


def what_helps(conditions: Conditions, min_count: int) -> str:
    """A clause that says what to do where a word is too rare.

    Examples
    --------
    >>> what_helps(Conditions.of_times(["1998", "1999"]), 5)
    '; lower min_count (--min-count), or take longer time bins'
    """
    ways = ["lower min_count (--min-count)"] * (min_count > 1) + ["take longer time bins"] * bool(conditions.times)
    return f"; {', or '.join(ways)}" if ways else ""


def in_one_space(embeddings: ConditionedEmbeddings) -> None:
    """Refuse embeddings whose conditions have a space each: their vectors cannot be added or averaged across them."""
    if embeddings.query_mapping is not None:
        method = embeddings.provenance.get("method", "this method")
        raise SettingsError(f"{method} has a space of its own for each condition; this needs all vectors in one space")


def own_cosines(embeddings: ConditionedEmbeddings, word: str, own: OwnVectors) -> NDArray[np.float64]:
    """(N, N) the cosines of a word with itself: from the condition of the row to that of the column."""
    if embeddings.query_mapping is None:
        # Not a matrix product, whose last bits may differ with the threads of BLAS.
        cosines = np.multiply(own.unit[:, None, :], own.unit[None, :, :]).sum(axis=2)
        np.fill_diagonal(cosines, 1.0)
        return np.asarray(cosines)
    labels = [embeddings.conditions.labels[condition] for condition in own.conditions]
    return np.array([[1.0 if a == b else embeddings.similarity(word, word, a, b) for b in labels] for a in labels])


def unit_vectors(vectors: NDArray[np.floating]) -> NDArray[np.float64]:
    """(…, D) the vectors at length one."""
    length = np.sqrt(np.square(vectors, dtype=np.float64).sum(axis=-1, keepdims=True))
    return np.asarray(vectors / np.where(length == 0, 1, length))


def overall(unit: NDArray[np.float64]) -> NDArray[np.float64]:
    """(…, N, D) for each condition what the word means in all others: the mean of those directions, of length one."""
    others = unit.sum(axis=-2, keepdims=True) - unit
    length = np.sqrt(np.square(others).sum(axis=-1, keepdims=True))
    length[length == 0] = 1
    return np.asarray(others / length)


def place_number(conditions: Conditions, place: str) -> int:
    """The number of a place, in any case."""
    numbers = {name.casefold(): number for number, name in enumerate(conditions.places)}
    if place.strip().casefold() not in numbers:
        raise UnknownConditionError(place, conditions.places, "places")
    return numbers[place.strip().casefold()]


def timeline(conditions: Conditions, place: str | None = None) -> list[int]:
    """The numbers of the conditions in order of time; where there are places, too, those of one place.

    Examples
    --------
    >>> both = Conditions(("1998", "1999"), ("canada", "india"), (0, 0, 1, 1), (0, 1, 0, 1))
    >>> timeline(both, "India")
    [1, 3]
    """
    if not conditions.times:
        raise SettingsError("the conditions of this model are places, which have no order in time")
    if not conditions.places:
        if place is not None:
            raise SettingsError(f"the conditions of this model are time bins; there is no place '{place}'")
        return list(range(len(conditions)))
    if place is None:
        shown = ", ".join(conditions.places[:8]) + (" …" if len(conditions.places) > 8 else "")
        raise SettingsError(f"name the place whose time line is meant (--place): {shown}")
    wanted = place_number(conditions, place)
    return [number for number in range(len(conditions)) if conditions.place_of[number] == wanted]
