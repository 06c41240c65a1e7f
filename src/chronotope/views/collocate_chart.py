"""Collocates as charts: what stands beside a word, and what came and went between two conditions."""

from __future__ import annotations

from collections.abc import Sequence
from math import log2
from typing import Any

import altair as alt

from chronotope.analysis.collocates import CollocateChange, CollocateChanges, Collocates
from chronotope.errors import number_of
from chronotope.views.ranked import ROW, TEXT, WIDTH, RankedRow, names, ranked
from chronotope.views.style import EARLY, FAINT, LATE, QUIET, data, finished

TICKS = (0, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)
# How many times as often: round numbers, more of them where the dots span less than eight times.
FEW, MANY = (1, 2, 5), (1, 1.5, 2, 3, 4, 5, 6, 8)
DECADES = range(-6, 7)


def collocates(answer: Collocates, *, subtitle: str | None = None) -> Any:
    """The words that stand beside a word in one condition, the surest on top.

    Parameters
    ----------
    answer
        What `chronotope.collocates` found, of one condition.
    subtitle
        A line below the title; by default how often the word occurs.
    """
    rows = [
        RankedRow(row.word, row.pmi, beside=f"{number_of(row.count, 'times')}, {row.expected:,.1f} by chance")
        for row in answer.rows
    ]
    where, times = answer.conditions[0], number_of(answer.occurrences[0], "times")
    told = [subtitle or f"{times} in {where}", _window(answer.window), "The surest on top (log-likelihood)"]
    title = f"What stands beside “{answer.word}” in {where}"
    # The dots stand at powers of two; the axis says how many times as often that is.
    chart = ranked(
        rows, "times as often as by chance", label="format(pow(2, datum.value), ',~r')", ticks=_octaves(rows)
    )
    return finished(chart, title, told)


def collocate_changes(answer: CollocateChanges, *, subtitle: str | None = None) -> Any:
    """The words that came to stand beside a word and those that left it: each with its share before and after.

    Parameters
    ----------
    answer
        What `chronotope.analysis.collocate_changes` found.
    subtitle
        A line below the title; by default how often the word occurs.
    """
    rows = [_row(row, LATE[0]) for row in answer.rising] + [_row(row, EARLY[0]) for row in answer.falling]
    most = max((max(row["before"], row["after"]) for row in rows), default=1)
    x = alt.X(
        "after:Q",
        scale=alt.Scale(type="symlog", constant=1),
        axis=alt.Axis(
            title="of a thousand words beside it",
            values=[tick for tick in TICKS if tick <= most],
            gridColor=FAINT,
            domain=False,
            ticks=False,
            format="d",
        ),
    )
    base = alt.Chart(data(rows)).encode(y=names([row["name"] for row in rows]))
    color = alt.Color("color:N", scale=None)
    layers = (
        base.mark_rule(strokeWidth=2, opacity=0.45).encode(x=x, x2="before:Q", color=color),
        base.mark_point(filled=False, size=60, strokeWidth=1.8, fill="white", opacity=1).encode(
            x=alt.X("before:Q"), color=color
        ),
        base.mark_point(filled=True, size=80, opacity=1).encode(x=x, color=color),
        base.mark_text(align="left", baseline="middle", fontSize=TEXT - 1, color=QUIET).encode(
            x=alt.value(WIDTH + 14), text="beside:N"
        ),
    )
    chart = alt.layer(*layers).properties(width=WIDTH, height=ROW * max(len(rows), 1))
    before, after = (number_of(count, "times") for count in answer.occurrences)
    told = [
        subtitle or f"{before} in {answer.start}, {after} in {answer.end}",
        _window(answer.window),
        f"Open: {answer.start}; filled: {answer.end}; beside: how often, before → after",
    ]
    return finished(chart, f"What came to stand beside “{answer.word}”, and what left", told)


def _octaves(rows: Sequence[RankedRow]) -> list[float]:
    """Where round numbers stand on an axis of powers of two."""
    values = [0.0, *(row.value for row in rows if row.value is not None)]
    steps = MANY if max(values) - min(values) < 3 else FEW
    return [log2(step * 10.0**decade) for decade in DECADES for step in steps]


def _row(row: CollocateChange, color: str) -> dict[str, Any]:
    return {
        "name": row.word,
        "before": row.per_thousand_before,
        "after": row.per_thousand_after,
        "color": color,
        "beside": f"{row.before:,} → {row.after:,}",
    }


def _window(window: int) -> str:
    return f"Within {window} words on either side"
