"""Charts of answers: one Altair specification serves notebook, PNG, SVG, PDF and HTML, without a network."""

from __future__ import annotations

import re
from base64 import b64encode
from hashlib import sha256
from html import escape
from io import StringIO
from pathlib import Path
from typing import Any, cast

from chronotope.analysis.answer import Answer
from chronotope.analysis.charts import Lines, Plane, Ranked, Tiles
from chronotope.errors import SettingsError, import_extra
from chronotope.io.untrusted import embed_json
from chronotope.runtime.memory import check_address_space

for package in ("altair", "vl_convert"):
    import_extra(package, "a chart", "charts")
from chronotope.views.charts import lines, plane, ranked, tiles  # noqa: E402
from chronotope.views.charts.style import SCALE, Drawing, Picture, finish, texts  # noqa: E402

FAMILIES: dict[Any, Any] = {Lines: lines.draw, Ranked: ranked.draw, Tiles: tiles.draw, Plane: plane.draw}
LEAST_ADDRESS_SPACE = 100 * 10**9  # V8 aborts if it cannot reserve at least 64 GiB for its heap
START = """vegaEmbed("#chart", JSON.parse(document.getElementById("spec").textContent), {
  mode: "vega-lite", ast: true, renderer: "svg", actions: {export: true, source: false, compiled: false, editor: false}
})"""


def draw(answer: Answer) -> Picture:
    """Return the chart of an answer, shown in notebooks as a picture; raise SettingsError if it has none."""
    chart: Any = answer.chart
    if chart is None:
        raise SettingsError(f"{answer.name or 'this answer'} has no chart; save it as .csv, .json or .md")
    value = chart.y if isinstance(chart, Lines) else chart.value or chart.x if isinstance(chart, Plane) else chart.value
    if not len(answer) or answer.frame[value].null_count() == len(answer):
        row = {"x": 0, "y": 20, "text": "Nothing to draw: no row has a value.", "color": "#222222"}
        return finish(answer, Drawing(texts([row], align="left").properties(width=420, height=40), 420))
    return finish(answer, FAMILIES[type(chart)](answer, chart))


def write_chart(answer: Answer, path: Path, ending: str) -> None:
    """Write the chart of an answer as .png, .svg, .pdf or .html, which needs no other file."""
    check_address_space(LEAST_ADDRESS_SPACE)
    chart, format = draw(answer), cast(Any, ending.removeprefix("."))
    if ending == ".html":
        path.write_text(_page(chart.to_dict(), answer.title), encoding="utf-8")
    else:
        chart.save(str(path), format=format, scale_factor=SCALE if ending == ".png" else 1)


def svg(answer: Answer) -> str:
    """Return the chart of an answer as SVG to put into a page."""
    check_address_space(LEAST_ADDRESS_SPACE)
    picture = StringIO()
    draw(answer).save(picture, format="svg")
    # Several charts in one page must not share names.
    name = sha256(picture.getvalue().encode()).hexdigest()[:8]
    return re.sub(r'(\bid="|url\(#|href="#)', rf"\g<1>{name}-", picture.getvalue())


def _page(spec: dict[str, Any], title: str) -> str:
    """Return a page that draws a chart. Its policy allows one script, by its hash, and no connection."""
    import vl_convert

    script = vl_convert.javascript_bundle(START)
    allowed = b64encode(sha256(script.encode()).digest()).decode()
    policy = f"default-src 'none'; script-src 'sha256-{allowed}'; style-src 'unsafe-inline'; img-src data: blob:"
    return f"""<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width"><title>{escape(title)}</title></head>
<body><div id="chart"></div>
<script type="application/json" id="spec">{embed_json(spec)}</script>
<script>{script}</script>
</body></html>
"""
