"""The text that a run keeps."""

from __future__ import annotations

import polars as pl

import worlds
from chronotope.corpus import read_corpus, tokenize
from chronotope.corpus.text_store import TextStore


def test_every_document_has_its_text(tmp_path):
    rows = [dict(record) for record in worlds.planted_drift(documents=60).records]
    rows[3]["text"] = "Ünïcode — “quoted” text, 🙂 and <i class='a b'>tags</i>. " * 6_000
    rows.append({**rows[0], "text": "..."})  # no words: no document
    tokenize(read_corpus(rows, time="time"), tmp_path / "s")
    text = TextStore(tmp_path / "s")
    lines = pl.read_parquet(tmp_path / "s" / "documents.parquet")["line"].to_list()
    assert len(text) == len(lines) == 60
    assert [text.document(document) for document in range(60)] == [rows[line - 1]["text"] for line in lines]
    assert {text.kind(document) for document in range(60)} == {"words"}


def test_no_text_is_kept_where_it_must_not_be(tmp_path):
    rows = [{"text": "a secret text"}]
    tokenize(read_corpus(rows), tmp_path / "s")
    assert TextStore.is_in(tmp_path / "s")
    tokenize(read_corpus(rows, keep_text=False), tmp_path / "s")
    assert not TextStore.is_in(tmp_path / "s")
    assert not any(b"secret text" in path.read_bytes() for path in (tmp_path / "s").iterdir())


def test_a_list_of_tokens_and_a_tokenizer_of_ones_own_are_kept_as_tokens(tmp_path):
    tokenize(read_corpus([{"text": ["New York", "is", "big"]}, {"text": "never apart"}]), tmp_path / "s")
    text = TextStore(tmp_path / "s")
    assert [text.document(0).split("\x1f"), text.document(1)] == [["New York", "is", "big"], "never apart"]
    assert [text.kind(0), text.kind(1)] == ["tokens", "words"]
    tokenize(read_corpus([{"text": "天気がいい"}], tokenizer=lambda text: [text[:2], text[2:]]), tmp_path / "t")
    assert TextStore(tmp_path / "t").document(0).split("\x1f") == ["天気", "がいい"]
