"""The columns of what a pipeline passes on: frames, records, or rows without names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from chronotope.errors import InputError, did_you_mean


def read_columns(rows: Any, names: Sequence[str]) -> list[list[Any]]:
    """The values of some columns.

    Parameters
    ----------
    rows
        A frame of polars or pandas, a list of mappings, or a list (an array) of rows whose values come in the order
        of `names`; for one column alone also a list of values.
    names
        The columns.

    Examples
    --------
    >>> read_columns([{"word": "bank", "at": "1990"}], ["at", "word"])
    [['1990'], ['bank']]
    >>> read_columns([("bank", "1990")], ["word", "at"])
    [['bank'], ['1990']]
    """
    if hasattr(rows, "collect_schema") and hasattr(rows, "collect"):
        rows = rows.collect()
    if hasattr(rows, "columns"):
        known = [str(column) for column in rows.columns]
        for name in names:
            if name not in known:
                raise _missing(name, known)
        return [_values(rows[name]) for name in names]
    if isinstance(rows, str | bytes | Mapping):
        raise InputError(f"expected a list of rows with {', '.join(names)}, not one {type(rows).__name__}")
    rows = list(rows)
    if rows and isinstance(rows[0], Mapping):
        return [[_value(row, name) for row in rows] for name in names]
    if len(names) == 1 and all(isinstance(row, str) or row is None for row in rows):
        return [rows]
    for number, row in enumerate(rows):
        if isinstance(row, str) or not hasattr(row, "__len__") or len(row) != len(names):
            raise InputError(f"row {number} does not hold {', '.join(names)}, but {row!r:.60}")
    return [[row[place] for row in rows] for place in range(len(names))]


def _values(column: Any) -> list[Any]:
    values = column.to_list()
    # What is missing is None in polars, and one of several things in pandas.
    return (
        [None if gone else value for value, gone in zip(values, column.isna(), strict=True)]
        if hasattr(column, "isna")
        else values
    )


def _value(row: Any, name: str) -> Any:
    if not isinstance(row, Mapping) or name not in row:
        raise _missing(name, list(map(str, row)) if isinstance(row, Mapping) else [])
    return row[name]


def _missing(name: str, known: list[str]) -> InputError:
    return InputError(
        f"there is no column '{name}'; the columns are: {', '.join(known[:20])}{did_you_mean(name, known)}"
    )
