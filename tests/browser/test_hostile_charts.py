"""HTML and SVG charts of a hostile corpus, opened by a real browser: its texts are shown, and nothing of them runs."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from chronotope.analysis.answer import Answer
from chronotope.analysis.charts import Lines, Plane, Ranked, Tiles

RUN = "window.ran=1"
HOSTILE = (
    f"Kent</script><script>{RUN}</script>",
    f"<!--<script>{RUN}",
    f"<img src=x onerror={RUN}>",
    f'"]}}); {RUN}; ({{"a":["',
    f"line\u2028{RUN}\u2029end",
    f"${{{RUN}}} & \\u003cb>",
    "__proto__",
)
TIMES = ["1990", "1991", HOSTILE[0]]
FACTS = {"axis": "time", "corpus": HOSTILE[0], "conditions": TIMES}
OVER_TIME = [
    {"word": word, "neighbor": word, "condition": time, "against": other, "time": time, "place": word, "count": 9}
    | {"similarity": 0.5, "value": 0.5, "kind": "path", "label": time, "x": at, "y": number}
    | {"lat": float(number), "lon": float(at), "neighbors_before": [word], "neighbors_after": [time]}
    for number, word in enumerate(HOSTILE)
    for at, (time, other) in enumerate(zip(TIMES, TIMES[1:] + TIMES[:1], strict=True))
]
DETAIL = ("neighbors_before", "neighbors_after")
POLYGON = {"type": "Polygon", "coordinates": [[[0, 0], [9, 0], [9, 9], [0, 0]]]}
POLYGONS = {"features": [{"properties": {"name": HOSTILE[0]}, "geometry": POLYGON}]}
CHARTS = {
    "lines": (Lines(y="similarity"), FACTS),
    "neighbors": (Lines(y="similarity", color="neighbor"), FACTS),
    "ranked": (Ranked(label="word", value="similarity", detail=DETAIL), FACTS),
    "panels": (Ranked(label="word", value="similarity", group="condition"), FACTS),
    "tiles": (Tiles(x="time", y="place", value="value"), FACTS),
    "path": (Plane(x="x", y="y", label="label", kind="kind"), FACTS),
    "map": (Plane(x="lon", y="lat", label="place", value="value"), FACTS),
    "areas": (Plane(x="lon", y="lat", label="place", value="value"), {**FACTS, "polygons": POLYGONS}),
}


@pytest.mark.parametrize("ending", ["html", "svg"])
@pytest.mark.parametrize("name", CHARTS)
def test_nothing_in_a_chart_runs_or_loads(visit, tmp_path, name, ending):
    chart, facts = CHARTS[name]
    answer = Answer(OVER_TIME, title=HOSTILE[0], notes=HOSTILE, facts=facts, signature=HOSTILE[0], chart=chart)
    answer.save(tmp_path / f"chart.{ending}")
    page = visit((tmp_path / f"chart.{ending}").as_uri())
    expect(page.locator("svg").get_by_text("Kent</script>").first).to_be_visible()
    assert page.evaluate("window.ran") is None
    assert page.locator("svg script, svg img").count() == 0
    assert visit.asked == [(tmp_path / f"chart.{ending}").as_uri()]


def test_the_policy_of_a_chart_stops_a_script_that_is_not_its_own(visit, tmp_path):
    """The second lock: even a script that stood in the page would not run."""
    path = tmp_path / "chart.html"
    chart, facts = CHARTS["lines"]
    Answer(OVER_TIME, title="Title", facts=facts, chart=chart).save(path)
    text = path.read_text(encoding="utf-8").replace('<div id="chart">', f'<script>{RUN}</script><div id="chart">')
    path.write_text(text, encoding="utf-8")
    page = visit(path.as_uri())
    expect(page.locator("#chart svg").first).to_be_visible()
    assert page.evaluate("window.ran") is None
    assert "Content Security Policy" in visit.complaints.pop()
