"""Extreme input gives a right answer or a clear error."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from chronotope.analysis.drift import drift
from chronotope.analysis.frequency import frequency
from chronotope.cooccurrence import Counts, count
from chronotope.cooccurrence.cells import CellArrays, sum_of
from chronotope.cooccurrence.counting import count_cells
from chronotope.corpus.source import read_corpus
from chronotope.embeddings import load
from chronotope.errors import InputError, SettingsError, UnknownWordError
from chronotope.methods import ConditionedModel, GraphModel
from forging import forge_run


def counted(records, time="time", **settings):
    return count(read_corpus(records, time=time), min_count=settings.pop("min_count", 1), threads=1, **settings)


def documents(*texts, time="1990"):
    return [{"text": text, "time": time} for text in texts]


def trained(counts, tmp_path):
    """Both models of the same counts, saved and loaded."""
    for model in (GraphModel(dimensions=2, epochs=2), ConditionedModel(dimensions=2, epochs=2)):
        model.fit(counts, threads=1).save(tmp_path / "m.ct")
        yield load(tmp_path / "m.ct")


def test_one_document_of_two_words(tmp_path):
    counts = counted(documents("river water"))
    assert counts.cells(0).count.tolist() == [counts.unit]
    for embeddings in trained(counts, tmp_path):
        assert [match.word for match in embeddings.neighbors("river", "1990", min_count=1)] == ["water"]


@pytest.mark.parametrize(
    ("records", "message"),
    [
        (documents("river river water") * 2, r"no word occurs 5 times or more \(the most frequent is 'river'\)"),
        (documents("river") * 5, "no two words of the vocabulary stand near each other"),
        (documents("river", "water", "bank") * 5, "no two words"),
        (documents("", " ", "…"), "no row|no words|no text"),
        ([], "no rows|holds no rows|empty"),
    ],
    ids=["rare words", "one word", "documents of one token", "nothing but signs", "no documents"],
)
def test_too_little_to_count_is_said(records, message):
    with pytest.raises(InputError, match=message):
        counted(records, min_count=5)


def test_one_word_over_and_over():
    """A diagonal cell holds both directions: of n the same in a row n - 1 stand beside the next, n - 2 one further."""
    counts = counted(documents("ha " * 100), window=2)
    assert counts.cells(0).count.tolist() == [2 * (99 * 2 + 98 * 1)]
    assert counts.unit == 2
    with pytest.raises(SettingsError, match="2 dimensions are more than the 1 words"):
        GraphModel(dimensions=2).fit(counts)
    embeddings = GraphModel(dimensions=1).fit(counts)
    assert embeddings.neighbors("ha", "1990") == []


def test_a_condition_with_one_cell_beside_a_large_one(tmp_path):
    records = documents(*["the river bank and the water"] * 50) + documents("river bank", time="1991")
    counts = counted(records)
    assert [len(counts.cells(condition).word) for condition in range(2)][1] == 1
    for embeddings in trained(counts, tmp_path):
        assert np.isfinite(embeddings.vectors).all()
        assert embeddings.count("water") == {"1990": 50, "1991": 0}
        assert set(drift(embeddings, min_count=1)["word"]) == {"river", "bank"}


def test_counts_beyond_32_bits_are_exact():
    """Two words side by side two million times: 2,520 units each."""
    many = 2_000_000
    tokens = np.tile(np.array([0, 1], np.int32), many)
    cells = count_cells(tokens, np.arange(2, 2 * many + 1, 2), 2, np.array([0, 2520]))
    assert cells.count.tolist() == [2520 * many]
    huge = CellArrays.of([0], [1], [2**62], [2**61])
    assert sum_of([huge, CellArrays.of([0], [1], [5], [3])]).count.tolist() == [2**62 + 5]


def test_training_on_counts_beyond_32_bits_stays_finite(tmp_path):
    corpus = read_corpus(documents("river bank water", "money bank loan"), time="time")
    cells = count(corpus, tmp_path / "run", min_count=1).folder / "cells.parquet"
    pl.read_parquet(cells).with_columns(pl.col("count", "after") * 2**50).write_parquet(cells)
    forge_run(tmp_path / "run")
    for embeddings in trained(Counts.open(tmp_path / "run"), tmp_path):
        assert np.isfinite(embeddings.vectors).all()


def test_thousands_of_conditions(tmp_path):
    """Each has its own row, and only what occurs has a vector."""
    many = 3_000
    records = [{"text": "river bank water", "place": f"p{number}"} for number in range(many)]
    counts = count(read_corpus(records, place="place"), min_count=1, threads=1)
    assert len(counts.conditions) == many
    assert counts.size == 3 * many
    embeddings = GraphModel(dimensions=2, epochs=1).fit(counts, threads=1)
    embeddings.save(tmp_path / "m.ct")
    assert load(tmp_path / "m.ct").count("bank", f"P{many - 1}") == 1


def test_a_document_of_a_million_tokens_and_a_token_of_a_million_letters():
    text = "river bank " * 500_000 + "a" * 1_000_000
    counts = counted(documents(text), window=1)
    support = dict(zip(counts.vocabulary.words, counts.vocabulary.counts.tolist(), strict=True))
    assert support.pop("a" * 1_000_000, 1) == 1
    assert support == {"river": 500_000, "bank": 500_000}
    pairs = counts.cells(0)
    assert pairs.count[(pairs.word == 0) & (pairs.context == 1)].tolist() == [999_999 * counts.unit]


def test_a_word_of_one_letter_that_is_not_there_is_unknown():
    """Words that may be meant are sought among those of about its length, which is not below 0."""
    with pytest.raises(UnknownWordError, match="'q' is not among the 3 words of this run"):
        frequency(counted(documents("river bank water")), "q")


def test_empty_bytes_are_empty_text():
    records = pl.DataFrame({"text": [b"", b"river bank", None], "time": ["1990"] * 3})
    assert count(read_corpus(records, time="time"), min_count=1).vocabulary.words == ("bank", "river")
