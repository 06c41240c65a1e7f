"""Charts of answers, as Altair specifications: one serves the notebook, PNG, SVG, PDF and HTML, without a network."""

from __future__ import annotations

from dataclasses import replace
from itertools import cycle
from pathlib import Path
from typing import Any, Literal, cast

import altair as alt

from chronotope.analysis import Companion, Company
from chronotope.errors import SettingsError, fewer_than
from chronotope.io.atomic import atomic_write
from chronotope.runtime.memory import check_address_space
from chronotope.views.labels import spread
from chronotope.views.style import (
    EARLY,
    FAINT,
    INK,
    LABEL_GAP,
    LABEL_SIZE,
    LABEL_WIDTH,
    LATE,
    THROUGHOUT,
    Rows,
    condition_axis,
    finished,
    made_by,
)

FORMATS = ("png", "svg", "pdf", "html")
LEFT, RIGHT = -1, 1
WIDTH, HEIGHT, TILE = 560, 360, 34
CONNECTOR = 14
# Altair draws with V8, which reserves 64 GiB of addresses and more for its heap, and aborts if it cannot.
LEAST_ADDRESS_SPACE = 100 * 10**9


def save(chart: alt.TopLevelMixin, path: str | Path, *, scale: float = 2) -> None:
    """Write a chart to a file; its suffix says the format: .png, .svg, .pdf or .html.

    Parameters
    ----------
    chart
        The chart.
    path
        The file. HTML holds all that it needs and loads nothing.
    scale
        How many pixels of a PNG make one of the chart.
    """
    path = Path(path)
    check_name(path)
    suffix = path.suffix.lower().removeprefix(".")
    options: dict[str, dict[str, Any]] = {"png": {"scale_factor": scale}, "html": {"inline": True}}
    check_address_space(LEAST_ADDRESS_SPACE)
    with atomic_write(path) as temporary:
        chart.save(
            str(temporary), format=cast("Literal['png', 'svg', 'pdf', 'html']", suffix), **options.get(suffix, {})
        )


def check_name(path: Path) -> None:
    """Refuse a file name that says no format; before the work is done, not after."""
    if path.suffix.lower().removeprefix(".") not in FORMATS:
        raise SettingsError(f"cannot draw {path.name}: its name must end in .png, .svg, .pdf or .html")


def company(answer: Company, *, subtitle: str | None = None) -> alt.LayerChart:
    """How the company that a word keeps changes: lines over time, tiles for places.

    Parameters
    ----------
    answer
        What `chronotope.analysis.company` found.
    subtitle
        A line below the title, for instance the name of the corpus; by default how the embeddings were made.
    """
    drawn = _lines(answer) if answer.axis == "time" else _tiles(answer)
    return finished(
        drawn, f"The company that “{answer.word}” keeps", [subtitle or made_by(answer.signature), _legend(answer)]
    )


def _legend(answer: Company) -> str:
    """What is shown, and what a gap means where there is one."""
    shown = "Cosine similarity of the words nearest to it"
    if all(value is not None for companion in answer.companions for value in companion.similarity):
        return shown
    mark = "a gap" if answer.axis == "time" else "a dot"
    return f"{shown}; {mark}: one of the two words occurs {fewer_than(answer.min_count)}"


def _lines(answer: Company) -> alt.LayerChart:
    """A line for each companion: the first company is labeled on the left, the last on the right."""
    answer = _between_ends(answer)
    values = [value for companion in answer.companions for value in companion.similarity if value is not None]
    margin = 0.04 * ((max(values) - min(values)) or 1)
    low, high = min(values) - margin, max(values) + margin
    width = max(len(answer.conditions) - 1, 1)
    pixel_x, pixel_y = width / WIDTH, (high - low) / HEIGHT

    points: Rows = []
    labels: Rows = []
    headings: Rows = []
    for side, companions in zip((LEFT, RIGHT), _sides(answer), strict=True):
        colors = _colors(companions, answer)
        for companion, color in zip(companions, colors, strict=True):
            known = [(x, y) for x, y in enumerate(companion.similarity) if y is not None]
            place, end = known[0 if side == LEFT else -1]
            same = {"word": companion.word, "color": color, "side": side}
            points += [{**same, "x": x, "y": y} for x, y in enumerate(companion.similarity)]
            near, far = (place + side * pixels * pixel_x for pixels in (5, CONNECTOR))
            labels.append({**same, "place": place, "x": near, "y": end, "x2": far})
        label = answer.looked_at[0 if side == LEFT else -1]
        shades = [color for color in colors if color in EARLY + LATE] or colors
        headings += [{"word": f"nearest in {label}", "side": side, "color": color} for color in shades[:1]]
    for end_of in {(row["side"], row["place"]) for row in labels}:
        there = [row for row in labels if (row["side"], row["place"]) == end_of]
        heights = spread([row["y"] for row in there], LABEL_GAP * pixel_y, low, high)
        for row, height in zip(there, heights, strict=True):
            row["y2"] = height
    return _drawn(answer, points, labels, headings, (low, high))


def _drawn(answer: Company, points: Rows, labels: Rows, headings: Rows, domain: tuple[float, float]) -> alt.LayerChart:
    """The layers of a line chart: lines, points, and the labels with what connects them to their lines."""
    room = LABEL_WIDTH * max((len(row["word"]) for row in labels if row["side"] == LEFT), default=0)
    x = alt.X(
        "x:Q",
        title=None,
        axis=condition_axis(answer.conditions),
        scale=alt.Scale(domain=[0, max(len(answer.conditions) - 1, 1)], nice=False),
    )
    y = alt.Y(
        "y:Q",
        scale=alt.Scale(domain=list(domain), nice=False),
        axis=alt.Axis(
            title="similarity",
            titleAngle=0,
            titleAlign="right",
            titleBaseline="middle",
            titleX=-4,
            titleY=-16,
            tickCount=5,
            domain=False,
            ticks=False,
            gridColor=FAINT,
            offset=room + CONNECTOR + 8 if room else 4,
        ),
    )
    color = alt.Color("color:N", scale=None)
    lines, named, heads = (
        alt.Chart(alt.InlineData(values=rows)).encode(color=color) for rows in (points, labels, headings)
    )
    layers: list[Any] = [
        lines.mark_line(strokeWidth=2.2, interpolate="monotone", strokeCap="round").encode(x=x, y=y, detail="word:N"),
        lines.mark_point(filled=True, size=22, opacity=1).encode(x=x, y=y).transform_filter("isValid(datum.y)"),
        named.mark_rule(strokeWidth=1, opacity=0.6).encode(x="x:Q", x2="x2:Q", y="y:Q", y2="y2:Q"),
    ]
    sides: list[tuple[int, Literal["left", "right"], Literal["left", "right"]]]
    sides = [(LEFT, "right", "left"), (RIGHT, "left", "right")]
    for side, outward, inward in sides:
        text: dict[str, Any] = {"baseline": "middle", "fontSize": LABEL_SIZE}
        on_side = f"datum.side == {side}"
        label = named.mark_text(align=outward, dx=4 * side, **text).encode(x="x2:Q", y="y2:Q", text="word:N")
        heading = heads.mark_text(align=inward, fontWeight="bold", **text)
        heading = heading.encode(x=alt.value(0 if side == LEFT else WIDTH), y=alt.value(-16), text="word:N")
        layers += [label.transform_filter(on_side), heading.transform_filter(on_side)]
    return cast("alt.LayerChart", alt.layer(*layers).properties(width=WIDTH, height=HEIGHT))


def _tiles(answer: Company) -> alt.LayerChart:
    """A tile for each companion in each condition, the darker the nearer; a dot where there is too little text."""
    cells: Rows = [
        {"word": companion.word, "condition": label, "value": value, "shown": "·" if value is None else f"{value:.2f}"}
        for companion in answer.companions
        for label, value in zip(answer.conditions, companion.similarity, strict=True)
    ]
    known = [cell["value"] for cell in cells if cell["value"] is not None]
    middle = (min(known) + max(known)) / 2
    base = alt.Chart(alt.InlineData(values=cells)).encode(
        x=alt.X(
            "condition:N",
            sort=list(answer.conditions),
            title=None,
            axis=alt.Axis(orient="top", domain=False, ticks=False, labelAngle=-40, labelPadding=6),
        ),
        y=alt.Y(
            "word:N",
            sort=[companion.word for companion in answer.companions],
            title=None,
            axis=alt.Axis(domain=False, ticks=False, labelPadding=8, labelFontSize=LABEL_SIZE, labelColor=INK),
        ),
    )
    tiles = base.mark_rect(stroke="white", strokeWidth=2).encode(
        color=alt.Color("value:Q", scale=alt.Scale(scheme="blues"), legend=None)
    )
    numbers = base.mark_text(fontSize=11).encode(
        text="shown:N",
        color=alt.condition(f"isValid(datum.value) && datum.value > {middle}", alt.value("white"), alt.value(INK)),
    )
    width, height = 1.4 * TILE * len(answer.conditions), TILE * len(answer.companions)
    layers = alt.layer(tiles.transform_filter("isValid(datum.value)"), numbers)
    return cast("alt.LayerChart", layers.properties(width=width, height=height))


def _between_ends(answer: Company) -> Company:
    """The answer without the conditions before the first and after the last in which the word has enough support."""
    first, last = (answer.conditions.index(answer.looked_at[end]) for end in (0, -1))
    kept = slice(first, last + 1)
    companions = tuple(replace(companion, similarity=companion.similarity[kept]) for companion in answer.companions)
    return replace(answer, conditions=answer.conditions[kept], support=answer.support[kept], companions=companions)


def _sides(answer: Company) -> tuple[list[Companion], list[Companion]]:
    """The companions that are labeled on the left (near only at first), and those on the right, nearest first."""
    first, last = answer.looked_at[0], answer.looked_at[-1]
    left = [
        companion for companion in answer.companions if first in companion.near_in and last not in companion.near_in
    ]
    return left, [companion for companion in answer.companions if companion not in left]


def _colors(companions: list[Companion], answer: Company) -> list[str]:
    """A color for each companion: blue for company at first, red for company at last, gray for both or neither."""
    first, last = answer.looked_at[0], answer.looked_at[-1]
    shades = {EARLY: cycle(EARLY), LATE: cycle(LATE), THROUGHOUT: cycle(THROUGHOUT)}
    kinds = [
        THROUGHOUT if (first in one.near_in) == (last in one.near_in) else EARLY if first in one.near_in else LATE
        for one in companions
    ]
    return [next(shades[kind]) for kind in kinds]
