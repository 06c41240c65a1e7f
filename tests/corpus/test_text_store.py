"""The text that a run keeps: whole, cut where no token is, the same bytes for any number of threads."""

from __future__ import annotations

import os
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import worlds
from chronotope.corpus import preparing, read_corpus, text_store, tokenize
from chronotope.corpus.text_store import FILES, TextStore, pack
from chronotope.corpus.tokenizer import split_texts
from chronotope.errors import DamagedFile

PIECES = st.sampled_from(
    [
        "a",
        "Ω",
        "don't",
        "5,000",
        " ",
        "\n",
        "\n\n",
        ". ",
        "<",
        ">",
        "<b class='x",
        "y'>",
        "</b>",
        "&amp;",
        "a@b.de",
        "www.x.org/ y",
        "🙂",
        "'",
    ]
)
TEXTS = st.lists(st.lists(PIECES, min_size=1, max_size=80).map("".join), min_size=1, max_size=5)


@pytest.mark.parametrize("tokenizer", ["words", "whitespace"])
@settings(max_examples=150, deadline=None)
@given(texts=TEXTS)
def test_a_cut_changes_no_token(tokenizer, texts):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(text_store, "PART_BYTES", 12)
        packed = pack(pl.Series(texts), tokenizer)
    whole, parts = split_texts(pl.Series(texts), tokenizer), split_texts(packed.texts, tokenizer)
    assert parts.forms == whole.forms
    assert parts.code.tolist() == whole.code.tolist()
    assert packed.of_documents(parts.length).tolist() == whole.length.tolist()
    for number, text in enumerate(texts):
        assert "".join(packed.texts[packed.starts[number] : packed.starts[number + 1]]) == text


def test_every_document_has_its_text_and_its_first_tokens(tmp_path, monkeypatch):
    monkeypatch.setattr(text_store, "PART_BYTES", 12)
    monkeypatch.setattr(text_store, "BLOCK_BYTES", 50)
    rows = [dict(record) for record in worlds.planted_drift(documents=60).records]
    rows[3]["text"] = "Ünïcode — “quoted” text, 🙂 and <i class='a b'>tags</i>. " * 20
    rows.append({**rows[0], "text": "..."})  # no words: no document
    store = tokenize(read_corpus(rows, time="time"), tmp_path / "s")
    text = TextStore(tmp_path / "s")
    lines = pl.read_parquet(tmp_path / "s" / "documents.parquet")["line"].to_list()
    assert len(text) == len(lines) == 60
    cut = 0
    for document, line in enumerate(lines):
        assert text.document(document) == rows[line - 1]["text"]
        ids = store.ids[store.starts[document] : store.starts[document + 1]]
        for part in text.parts(document):
            tokens = split_texts(pl.Series([text.text(part)]))
            first = text.first_token(part)
            words = [tokens.forms[code].lower() for code in tokens.code]
            assert [store.words[i] for i in ids[first : first + len(words)].tolist()] == words
            cut += 1
            if words:
                assert text.part_of(document, first + len(words) - 1) == part
    assert cut > 2 * len(lines), "long texts are cut"


def test_the_same_bytes_for_any_number_of_threads(tmp_path, monkeypatch):
    lines = "".join(pl.DataFrame([record]).write_ndjson() for record in worlds.planted_drift(documents=200).records)
    (tmp_path / "a.jsonl").write_text(lines * 3)
    corpus = read_corpus(tmp_path / "a.jsonl", time="time")
    corpus = replace(corpus, readers=tuple(replace(reader, block_bytes=20_000) for reader in corpus.readers))
    found = []
    for workers in (1, 4):
        monkeypatch.setattr(preparing, "MOST_WORKERS", workers)
        monkeypatch.setattr(os, "sched_getaffinity", lambda _, workers=workers: range(workers), raising=False)
        folder = tmp_path / str(workers)
        tokenize(corpus, folder)
        names = (*FILES, "occurrences.bin", "occurrences.npy", "documents.parquet")
        found.append([(folder / name).read_bytes() for name in names])
    assert found[0] == found[1]


def test_no_text_is_kept_where_it_must_not_be(tmp_path):
    rows = [{"text": "a secret text"}]
    tokenize(read_corpus(rows), tmp_path / "s")
    assert TextStore.is_in(tmp_path / "s")
    tokenize(read_corpus(rows, keep_text=False), tmp_path / "s")
    assert not any((tmp_path / "s" / name).exists() for name in FILES)
    assert not TextStore.is_in(tmp_path / "s")


def test_a_list_of_tokens_and_a_tokenizer_of_ones_own_are_kept_as_tokens(tmp_path):
    tokenize(read_corpus([{"text": ["New York", "is", "big"]}, {"text": "never apart"}]), tmp_path / "s")
    text = TextStore(tmp_path / "s")
    assert [text.document(0).split("\x1f"), text.document(1)] == [["New York", "is", "big"], "never apart"]
    assert [text.kind(0), text.kind(1)] == ["tokens", "words"]
    tokenize(read_corpus([{"text": "天気がいい"}], tokenizer=lambda text: [text[:2], text[2:]]), tmp_path / "t")
    assert TextStore(tmp_path / "t").document(0).split("\x1f") == ["天気", "がいい"]


@pytest.mark.parametrize("name", FILES)
def test_damage_is_told(tmp_path, name):
    tokenize(read_corpus([{"text": "a long day " * 50}]), tmp_path / "s")
    path = tmp_path / "s" / name
    path.write_bytes(np.random.default_rng(1).bytes(path.stat().st_size) if name == "text.bin" else b"1234")
    with pytest.raises(DamagedFile, match="prepare the run again"):
        TextStore(tmp_path / "s").document(0)
