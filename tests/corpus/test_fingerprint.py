"""What a run was made from can be told apart: other text, other fields, other folders, another tokenizer."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd
import polars as pl
import pytest

from chronotope.corpus import read_corpus, tokenize

PLAIN = [{"text": "A sunny day", "year": 1998, "note": "x"}, {"text": "rain", "year": None, "note": "z"}]


def checksum(source, **options):
    (entry,) = read_corpus(source, **options).fingerprint()
    assert entry["bytes"] is None
    return entry["checksum"]


def changed(rows, field, value):
    return [{**rows[0], field: value}, *rows[1:]]


def shelf(rows):
    """Records that can be read again and again, but are no list."""
    return dict(enumerate(rows)).values()


@pytest.mark.parametrize("made", [pl.DataFrame, pl.LazyFrame, pd.DataFrame, list, shelf])
def test_other_content_has_another_checksum(made):
    """Only what is read counts: the text and, where time is asked for, the year."""
    one = checksum(made(PLAIN), time="year")
    assert len(one) == 32
    assert one == checksum(made(PLAIN), time="year")
    assert one == checksum(made(changed(PLAIN, "note", "other")), time="year")
    assert one != checksum(made(changed(PLAIN, "text", "A sunny dax")), time="year")
    assert one != checksum(made(changed(PLAIN, "year", 1997)), time="year")
    assert one != checksum(made(PLAIN[::-1]), time="year")
    assert one != checksum(made(PLAIN[:1]), time="year")
    assert checksum(made(PLAIN)) == checksum(made(changed(PLAIN, "year", 1997)))


def test_where_a_text_ends_and_what_is_missing_count():
    found = [[{"text": a}, {"text": b}] for a, b in [("ab", "c"), ("a", "bc"), ("abc", ""), ("abc", None)]]
    assert len({checksum(rows) for rows in found}) == 4
    assert checksum([{"text": ["a", "b"]}]) != checksum([{"text": "a\x1fb"}])


def test_the_checksum_does_not_depend_on_how_the_rows_are_cut():
    corpus = read_corpus(pl.DataFrame({"text": [f"text {i}" for i in range(100)]}))
    in_small_pieces = replace(corpus, readers=tuple(replace(reader, block_bytes=50) for reader in corpus.readers))
    assert in_small_pieces.fingerprint() == corpus.fingerprint()


def test_checksums_are_the_same_in_every_version_of_polars():
    """Checksums of frames, records and duplicate texts may not come from `Series.hash`, which changes."""
    assert checksum(PLAIN, time="year") == checksum(pl.DataFrame(PLAIN), time="year")
    assert checksum(PLAIN, time="year") == "f813ddbf272c4591243aa13995fcccf2"


def test_the_folders_of_text_files_are_part_of_their_names(tmp_path, monkeypatch):
    """With place='folder' the same files in other folders are other data."""
    for folder in ("canada", "india"):
        (tmp_path / "in" / folder).mkdir(parents=True)
        (tmp_path / "in" / folder / "1998.txt").write_text("rain")
    names = [entry["name"] for entry in read_corpus(tmp_path / "in", place="folder").fingerprint()]
    assert names == ["in/canada/1998.txt", "in/india/1998.txt"]
    monkeypatch.chdir(tmp_path / "in" / "india")
    here = read_corpus(".", place="folder")
    assert [entry["name"] for entry in here.fingerprint()] == ["india/1998.txt"]
    assert tokenize(here, tmp_path / "s").conditions.labels == ("india",)
