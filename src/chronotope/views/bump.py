"""Neighbors over conditions as a bump chart: lines that join a word's rank from one condition to the next."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import altair as alt

from chronotope.analysis.ranks import Ranks
from chronotope.views.style import (
    EARLY,
    LABEL_GAP,
    LABEL_SIZE,
    LABEL_WIDTH,
    LATE,
    THROUGHOUT,
    Rows,
    condition_axis,
    data,
    finished,
    made_by,
)

COLUMN, MOST_COLUMNS, ROW = 92, 13, 40


def ranks(answer: Ranks, *, subtitle: str | None = None) -> Any:
    """The nearest words of a word in each condition, in order, each joined with itself in the next.

    Over time, blue: near at first and not at last; orange: the reverse; gray: at both ends or at neither. Places are
    not joined; blue: near in several. Of very many conditions some are shown, at even distances.

    Parameters
    ----------
    answer
        What `chronotope.analysis.ranks` found.
    subtitle
        A line below the title; by default how the embeddings were made.
    """
    columns = _columns(len(answer.conditions))
    ordered = answer.axis == "time"
    points: Rows = []
    stretches: Rows = []
    for neighbor in answer.neighbors:
        places = [neighbor.ranks[at] for at in columns]
        color = _color(places, ordered)
        for at, rank in enumerate(places):
            if rank is None:
                continue
            points.append({"x": at, "y": rank, "word": neighbor.word, "color": color})
            following = places[at + 1] if ordered and at + 1 < len(places) else None
            if following is not None:
                stretches.append({"x": at, "y": rank, "x2": at + 1, "y2": following, "color": color})
    count = len(columns)
    x = alt.X(
        "x:Q",
        title=None,
        axis=condition_axis([answer.conditions[at] for at in columns], most=count),
        scale=alt.Scale(domain=[-0.5, count - 0.5], nice=False),
    )
    y = alt.Y(
        "y:Q",
        scale=alt.Scale(domain=[answer.top + 0.6, 0.4], nice=False),
        axis=alt.Axis(values=list(range(1, answer.top + 1)), title=None, grid=False, domain=False, ticks=False),
    )
    color_of = alt.Color("color:N", scale=None)
    lines = alt.Chart(data(stretches)).mark_rule(strokeWidth=7, opacity=0.18, strokeCap="round")
    words = alt.Chart(data(points)).mark_text(fontSize=LABEL_SIZE, baseline="middle", fontWeight=500)
    layers: list[Any] = [words.encode(x=x, y=y, text="word:N", color=color_of)]
    if stretches:
        layers.insert(0, _clear(points).encode(x=x, x2="x2:Q", y=y, y2="y2:Q"))
        layers.insert(0, lines.encode(x=x, x2="x2:Q", y=y, y2="y2:Q", color=color_of))
    chart = alt.layer(*layers).properties(width=COLUMN * count, height=ROW * answer.top)
    where = "each condition" if count == len(answer.conditions) else f"{count} of {len(answer.conditions)} conditions"
    told = f"The {answer.top} nearest words in {where}, the nearest on top"
    told += "; blue: at first and not at last, orange: the reverse" if ordered else "; blue: in several conditions"
    return finished(chart, f"The neighbors of “{answer.word}”", [subtitle or made_by(answer.signature), told])


def _clear(points: Rows) -> Any:
    """A white ground for each word, so that no line goes through its letters."""
    grounds: Rows = []
    for point in points:
        wide, high = (LABEL_WIDTH * len(point["word"]) + 6) / COLUMN / 2, LABEL_GAP / ROW / 2
        x, y = point["x"], point["y"]
        grounds.append({"x": x - wide, "x2": x + wide, "y": y - high, "y2": y + high})
    return alt.Chart(data(grounds)).mark_rect(color="white", cornerRadius=6, opacity=1)


def _columns(count: int) -> list[int]:
    """The conditions that fit side by side: all, or some at even distances with the first and the last."""
    shown = min(count, MOST_COLUMNS)
    return [round(at * (count - 1) / max(shown - 1, 1)) for at in range(shown)]


def _color(places: Sequence[int | None], ordered: bool) -> str:
    if not ordered:
        return EARLY[0] if sum(place is not None for place in places) > 1 else THROUGHOUT[0]
    first, last = places[0] is not None, places[-1] is not None
    return THROUGHOUT[0] if first == last else EARLY[0] if first else LATE[0]
