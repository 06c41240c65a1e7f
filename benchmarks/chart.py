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
        .properties(
            title=alt.TitleParams(
                "The processor's time for one CW2V epoch as one size grows, everything else equal",
                subtitle="dashed: in proportion to the size (conditions: to the cells; threads: none lost by sharing)",
                anchor="start",
                offset=12,
            )
        )
        .configure_view(stroke=None)
        .configure_title(color=INK, fontSize=15, subtitleColor=INK, subtitleFontSize=12)
        .configure_axis(labelFontSize=12, titleFontSize=12, titleColor=INK, labelColor=INK, gridColor="#e5e5e5")
    )
    into.parent.mkdir(parents=True, exist_ok=True)
    chart.save(str(into), ppi=200)


def latest() -> pl.DataFrame:
    """The newest row of each size."""
    table = pl.DataFrame([row["figures"] for row in rows("cw2v growth") if "processor_seconds" in row["figures"]])
    sizes = ["along", "conditions", "dimensions", "threads"]
    table = table.with_columns(
        millions=(pl.col("cells") / 1e6).round(1), milliseconds=1000 * pl.col("processor_seconds")
    )
    return table.unique([*sizes, "millions"], keep="last", maintain_order=True)


def panel(along: str, table: pl.DataFrame) -> alt.LayerChart:
    """Time over one size, both on a scale of ratios, so that equal slopes are equal growth."""
    column = "millions" if along == "cells" else along
    table = table.sort(column)
    values, first = table[column].to_list(), table.row(0, named=True)
    size = {"conditions": pl.col("cells") / first["cells"], "threads": pl.lit(1)}
    even = table.with_columns(milliseconds=first["milliseconds"] * size.get(along, pl.col(column) / first[column]))
    x = alt.X(
        f"{column}:Q", title=TITLES[along], scale=alt.Scale(type="log", base=2, nice=False, padding=12),
        axis=alt.Axis(values=values, grid=False, format="~g"),
    )  # fmt: skip
    y = alt.Y(
        "milliseconds:Q", title="milliseconds" if along == "cells" else None,
        scale=alt.Scale(type="log", domain=[20, 2000]),
        axis=alt.Axis(values=[20, 50, 100, 200, 500, 1000, 2000], format="d"),
    )  # fmt: skip
    ideal = alt.Chart(even, width=165, height=210).mark_line(strokeDash=[3, 3], color="#999999", clip=True)
    line = alt.Chart(table).mark_line(color=LINE, point=alt.OverlayMarkDef(color=LINE, filled=True, size=55))
    return ideal.encode(x, y) + line.encode(x, y)


if __name__ == "__main__":
    main()
