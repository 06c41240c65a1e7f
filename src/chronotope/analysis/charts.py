"""The four families of charts: which columns of an answer are drawn, and how. `views` and the explorer draw them."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True)
class Chart:
    """Base of the families.

    `faint` is the count column: a mark that rests on fewer than five occurrences is drawn faint. `limit` is the maximum
    number of lines or bars; a caption says how many are hidden.
    """

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for the explorer."""
        return {"family": type(self).__name__.lower(), **asdict(self)}


@dataclass(frozen=True)
class Lines(Chart):
    """A line for each value of `color` over time, with a gap where a condition of facts["conditions"] has no value.

    Over time × place a line for each place, in a panel for each value. Bars for places and for a single condition.
    """

    y: str
    x: str = "condition"
    color: str = "word"
    band: tuple[str, str] | None = None
    faint: str | None = "count"
    limit: int = 12


@dataclass(frozen=True)
class Ranked(Chart):
    """A bar for each row in order, or a dot with its `band`, in a panel for each value of `group`.

    `detail` columns are texts beside the bars: a pair that ends in before and after is joined by an arrow. Rows whose
    `match` is false are hollow; `needed` is a line on the bar.
    """

    label: str
    value: str
    band: tuple[str, str] | None = None
    group: str | None = None
    detail: tuple[str, ...] = ()
    faint: str | None = "count"
    limit: int = 30


@dataclass(frozen=True)
class Tiles(Chart):
    """A colored tile for each pair of `x` and `y`; `mark` names a boolean column that puts a frame around tiles.

    facts["merges"], triples of two nodes and their distance, add the tree in which places join.
    """

    x: str
    y: str
    value: str
    mark: str | None = None
    faint: str | None = "count"
    limit: int = 100


@dataclass(frozen=True)
class Plane(Chart):
    """Labeled points: rows of kind 'path' are joined in order; on a map if the columns are `lon` and `lat`.

    facts["polygons"], a GeoJSON FeatureCollection, makes areas of the places that it names. Bars without coordinates.
    """

    x: str
    y: str
    label: str
    value: str | None = None
    kind: str | None = None
    faint: str | None = "count"
    limit: int = 200
