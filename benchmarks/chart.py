"""Draw how the cost grows, from the rows of benchmarks/training.py: `python benchmarks/chart.py [OUT.png]`."""

from __future__ import annotations

import sys
from pathlib import Path

import altair as alt
import polars as pl
from harness import rows

TITLES = {"cells": "cells, millions", "dimensions": "dimensions", "conditions": "conditions", "threads": "threads"}
INK, LINE = "#333333", "#0072b2"


def main() -> None:
    into = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parents[1] / "docs" / "images" / "growth.png"
    table = latest()
    panels = [panel(along, table.filter(pl.col("along") == along)) for along in TITLES]
    chart = (
        alt.hconcat(*panels, spacing=28)
        .properties(title=alt.TitleParams("Seconds of one CW2V epoch, as one size grows", anchor="start", offset=12))
        .configure_view(stroke=None)
        .configure_title(color=INK, fontSize=15)
        .configure_axis(labelFontSize=12, titleFontSize=12, titleColor=INK, labelColor=INK, gridColor="#e5e5e5")
    )
    into.parent.mkdir(parents=True, exist_ok=True)
    chart.save(str(into), ppi=200)


def latest() -> pl.DataFrame:
    """The newest row of each size."""
    table = pl.DataFrame([row["figures"] for row in rows("cw2v growth")])
    sizes = ["along", "conditions", "dimensions", "threads"]
    table = table.with_columns(millions=(pl.col("cells") / 1e6).round(1))
    return table.unique([*sizes, "millions"], keep="last", maintain_order=True)


def panel(along: str, table: pl.DataFrame) -> alt.LayerChart:
    """Seconds over one size; both axes double, so that a straight slope of one is growth in proportion."""
    column = "millions" if along == "cells" else along
    table = table.sort(column)
    scale = alt.Scale(type="log", base=2, nice=False, padding=12)
    values = table[column].to_list()
    x = alt.X(f"{column}:Q", title=TITLES[along], scale=scale, axis=alt.Axis(values=values, grid=False, format="~g"))
    y = alt.Y(
        "seconds:Q", title="seconds" if along == "cells" else None,
        scale=alt.Scale(type="log", base=2, domain=[1 / 64, 2]),
        axis=alt.Axis(values=[1 / 64, 1 / 32, 1 / 16, 1 / 8, 1 / 4, 1 / 2, 1, 2], format="~r"),
    )  # fmt: skip
    first = table.row(0, named=True)
    grows = -1 if along == "threads" else 0 if along == "conditions" else 1
    proportional = pl.DataFrame(
        {column: values, "seconds": [first["seconds"] * (value / values[0]) ** grows for value in values]}
    )
    base = alt.Chart(table, width=165, height=210)
    ideal = alt.Chart(proportional).mark_line(strokeDash=[3, 3], color="#999999", clip=True).encode(x, y)
    return (
        ideal + base.mark_line(color=LINE).encode(x, y) + base.mark_point(color=LINE, filled=True, size=55).encode(x, y)
    )


if __name__ == "__main__":
    main()
