"""The four families of charts: which columns of an answer are drawn, and how. `views` and the explorer draw them."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True)
class Chart:
    """Base of the families.

    `faint` is the count column: a mark of fewer than five occurrences is drawn faint. `limit` is the maximum number of
    lines or bars; a caption says how many are hidden.
    """

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for the explorer."""
        return {"family": type(self).__name__.lower(), **asdict(self)}


@dataclass(frozen=True)
class Lines(Chart):
    """A line for each value of `color` over time, with a gap where a condition of facts["conditions"] has no value.

    Over time × place, each value of `color` has a panel with a line for each place. Places without time, and a single
    condition, become bars.
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

    `detail` columns are texts beside the bars; a pair of columns that end in before and after is joined by an arrow.
    Bars are hollow if `match` is false; `needed` is a line on the bar.
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
    """A colored tile for each pair of `x` and `y`, with a frame where the boolean column `mark` is true.

    facts["merges"], triples of two nodes and their distance, adds the tree of a clustering of places.
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

    Places named in facts["polygons"], a GeoJSON FeatureCollection, are areas. Without any coordinates, places become
    bars.
    """

    x: str
    y: str
    label: str
    value: str | None = None
    kind: str | None = None
    faint: str | None = "count"
    limit: int = 200
