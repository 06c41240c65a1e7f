"""Scores of several models as a chart: one row a model, its MRR with the interval."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, cast

import altair as alt

from chronotope.evaluation.compare import Standing
from chronotope.views.style import EARLY, FAINT, INK, LATE, QUIET, finished

ROW, WIDTH = 30, 460
BEST, CLOSE, BEHIND = LATE[0], EARLY[0], "#8a8a8a"
# Color alone tells nobody anything who cannot see it: the shapes differ, too.
GROUPS = {"the best": (BEST, "diamond"), "not clearly behind it": (CLOSE, "square"), "behind it": (BEHIND, "circle")}


class Bar(NamedTuple):
    """A row of the chart: a model's MRR, its interval, and whether it is clearly behind the best (None: it is it)."""

    name: str
    mrr: float
    low: float
    high: float
    behind: bool | None


def of_comparison(rows: Sequence[Standing]) -> list[Bar]:
    """The rows of a comparison."""
    return [
        Bar(row.name, row.scores.mrr, *row.scores.intervals["mrr"], row.behind.real if row.behind else None)
        for row in rows
    ]


def scores(bars: Sequence[Bar], *, title: str, subtitle: str = "") -> alt.LayerChart:
    """The models by MRR, the best on top, each with its 95 % interval.

    Parameters
    ----------
    bars
        The models.
    title, subtitle
        What the scores are about; the subtitle says what it shows unless told.
    """
    groups = list(GROUPS)
    ordered = sorted(bars, key=lambda bar: -bar.mrr)
    rows = [
        bar._asdict()
        | {"shown": f"{bar.mrr:.3f}", "group": groups[0 if bar.behind is None else 2 if bar.behind else 1]}
        for bar in ordered
    ]
    present = [group for group in groups if any(row["group"] == group for row in rows)]
    highest = max((bar.high for bar in ordered), default=1.0) or 1.0
    y = alt.Y(
        "name:N",
        sort=[bar.name for bar in ordered],
        title=None,
        axis=alt.Axis(domain=False, ticks=False, labelPadding=10, labelFontSize=13, labelColor=INK, labelLimit=320),
    )
    scale = alt.Scale(domain=[0, highest * 1.02], nice=False)
    axis = alt.Axis(tickCount=6, gridColor=FAINT, domain=False, ticks=False, labelPadding=6, format=".2~f")
    color = alt.Color(
        "group:N",
        scale=alt.Scale(domain=present, range=[GROUPS[group][0] for group in present]),
        legend=alt.Legend(
            title=None, orient="bottom", labelFontSize=12, labelColor=QUIET, symbolSize=90, symbolOpacity=1
        ),
    )
    shape = alt.Shape(
        "group:N", scale=alt.Scale(domain=present, range=[GROUPS[group][1] for group in present]), legend=None
    )
    base = alt.Chart(alt.InlineData(values=rows)).encode(y=y)
    layers = (
        base.mark_rule(strokeWidth=2.4, strokeCap="round", opacity=0.55).encode(
            x=alt.X("low:Q", scale=scale, axis=axis, title="mean reciprocal rank"), x2="high:Q", color=color
        ),
        base.mark_point(filled=True, size=110, opacity=1).encode(
            x=alt.X("mrr:Q", scale=scale), color=color, shape=shape
        ),
        base.mark_text(align="left", baseline="middle", fontSize=12, color=QUIET).encode(
            x=alt.value(WIDTH + 10), text="shown:N"
        ),
    )
    drawn = cast("alt.LayerChart", alt.layer(*layers).properties(width=WIDTH, height=ROW * max(len(ordered), 1)))
    said = subtitle or "MRR with 95 % intervals, by resampling the words that are asked about"
    return finished(drawn, title, [said])
