"""Frequencies: exact counts, and intervals that hold the truth as often as they say, also where documents cluster."""

from __future__ import annotations

import numpy as np
import pytest

import chronotope as ct
import worlds


def test_counts_rates_and_documents_are_exact(counts_of):
    world = worlds.time_and_place(documents=300)
    counts = counts_of(world, time="time", place="place")
    answer = ct.frequency(counts, ["the", "river"])
    assert len(answer) == 2 * len(counts.conditions)
    for row in answer:
        time, place = row["condition"].split("/")
        documents = [
            [word for sentence in worlds.sentences(record) for word in sentence]
            for record in world.records
            if (record["time"], record["place"]) == (time, place)
        ]
        assert row["count"] == sum(words.count(row["word"]) for words in documents)
        assert row["documents"] == sum(row["word"] in words for words in documents)
        assert row["all_documents"] == len(documents)
        assert row["tokens"] == sum(map(len, documents))
        assert row["per_million"] == pytest.approx(1e6 * row["count"] / row["tokens"])
        assert row["low"] <= row["per_million"] <= row["high"]


def test_a_phrase_a_rare_word_and_a_range():
    rows = [{"text": "cold war and cold peace, war cold war", "year": year} for year in (1989, 1990, 1991)]
    rows.append({"text": "a hapax legomenon", "year": 1991})
    counts = ct.count(ct.read_corpus(rows, time="year"), min_count=3)
    answer = ct.frequency(counts, ["Cold War", "hapax", "cold war"], start="1990")
    found = answer.frame.select("word", "condition", "count").rows()
    assert found == [("cold war", "1990", 2), ("cold war", "1991", 2), ("hapax", "1990", 0), ("hapax", "1991", 1)]
    assert answer["low"][2] == answer["per_million"][2] == 0 < answer["high"][2]
    wider = ct.frequency(counts, "cold war", confidence=0.99)
    assert (wider["low"] < ct.frequency(counts, "cold war")["low"]).all()


def test_held_out_documents_do_not_count(counts_of):
    counts = counts_of(worlds.planted_drift(documents=300), time="time", holdout=0.3)
    answer = ct.frequency(counts, "bank")
    support, word = counts.vocabulary.support, counts.vocabulary.index("bank")
    assert answer["count"].to_list() == [support.of(word, condition) for condition in range(len(answer))]
    assert answer["all_documents"].sum() == int((~counts.store.held_out).sum())


def test_the_interval_holds_the_truth_where_documents_cluster():
    """Documents differ in how much they use a word; intervals for independent words hold the truth half as often."""
    rng = np.random.default_rng(5)
    rate, documents = 0.02, 40
    rows = []
    for world in range(200):
        length = rng.integers(100, 400, documents)
        used = rng.binomial(length, np.minimum(rng.gamma(0.5, rate / 0.5, documents), 1))
        rows += [
            {"text": "x " * int(uses) + "o " * int(total - uses), "world": str(world)}
            for total, uses in zip(length, used, strict=True)
        ]
    counts = ct.count(ct.read_corpus(rows, place="world", keep_text=False), min_count=1)
    found = ct.frequency(counts, "x").frame
    held = ((found["low"] <= 1e6 * rate) & (found["high"] >= 1e6 * rate)).mean()
    naive = (found["per_million"] / 1e6 - rate).abs() <= 1.96 * found["count"].sqrt() / found["tokens"]
    assert 0.9 <= held <= 0.99
    assert naive.mean() < 0.65
