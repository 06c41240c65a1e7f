"""Answers as frames: `to_polars` and `to_pandas` on every one of them, and a table in a notebook.

A column has the name of the field that it comes from, and a type of its own even where there is no row.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from typing import TYPE_CHECKING, Any

from chronotope.display import MOST_ROWS, html
from chronotope.errors import MissingExtra

if TYPE_CHECKING:
    import pandas
    import polars as pl

_PLAIN = ("str", "int", "float", "bool")


class Framed:
    """What can be had as a frame; `_frame` says how."""

    __slots__ = ()

    def _frame(self) -> pl.DataFrame:
        return frame_of(self)

    def to_polars(self) -> pl.DataFrame:
        """The answer as a frame of polars, a row for each thing that was found."""
        return self._frame()

    def to_pandas(self) -> pandas.DataFrame:
        """The answer as a frame of pandas, which is not installed with chronotope."""
        return as_pandas(self.to_polars())

    def _shown(self) -> pl.DataFrame:
        """The frame as it is shown: one that would be long may be wide here."""
        return self._frame()

    def _repr_html_(self) -> str:
        """A table, for a notebook; what the heading tells, and what is known of no row, has no column in it."""
        frame, fields = self._shown(), self._frame().columns
        facts, note = _facts(self)
        told = [
            name for name in ("word", "of", "at") if name in frame.columns and _is_all(frame[name], facts.get(name))
        ]
        told += ["of"] if "of" in frame.columns and _is_all(frame["of"], facts.get("word")) else []
        unknown = [
            name
            for name in frame.columns
            if name in fields and frame.height and frame[name].null_count() == frame.height
        ]
        frame = frame.drop({*told, *unknown})
        rows = frame.head(MOST_ROWS).rows()
        return html(type(self).__name__, facts, frame.columns, rows, left_out=frame.height - len(rows), note=note)


def as_pandas(frame: pl.DataFrame) -> pandas.DataFrame:
    """A frame of polars as one of pandas."""
    try:
        import pandas  # noqa: F401
    except ImportError:
        raise MissingExtra("to_pandas", "pandas") from None
    return frame.to_pandas()


def frame_of(answer: Any) -> pl.DataFrame:
    """A dataclass as a frame, by what it holds.

    A tuple of dataclasses in it gives a row for each of them (the rows of each, where they are over conditions
    themselves); else tuples as long as its `conditions` are columns, a row for each condition; else its plain fields
    make one row. The word that was asked about comes first.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> @dataclass
    ... class Series:
    ...     word: str
    ...     conditions: tuple[str, ...]
    ...     support: tuple[int, ...]
    >>> frame_of(Series("bank", ("1990", "2000"), (7, 9))).to_dict(as_series=False)
    {'word': ['bank', 'bank'], 'condition': ['1990', '2000'], 'support': [7, 9]}
    """
    for field in fields(answer):
        kind = _row_class(type(answer), str(field.type))
        if kind is not None and any(part.name == "conditions" for part in fields(kind)):
            return _joined([frame_of(part) for part in getattr(answer, field.name)])
        if kind is not None:
            return rows_frame(kind, getattr(answer, field.name), {"word": getattr(answer, "word", None)})
    if isinstance(getattr(answer, "conditions", None), tuple):
        return parallel_frame(answer, "conditions")
    plain = [field for field in fields(answer) if _plain(str(field.type)) in _PLAIN]
    return table({field.name: (str(field.type), [getattr(answer, field.name)]) for field in plain})


def _joined(frames: list[pl.DataFrame]) -> pl.DataFrame:
    import polars as pl

    return pl.concat(frames) if frames else pl.DataFrame()


def rows_frame(kind: type[Any], rows: Sequence[Any], constants: Mapping[str, Any] | None = None) -> pl.DataFrame:
    """Rows that are dataclasses of one kind, a column for each of their fields.

    Parameters
    ----------
    kind
        Their class; its fields are the columns also where there is no row.
    rows
        The rows.
    constants
        Columns that come first and have the same value in each row; None is left out. One whose name the rows have is
        called `of`.
    """
    own = {field.name: (str(field.type), [getattr(row, field.name) for row in rows]) for field in fields(kind)}
    first = {
        "of" if name in own else name: (type(value).__name__, [value] * len(rows))
        for name, value in (constants or {}).items()
        if value is not None
    }
    return table(first | own)


def parallel_frame(answer: Any, axis: str, constants: Sequence[str] = ("word",)) -> pl.DataFrame:
    """A row for each entry of the field `axis`, and a column for each field that is as long."""
    along = getattr(answer, axis)
    columns: dict[str, tuple[str, Iterable[Any]]] = {
        name: ("str", [getattr(answer, name)] * len(along)) for name in constants if hasattr(answer, name)
    }
    for field in fields(answer):
        value, kind = getattr(answer, field.name), _item(str(field.type))
        if kind in _PLAIN and isinstance(value, tuple) and len(value) in (0, len(along)):
            # What was not asked for is empty; its column is there all the same.
            columns[_singular(field.name)] = (kind, value or [None] * len(along))
    return table(columns)


def table(columns: Mapping[str, tuple[str, Iterable[Any]]]) -> pl.DataFrame:
    """A frame from its columns, each given as its type, written as an annotation, and its values."""
    import polars as pl

    made = [
        pl.Series(name, [_cell(value) for value in values], dtype=_dtype(kind), strict=False)
        for name, (kind, values) in columns.items()
    ]
    return pl.DataFrame(made)


def _dtype(annotation: str) -> Any:
    import polars as pl

    types = {"str": pl.String, "int": pl.Int64, "float": pl.Float64, "bool": pl.Boolean}
    plain = _plain(annotation)
    if plain in types:
        return types[plain]
    item = _item(plain)
    return pl.List(types.get(item, pl.String)) if item else pl.String


def _plain(annotation: str) -> str:
    return annotation.removesuffix("| None").strip()


def _item(annotation: str) -> str:
    """The type of the items of a tuple; empty where it is none."""
    found = re.match(r"tuple\[([\w.]+)", _plain(annotation))
    return found[1] if found else ""


def _row_class(owner: type[Any], annotation: str) -> type[Any] | None:
    """The dataclass that a field holds a tuple of."""
    item = _item(annotation)
    if not item or item in _PLAIN:
        return None
    found = getattr(sys.modules[owner.__module__], item, None)
    return found if isinstance(found, type) and is_dataclass(found) else None


def _cell(value: Any) -> Any:
    """A value that a frame can hold: of an answer within an answer its word, or how it is written."""
    if isinstance(value, tuple | list):
        return [_cell(item) for item in value]
    if is_dataclass(value):
        return getattr(value, "word", str(value))
    return value


def _singular(name: str) -> str:
    """The name of one entry.

    Examples
    --------
    >>> [_singular(name) for name in ("conditions", "values", "support", "per_million", "ranks")]
    ['condition', 'value', 'support', 'per_million', 'rank']
    """
    return name.removesuffix("s") if name not in ("words",) else "word"


def _is_all(column: pl.Series, value: Any) -> bool:
    """Whether a column holds one value and nothing else."""
    return value is not None and len(column) > 0 and bool((column == value).all())


def _facts(answer: Any) -> tuple[dict[str, Any], str]:
    """The plain fields of an answer, for its heading, and its signature for the line below."""
    if not is_dataclass(answer):
        return {}, ""
    plain = {field.name: getattr(answer, field.name) for field in fields(answer) if _plain(str(field.type)) in _PLAIN}
    plain.pop("signature", None)
    note = str(getattr(answer, "signature", ""))
    return {name.replace("_", " "): value for name, value in plain.items()}, note
