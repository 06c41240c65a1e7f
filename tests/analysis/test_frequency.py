"""Frequencies: exact counts, and intervals that hold the truth as often as they say, also where documents cluster."""

from __future__ import annotations

import numpy as np
import pytest

import chronotope as ct
import worlds
from chronotope.errors import SettingsError


def test_counts_rates_and_documents_are_exact(counts_of):
    world = worlds.time_and_place(documents=300)
    counts = counts_of(world, time="time", place="place")
    answer = ct.frequency(counts, ["the", "river"])
    assert answer.words == ("the", "river")
    assert len(answer.rows) == 2 * len(counts.conditions)
    for row in answer.rows:
        time, place = row.condition.split("/")
        documents = [
            [word for sentence in worlds.sentences(record) for word in sentence]
            for record in world.records
            if (record["time"], record["place"]) == (time, place)
        ]
        assert row.count == sum(words.count(row.word) for words in documents)
        assert row.documents == sum(row.word in words for words in documents)
        assert row.of_documents == len(documents)
        assert row.tokens == sum(map(len, documents))
        assert row.per_million == pytest.approx(1e6 * row.count / row.tokens)
        assert row.low <= row.per_million <= row.high


def test_a_phrase_a_rare_word_and_a_range():
    rows = [{"text": "cold war and cold peace, war cold war", "year": year} for year in (1989, 1990, 1991)]
    rows.append({"text": "a hapax legomenon", "year": 1991})
    counts = ct.count(ct.read_corpus(rows, time="year"), min_count=3)
    answer = ct.frequency(counts, ["Cold War", "hapax", "cold war"], start="1990")
    assert [(row.word, row.condition, row.count) for row in answer.rows] == [
        ("cold war", "1990", 2),
        ("cold war", "1991", 2),
        ("hapax", "1990", 0),
        ("hapax", "1991", 1),
    ]
    absent = answer.of("hapax")[0]
    assert absent.low == absent.per_million == 0 < absent.high
    with pytest.raises(SettingsError, match="between 0 and 1"):
        ct.frequency(counts, "war", level=95)


def test_documents_set_aside_do_not_count(counts_of):
    counts = counts_of(worlds.planted_drift(documents=300), time="time", holdout=0.3)
    rows = ct.frequency(counts, "bank").rows
    support = counts.vocabulary.support
    word = counts.vocabulary.index("bank")
    assert [row.count for row in rows] == [support.of(word, condition) for condition in range(len(rows))]
    assert sum(row.of_documents for row in rows) == int((~counts.store.held_out).sum())


def test_the_interval_holds_the_truth_where_documents_cluster():
    """Documents differ in how much they use a word; intervals for independent words hold the truth half as often."""
    rng = np.random.default_rng(5)
    rate, worlds_tried, documents = 0.02, 200, 40
    rows = []
    for world in range(worlds_tried):
        length = rng.integers(100, 400, documents)
        used = rng.binomial(length, np.minimum(rng.gamma(0.5, rate / 0.5, documents), 1))
        rows += [
            {"text": "x " * int(uses) + "o " * int(total - uses), "world": str(world)}
            for total, uses in zip(length, used, strict=True)
        ]
    counts = ct.count(ct.read_corpus(rows, place="world", keep_text=False), min_count=1)
    found = ct.frequency(counts, "x").rows
    held = np.mean([row.low <= 1e6 * rate <= row.high for row in found])
    naive = [(row.per_million / 1e6, 1.96 * np.sqrt(row.count) / row.tokens) for row in found]
    assert 0.9 <= held <= 0.99
    assert np.mean([abs(at - rate) <= half for at, half in naive]) < 0.65
