"""Answers as frames: `to_polars` and `to_pandas` on every one of them, and HTML in a notebook.

A column has the name of the field that it comes from, and a type of its own even where there is no row.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from html import escape
from typing import TYPE_CHECKING, Any

from chronotope.errors import MissingExtraError

if TYPE_CHECKING:
    import pandas
    import polars as pl

_PLAIN = ("str", "int", "float", "bool")
MOST_ROWS = 20
MOST_LETTERS = 200


class Framed:
    """An answer that can be turned into a frame; `_frame` says how."""

    __slots__ = ()

    def _frame(self) -> pl.DataFrame:
        return frame_of(self)

    def to_polars(self) -> pl.DataFrame:
        """Return the answer as a polars frame, a row for each result."""
        return self._frame()

    def to_pandas(self) -> pandas.DataFrame:
        """Return the answer as a pandas frame; pandas is not installed with chronotope."""
        return as_pandas(self.to_polars())

    def _shown(self) -> pl.DataFrame:
        """Return the frame as it is shown: one that would be long may be wide here."""
        return self._frame()

    def _repr_html_(self) -> str:
        """Return a table for a notebook, without columns that are empty or repeat the heading."""
        frame, own = self._shown(), self._frame().columns
        facts, note = _facts(self)
        repeated = {name: facts.get(name) for name in ("word", "of", "at")}
        if "word" in facts and not _is_all(frame, "of", repeated["of"]):
            repeated["of"] = facts["word"]
        hidden = [name for name, value in repeated.items() if _is_all(frame, name, value)]
        empty = [name for name in frame.columns if name in own and frame.height and frame[name].is_null().all()]
        frame = frame.drop({*hidden, *empty})
        rows = frame.head(MOST_ROWS).rows()
        return html(type(self).__name__, facts, frame.columns, rows, left_out=frame.height - len(rows), note=note)


def _is_all(frame: pl.DataFrame, name: str, value: Any) -> bool:
    """Return whether a column exists and holds one value only."""
    return value is not None and name in frame.columns and frame.height > 0 and bool((frame[name] == value).all())


def _facts(answer: Any) -> tuple[dict[str, Any], str]:
    """Return the plain fields of an answer for its heading, and its signature for the line below."""
    if not is_dataclass(answer):
        return {}, ""
    plain = [field.name for field in fields(answer) if _plain(str(field.type)) in _PLAIN and field.name != "signature"]
    return {name.replace("_", " "): getattr(answer, name) for name in plain}, str(getattr(answer, "signature", ""))


def as_pandas(frame: pl.DataFrame) -> pandas.DataFrame:
    """Return a polars frame as a pandas frame."""
    try:
        import pandas  # noqa: F401
    except ImportError:
        raise MissingExtraError("to_pandas", "pandas") from None
    return frame.to_pandas()


def frame_of(answer: Any) -> pl.DataFrame:
    """Return a dataclass as a frame.

    A tuple of dataclasses in it gives a row for each of them (the rows of each, if they have `conditions` themselves);
    else tuples as long as its `conditions` are columns, a row for each condition; else its plain fields make one row.
    The word that was asked about comes first.

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
    import polars as pl

    for field in fields(answer):
        kind = _row_class(type(answer), str(field.type))
        if kind is not None and any(part.name == "conditions" for part in fields(kind)):
            frames = [frame_of(part) for part in getattr(answer, field.name)]
            return pl.concat(frames) if frames else pl.DataFrame()
        if kind is not None:
            return rows_frame(kind, getattr(answer, field.name), {"word": getattr(answer, "word", None)})
    if isinstance(getattr(answer, "conditions", None), tuple):
        return parallel_frame(answer, "conditions")
    plain = [field for field in fields(answer) if _plain(str(field.type)) in _PLAIN]
    return table({field.name: (str(field.type), [getattr(answer, field.name)]) for field in plain})


def rows_frame(kind: type[Any], rows: Sequence[Any], constants: Mapping[str, Any] | None = None) -> pl.DataFrame:
    """Return rows that are dataclasses of one kind, a column for each of their fields.

    `constants` are columns that come first, with the same value in each row; None is left out. One whose name the rows
    have is called `of`.
    """
    own = {field.name: (str(field.type), [getattr(row, field.name) for row in rows]) for field in fields(kind)}
    first = {
        "of" if name in own else name: (type(value).__name__, [value] * len(rows))
        for name, value in (constants or {}).items()
        if value is not None
    }
    return table(first | own)


def parallel_frame(answer: Any, axis: str, constants: Sequence[str] = ("word",)) -> pl.DataFrame:
    """Return a row for each entry of the field `axis`, and a column for each field of the same length."""
    along = getattr(answer, axis)
    columns: dict[str, tuple[str, Iterable[Any]]] = {
        name: ("str", [getattr(answer, name)] * len(along)) for name in constants if hasattr(answer, name)
    }
    for field in fields(answer):
        value, kind = getattr(answer, field.name), _item(str(field.type))
        if kind in _PLAIN and isinstance(value, tuple) and len(value) in (0, len(along)):
            # What was not asked for is empty, and its column is null.
            columns[field.name.removesuffix("s")] = (kind, value or [None] * len(along))
    return table(columns)


def table(columns: Mapping[str, tuple[str, Iterable[Any]]]) -> pl.DataFrame:
    """Return a frame from its columns, each given as an annotation and its values."""
    import polars as pl

    types = {"str": pl.String, "int": pl.Int64, "float": pl.Float64, "bool": pl.Boolean}

    def dtype(annotation: str) -> Any:
        item = _item(annotation)
        return pl.List(types.get(item, pl.String)) if item else types.get(_plain(annotation), pl.String)

    return pl.DataFrame(
        [
            pl.Series(name, [_value(value) for value in values], dtype=dtype(kind), strict=False)
            for name, (kind, values) in columns.items()
        ]
    )


def _value(value: Any) -> Any:
    """Return a value that a frame can hold: of an answer within an answer its word."""
    if isinstance(value, tuple | list):
        return [_value(item) for item in value]
    return getattr(value, "word", str(value)) if is_dataclass(value) else value


def _plain(annotation: str) -> str:
    return annotation.removesuffix("| None").strip()


def _item(annotation: str) -> str:
    """Return the type of the items of a tuple, or nothing."""
    found = re.match(r"tuple\[([\w.]+)", _plain(annotation))
    return found[1] if found else ""


def _row_class(owner: type[Any], annotation: str) -> type[Any] | None:
    """Return the dataclass that a field holds a tuple of."""
    found = getattr(sys.modules[owner.__module__], _item(annotation) or "_", None)
    return found if isinstance(found, type) and is_dataclass(found) else None


def html(
    title: str,
    facts: Mapping[str, Any] | None = None,
    columns: Sequence[str] = (),
    rows: Sequence[Sequence[Any]] = (),
    *,
    left_out: int = 0,
    note: str = "",
) -> str:
    """Return HTML for a notebook: a heading, facts in one line, a table, the number of rows left out, a note.

    Examples
    --------
    >>> html("Words <i>", {"axis": "time", "method": None}, note="made today")  # doctest: +ELLIPSIS
    '<div><strong>Words &lt;i&gt;</strong> <span>axis time</span><div...><small>made today</small></div></div>'
    """
    parts = [f"<strong>{escape(title)}</strong>"]
    known = [f"{name} {shown(value)}" for name, value in (facts or {}).items() if value not in (None, "", (), [])]
    if known:
        parts.append(f" <span>{escape(' · '.join(known))}</span>")
    if columns:
        sides = ["right" if _is_number([row[at] for row in rows]) else "left" for at in range(len(columns))]
        lines = [_row("td", [shown(cell) for cell in row], sides) for row in rows]
        head = _row("th", columns, sides)
        parts.append(f"<table><thead>{head}</thead><tbody>{''.join(lines)}</tbody></table>")
    if left_out:
        parts.append(f"<div>… {left_out:,} more</div>")
    if note:
        parts.append(f'<div style="opacity:0.7"><small>{escape(note)}</small></div>')
    return f"<div>{''.join(parts)}</div>"


def shown(value: Any) -> str:
    """Format a value for human eyes.

    Examples
    --------
    >>> [shown(value) for value in (0.04213, 1234, None, ["a", "b"], True)]
    ['0.042', '1,234', '–', 'a, b', 'yes']
    """
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return "<0.001" if 0 < value < 0.0005 else f"{value:.3f}" if abs(value) < 1e6 else f"{value:.3g}"
    text = ", ".join(map(shown, value)) if isinstance(value, list | tuple) else str(value)
    return text if len(text) <= MOST_LETTERS else f"{text[:MOST_LETTERS]}…"


def _row(tag: str, cells: Sequence[str], sides: Sequence[str]) -> str:
    style = "padding:2px 10px;text-align:"
    marked = [f'<{tag} style="{style}{side}">{escape(cell)}</{tag}>' for cell, side in zip(cells, sides, strict=True)]
    return f"<tr>{''.join(marked)}</tr>"


def _is_number(values: Sequence[Any]) -> bool:
    known = [value for value in values if value is not None]
    return bool(known) and all(isinstance(value, int | float) and not isinstance(value, bool) for value in known)
