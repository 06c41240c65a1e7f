"""Every way to give the same text gives the same store."""

from __future__ import annotations

import csv
import gzip
import io
import json
from dataclasses import replace
from pathlib import Path

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from chronotope.corpus.source import read_corpus
from chronotope.corpus.tokens import TokenStore
from chronotope.errors import InputError
from worlds import documents, tokenize, write

ROWS = [
    {"text": 'The "prime" minister, said:\nwe won’t go.', "date": "1998-03-12", "country": "Canada", "year": 1998},
    {"text": "Ça va, Zoë?", "date": "1999-01-01", "country": "canada", "year": 1999},
    {"text": "a sunny day; a day", "date": "1998-07-01", "country": "India", "year": 1998},
    {"text": "the day after", "date": "2001-12-31", "country": "India", "year": 2001},
]
OPTIONS = {"time": "date", "every": "1y", "place": "country"}


def jsonl(rows=ROWS) -> bytes:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode()


def delimited(separator: str, rows=ROWS) -> bytes:
    out = io.StringIO()
    writer = csv.DictWriter(out, list(rows[0]), delimiter=separator, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue().encode()


def write_zstd(path: Path, data: bytes) -> Path:
    with pa.OSFile(str(path), "wb") as file, pa.CompressedOutputStream(file, "zstd") as stream:
        stream.write(data)
    return path


def content(store: TokenStore) -> tuple:
    """All that the text decides."""
    return (
        store.conditions,
        store.words.to_list(),
        store.counts.tolist(),
        store.ids.tolist(),
        store.starts.tolist(),
        store.document_condition.tolist(),
        replace(store.report, notes=()),
    )


@pytest.fixture
def expected(tmp_path):
    return content(tokenize(read_corpus(ROWS, **OPTIONS), tmp_path / "expected"))


def test_the_records_mean_what_they_should(tmp_path):
    store = tokenize(read_corpus(ROWS, **OPTIONS), tmp_path / "s")
    assert store.conditions.labels == ("1998/Canada", "1998/India", "1999/Canada", "2001/India")
    assert store.words[:3].to_list() == ["day", "a", "the"]
    assert documents(store)[0] == ["the", "prime", "minister", "said", "we", "won't", "go"]
    assert store.condition_slice(1) == slice(1, 2)


MARK = b"\xef\xbb\xbf"


def parquet(path: Path, frame: pl.DataFrame) -> Path:
    frame.write_parquet(path)
    return path


def halves(folder: Path, *names: str) -> list[Path]:
    """The rows in two files."""
    parts = zip(names, (ROWS[:2], ROWS[2:]), strict=True)
    return [write(folder / name, jsonl(rows) if "json" in name else delimited(",", rows)) for name, rows in parts]


# Each way to give the rows, in a folder.
SOURCES = {
    "jsonl": lambda at: write(at / "a.jsonl", jsonl()),
    "ndjson with a mark, blank lines and no last line end": lambda at: write(
        at / "a.ndjson", MARK + jsonl().replace(b"\n", b"\r\n\n").rstrip()
    ),
    "jsonl.gz": lambda at: write(at / "a.jsonl.gz", gzip.compress(jsonl())),
    "jsonl.zst": lambda at: write_zstd(at / "a.jsonl.zst", jsonl()),
    "csv": lambda at: write(at / "a.csv", delimited(",")),
    "csv with a mark and Windows line ends": lambda at: write(
        at / "a.csv", MARK + delimited(",").replace(b"\n", b"\r\n")
    ),
    "csv with semicolons": lambda at: write(at / "a.csv", delimited(";")),
    "csv with bars": lambda at: write(at / "a.csv", delimited("|")),
    "csv of an old Macintosh": lambda at: write(at / "a.csv", delimited(",").replace(b"\n", b"\r")),
    "csv that begins with a mark and its separator": lambda at: write(
        at / "a.csv", MARK + b"sep=;\r\n" + delimited(";").replace(b"\n", b"\r\n")
    ),
    "csv that begins with an unusual separator": lambda at: write(at / "a.csv", b'"sep=^"\n' + delimited("^")),
    "csv.gz": lambda at: write(at / "a.csv.gz", gzip.compress(delimited(","))),
    "csv.zst": lambda at: write_zstd(at / "a.csv.zst", delimited(",")),
    "tsv": lambda at: write(at / "a.tsv", delimited("\t")),
    "parquet": lambda at: str(parquet(at / "a.parquet", pl.DataFrame(ROWS))),
    "parquet with dates": lambda at: parquet(
        at / "a.parquet", pl.DataFrame(ROWS).with_columns(pl.col("date").str.to_date())
    ),
    "polars": lambda _: pl.DataFrame(ROWS),
    "lazy polars": lambda _: pl.LazyFrame(ROWS),
    "polars with categories and times": lambda _: pl.DataFrame(ROWS).with_columns(
        pl.col("date").str.to_datetime(time_zone="UTC"), pl.col("country").cast(pl.Categorical)
    ),
    "pandas": lambda _: pd.DataFrame(ROWS, index=[7, 7, 8, 9]),
    "pandas with dates": lambda _: pd.DataFrame(ROWS).assign(date=lambda frame: pd.to_datetime(frame["date"])),
    "generator": lambda _: (row for row in ROWS),
    "several files": lambda at: halves(at, "a.jsonl", "b.csv"),
    "glob": lambda at: str(halves(at, "part-1.jsonl", "part-2.jsonl")[0].with_stem("part-*")),
    "folder of tables": lambda at: (
        write(halves(at / "in", "1.jsonl", "2.csv")[0].with_name("README.txt"), b"no").parent
    ),
}


@pytest.mark.parametrize("kind", SOURCES)
def test_every_format_gives_the_same_store(kind, tmp_path, expected):
    assert content(tokenize(read_corpus(SOURCES[kind](tmp_path), **OPTIONS), tmp_path / "s")) == expected


def test_a_folder_of_text_files_gives_the_same_store(tmp_path):
    order = [0, 2, 1, 3]  # the order of the paths
    for number in order:
        row = ROWS[number]
        write(tmp_path / "in" / row["country"].title() / f"speech_{row['date']}.txt", row["text"].encode())
    found = tokenize(read_corpus(tmp_path / "in", time="date", place="folder"), tmp_path / "s")
    same = tokenize(read_corpus([{**ROWS[i]} for i in order], **OPTIONS), tmp_path / "t")
    assert content(found) == content(same)


def test_one_text_file_a_condition(tmp_path):
    write(tmp_path / "in" / "canada.txt", b"snow")
    (tmp_path / "in" / "india.txt.gz").write_bytes(gzip.compress(b"rain"))
    store = tokenize(read_corpus(tmp_path / "in", place="name"), tmp_path / "s")
    assert store.conditions.labels == ("canada", "india")


@pytest.mark.parametrize("kind", ["jsonl", "parquet", "polars"])
def test_text_that_is_a_list_of_tokens_is_taken_as_it_is(kind, tmp_path):
    rows = [{"text": ["New York", "don't", "well-known"]}, {"text": ["Rain", ""]}]
    given = {
        "jsonl": lambda: write(tmp_path / "a.jsonl", jsonl(rows)),
        "parquet": lambda: pl.DataFrame(rows).write_parquet(tmp_path / "a.parquet") or tmp_path / "a.parquet",
        "polars": lambda: pl.DataFrame(rows),
    }[kind]()
    store = tokenize(read_corpus(given), tmp_path / "s")
    assert documents(store) == [["new_york", "don't", "well-known"], ["rain"]]


def test_lists_and_strings_may_be_mixed(tmp_path):
    rows = [{"text": "a b-c"}, {"text": ["b-c"]}, {"text": '["quoted"] d'}]
    store = tokenize(read_corpus(write(tmp_path / "a.jsonl", jsonl(rows))), tmp_path / "s")
    assert documents(store) == [["a", "b", "c"], ["b-c"], ["quoted", "d"]]


def test_a_generator_is_read_once_and_says_so(tmp_path):
    corpus = read_corpus((row for row in ROWS), **OPTIONS)
    assert corpus.fingerprint() == [{"name": "records", "bytes": None, "checksum": None}], "and does not use it up"
    tokenize(corpus, tmp_path / "s")
    with pytest.raises(InputError, match="used already"):
        tokenize(corpus, tmp_path / "t")


@pytest.mark.parametrize("bad", [b"", b"caf\xe9 \xc3\xa9,x,fr\n"])
def test_an_empty_field_means_the_same_to_both_parsers(bad, tmp_path):
    """A row that is not UTF-8 sends its neighbors through the slow parser."""
    path = write(tmp_path / "a.csv", b"text,note,lang\none,x,\ntwo,x,en\n" + bad)
    store = tokenize(read_corpus(path, where="lang <> 'en'"), tmp_path / "s")
    assert documents(store) == [["one"]]


def test_cells_of_an_old_macintosh_may_hold_line_feeds(tmp_path):
    path = write(tmp_path / "a.csv", b'text,note\r"one\ntwo",x\rthree,y\r\rfour\r')
    store = tokenize(read_corpus(path), tmp_path / "s")
    assert documents(store) == [["one", "two"], ["three"]]
    assert store.problems["wrong number of fields"].locations == ["a.csv:6"]


def test_lines_are_counted_from_the_line_with_the_separator_on(tmp_path):
    path = write(tmp_path / "a.csv", b"sep=;\n\ntext;year\na;1998\nb;soon\n")
    store = tokenize(read_corpus(path, time="year"), tmp_path / "s")
    assert store.problems["unreadable time"].locations == ["a.csv:5"]
    with pytest.raises(InputError, match=r"^b\.csv holds no rows$"):
        read_corpus(write(tmp_path / "b.csv", b"sep=;\n"))


def test_column_names_with_an_open_quote(tmp_path):
    with pytest.raises(InputError, match=r"^a\.csv: the line of column names has a quote that never closes$"):
        read_corpus(write(tmp_path / "a.csv", b'"text,year\na,1998\n'))
