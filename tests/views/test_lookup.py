import numpy as np
import pytest

from chronotope.conditions import Conditions
from chronotope.embeddings import ConditionedEmbeddings
from chronotope.views.explorer.explored import WordIndex
from embeddings.invented import support_from

WORDS = ["bank", "banks", "embankment", "Bancroft", "river", "rare"]


@pytest.fixture
def index():
    support = support_from([[30, 40, 9, 20, 50, 1], [30, 10, 9, 20, 50, 1]])
    vectors = np.random.default_rng(1).standard_normal((12, 4))
    return WordIndex(ConditionedEmbeddings(WORDS, Conditions.of_times(["1990", "2000"]), support, vectors))


def test_the_word_itself_comes_first_then_beginnings_then_the_rest(index):
    found = index.find("BANK")
    assert [match.word for match in found.matches] == ["bank", "banks", "embankment"]
    assert (found.matches[0].count, found.matches[0].conditions) == (60, 2)
    assert (found.total, found.did_you_mean) == (3, ())
    assert [match.word for match in index.find("", 2).matches] == ["river", "bank"]


def test_words_of_similar_spelling_are_proposed(index):
    assert index.find("rivre").did_you_mean[0].word == "river"
    assert index.find("qqqqqq").did_you_mean == ()
    assert index.alike("x" * 10_000) == ()
