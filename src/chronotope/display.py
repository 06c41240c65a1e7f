"""HTML for notebooks: a heading, some facts, a table; whatever a text holds, it is shown and never run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

MOST_ROWS = 20
MOST_LETTERS = 200
_CELL = "padding:2px 10px;text-align:{}"


def html(
    title: str,
    facts: Mapping[str, Any] | None = None,
    columns: Sequence[str] = (),
    rows: Sequence[Sequence[Any]] = (),
    *,
    left_out: int = 0,
    note: str = "",
) -> str:
    """A block of HTML.

    Parameters
    ----------
    title
        What is shown.
    facts
        What there is to say of it, in one line; values that are None or empty are left out.
    columns, rows
        A table.
    left_out
        How many more rows there are.
    note
        A line at the end.

    Examples
    --------
    >>> html("Words <i>", {"axis": "time", "method": None}, note="made today")  # doctest: +ELLIPSIS
    '<div><strong>Words &lt;i&gt;</strong> <span>axis time</span><div...><small>made today</small></div></div>'
    """
    parts = [f"<strong>{escape(title)}</strong>"]
    told = [f"{name} {shown(value)}" for name, value in (facts or {}).items() if value not in (None, "", (), [])]
    if told:
        parts.append(f" <span>{escape(' · '.join(told))}</span>")
    if columns:
        numbers = [_is_number([row[at] for row in rows]) for at in range(len(columns))]
        head = "".join(_cell("th", column, number) for column, number in zip(columns, numbers, strict=True))
        body = "".join(
            f"<tr>{''.join(_cell('td', shown(cell), number) for cell, number in zip(row, numbers, strict=True))}</tr>"
            for row in rows
        )
        parts.append(f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>")
    if left_out:
        parts.append(f"<div>… {left_out:,} more</div>")
    if note:
        parts.append(f'<div style="opacity:0.7"><small>{escape(note)}</small></div>')
    return f"<div>{''.join(parts)}</div>"


def shown(value: Any) -> str:
    """A value for human eyes.

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


def _cell(tag: str, text: str, number: bool) -> str:
    return f'<{tag} style="{_CELL.format("right" if number else "left")}">{escape(text)}</{tag}>'


def _is_number(values: Sequence[Any]) -> bool:
    known = [value for value in values if value is not None]
    return bool(known) and all(isinstance(value, int | float) and not isinstance(value, bool) for value in known)
