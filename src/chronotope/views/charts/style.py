"""What all charts share: colors, texts, axes, title, caption and footnote."""

from __future__ import annotations

import io
import math
import re
from collections.abc import Sequence
from textwrap import wrap
from typing import Any, NamedTuple

import altair as alt
import polars as pl

from chronotope.analysis.answer import Answer
from chronotope.analysis.columns import COLUMNS

FONT = "IBM Plex Sans, Helvetica Neue, Helvetica, Arial, sans-serif"
INK, QUIET, PALE, GRID = "#222222", "#6b6b6b", "#b5b5b5", "#e8e8e8"
# From the palette of Okabe and Ito for color-blind readers, where readable as text on white; then darker colors.
COLORS = ("#0072B2", "#D55E00", "#007D5A", "#A0527D", "#3d3d3d", "#8A6D00", "#4AA0D5", "#6E2C00")
BLUES, ORANGES = ("#0072B2", "#00304D", "#4AA0D5", "#1D5A85"), ("#D55E00", "#6E2C00", "#EE8B45", "#A34400")
GRAYS = ("#6b6b6b", "#3d3d3d", "#939393")
LABEL, SMALL, LETTER = 13, 12, 0.53  # font sizes; mean width of a letter in font sizes
MOST_LETTERS = 34  # of a label
FEW = 5  # occurrences; a mark of fewer is faint
FAINT = f"Pale and hollow: fewer than {FEW} occurrences."
CUT = "Intervals that reach far beyond the points are cut."
ROUND = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)  # years between labels
SCALE = 2  # pixels of a PNG for each pixel of a chart

Rows = list[dict[str, Any]]


class Drawing(NamedTuple):
    """A chart without its title: the chart, its width in pixels, and notes on hidden rows."""

    chart: Any
    width: float
    notes: Sequence[str] = ()


def finish(answer: Answer, drawing: Drawing) -> Picture:
    """Add the title, the caption, the footnote and the style."""
    letters = max(drawing.width, 480) / (SMALL * LETTER)
    notes = dict.fromkeys([*answer.notes, *drawing.notes])
    caption = [line for note in notes for line in wrap(spaced(note), int(letters))]
    source = answer.signature.split("|")
    # A part of the footnote is not broken: its spaces become no-break spaces.
    footnote = wrap(" · ".join(part.replace(" ", "\u00a0") for part in source if part), int(letters * 1.2))
    title = wrap(spaced(answer.title), int(letters * SMALL / 18))
    common: dict[str, Any] = {"anchor": "start", "frame": "bounds", "offset": 18, "color": INK}
    below: dict[str, Any] = {"orient": "bottom", "fontSize": SMALL, "fontWeight": "normal", "lineHeight": 17}
    small: dict[str, Any] = {"subtitleFontSize": 10, "subtitleColor": "#8a8a8a", "subtitlePadding": 8}
    heading = alt.TitleParams(title, fontSize=18, lineHeight=23, **common)
    lower = alt.TitleParams(caption or "\u00a0", subtitle=footnote, **below, **small, **common)
    chart = drawing.chart.properties(title=lower)
    axis: dict[str, Any] = {"labelFontSize": SMALL, "titleFontSize": SMALL, "titleFontWeight": "normal"}
    whole = Picture(vconcat=[chart], title=heading, description=" ".join([*title, *caption]))
    whole = whole.configure(font=FONT, background="white", padding=16).configure_view(stroke=None)
    styled: Picture = whole.configure_axis(labelColor=QUIET, titleColor=QUIET, **axis)
    return styled


class Picture(alt.VConcatChart):
    """A chart that a notebook shows as a picture: Altair's own display loads programs from a server."""

    def _repr_mimebundle_(self, *args: Any, **kwargs: Any) -> Any:
        if alt.renderers.active != "default":
            return super()._repr_mimebundle_(*args, **kwargs)
        picture = io.BytesIO()
        self.save(picture, format="png", scale_factor=SCALE)
        data = picture.getvalue()
        # In a PNG file width and height follow the first sixteen bytes.
        width, height = (int.from_bytes(data[at : at + 4], "big") // SCALE for at in (16, 20))
        return {"image/png": data, "text/plain": repr(self)}, {"image/png": {"width": width, "height": height}}

    def __repr__(self) -> str:
        return f"<Chart: {' '.join(self.title.text)}>"


def spaced(text: Any) -> str:
    """Return a text with spaces in its phrases.

    >>> spaced("prime_minister: similarity with its first condition")
    'prime minister: similarity with its first condition'
    """
    return re.sub(r"(?<=\w)_(?=\w)", " ", str(text))


def shorten(text: Any, most: int = MOST_LETTERS) -> str:
    """Return a label of at most `most` letters, with spaces in its phrases."""
    label = " ".join(spaced(text).split())
    return label if len(label) <= most else f"{label[: most - 1].rstrip()}…"


def best_column(frame: pl.DataFrame, column: str) -> str:
    """Return 'corrected' if the answer has corrected values, else the column itself."""
    return "corrected" if "corrected" in frame.columns and frame["corrected"].null_count() < len(frame) else column


def axis_title(answer: Answer, column: str) -> str:
    """Return the meaning of a column in a few words.

    >>> from chronotope.analysis.answer import Answer
    >>> axis_title(Answer({"change": [0.5], "corrected": [0.4]}, title=""), "change")
    '1 − cosine of the two vectors, corrected for noise'
    """
    if column == "value":
        title = "position on the axis" if answer.facts.get("formula") else "similarity with all other conditions"
    elif column in COLUMNS:
        title = re.split(r"\b: |, ", COLUMNS[column].meaning)[0]
    else:
        title = {"mrr": "mean reciprocal rank"}.get(column, spaced(column))
    return f"{title}, corrected for noise" if best_column(answer.frame, column) != column else title


def interval(row: dict[str, Any], band: tuple[str, str] | None) -> dict[str, float | None]:
    """Return `low` and `high` of a row, both None if one is unknown."""
    low, high = (row.get(name) for name in band or ("", ""))
    return {"low": None, "high": None} if low is None or high is None else {"low": low, "high": high}


def is_faint(row: dict[str, Any], column: str | None) -> bool:
    """Return whether a row has fewer than five occurrences."""
    count = row.get(column) if column else None
    return count is not None and count < FEW


def decimals(values: Sequence[float], least: int = 2) -> int:
    """Return the number of decimals that distinguish the values.

    >>> decimals([180.0, 20.0]), decimals([0.5, 0.9]), decimals([0.021, 0.022])
    (0, 2, 4)
    """
    largest, span = max(map(abs, values)), max(values) - min(values)
    if largest >= 10:
        return 0 if largest >= 100 else 1
    return min(4, max(least, 1 - math.floor(math.log10(span)))) if span > 0 else least


def number(value: float, digits: int) -> str:
    """Format a value with a true minus sign."""
    text = f"{value:,.{digits}f}"
    return (text if float(text.replace(",", "")) else text.lstrip("-")).replace("-", "−")


def ticks(labels: Sequence[str], most: int) -> list[str]:
    """Return evenly spaced labels, at least two; round years if the labels are years.

    >>> ticks([str(year) for year in range(1946, 2025)], 8)
    ['1950', '1960', '1970', '1980', '1990', '2000', '2010', '2020']
    >>> ticks(["1940s", "1950s", "1960s"], 1)
    ['1940s', '1960s']
    """
    years = all(label.isdecimal() for label in labels)
    places = [int(label) if years else at for at, label in enumerate(labels)]
    for step in ROUND if years else range(1, len(labels)):
        found = [label for place, label in zip(places, labels, strict=True) if place % step == 0]
        if len(found) <= max(most, 2):
            break
    return found if len(found) > 1 else [labels[0], labels[-1]]


def limits(values: Sequence[float], ends: Sequence[float], *, zero: bool) -> tuple[float, float]:
    """Return the range of an axis: all values, and the ends of intervals up to half the range beyond them."""
    low, high = min([0.0, *values] if zero else values), max([0.0, *values] if zero else values)
    room = (high - low) or abs(high) or 1.0
    bottom, top = max(min([low, *ends]), low - room / 2), min(max([high, *ends]), high + room / 2)
    margin = 0.05 * room
    return (0.0 if zero and bottom >= 0 else bottom - margin), (0.0 if zero and top <= 0 else top + margin)


def is_cut(rows: Rows, low: float, high: float) -> bool:
    """Return whether an interval reaches beyond the axis."""
    return any(row["low"] is not None and (row["low"] < low or row["high"] > high) for row in rows)


def value_axis(title: str | None, **more: Any) -> alt.Axis:
    """Return an axis of values with light grid lines."""
    style: dict[str, Any] = {"domain": False, "ticks": False, "gridColor": GRID, "labelPadding": 8, "labelFlush": False}
    return alt.Axis(title=title, **{"tickCount": 5, **style, **more})


def value_color(values: Sequence[float], title: str, **more: Any) -> alt.Fill:
    """Return shades of blue, darker for larger values; blue to orange if values lie on both sides of zero."""
    low, high = min(values), max(values)
    end, signed = max(-low, high), low < 0 < high
    domain = [-end, end] if signed else [low, high if high > low else low + 1e-6]
    style: dict[str, Any] = {"titleFontWeight": "normal", "titleFontSize": SMALL, "titleColor": QUIET, **more}
    bar: dict[str, Any] = {"gradientLength": 120, "gradientOpacity": 1, "tickCount": 4, "labelColor": QUIET}
    legend = alt.Legend(title=wrap(title, 20), **bar, **style)
    scale = alt.Scale(scheme="blueorange" if signed else "blues", domain=domain)
    return alt.Fill("value:Q", scale=scale, legend=legend)


def heading(chart: Any, text: str) -> Any:
    """Return a panel with its heading."""
    style: dict[str, Any] = {"anchor": "start", "frame": "group", "fontSize": LABEL, "offset": 8}
    return chart.properties(title=alt.TitleParams(shorten(text), **style)) if text else chart


def layer(rows: Rows, mark: str, **style: Any) -> Any:
    """Return marks of one kind; their colors are columns of the rows."""
    chart = getattr(alt.Chart(alt.InlineData(values=rows)), f"mark_{mark}")(**style)
    kinds: Any = {"color": alt.Color("color:N"), "fill": alt.Fill("fill:N"), "stroke": alt.Stroke("stroke:N")}
    kinds["opacity"] = alt.Opacity("opacity:Q")
    return chart.encode(**{name: kind.scale(None) for name, kind in kinds.items() if rows and name in rows[0]})


def pixels() -> dict[str, Any]:
    """Return the encodings of positions that are given in pixels."""
    return {name: kind(name, type="quantitative", scale=None, axis=None) for name, kind in (("x", alt.X), ("y", alt.Y))}


def texts(rows: Rows, size: int = SMALL, **style: Any) -> Any:
    """Return texts: rows of x, y in pixels, `text` and `color`."""
    return layer(rows, "text", fontSize=size, baseline="middle", **style).encode(**pixels(), text="text:N")


def rules(rows: Rows, **style: Any) -> Any:
    """Return straight lines: rows of x, y, x2, y2 in pixels, and `color`."""
    return layer(rows, "rule", **style).encode(**pixels(), x2="x2:Q", y2="y2:Q")
