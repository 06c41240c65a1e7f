"""Answers as frames: `to_polars`, `to_pandas` and HTML for notebooks.

Columns have the names and types of the fields that they come from, even without rows.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from functools import cache
from html import escape
from typing import TYPE_CHECKING, Any

from chronotope.errors import MissingExtraError, SettingsError

if TYPE_CHECKING:
    import pandas
    import polars as pl

_PLAIN = ("str", "int", "float", "bool")
MOST_ROWS = 20
MOST_LETTERS = 200


class Framed:
    """Base of answers that can be turned into a frame by `_frame`."""

    __slots__ = ()

    def _frame(self) -> pl.DataFrame:
        return frame_of(self)

    def to_polars(self) -> pl.DataFrame:
        """Return the answer as a polars frame with a row for each result."""
        return self._frame()

    def to_pandas(self) -> pandas.DataFrame:
        """Return the answer as a pandas frame; raise MissingExtraError if pandas is not installed."""
        try:
            import pandas  # noqa: F401
        except ImportError:
            raise MissingExtraError("to_pandas", "pandas") from None
        return self._frame().to_pandas()

    def _shown(self) -> pl.DataFrame:
        """Return the frame that a notebook shows, which may be wide where `_frame` is long."""
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


def frame_of(answer: Any) -> pl.DataFrame:
    """Return a dataclass as a frame; a field `word` becomes the first column.

    A field with a tuple of dataclasses gives a row for each of them (or the frame of each, if they have `conditions`).
    Otherwise tuples as long as its `conditions` become columns; without conditions its plain fields make one row.

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
            return rows_frame(kind, getattr(answer, field.name), getattr(answer, "word", None))
    if isinstance(getattr(answer, "conditions", None), tuple):
        return parallel_frame(answer, "conditions")
    plain = [field for field in fields(answer) if _plain(str(field.type)) in _PLAIN]
    return table({field.name: (str(field.type), [getattr(answer, field.name)]) for field in plain})


def rows_frame(kind: type[Any], rows: Sequence[Any], word: str | None = None) -> pl.DataFrame:
    """Return dataclasses of one kind as rows; `word` fills a first column, named `of` if the rows have a word."""
    own = {field.name: (str(field.type), [getattr(row, field.name) for row in rows]) for field in fields(kind)}
    first = {} if word is None else {"of" if "word" in own else "word": ("str", [word] * len(rows))}
    return table(first | own)


def parallel_frame(answer: Any, axis: str) -> pl.DataFrame:
    """Return a row for each entry of the field `axis`, and a column for each field of the same length."""
    along = getattr(answer, axis)
    columns: dict[str, tuple[str, Iterable[Any]]] = {}
    if hasattr(answer, "word"):
        columns["word"] = ("str", [answer.word] * len(along))
    for field in fields(answer):
        value, kind = getattr(answer, field.name), _item(str(field.type))
        if kind in _PLAIN and isinstance(value, tuple) and len(value) in (0, len(along)):
            # An empty tuple was not requested: its column is null.
            columns[field.name.removesuffix("s")] = (kind, value or [None] * len(along))
    return table(columns)


def table(columns: Mapping[str, tuple[str, Iterable[Any]]]) -> pl.DataFrame:
    """Return a frame from columns, each given as a type annotation and its values."""
    import polars as pl

    check_not_forked()
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


@cache
def _first_process() -> int:
    return os.getpid()


def check_not_forked() -> None:
    """Raise SettingsError in a process that was forked after its parent used polars, whose threads do not survive."""
    if _first_process() != os.getpid():
        raise SettingsError(
            "this process was forked from one that has used chronotope, and would wait forever; start processes with "
            "multiprocessing.get_context('spawn')"
        )


def _value(value: Any) -> Any:
    """Return a value that a frame can hold; an answer is replaced by its word."""
    if isinstance(value, tuple | list):
        return [_value(item) for item in value]
    return getattr(value, "word", str(value)) if is_dataclass(value) else value


def _plain(annotation: str) -> str:
    return annotation.removesuffix("| None").strip()


def _item(annotation: str) -> str:
    """Return the item type of a tuple annotation, or ''."""
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
    """Return HTML for a notebook: a heading, facts in one line, a table, the number of rows left out, a note."""
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
    """Format a value for display.

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
