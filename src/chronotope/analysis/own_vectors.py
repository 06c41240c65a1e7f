"""The vectors of one word over the conditions, and the conditions that a question is about."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from chronotope.analysis.params import run_of
from chronotope.conditions import Conditions
from chronotope.corpus.report import flags
from chronotope.embeddings import ConditionedEmbeddings
from chronotope.errors import InputError, SettingsError, UnknownConditionError, number_of, some_of


class OwnVectors(NamedTuple):
    """The vectors of a word in the conditions where it occurs often enough."""

    conditions: NDArray[np.int64]  # (N,) condition numbers
    unit: NDArray[np.float64]  # (N, D) centered unit vectors


def own_vectors(
    embeddings: ConditionedEmbeddings, word: str, min_count: int, among: Iterable[int] | None = None, least: int = 1
) -> OwnVectors:
    """Return the vectors of a word in those conditions of `among`, in order, where it occurs `min_count` times.

    Raise InputError if these are fewer than `least`.
    """
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
    """Return a clause that says what to do if a word is too rare.

    >>> what_helps(Conditions.of_times(["1998", "1999"]), 5)
    '; lower min_count (--min-count), or take longer time bins'
    """
    ways = ["lower min_count (--min-count)"] * (min_count > 1) + ["take longer time bins"] * bool(conditions.times)
    return f"; {', or '.join(ways)}" if ways else ""


def in_one_space(embeddings: ConditionedEmbeddings) -> None:
    """Raise SettingsError if each condition has a space of its own: such vectors cannot be added or averaged."""
    if embeddings.query_mapping is not None:
        method = embeddings.provenance.get("method", "this method")
        raise SettingsError(f"{method} has a space of its own for each condition; this needs all vectors in one space")


def own_cosines(embeddings: ConditionedEmbeddings, word: str, own: OwnVectors) -> NDArray[np.float64]:
    """Return the (N, N) cosines of a word with itself, from the condition of the row to that of the column."""
    if embeddings.query_mapping is None:
        # Not a matrix product, whose last bits may differ with the threads of BLAS.
        cosines = np.multiply(own.unit[:, None, :], own.unit[None, :, :]).sum(axis=2)
        np.fill_diagonal(cosines, 1.0)
        return np.asarray(cosines)
    labels = [embeddings.conditions.labels[condition] for condition in own.conditions]
    return np.array([[1.0 if a == b else embeddings.similarity(word, word, a, b) for b in labels] for a in labels])


def unit_vectors(vectors: NDArray[np.floating]) -> NDArray[np.float64]:
    """Scale (…, D) vectors to length one; zero stays zero."""
    length = np.sqrt(np.square(vectors, dtype=np.float64).sum(axis=-1, keepdims=True))
    return np.asarray(vectors / np.where(length == 0, 1, length))


def overall(unit: NDArray[np.float64], apart: NDArray[np.bool_] | None = None) -> NDArray[np.float64]:
    """Return for each of (…, N, D) vectors the mean direction of all others, of length one.

    With `apart`, (N, N), the others are only those that it marks; a vector without any gets NaN.
    """
    if apart is None or apart.sum() == len(apart) * (len(apart) - 1):
        return unit_vectors(unit.sum(axis=-2, keepdims=True) - unit)
    # Not a matrix product, whose last bits may differ with the threads of BLAS.
    others = unit_vectors(np.einsum("ab,...bd->...ad", apart.astype(np.float64), unit))
    return np.asarray(np.where(apart.any(axis=1, keepdims=True), others, np.nan))


def timeline(conditions: Conditions, place: str | None = None) -> list[int]:
    """Return the conditions in order of time; with time × place, those of one place.

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
        raise SettingsError(f"name one place (--place): {some_of(conditions.places)}")
    names = [conditions.places[number].casefold() for number in conditions.place_of]
    if place.strip().casefold() not in names:
        raise UnknownConditionError(place, conditions.places, "places")
    return [number for number, name in enumerate(names) if name == place.strip().casefold()]


def full_bins(embeddings: ConditionedEmbeddings) -> list[int]:
    """Return the conditions without first and last time bins that the text covers only in part.

    The flags of `prepare` decide; then, bin by bin from both ends, the amount of text.
    """
    conditions, observed = embeddings.conditions, embeddings.observed
    kept = list(range(len(conditions)))
    if (run := run_of(embeddings)) is not None:
        judged = {row.condition: row.flag for row in run.store.report.conditions}
        kept = [number for number in kept if judged.get(conditions.labels[number]) != "partial?"]
    while kept:
        tokens = [int(observed.counts_in(number).sum()) for number in kept]
        times = np.unique([conditions.time_of[number] for number in kept], return_inverse=True)[1]
        found = flags(tokens, times.tolist(), np.zeros((2, times.max() + 1)))
        if "partial?" not in found:
            break
        kept = [number for number, flag in zip(kept, found, strict=True) if flag != "partial?"]
    return kept


def named_conditions(conditions: Conditions, at: str, place: str | None = None) -> list[int]:
    """Return the conditions of a name: a label, 'all', or with time × place a time bin or a place alone.

    >>> both = Conditions(("1998", "1999"), ("canada", "india"), (0, 0, 1, 1), (0, 1, 0, 1))
    >>> [named_conditions(both, at) for at in ("1998/india", "1999", "India", "all")]
    [[1], [2, 3], [1, 3], [0, 1, 2, 3]]
    >>> named_conditions(both, "1999", place="canada")
    [2]
    """
    among = list(range(len(conditions))) if place is None else timeline(conditions, place)
    wanted = at.strip().casefold()
    if wanted == "all":
        return among
    if conditions.times and conditions.places:
        labels = [conditions.labels[number].casefold() for number in among]
        times = [conditions.times[conditions.time_of[number]].casefold() for number in among]
        places = [conditions.places[conditions.place_of[number]].casefold() for number in among]
        for names in (labels, times, places):
            if found := [number for number, name in zip(among, names, strict=True) if name == wanted]:
                return found
        raise UnknownConditionError(at, (*conditions.labels, *conditions.times, *conditions.places))
    return [conditions.index(at)]
