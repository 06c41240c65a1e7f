"""Finding words, and words side by side."""

from __future__ import annotations

import numpy as np
import pytest

from chronotope.analysis.comparison import compare_words
from chronotope.analysis.lookup import WordIndex
from chronotope.conditions import Conditions
from chronotope.cooccurrence.vocabulary import Support
from chronotope.embeddings import ConditionedEmbeddings
from chronotope.errors import InputError, SettingsError, UnknownWordError

WORDS = ["bank", "banks", "embankment", "Bancroft", "river", "rare"]


@pytest.fixture
def embeddings() -> ConditionedEmbeddings:
    counts = [[30, 40, 9, 20, 50, 1], [30, 10, 9, 20, 50, 1]]
    support = Support(np.array([0, 6, 12]), np.tile(np.arange(6), 2), np.ravel(counts))
    vectors = np.random.default_rng(1).standard_normal((12, 4))
    return ConditionedEmbeddings(WORDS, Conditions.of_times(["1990", "2000"]), support, vectors)


def test_the_word_itself_comes_first_then_beginnings_then_the_rest(embeddings):
    found = WordIndex(embeddings).find("BANK")
    assert [match.word for match in found.matches] == ["bank", "banks", "embankment"]
    assert (found.total, found.matches[0].count, found.matches[0].conditions) == (3, 60, 2)
    assert found.did_you_mean == ()


def test_no_letters_name_the_most_frequent_words(embeddings):
    assert [match.word for match in WordIndex(embeddings).find("", 2).matches] == ["river", "bank"]


def test_what_is_misspelled_may_be_meant(embeddings):
    index = WordIndex(embeddings)
    assert index.find("rivre").did_you_mean[0].word == "river"
    assert index.find("qqqqqq").did_you_mean == ()
    assert index.alike("x" * 10_000) == ()


def test_two_words_are_as_alike_as_they_are(embeddings):
    answer = compare_words(embeddings, ["bank", "river", "bank"])
    assert answer.words == ("bank", "river")
    assert answer.pairs[0].similarity[1] == pytest.approx(embeddings.similarity("bank", "river", "2000"))
    assert [one.word for one in answer.series] == ["bank", "river"]


def test_what_cannot_be_compared_is_told(embeddings):
    with pytest.raises(SettingsError, match="two words"):
        compare_words(embeddings, ["bank", "bank"])
    with pytest.raises(UnknownWordError):
        compare_words(embeddings, ["bank", "none"])
    with pytest.raises(InputError, match="'rare' occurs"):
        compare_words(embeddings, ["bank", "rare"])
