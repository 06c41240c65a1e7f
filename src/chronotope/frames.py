"""Results as frames (`to_polars`, `to_pandas`), and tables in HTML for notebooks."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from html import escape
from typing import TYPE_CHECKING, Any

from chronotope.errors import SettingsError, import_extra

if TYPE_CHECKING:
    import pandas
    import polars as pl

MOST_ROWS = 20
MOST_LETTERS = 200
EMPTY: tuple[Any, ...] = (None, "", (), [])


class Framed:
    """Base of results that have a `frame`."""

    __slots__ = ()

    if TYPE_CHECKING:

        @property
        def frame(self) -> pl.DataFrame:
            """The rows."""

    def to_polars(self) -> pl.DataFrame:
        """Return the rows as a polars frame."""
        return self.frame

    def to_pandas(self) -> pandas.DataFrame:
        """Return the rows as a pandas frame; raise MissingExtraError if pandas is not installed."""
        import_extra("pandas", "to_pandas", "pandas")
        return self.frame.to_pandas()


@cache
def _first_process() -> int:
    return os.getpid()


def check_not_forked() -> None:
    """Raise SettingsError in a forked process whose parent used polars: its threads do not survive a fork."""
    if _first_process() != os.getpid():
        raise SettingsError(
            "this process was forked from one that has used chronotope, and would wait forever; start processes with "
            "multiprocessing.get_context('spawn')"
        )


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
    if about := [f"{name} {format_value(value)}" for name, value in (facts or {}).items() if value not in EMPTY]:
        parts.append(f" <span>{escape(' · '.join(about))}</span>")
    if columns:
        parts.append(html_table(columns, rows))
    if left_out:
        parts.append(f"<div>… {left_out:,} more</div>")
    if note:
        parts.append(f'<div style="opacity:0.7"><small>{escape(note)}</small></div>')
    return f"<div>{''.join(parts)}</div>"


def html_table(columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    """Return a table in HTML, numbers on the right."""
    sides = ["right" if is_number(row[at] for row in rows) else "left" for at in range(len(columns))]
    lines = [_row("td", [format_value(cell) for cell in row], sides) for row in rows]
    return f"<table><thead>{_row('th', columns, sides)}</thead><tbody>{''.join(lines)}</tbody></table>"


def is_number(values: Iterable[Any]) -> bool:
    """Return whether all known values are numbers, and at least one is known."""
    present = [value for value in values if value is not None]
    return bool(present) and all(isinstance(value, int | float) and not isinstance(value, bool) for value in present)


def format_value(value: Any) -> str:
    """Format a value for display.

    >>> [format_value(value) for value in (0.04213, 2326.258, 1234, None, ["a", "b"], True)]
    ['0.042', '2,326.3', '1,234', '–', 'a, b', 'yes']
    """
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        if abs(value) >= 1e6:
            return f"{value:.3g}"
        return "<0.001" if 0 < value < 0.0005 else f"{value:,.1f}" if abs(value) >= 100 else f"{value:.3f}"
    text = ", ".join(map(format_value, value)) if isinstance(value, list | tuple) else str(value)
    return text if len(text) <= MOST_LETTERS else f"{text[:MOST_LETTERS]}…"


def _row(tag: str, cells: Sequence[str], sides: Sequence[str]) -> str:
    style = "padding:2px 10px;text-align:"
    marked = [f'<{tag} style="{style}{side}">{escape(cell)}</{tag}>' for cell, side in zip(cells, sides, strict=True)]
    return f"<tr>{''.join(marked)}</tr>"
