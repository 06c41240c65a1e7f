"""Ranked lists as charts: what changed most, with intervals; who plays a word's part where; neighbors; places."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, cast

import altair as alt

from chronotope.analysis import Drift
from chronotope.analysis.analogy import Analogy
from chronotope.analysis.drift_answer import Side
from chronotope.analysis.everywhere import Everywhere
from chronotope.analysis.maps import WordMap
from chronotope.analysis.stability import Stability
from chronotope.errors import fewer_than, number_of
from chronotope.views.style import EARLY, FAINT, INK, LABEL_SIZE, LATE, QUIET, Rows, data, finished, made_by
from chronotope.views.tables import drift_title

ROW, WIDTH, TEXT = 26, 360, 13


class RankedRow(NamedTuple):
    """A row of the chart: a name, its value, the interval where there is one, and a text beside it."""

    name: str
    value: float | None
    low: float | None = None
    high: float | None = None
    beside: str = ""


def drift(answer: Drift, top: int = 20, *, subtitle: str | None = None) -> Any:
    """The words that changed most, with their company before and after, and intervals where the answer has them.

    Parameters
    ----------
    answer
        What `chronotope.analysis.drift` found.
    top
        How many words.
    subtitle
        A line below the title; by default how the embeddings were made.
    """
    judged = answer.judged.corrected is not None
    rows = []
    for row in answer.top(top, neighbors=3):
        before, after = (_company(side, named=answer.start is None) for side in (row.before, row.after))
        rows.append(
            RankedRow(row.word, row.corrected if judged else row.score, row.low, row.high, f"{before} → {after}")
        )
    ends = "typically → in the most unusual condition" if answer.over in ("series", "unusual") else "before → after"
    told = [subtitle or made_by(answer.signature), f"Beside: the nearest words {ends}"]
    if answer.judged.low is not None:
        unknown = "; none: in fewer than five documents" if any(row.low is None for row in rows) else ""
        told.append(f"Line: 95 % interval over the documents{unknown}")
    measured = "1 − cosine, less the noise of the text" if judged else "1 − cosine"
    return finished(ranked(rows, measured), drift_title(answer), told)


def _company(side: Side, *, named: bool) -> str:
    """The nearest words at one end of a change, with the condition where the title does not name it."""
    words = ", ".join(match.word for match in side.neighbors)
    return f"{side.condition}: {words}" if named else words


def stable(answer: Stability, top: int = 20, *, least: bool = False, subtitle: str | None = None) -> Any:
    """The words that keep their meaning, or with `least` those that do not, with intervals where there are any."""
    found = answer.least(top) if least else answer.most(top)
    judged = any(row.corrected is not None for row in found)
    rows = [
        RankedRow(
            row.word,
            row.corrected if judged else row.stability,
            row.low,
            row.high,
            f"{number_of(row.count, 'times')} in {number_of(row.conditions, 'conditions')}",
        )
        for row in found
    ]
    told = [subtitle or made_by(answer.signature)]
    if answer.bootstrap:
        told.append("Line: 95 % interval over the documents")
    measured = "mean cosine over all pairs of conditions" + (", the noise of the text taken off" if judged else "")
    return finished(ranked(rows, measured), f"The {'least' if least else 'most'} stable words", told)


def analogy(answer: Analogy, *, subtitle: str | None = None) -> Any:
    """The words that complete an analogy."""
    rows = [RankedRow(match.word, match.similarity, beside=number_of(match.count, "times")) for match in answer.matches]
    where = f"in {answer.at}" if answer.at == answer.to else f"in {answer.at}, sought in {answer.to}"
    title = f"{answer.a} : {answer.b} = {answer.c} : ?"
    return finished(ranked(rows, "cosine"), title, [subtitle or made_by(answer.signature), where])


def places(answer: WordMap, *, subtitle: str | None = None) -> Any:
    """A word's value in each place, the largest on top."""
    known = sorted((row for row in answer.rows if row.value is not None), key=lambda row: -(row.value or 0))
    unknown = [row for row in answer.rows if row.value is None]
    rows = [
        RankedRow(row.place, row.value, row.low, row.high, number_of(row.support, "times")) for row in known + unknown
    ]
    rare = f"Without a dot: {fewer_than(answer.min_count)}" if unknown else ""
    return finished(ranked(rows, measure(answer)), f"“{answer.word}” in each place", told(answer, subtitle, rare))


def told(answer: WordMap, subtitle: str | None, measured: str) -> list[str]:
    """The lines below the title of a chart of places."""
    lines = [subtitle or made_by(answer.signature), measured]
    if answer.moran:
        value = f"{answer.moran.value:.2f}".replace("-", "−")
        lines.append(f"Moran’s I {value} over {answer.moran.links} links, p {answer.moran.p:.3f}")
    return lines


def everywhere(answer: Everywhere, *, subtitle: str | None = None) -> Any:
    """Who plays a word's part in each condition; open and gray where nothing is nearer than chance.

    Parameters
    ----------
    answer
        What `chronotope.analysis.equivalents_everywhere` found.
    subtitle
        A line below the title; by default how the embeddings were made.
    """
    rows: Rows = []
    for part in answer.parts:
        found = bool(part.matches)
        shown = ", ".join(match.word for match in part.matches) if found else "none"
        rows.append(
            {
                "name": part.condition,
                "value": part.nearest.similarity if part.nearest else None,
                "needed": part.needed,
                "shown": shown,
                "color": EARLY[0] if found else QUIET,
                "style": "normal" if found else "italic",
            }
        )
    values = [v for row in rows for v in (row["value"], row["needed"]) if v is not None]
    low = max(-1.0, min(values) - 0.05)
    scale = alt.Scale(domain=[low, max(1.0, *values)], nice=False)
    x = alt.X(
        "value:Q",
        scale=scale,
        axis=alt.Axis(title="cosine of the nearest word", tickCount=5, gridColor=FAINT, domain=False, ticks=False),
    )
    base = alt.Chart(data(rows)).encode(y=names([part.condition for part in answer.parts]))
    color = alt.Color("color:N", scale=None)
    layers = (
        base.mark_tick(thickness=2, size=15, color=LATE[0]).encode(x=alt.X("needed:Q", scale=scale)),
        base.mark_point(filled=True, size=80, opacity=1)
        .encode(x=x, color=color)
        .transform_filter(f"datum.color == '{EARLY[0]}'"),
        base.mark_point(filled=False, size=70, strokeWidth=1.8)
        .encode(x=x, color=color)
        .transform_filter(f"datum.color == '{QUIET}'"),
        base.mark_text(align="left", baseline="middle", fontSize=TEXT).encode(
            x=alt.value(WIDTH + 14), text="shown:N", color=color
        ),
    )
    chart = alt.layer(*layers).properties(width=WIDTH, height=ROW * len(rows))
    says = [subtitle or made_by(answer.signature)]
    says.append(f"Tick: what a match needs to be nearer than chance (p {answer.chance:g}); open: nothing is")
    return finished(chart, f"Who plays the part of “{answer.word}” in {answer.at}?", says)


def ranked(
    rows: Sequence[RankedRow], title: str, *, label: str | None = None, ticks: Sequence[float] | None = None
) -> alt.LayerChart:
    """Rows with a dot at their value, an interval where there is one, and a text beside.

    Parameters
    ----------
    rows
        The rows, from the top; one without a value has its name and its text alone.
    title
        What the values are.
    label
        What the axis shows for a value, as an expression of Vega; by default the value.
    ticks
        The values that the axis shows where they are in sight; by default about five.
    """
    points: Rows = [row._asdict() for row in rows]
    known = [v for row in rows for v in (row.value, row.low, row.high) if v is not None]
    span = (max(known) - min(known)) or 1 if known else 1
    domain = [min([0.0, *known]) if min(known, default=0) < 0.5 * span else min(known) - 0.06 * span]
    domain.append(max(known, default=1.0) + 0.04 * span)
    scale = alt.Scale(domain=domain, nice=False)
    settings: dict[str, Any] = {"labelExpr": label} if label else {}
    settings |= {"tickCount": 5} if ticks is None else {"values": list(ticks)}
    axis = alt.Axis(title=title, gridColor=FAINT, domain=False, ticks=False, labelPadding=6, **settings)
    base = alt.Chart(data(points)).encode(y=names([row.name for row in rows]))
    layers: list[Any] = []
    if any(row.low is not None for row in rows):
        interval = base.mark_rule(strokeWidth=2.4, strokeCap="round", opacity=0.55, color=EARLY[0])
        layers.append(
            interval.encode(x=alt.X("low:Q", scale=scale), x2="high:Q").transform_filter("isValid(datum.low)")
        )
    layers += [
        base.mark_point(filled=True, size=80, opacity=1, color=EARLY[0])
        .encode(x=alt.X("value:Q", scale=scale, axis=axis))
        .transform_filter("isValid(datum.value)"),
        base.mark_text(align="left", baseline="middle", fontSize=TEXT - 1, color=QUIET).encode(
            x=alt.value(WIDTH + 14), text="beside:N"
        ),
    ]
    return cast("alt.LayerChart", alt.layer(*layers).properties(width=WIDTH, height=ROW * max(len(rows), 1)))


def names(listed: Sequence[str]) -> alt.Y:
    """The names of the rows, from the top."""
    axis = alt.Axis(
        domain=False, ticks=False, labelPadding=10, labelFontSize=LABEL_SIZE, labelColor=INK, labelLimit=260
    )
    return alt.Y("name:N", sort=list(listed), title=None, axis=axis)


def measure(answer: WordMap) -> str:
    """What the values of a word in places are."""
    if answer.measure == "overall":
        return "cosine with what the word means in the other places"
    return f"position along {answer.measure}"
