"""A notebook as a user writes it, run by a real kernel: what is shown, and that nothing is loaded from elsewhere."""

from __future__ import annotations

import base64
import re

import pytest

nbclient = pytest.importorskip("nbclient")
nbformat = pytest.importorskip("nbformat")
pytest.importorskip("ipykernel")

CELLS = {
    "corpus": """
import chronotope as ct
evil = '<script>alert(1)</script>'
world = ct.invented_world(years=range(1990, 1994), documents=400)
corpus = ct.read_corpus(world.records, time="time")
corpus""",
    "counts": """
show = ct.show_progress()
counts = ct.count(corpus, min_count=5, progress=show)
counts""",
    "model": """
embeddings = ct.GraphModel(dimensions=10, epochs=3).fit(counts, on_step=show, on_epoch=show)
embeddings""",
    "matches": "embeddings.neighbors('river', at='1990', top=3)",
    "answer": "ct.neighbors(embeddings, 'river', at='all')",
    "chart": "ct.neighbors(embeddings, 'river', at='all').plot()",
    "words": "embeddings.at('1990')",
    "script": "ct.read_corpus([{'text': 'a b', evil: '1990'}], time=evil)",
    "progress": "ct.show_progress()(evil, 1, 2)",
    "error": "embeddings.neighbors('rivr', at='1990')",
}


@pytest.fixture(scope="module")
def outputs():
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(code) for code in CELLS.values()])
    notebook.cells[-1].metadata["tags"] = ["raises-exception"]
    nbclient.NotebookClient(notebook, timeout=900, kernel_name="python3").execute()
    return {name: cell.outputs for name, cell in zip(CELLS, notebook.cells, strict=True)}


def html(outputs) -> str:
    return "".join(output["data"].get("text/html", "") for output in outputs if "data" in output)


def test_corpora_counts_models_and_answers_are_tables(outputs):
    assert "Corpus, not read yet" in html(outputs["corpus"])
    assert "tokens" in html(outputs["counts"])
    assert "graph" in html(outputs["model"])
    assert "<td" in html(outputs["matches"])
    assert "neighbor_count" in html(outputs["answer"])
    assert "WordVectors 1990" in outputs["words"][0]["data"]["text/plain"]


def test_progress_is_shown_and_ends_at_the_end(outputs):
    for cell, stage in (("counts", "counting"), ("model", "training")):
        bars = [output for output in outputs[cell] if "<progress" in output.get("data", {}).get("text/html", "")]
        assert len(bars) == 1, "one display that is updated"
        line = re.search(rf'value="([\d.]+)"[^>]*></progress> {stage} ', bars[0]["data"]["text/html"])
        assert line is not None
        assert float(line[1]) == 1
    assert "loss" in html(outputs["model"])


def test_a_chart_is_a_picture_that_loads_nothing(outputs):
    data = outputs["chart"][0]["data"]
    assert base64.b64decode(data["image/png"]).startswith(b"\x89PNG")
    assert "river: neighbors" in data["text/plain"]
    assert "text/html" not in data


def test_nothing_is_run_or_loaded(outputs):
    shown = "".join(html(cell) for cell in outputs.values())
    assert "<script" not in shown
    assert "http" not in shown
    assert "&lt;script&gt;" in html(outputs["script"])


def test_an_error_is_one_line_that_helps(outputs):
    error = outputs["error"][-1]
    assert error["ename"] == "UnknownWordError"
    assert "did you mean river" in error["evalue"]
