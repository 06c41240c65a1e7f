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

from chronotope.corpus import TokenStore, read_corpus, tokenize
from chronotope.errors import InputError
from worlds import documents, write

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


def source(kind: str, folder: Path):
    match kind:
        case "jsonl":
            return write(folder / "a.jsonl", jsonl())
        case "ndjson with a mark, blank lines and no last line end":
            return write(folder / "a.ndjson", b"\xef\xbb\xbf" + jsonl().replace(b"\n", b"\r\n\n").rstrip())
        case "jsonl.gz":
            return write(folder / "a.jsonl.gz", gzip.compress(jsonl()))
        case "jsonl.zst":
            return write_zstd(folder / "a.jsonl.zst", jsonl())
        case "csv":
            return write(folder / "a.csv", delimited(","))
        case "csv with a mark and Windows line ends":
            return write(folder / "a.csv", b"\xef\xbb\xbf" + delimited(",").replace(b"\n", b"\r\n"))
        case "csv with semicolons":
            return write(folder / "a.csv", delimited(";"))
        case "csv with bars":
            return write(folder / "a.csv", delimited("|"))
        case "csv with the line ends of an old Macintosh":
            return write(folder / "a.csv", delimited(",").replace(b"\n", b"\r"))
        case "csv that begins with a mark and its separator":
            return write(folder / "a.csv", b"\xef\xbb\xbfsep=;\r\n" + delimited(";").replace(b"\n", b"\r\n"))
        case "csv that begins with an unusual separator":
            return write(folder / "a.csv", b'"sep=^"\n' + delimited("^"))
        case "csv.gz":
            return write(folder / "a.csv.gz", gzip.compress(delimited(",")))
        case "csv.zst":
            return write_zstd(folder / "a.csv.zst", delimited(","))
        case "tsv":
            return write(folder / "a.tsv", delimited("\t"))
        case "parquet":
            pl.DataFrame(ROWS).write_parquet(folder / "a.parquet")
            return str(folder / "a.parquet")
        case "parquet with dates":
            pl.DataFrame(ROWS).with_columns(pl.col("date").str.to_date()).write_parquet(folder / "a.parquet")
            return folder / "a.parquet"
        case "polars":
            return pl.DataFrame(ROWS)
        case "lazy polars":
            return pl.LazyFrame(ROWS)
        case "polars with categories and times":
            return pl.DataFrame(ROWS).with_columns(
                pl.col("date").str.to_datetime(time_zone="UTC"), pl.col("country").cast(pl.Categorical)
            )
        case "pandas":
            return pd.DataFrame(ROWS, index=[7, 7, 8, 9])
        case "pandas with dates":
            return pd.DataFrame(ROWS).assign(date=lambda frame: pd.to_datetime(frame["date"]))
        case "generator":
            return (row for row in ROWS)
        case "several files":
            write(folder / "a.jsonl", jsonl(ROWS[:2]))
            write(folder / "b.csv", delimited(",", ROWS[2:]))
            return [folder / "a.jsonl", folder / "b.csv"]
        case "glob":
            write(folder / "part-1.jsonl", jsonl(ROWS[:1]))
            write(folder / "part-2.jsonl", jsonl(ROWS[1:]))
            return str(folder / "part-*.jsonl")
        case "folder of tables":
            write(folder / "in" / "1.jsonl", jsonl(ROWS[:1]))
            write(folder / "in" / "2.csv", delimited(",", ROWS[1:]))
            write(folder / "in" / "README.txt", b"not this one")
            return folder / "in"
    raise AssertionError(kind)


KINDS = [
    "jsonl", "ndjson with a mark, blank lines and no last line end", "jsonl.gz", "jsonl.zst", "csv",
    "csv with a mark and Windows line ends", "csv with semicolons", "csv with bars",
    "csv with the line ends of an old Macintosh", "csv that begins with a mark and its separator",
    "csv that begins with an unusual separator", "csv.gz", "csv.zst", "tsv", "parquet",
    "parquet with dates", "polars", "lazy polars", "polars with categories and times", "pandas", "pandas with dates",
    "generator", "several files", "glob", "folder of tables",
]  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
def test_every_format_gives_the_same_store(kind, tmp_path, expected):
    assert content(tokenize(read_corpus(source(kind, tmp_path), **OPTIONS), tmp_path / "s")) == expected


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


@pytest.mark.parametrize("kind", ["jsonl", "parquet", "polars", "records", "pandas"])
def test_text_that_is_a_list_of_tokens_is_taken_as_it_is(kind, tmp_path):
    rows = [{"text": ["New York", "don't", "well-known"]}, {"text": ["Rain", ""]}]
    given = {
        "jsonl": lambda: write(tmp_path / "a.jsonl", jsonl(rows)),
        "parquet": lambda: pl.DataFrame(rows).write_parquet(tmp_path / "a.parquet") or tmp_path / "a.parquet",
        "polars": lambda: pl.DataFrame(rows),
        "records": lambda: rows,
        "pandas": lambda: pd.DataFrame(rows),
    }[kind]()
    store = tokenize(read_corpus(given), tmp_path / "s")
    assert documents(store) == [["new_york", "don't", "well-known"], ["rain"]]


def test_lists_and_strings_may_be_mixed(tmp_path):
    rows = [{"text": "a b-c"}, {"text": ["b-c"]}, {"text": '["quoted"] d'}]
    store = tokenize(read_corpus(write(tmp_path / "a.jsonl", jsonl(rows))), tmp_path / "s")
    assert documents(store) == [["a", "b", "c"], ["b-c"], ["quoted", "d"]]


@pytest.mark.parametrize("where", ["year >= 1999", "year IN (1999, 2001)", "date > '1998-12-31'", "NOT year = 1998"])
@pytest.mark.parametrize("kind", ["jsonl", "csv", "parquet", "polars"])
def test_where_keeps_rows(where, kind, tmp_path):
    store = tokenize(read_corpus(source(kind, tmp_path), where=where, **OPTIONS), tmp_path / "s")
    assert store.report.documents == 2
    assert store.report.left_out == 2
    assert not store.problems


def test_a_generator_is_read_once_and_says_so(tmp_path):
    corpus = read_corpus((row for row in ROWS), **OPTIONS)
    tokenize(corpus, tmp_path / "s")
    with pytest.raises(InputError, match="used already"):
        tokenize(corpus, tmp_path / "t")


def test_the_fingerprint_names_files_without_their_folders(tmp_path):
    path = write(tmp_path / "a.jsonl", jsonl())
    (entry,) = read_corpus(path).fingerprint()
    assert entry["name"] == "a.jsonl"
    assert entry["bytes"] == path.stat().st_size
    stores = [tokenize(read_corpus(rows), tmp_path / "s") for rows in (ROWS, ROWS[:3])]
    assert stores[0].sources[0]["checksum"] != stores[1].sources[0]["checksum"]
