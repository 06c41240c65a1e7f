"""The worked examples of CONTRIBUTING.md run, and do what they say."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

import chronotope as ct
import worlds
from chronotope.corpus.readers.pieces import Fields
from chronotope.errors import SettingsError
from chronotope.views import charts

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def examples() -> dict:
    """All that the Python of the page defines."""
    defined: dict = {"__name__": "examples"}
    for block in re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL):
        exec(compile(block, "CONTRIBUTING.md", "exec", dont_inherit=True), defined)
    return defined


def test_the_method_finds_the_word_that_changes(examples, tmp_path):
    counts = ct.count(ct.read_corpus(worlds.planted_drift().records, time="time", every="5y"), min_count=5)
    embeddings = examples["Landmarks"]().fit(counts)
    embeddings.save(tmp_path / "model.ct")
    assert ct.drift(ct.load(tmp_path / "model.ct"), "1990-1994", "1995-1999").top(1)[0].word == "bank"
    with pytest.raises(SettingsError, match="dimensions"):
        examples["Landmarks"](dimensions=0)


def test_the_reader_reads_vertical_text(examples, tmp_path):
    path = tmp_path / "letters.vrt"
    path.write_text(
        '<text date="1850-01-02">\nDear\tADJ\nsir\tN\n</text>\n<text date="1851">\nYours\tPRO\n</text>\n',
        encoding="utf-8",
    )
    reader = examples["Vertical"](path)
    assert reader.columns() == ["text", "date"]
    rows = [
        row
        for piece in reader.pieces(Fields("text", ("text", "date")), 0)
        for batch in piece.parse()
        for row in batch.frame.iter_rows()
    ]
    assert rows == [("Dear\x1fsir", "1850-01-02"), ("Yours", "1851")]


def test_the_chart_shows_every_condition(examples, tmp_path):
    counts = ct.count(ct.read_corpus(worlds.planted_drift().records, time="time"), min_count=5)
    charts.save(examples["support"](ct.frequency(counts, "bank")), tmp_path / "bank.svg")
    picture = (tmp_path / "bank.svg").read_text(encoding="utf-8")
    assert "bank" in picture
    assert all(label in picture for label in (counts.conditions.labels[0], counts.conditions.labels[-1]))


def test_the_kernel_sums(examples):
    rows, out = np.ones((4, 2), dtype=np.float32), np.empty((2, 2), dtype=np.float32)
    examples["fast_sums_of_groups"](rows, np.array([0, 1, 4]), out)
    assert out.tolist() == [[1, 1], [3, 3]]


def test_every_file_and_name_that_the_page_points_at_exists():
    named = re.findall(r"`((?:src|tests|docs|benchmarks|examples|tools)/[\w/.]+)`", PAGE)
    to_be_written = {"src/chronotope/methods/landmarks.py", "src/chronotope/corpus/readers/vertical.py"}
    assert len(named) > 15
    for name in set(named) - to_be_written:
        assert (ROOT / name).exists(), name
