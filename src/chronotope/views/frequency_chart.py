"""How often words are used, as a chart: lines with bands over time, dots with bars otherwise."""

from __future__ import annotations

from typing import Any, cast

import altair as alt

from chronotope.analysis.frequency import Frequency
from chronotope.errors import InputError
from chronotope.views.lines import Line, line_chart
from chronotope.views.style import INK, LABEL_SIZE, WORDS, Rows, data, finished, value_axis

WIDTH, ROW_HEIGHT = 460, 24
UNIT = "per million words"


def frequency(answer: Frequency, *, subtitle: str | None = None) -> Any:
    """How often words are used in each condition, with the intervals as bands.

    Parameters
    ----------
    answer
        What `chronotope.analysis.frequency` found.
    subtitle
        A line below the title, for instance the name of the corpus.
    """
    if not any(row.count for row in answer.rows):
        raise InputError(f"{', '.join(answer.words)} does not occur in these conditions; there is nothing to draw")
    drawn = _lines(answer) if answer.axis == "time" else _dots(answer)
    words = ", ".join(f"“{word}”" for word in answer.words)
    mark = "Band" if answer.axis == "time" else "Bar"
    top, highest = _in_sight(answer), max(row.high for row in answer.rows if row.high is not None)
    cut = f"; cut at {top:,.0f}, where the highest is {highest:,.0f}" if highest > top else ""
    told = [subtitle or "", f"{mark}: {100 * answer.level:g} % interval, with documents as what was drawn{cut}"]
    return finished(drawn, f"How often {words} {'is' if len(answer.words) == 1 else 'are'} used", told)


def _lines(answer: Frequency) -> alt.LayerChart:
    lines = [
        Line(word, *zip(*((row.per_million, row.low, row.high) for row in answer.of(word)), strict=True))
        for word in answer.words
    ]
    top = _in_sight(answer)
    lines = [line._replace(high=[None if value is None else min(value, top) for value in line.high]) for line in lines]
    return line_chart(answer.conditions, lines, UNIT, zero=True)


def _in_sight(answer: Frequency) -> float:
    """Where intervals are cut, somewhat above the highest point: where there is little text they reach very far."""
    return 1.5 * max(row.per_million for row in answer.rows if row.per_million is not None)


def _dots(answer: Frequency) -> alt.LayerChart:
    """A row for each condition: of places the most frequent use of the first word on top, else in order."""
    colors = {word: WORDS[number % len(WORDS)] for number, word in enumerate(answer.words)}
    rows: Rows = [
        {
            "condition": row.condition,
            "word": row.word,
            "color": colors[row.word],
            "rate": row.per_million,
            "low": row.low,
            "high": row.high,
        }
        for row in answer.rows
        if row.per_million is not None
    ]
    first = [row for row in rows if row["word"] == answer.words[0]]
    if answer.axis == "place":
        first.sort(key=lambda row: -row["rate"])
    order = [row["condition"] for row in first]
    rows = [{**row, "high": min(row["high"], _in_sight(answer))} for row in rows]
    y = alt.Y(
        "condition:N",
        sort=order,
        title=None,
        axis=alt.Axis(domain=False, ticks=False, labelPadding=8, labelFontSize=LABEL_SIZE, labelColor=INK),
    )
    below = value_axis(UNIT, titleX=0, titleY=30, titleBaseline="top", orient="bottom")
    x = alt.X("rate:Q", scale=alt.Scale(domainMin=0), axis=below)
    base = alt.Chart(data(rows)).encode(y=y, color=alt.Color("color:N", scale=None))
    if len(answer.words) > 1:
        names = alt.Scale(domain=list(answer.words), range=list(colors.values()))
        legend = alt.Legend(title=None, orient="top", labelFontSize=LABEL_SIZE)
        base = base.encode(color=alt.Color("word:N", scale=names, legend=legend))
    layers: list[Any] = [
        base.mark_rule(strokeWidth=3, opacity=0.35).encode(x=alt.X("low:Q"), x2="high:Q"),
        base.mark_point(filled=True, size=60, opacity=1).encode(x=x),
    ]
    return cast("alt.LayerChart", alt.layer(*layers).properties(width=WIDTH, height=ROW_HEIGHT * len(order)))
