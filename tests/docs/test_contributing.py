"""The worked examples of CONTRIBUTING.md run, and do what they say."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import chronotope as ct
import worlds
from chronotope.corpus.readers.pieces import Fields
from chronotope.errors import SettingsError

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
QUESTION, TEST, *OTHERS = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
# A package may have its modules in several folders; the question lies in one that is added.
EXTENDED = "import chronotope.analysis\nchronotope.analysis.__path__.append({folder!r})\n"


@pytest.fixture(scope="module")
def examples() -> dict:
    """All that the Python of the page defines, after the question."""
    defined: dict = {"__name__": "examples"}
    for block in OTHERS:
        exec(compile(block, "CONTRIBUTING.md", "exec", dont_inherit=True), defined)
    return defined


def test_a_question_is_one_file_and_one_test(tmp_path):
    """In a process of its own: the question appears in Python, on the command line, in the API and in the reference."""
    (tmp_path / "questions").mkdir()
    (tmp_path / "questions" / "entropy.py").write_text(QUESTION, encoding="utf-8")
    (tmp_path / "extended.py").write_text(EXTENDED.format(folder=str(tmp_path / "questions")), encoding="utf-8")
    (tmp_path / "test_entropy.py").write_text(TEST, encoding="utf-8")
    folders = [tmp_path, Path(ct.__file__).parents[1], ROOT / "tools", ROOT / "tests"]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, folders))}

    def python(*arguments):
        command = [sys.executable, *map(str, arguments)]
        return subprocess.run(command, capture_output=True, text=True, cwd=ROOT, env=environment)

    settings = ("-c", ROOT / "pyproject.toml", "-p", "extended", "-p", "conftest", "-p", "no:cacheprovider")
    tests = (tmp_path / "test_entropy.py", "tests/conformance/test_questions.py")
    done = python("-m", "pytest", *settings, "-k", "entropy", *tests)
    assert done.returncode == 0, done.stdout
    done = python("-c", "import extended, reference_questions; print(reference_questions.page())")
    assert "### entropy\n\nHow evenly is a word similar to its neighbors" in done.stdout, done.stderr
    assert "chronotope entropy MODEL WORD [OPTIONS]" in done.stdout


def test_the_method_finds_the_word_that_changes(examples, tmp_path):
    counts = ct.count(ct.read_corpus(worlds.planted_drift().records, time="time", every="5y"), min_count=5)
    examples["Landmarks"]().fit(counts).save(tmp_path / "model.ct")
    assert ct.drift(tmp_path / "model.ct", start="1990-1994", end="1995-1999")["word"][0] == "bank"
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


def test_every_file_and_name_that_the_page_points_at_exists():
    named = re.findall(r"`((?:src|tests|docs|benchmarks|examples|tools)/[\w/.]+)`", PAGE)
    to_be_written = {"analysis/entropy.py", "methods/landmarks.py", "corpus/readers/vertical.py"}
    to_be_written = {f"src/chronotope/{name}" for name in to_be_written} | {"tests/analysis/test_entropy.py"}
    assert len(named) > 12
    for name in set(named) - to_be_written:
        assert (ROOT / name).exists(), name
