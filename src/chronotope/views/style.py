"""How every chart looks: fonts, inks, colors that color-blind readers can tell apart, titles, axes."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any, TypeVar

import altair as alt

from chronotope.views.offline import shown_offline

FONT = "IBM Plex Sans, Helvetica Neue, Helvetica, Arial, sans-serif"
INK, QUIET, FAINT = "#222222", "#707070", "#e8e8e8"
# Shades of the blue and the vermilion of Okabe and Ito, which color-blind readers can tell apart; dark enough for text.
EARLY = ("#0072B2", "#00304D", "#4AA0D5", "#1D5A85")
LATE = ("#D55E00", "#6E2C00", "#EE8B45", "#A34400")
THROUGHOUT = ("#6b6b6b", "#3d3d3d", "#939393")
# For several words: of Okabe and Ito's colors those that can be read as text on white, then darker ones.
WORDS = ("#0072B2", "#D55E00", "#007D5A", "#A0527D", "#3d3d3d", "#8A6D00", "#4AA0D5", "#6E2C00")
# The lines of words differ in their dashes, too, so that a copy without color can be read.
DASHES = ([1, 0], [7, 3], [2, 2], [9, 3, 2, 3], [12, 4], [4, 4], [2, 4], [6, 2, 2, 2])
LABEL_SIZE, LABEL_WIDTH, LABEL_GAP = 13, 7.2, 16.5
MOST_TICKS = 8
ROUND = (1, 2, 5, 10, 20, 50, 100, 200, 500)

Rows = list[dict[str, Any]]
Chart = TypeVar("Chart", bound=Any)


def finished(chart: Chart, title: str, subtitle: Sequence[str] = ()) -> Chart:
    """A chart with its title and the style that all charts share.

    Parameters
    ----------
    chart
        The chart.
    title
        What it shows.
    subtitle
        The lines below; empty ones are left out.
    """
    lines = [line for line in subtitle if line]
    heading = alt.TitleParams(title, subtitle=lines) if lines else alt.TitleParams(title)
    styled: Chart = (
        chart.properties(title=heading)
        .configure(font=FONT, background="white", padding=16)
        .configure_view(stroke=None)
        .configure_title(
            anchor="start",
            frame="bounds",
            fontSize=20,
            color=INK,
            offset=20,
            subtitleFontSize=13,
            subtitleColor=QUIET,
            subtitlePadding=6,
            subtitleLineHeight=18,
        )
        .configure_axis(
            labelFontSize=12, labelColor=QUIET, titleFontSize=12, titleColor=QUIET, titleFontWeight="normal"
        )
    )
    return shown_offline(styled)


def made_by(signature: str) -> str:
    """How the embeddings were made, for a subtitle.

    Examples
    --------
    >>> made_by("chronotope 0.1.0|graph|50 dimensions|10 conditions|500 words|seed 1")
    'graph · 50 dimensions · 10 conditions · 500 words'
    """
    return " · ".join(signature.split("|")[1:5])


def condition_axis(conditions: Sequence[str], most: int = MOST_TICKS, **more: Any) -> alt.Axis:
    """An axis of numbers that shows the labels of the conditions, as many as fit."""
    return alt.Axis(
        values=ticks(conditions, most),
        labelExpr=f"{json.dumps(list(conditions), ensure_ascii=False)}[datum.value]",
        grid=False,
        domainColor=QUIET,
        tickColor=QUIET,
        labelPadding=6,
        labelFlush=False,
        **more,
    )


def ticks(conditions: Sequence[str], most: int) -> list[int]:
    """The numbers of the conditions that have a label: of years that follow each other the round ones.

    Examples
    --------
    >>> years = [str(year) for year in range(1946, 2025)]
    >>> [years[at] for at in ticks(years, 8)]
    ['1950', '1960', '1970', '1980', '1990', '2000', '2010', '2020']
    >>> ticks(["1940s", "1950s", "1960s"], 2)
    [0, 2]
    """
    step = -(-len(conditions) // most)
    even = list(range(0, len(conditions), step))
    if step == 1 or not all(re.fullmatch(r"\d{4}", label) for label in conditions):
        return even
    length = next(size for size in ROUND if size >= step or size == ROUND[-1])
    found = [at for at, year in enumerate(conditions) if int(year) % length == 0]
    # Where bins are missing, or are every second year, there may be hardly any round one.
    return found if len(even) / 2 <= len(found) <= most else even


def value_axis(title: str, **more: Any) -> alt.Axis:
    """A vertical axis of values: faint lines, its title above."""
    settings: dict[str, Any] = {
        "title": title,
        "titleAngle": 0,
        "titleAlign": "left",
        "titleBaseline": "bottom",
        "titleX": -40,
        "titleY": -10,
        "tickCount": 5,
        "domain": False,
        "ticks": False,
        "gridColor": FAINT,
        "labelPadding": 10,
    }
    return alt.Axis(**{**settings, **more})


def data(rows: Rows) -> alt.InlineData:
    """Rows as the data of a chart."""
    return alt.InlineData(values=rows)
