"""Frames in and out: pandas is optional, columns stay without rows, and any frame is a corpus."""

from __future__ import annotations

import subprocess
import sys

import polars as pl

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
