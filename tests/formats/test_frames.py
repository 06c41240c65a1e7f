"""Frames in and out: pandas is optional, columns stay without rows, and any frame is a corpus."""

from __future__ import annotations

import subprocess
import sys

import polars as pl
import pytest

import chronotope as ct
from chronotope.embeddings import Matches


def test_where_nothing_was_found_the_columns_are_there():
    columns = {"word": pl.String, "similarity": pl.Float64, "score": pl.Float64, "count": pl.Int64}
    found = Matches().to_polars().schema
    assert columns.items() <= dict(found).items()


def test_without_pandas_the_message_says_how_to_install_it():
    code = (
        "import sys; sys.modules['pandas'] = None\n"
        "from chronotope.embeddings import Matches\n"
        "from chronotope.errors import MissingExtraError\n"
        "try:\n    Matches().to_pandas()\n"
        "except MissingExtraError as error:\n    print(error)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "pip install 'chronotope[pandas]'" in done.stdout


def test_frames_are_corpora():
    pandas = pytest.importorskip("pandas")
    records = [{"text": "a river bank", "when": "1990"}, {"text": "a money bank", "when": "2000"}] * 5
    frame = pl.DataFrame(records)
    seen = []
    for source in (records, frame, frame.lazy(), pandas.DataFrame(records)):
        counts = ct.count(ct.read_corpus(source, time="when"), min_count=1)
        seen.append((counts.conditions.labels, list(counts.vocabulary.words), counts.tokens.tolist()))
    assert all(one == seen[0] for one in seen)
