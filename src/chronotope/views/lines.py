"""Lines over conditions: similarity series and positions along axes, with bands, change points and labeled ends."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, cast

import altair as alt

from chronotope.analysis.axes import Position, Positions
from chronotope.analysis.changepoints import ChangePoints
from chronotope.analysis.series import OVERALL, PREVIOUS, Series
from chronotope.conditions import SEPARATOR
from chronotope.errors import SettingsError, fewer_than
from chronotope.views.labels import spread
from chronotope.views.style import (
    DASHES,
    LABEL_GAP,
    LABEL_SIZE,
    MOST_TICKS,
    WORDS,
    Rows,
    condition_axis,
    data,
    finished,
    made_by,
    ticks,
    value_axis,
)

WIDTH, HEIGHT = 560, 300
UNIT = "per million words of the vocabulary"
MOST_PLACES = 24


class Line(NamedTuple):
    """A named line: a value for each condition, None for a gap, and the ends of an interval where there is one."""

    name: str
    values: Sequence[float | None]
    low: Sequence[float | None]
    high: Sequence[float | None]


def series(answers: Sequence[Series], changes: Sequence[ChangePoints] = (), *, subtitle: str | None = None) -> Any:
    """How similar words are to themselves, condition by condition, with the points where they change.

    Parameters
    ----------
    answers
        The series of one word or more, over the same conditions.
    changes
        The change points of some of these words; the accepted ones are drawn.
    subtitle
        A line below the title; by default how the embeddings were made.
    """
    first = answers[0]
    lines = [Line(one.word, one.best, one.low, one.high) for one in answers]
    marks = [
        (found.word, first.conditions.index(point.last), first.conditions.index(point.first))
        for found in changes
        for point in found.accepted
        if point.last in first.conditions and point.first in first.conditions
    ]
    drawn = line_chart(first.conditions, lines, "cosine", marks, axis=first.axis)
    words = ", ".join(f"“{one.word}”" for one in answers)
    told = [
        subtitle or made_by(first.signature),
        f"Cosine similarity with the same word {_with(answers)}{_gaps(answers)}",
    ]
    told += [_drawn(first.bootstrap)]
    told += [_told(found) for found in changes]
    over = "over time and from place to place" if first.axis == "time × place" else "from place to place"
    title = f"How {words} changed" if first.axis == "time" else f"How alike {words} {_is(answers)} {over}"
    return finished(drawn, title, told)


def frequency(answers: Sequence[Series], *, subtitle: str | None = None) -> Any:
    """How often words occur, above how similar they are to themselves: is it meaning that changes, or use?

    Parameters
    ----------
    answers
        The series of one word or more, over the same conditions; they carry the counts.
    subtitle
        A line below the title; by default how the embeddings were made.
    """
    first = answers[0]
    none: tuple[None, ...] = (None,) * len(first.conditions)
    counts = [Line(one.word, one.per_million, none, none) for one in answers]
    changes = [Line(one.word, one.best, one.low, one.high) for one in answers]
    # Both charts span all conditions, so that one can be read below the other.
    above = line_chart(first.conditions, counts, UNIT, height=150, zero=True, axis=first.axis, cut=False)
    meaning = f"cosine with the same word {_with(answers)}"
    below = line_chart(first.conditions, changes, meaning, height=170, axis=first.axis, cut=False)
    words = ", ".join(f"“{one.word}”" for one in answers)
    drawn = alt.vconcat(above, below, spacing=46)
    told = [subtitle or made_by(first.signature), _drawn(first.bootstrap)]
    return finished(drawn, f"Frequency and meaning of {words}", told)


def positions(answers: Sequence[Positions], *, subtitle: str | None = None) -> Any:
    """Where words stand along an axis, condition by condition, with intervals where there are several seeds.

    Parameters
    ----------
    answers
        The positions of one word or more along the same axis.
    subtitle
        A line below the title; by default how the embeddings were made.
    """
    first = answers[0]
    if any(one.formula != first.formula for one in answers):
        raise SettingsError("words are drawn together along one axis, not along several")
    lines = [
        Line(one.word, *zip(*((_best(one, row), row.low, row.high) for row in one.rows), strict=True))
        for one in answers
    ]
    conditions = [row.condition for row in first.rows]
    words = ", ".join(f"“{one.word}”" for one in answers)
    interval = any(row.low is not None for one in answers for row in one.rows)
    told = [subtitle or made_by(first.signature)]
    told.append(f"Up: toward {', '.join(first.plus)}")
    told.append(f"Down: toward {', '.join(first.minus)}" if first.minus else "")
    by_seeds = "Band: 95 % interval over the choice of seed words" if interval else ""
    told.append(_drawn(first.bootstrap) if first.bootstrap else by_seeds)
    return finished(
        line_chart(conditions, lines, "cosine with the axis", axis=first.axis),
        f"Where {words} {'stands' if len(answers) == 1 else 'stand'} between words",
        told,
    )


def line_chart(
    conditions: Sequence[str],
    lines: Sequence[Line],
    title: str,
    marks: Sequence[tuple[str, int, int]] = (),
    *,
    height: int = HEIGHT,
    zero: bool = False,
    axis: str = "time",
    cut: bool = True,
) -> alt.LayerChart:
    """A line for each name, labeled at its end; where the conditions have no order, dots that are not joined.

    Parameters
    ----------
    conditions
        The labels along the chart.
    lines
        The lines.
    title
        What the values are.
    marks
        Change points: the name of a line, the last condition before and the first after, by number.
    height
        In pixels.
    zero
        Whether the values start at zero.
    axis
        What distinguishes the conditions: over time alone they follow each other.
    cut
        Whether conditions at either end without any value are left out.
    """
    ordered = axis == "time"
    if cut:
        conditions, lines, marks = _with_values(conditions, lines, marks)
    known = [v for line in lines for part in (line.values, line.low, line.high) for v in part if v is not None]
    margin = 0.05 * ((max(known) - min(known)) or 1)
    low, high = (0.0 if zero else min(known) - margin), max(known) + margin
    colors = {line.name: WORDS[at % len(WORDS)] for at, line in enumerate(lines)}
    points: Rows = []
    ends: Rows = []
    for at, line in enumerate(lines):
        same = {"word": line.name, "color": colors[line.name], "line": at}
        # Dots of several words stand side by side, not one over another.
        aside = 0 if ordered else (at - (len(lines) - 1) / 2) * 0.1
        points += [
            {**same, "x": x + aside, "y": y, "low": bottom, "high": top}
            for x, (y, bottom, top) in enumerate(zip(line.values, line.low, line.high, strict=True))
        ]
        last = max((x for x, y in enumerate(line.values) if y is not None), default=None)
        if last is not None:
            ends.append({**same, "x": last, "y": line.values[last]})
    room = 0 if ordered else 0.4
    heights = spread([row["y"] for row in ends], LABEL_GAP * (high - low) / height, low, high)
    ends = [{**row, "x": len(conditions) - 1 + room, "y": level} for row, level in zip(ends, heights, strict=True)]
    domain = [-room, max(len(conditions) - 1, 1) + room]
    x = alt.X("x:Q", title=None, axis=_labels(conditions, axis), scale=alt.Scale(domain=domain, nice=False))
    y = alt.Y("y:Q", scale=alt.Scale(domain=[low, high], nice=False), axis=value_axis(title))
    base = alt.Chart(data(points)).encode(color=alt.Color("color:N", scale=None))
    layers: list[Any] = []
    if any(row["low"] is not None for row in points):
        band = base.mark_area(opacity=0.16) if ordered else base.mark_rule(strokeWidth=2.4, opacity=0.5)
        layers.append(
            band.encode(
                x=x,
                y=alt.Y("low:Q", scale=alt.Scale(domain=[low, high], nice=False), axis=value_axis(title)),
                y2="high:Q",
                detail="word:N",
            )
        )
    if marks:
        changes: Rows = [{"x": (a + b) / 2, "color": colors[name]} for name, a, b in marks]
        rule = alt.Chart(data(changes)).mark_rule(strokeWidth=1.4, strokeDash=[4, 3])
        layers.append(rule.encode(x=x, color=alt.Color("color:N", scale=None)))
    dash = alt.StrokeDash("line:N", scale=alt.Scale(range=list(DASHES)), legend=None)
    if ordered:
        line_mark = base.mark_line(strokeWidth=2.2, strokeCap="round")
        layers.append(line_mark.encode(x=x, y=y, detail="word:N", strokeDash=dash))
    layers += [
        base.mark_point(filled=True, size=26 if ordered else 70, opacity=1)
        .encode(x=x, y=y)
        .transform_filter("isValid(datum.y)"),
        alt.Chart(data(ends))
        .mark_text(align="left", dx=9, baseline="middle", fontSize=LABEL_SIZE)
        .encode(x=x, y=y, text="word:N", color=alt.Color("color:N", scale=None)),
    ]
    return cast("alt.LayerChart", alt.layer(*layers).properties(width=WIDTH, height=height))


def _best(answer: Positions, row: Position) -> float | None:
    """What is known best of a position: the corrected one where documents were drawn again."""
    return row.corrected if answer.bootstrap else row.value


def _drawn(bootstrap: int) -> str:
    """What a band is, where documents were drawn again."""
    return f"Less the noise of the text; band: 95 % interval ({bootstrap} draws of documents)" if bootstrap else ""


def _with_values(
    conditions: Sequence[str], lines: Sequence[Line], marks: Sequence[tuple[str, int, int]]
) -> tuple[Sequence[str], Sequence[Line], list[tuple[str, int, int]]]:
    """The conditions from the first to the last that has any value, and the lines over these."""
    known = [at for line in lines for at, value in enumerate(line.values) if value is not None]
    first, last = (min(known), max(known) + 1) if known else (0, len(conditions))
    kept = [Line(line.name, *(part[first:last] for part in line[1:])) for line in lines]
    return conditions[first:last], kept, [(name, before - first, after - first) for name, before, after in marks]


def _is(answers: Sequence[Series]) -> str:
    return "is" if len(answers) == 1 else "are"


def _labels(conditions: Sequence[str], axis: str) -> alt.Axis:
    """The axis of the conditions: of times as many as fit, each once; of places all but in great numbers."""
    if axis == "time":
        return condition_axis(conditions)
    if axis != "time × place":
        return condition_axis(conditions, most=MOST_PLACES, labelAngle=-40)
    times = [label.partition(SEPARATOR)[0] for label in conditions]
    each = list(dict.fromkeys(times))
    drawn = condition_axis(times)
    drawn["values"] = [times.index(each[at]) for at in ticks(each, MOST_TICKS)]
    return drawn


def _with(answers: Sequence[Series]) -> str:
    against = {one.against for one in answers}
    if against == {PREVIOUS}:
        return "one step before"
    if against == {OVERALL}:
        return "in all other conditions"
    return f"in {against.pop()}" if len(against) == 1 else "where it is first frequent enough"


def _gaps(answers: Sequence[Series]) -> str:
    """What a gap means, where there is one."""
    seen = [one.values[one.against == PREVIOUS :] for one in answers]
    if all(value is not None for values in seen for value in values):
        return ""
    return f"; a gap: it occurs {fewer_than(answers[0].min_count)}"


def _told(found: ChangePoints) -> str:
    """The change points of a word in words."""
    if not found.accepted:
        return f"{found.word}: no change point (level {found.level:g})"
    parts = []
    for point in found.accepted:
        rare = "" if point.p_words is None else f", p among words {point.p_words:.3f}"
        parts.append(f"{point.first} (p {point.p:.3f}{rare})")
    return f"Dashed: {found.word} changes in {', '.join(parts)}"
