"""The condition of a document, from its date and its place as they are written."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from chronotope.conditions import Conditions
from chronotope.corpus.binning import NamedBins
from chronotope.corpus.dates import days_from_date, read_dates
from chronotope.errors import InputError

NOWHERE = -1


def place_in_conditions(conditions: Conditions, times: Sequence[Any], places: Sequence[Any]) -> NDArray[np.int64]:
    """(N,) the number of the condition of each document; -1 where there is none.

    Parameters
    ----------
    conditions
        The conditions of the embeddings.
    times
        (N,) years, dates or timestamps, or the labels of bins; empty where the conditions have no times.
    places
        (N,) places, in any case; empty where the conditions have none.

    Examples
    --------
    >>> decades = Conditions.of_times(["1990s", "2000s"])
    >>> place_in_conditions(decades, [1998, "2001-09-11", "1990s", "1850"], []).tolist()
    [0, 1, 0, -1]
    """
    number = {}
    for condition in range(len(conditions)):
        time = conditions.time_of[condition] if conditions.times else 0
        place = conditions.place_of[condition] if conditions.places else 0
        number[time, place] = condition
    rows = len(times) if conditions.times else len(places)
    time_of = _times(conditions.times, times) if conditions.times else np.zeros(rows, np.int64)
    place_of = _places(conditions.places, places) if conditions.places else np.zeros(rows, np.int64)
    pairs = zip(time_of.tolist(), place_of.tolist(), strict=True)
    return np.array([number.get(pair, NOWHERE) for pair in pairs], dtype=np.int64)


def days_of(label: str) -> tuple[int, int] | None:
    """The first and the last day of a bin, by its label; None where the label is a name.

    Examples
    --------
    >>> days_of("1970"), days_of("1970-Q1"), days_of("1970-01..1970-06"), days_of("1970-W02"), days_of("cold war")
    ((0, 364), (0, 89), (0, 180), (4, 10), None)
    """
    quarter = re.fullmatch(r"(-?\d{4,})-Q([1-4])", label)
    if quarter:
        last = 3 * int(quarter[2])
        return _span(f"{quarter[1]}-{last - 2:02d}", f"{quarter[1]}-{last:02d}")
    week = re.fullmatch(r"(\d{4})-W(\d{2})", label)
    if week:
        try:
            monday = date.fromisocalendar(int(week[1]), int(week[2]), 1)
        except ValueError:
            return None
        first = int(days_from_date(*(np.array([part]) for part in (monday.year, monday.month, monday.day)))[0])
        return first, first + 6
    decade = re.fullmatch(r"(-?\d+)s", label)
    if decade:
        return _span(_written(int(decade[1])), _written(int(decade[1]) + 9))
    span = re.fullmatch(r"(.+)\.\.(.+)", label) or re.fullmatch(r"(\d+)-(\d{3,})", label)
    if span:
        ends = [_written(int(part)) if re.fullmatch(r"-?\d+", part) else part for part in span.groups()]
        return _span(ends[0], ends[1])
    year = re.fullmatch(r"-?\d+", label)
    return _span(_written(int(label)), _written(int(label))) if year else _span(label, label)


def _times(labels: Sequence[str], values: Sequence[Any]) -> NDArray[np.int64]:
    """(N,) the place of each time among the bins: by the label itself, or by its date."""
    known = {label.casefold(): at for at, label in enumerate(labels)}
    texts = [None if value is None else str(value).strip() for value in values]
    found = np.array([known.get(text.casefold(), NOWHERE) if text else NOWHERE for text in texts], dtype=np.int64)
    rest = np.flatnonzero(found == NOWHERE)
    spans = [(span, at) for at, label in enumerate(labels) if (span := days_of(label)) is not None]
    if not len(rest) or not spans:
        return found
    spans.sort()
    bins = NamedBins(
        tuple(labels[at] for _, at in spans),
        np.array([first for (first, _), _ in spans]),
        np.array([last for (_, last), _ in spans]),
    )
    dates = read_dates(pl.Series([texts[row] for row in rest.tolist()], dtype=pl.String))
    assigned = bins.assign(dates)
    good = dates.readable & ~assigned.outside & ~assigned.too_coarse
    order = np.array([at for _, at in spans])
    found[rest[good]] = order[assigned.key[good]]
    return found


def _places(labels: Sequence[str], values: Sequence[Any]) -> NDArray[np.int64]:
    known = {label.casefold(): at for at, label in enumerate(labels)}
    return np.array(
        [NOWHERE if value is None else known.get(str(value).strip().casefold(), NOWHERE) for value in values],
        dtype=np.int64,
    )


def _span(first: str, last: str) -> tuple[int, int] | None:
    dates = read_dates(pl.Series([first, last]))
    if not dates.readable.all():
        return None
    return int(dates.first_day[0]), int(dates.last_day[1])


def _written(year: int) -> str:
    """A year as `read_dates` takes it: with a sign where it is short or before the first."""
    return str(year) if 100 <= year <= 99_999 else f"{year:+d}"


def refuse(where: NDArray[np.int64], told: Mapping[str, Sequence[Any]], conditions: Conditions) -> None:
    """Raise InputError where a document has no condition; `told` is what is known of time and place."""
    bad = np.flatnonzero(where == NOWHERE)
    if len(bad):
        labels = conditions.labels
        span = f"{labels[0]} … {labels[-1]}" if len(labels) > 1 else labels[0]
        raise InputError(
            f"{len(bad):,} of {len(where):,} rows are in no condition of the model ({span}); the first is row {bad[0]} "
            f"with {' and '.join(f'{name} {values[bad[0]]!r:.40}' for name, values in told.items())}; "
            "missing='zero' gives zeros instead"
        )
