"""Read the columns of a table, and find the condition of each row from its date and place."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from chronotope.conditions import Conditions
from chronotope.corpus.binning import NamedBins, days_of
from chronotope.corpus.dates import read_dates
from chronotope.errors import InputError, did_you_mean

MISSING = -1


def read_columns(rows: Any, names: Sequence[str]) -> list[list[Any]]:
    """Return the values of some columns; missing values are None.

    The rows are a frame of polars or pandas, a list of mappings, or a list or array of rows with their values in the
    order of `names`; for a single column also a list of values.
    """
    if isinstance(rows, pl.LazyFrame):
        rows = rows.collect()
    if hasattr(rows, "columns"):
        _check_columns(rows.columns, names)
        return [_values(rows[name]) for name in names]
    if isinstance(rows, str | bytes | Mapping):
        raise InputError(f"expected a list of rows with {', '.join(names)}, not one {type(rows).__name__}")
    rows = list(rows)
    if rows and isinstance(rows[0], Mapping):
        for row in rows:
            _check_columns(row if isinstance(row, Mapping) else [], names)
        return [[row[name] for row in rows] for name in names]
    if len(names) == 1 and all(isinstance(row, str) or row is None for row in rows):
        return [rows]
    for number, row in enumerate(rows):
        if isinstance(row, str) or not hasattr(row, "__len__") or len(row) != len(names):
            raise InputError(f"row {number} does not hold {', '.join(names)}, but {row!r:.60}")
    return [[row[place] for row in rows] for place in range(len(names))]


def find_conditions(conditions: Conditions, times: Sequence[Any], places: Sequence[Any]) -> NDArray[np.int64]:
    """Return the number of the condition of each row, -1 if there is none.

    Times are years, dates, timestamps or labels of bins; places are labels in any case. An axis that the conditions do
    not have is ignored.
    """
    count = len(times) if conditions.times else len(places)
    time_of = _find_times(conditions.times, times) if conditions.times else np.zeros(count, np.int64)
    place_of = find_labels(conditions.places, places) if conditions.places else np.zeros(count, np.int64)
    number = np.full((max(1, len(conditions.times)), max(1, len(conditions.places))), MISSING)
    number[conditions.coordinates] = np.arange(len(conditions))
    return np.where((time_of == MISSING) | (place_of == MISSING), MISSING, number[time_of, place_of])


def refuse_missing(numbers: NDArray[np.int64], columns: Mapping[str, Sequence[Any]], conditions: Conditions) -> None:
    """Raise InputError if a row has no condition; `columns` are the times and places, for the message."""
    bad = np.flatnonzero(numbers == MISSING)
    if len(bad):
        first = " and ".join(f"{name} {values[bad[0]]!r:.40}" for name, values in columns.items())
        raise InputError(
            f"{len(bad):,} of {len(numbers):,} rows are in no condition of the model ({conditions.span}); the first is "
            f"row {bad[0]} with {first}; missing='zero' gives zeros instead"
        )


def _find_times(labels: Sequence[str], values: Sequence[Any]) -> NDArray[np.int64]:
    """Return the bin of each time, by its label or by its date."""
    numbers = find_labels(labels, values)
    rest = np.flatnonzero(numbers == MISSING)
    spans = sorted((span, at) for at, label in enumerate(labels) if (span := days_of(label)) is not None)
    if not len(rest) or not spans:
        return numbers
    first, last = np.array([span for span, _ in spans]).T
    texts = [None if values[row] is None else str(values[row]).strip() for row in rest.tolist()]
    dates = read_dates(pl.Series(texts, dtype=pl.String))
    assigned = NamedBins(tuple(labels[at] for _, at in spans), first, last).assign(dates)
    good = dates.readable & ~assigned.outside & ~assigned.too_coarse
    numbers[rest[good]] = np.array([at for _, at in spans])[assigned.key[good]]
    return numbers


def find_labels(labels: Sequence[str], values: Sequence[Any]) -> NDArray[np.int64]:
    """Return the number of each label, in any case."""
    numbers = {label.casefold(): at for at, label in enumerate(labels)}
    names = ("" if value is None else str(value).strip().casefold() for value in values)
    return np.array([numbers.get(name, MISSING) for name in names], dtype=np.int64)


def _values(column: Any) -> list[Any]:
    values: list[Any] = column.to_list()
    if hasattr(column, "isna"):  # pandas has several kinds of missing values
        return [None if missing else value for value, missing in zip(values, column.isna(), strict=True)]
    return values


def _check_columns(known: Iterable[Any], names: Sequence[str]) -> None:
    columns = list(map(str, known))
    if missing := next((name for name in names if name not in columns), None):
        listed = f"{', '.join(columns[:20])}{did_you_mean(missing, columns)}"
        raise InputError(f"there is no column '{missing}'; the columns are: {listed}")
