"""Charts of answers: one Altair specification serves notebook, PNG, SVG, PDF and HTML, without a network."""

from __future__ import annotations

from base64 import b64encode
from hashlib import sha256
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from chronotope.analysis import charts as families
from chronotope.errors import SettingsError
from chronotope.io.atomic import atomic_write
from chronotope.io.embed import embed_json
from chronotope.runtime.memory import check_address_space
from chronotope.views.charts import lines, plane, ranked, tiles
from chronotope.views.charts.style import SCALE, Drawing, finish, texts

if TYPE_CHECKING:
    from chronotope.analysis.answer import Answer

FORMATS = ("png", "svg", "pdf", "html")
# Altair renders with V8, which reserves at least 64 GiB of addresses for its heap, and aborts if it cannot.
LEAST_ADDRESS_SPACE = 100 * 10**9
START = """vegaEmbed("#chart", JSON.parse(document.getElementById("spec").textContent),
{mode: "vega-lite", ast: true, renderer: "svg", actions: {export: true, source: false, compiled: false, editor: false}})"""


def draw(answer: Answer) -> Any:
    """Return the chart of an answer: an `altair.VConcatChart`, shown in notebooks as a picture.

    Raises
    ------
    SettingsError
        If the answer has no chart.
    """
    chart = answer.chart
    if chart is None:
        raise SettingsError(f"{answer.name or 'this answer'} has no chart; save it as .csv, .json or .md")
    value = getattr(chart, "y" if isinstance(chart, families.Lines) else "value", None) or getattr(chart, "x", "")
    if answer.frame[value].drop_nulls().is_empty() if len(answer) else True:
        drawing = _nothing()
    elif isinstance(chart, families.Lines):
        drawing = lines.draw(answer, chart)
    elif isinstance(chart, families.Ranked):
        drawing = ranked.draw(answer, chart)
    elif isinstance(chart, families.Tiles):
        drawing = tiles.draw(answer, chart)
    elif isinstance(chart, families.Plane):
        drawing = plane.draw(answer, chart)
    else:
        raise TypeError(f"no family of charts is called {type(chart).__name__}")
    return finish(answer, drawing)


def _nothing() -> Drawing:
    text = texts([{"x": 0, "y": 20, "text": "Nothing to draw: no row has a value.", "color": "#222222"}], align="left")
    return Drawing(text.properties(width=420, height=40), 420)


def check_format(path: str | Path) -> str:
    """Return the format that the ending of a file names; raise SettingsError if it is none of `FORMATS`."""
    ending = Path(path).suffix.lower().removeprefix(".")
    if ending not in FORMATS:
        raise SettingsError(f"cannot draw {Path(path).name}: its name must end in .png, .svg, .pdf or .html")
    return ending


def write_chart(answer: Answer, path: str | Path) -> None:
    """Write the chart of an answer to a file; its ending names the format: .png, .svg, .pdf or .html.

    HTML contains all that it needs and loads nothing.
    """
    ending = check_format(path)
    check_address_space(LEAST_ADDRESS_SPACE)
    chart = draw(answer)
    with atomic_write(path) as temporary:
        if ending == "html":
            temporary.write_text(_page(chart.to_dict(), answer.title), encoding="utf-8")
        else:
            chart.save(str(temporary), format=ending, **({"scale_factor": SCALE} if ending == "png" else {}))


def _page(spec: dict[str, Any], title: str) -> str:
    """Return a page that draws a chart. The policy allows two scripts, by their hashes, and no connection."""
    import vl_convert

    scripts = [vl_convert.javascript_bundle(), START]
    allowed = " ".join(f"'sha256-{b64encode(sha256(script.encode()).digest()).decode()}'" for script in scripts)
    policy = f"default-src 'none'; script-src {allowed}; style-src 'unsafe-inline'; img-src data: blob:"
    bundle, start = (f"<script>{script}</script>" for script in scripts)
    return f"""<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width"><title>{escape(title)}</title></head>
<body><div id="chart"></div>
<script type="application/json" id="spec">{embed_json(spec)}</script>
{bundle}
{start}
</body></html>
"""
