"""`embeddings.at(…)` answers as gensim does."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from chronotope.embeddings.word_vectors import WordVectors
from chronotope.errors import SettingsError, UnknownWordError
from embeddings.invented import random_embeddings


@pytest.fixture(scope="module")
def ours() -> WordVectors:
    return random_embeddings(words=80, dimensions=9).at("1990")


@pytest.fixture(scope="module")
def theirs(ours):
    pytest.importorskip("gensim")
    return ours.to_gensim()


def close(a, b):
    assert [word for word, _ in a] == [word for word, _ in b]
    assert [value for _, value in a] == pytest.approx([value for _, value in b], abs=1e-5)


def test_questions_with_words_weights_and_vectors(ours, theirs):
    a, b, c, d = ours.index_to_key[:4]
    close(ours.most_similar(a), theirs.most_similar(a))
    close(ours.most_similar([a, b], c, topn=7), theirs.most_similar([a, b], c, topn=7))
    close(ours.most_similar([(a, 2.0), b], [(c, 0.5)]), theirs.most_similar([(a, 2.0), b], [(c, -0.5)]))
    close(ours.most_similar(a, restrict_vocab=20), theirs.most_similar(a, restrict_vocab=20))
    close(ours.similar_by_word(d, 3), theirs.similar_by_word(d, 3))
    close(ours.similar_by_vector(ours[a], 3), theirs.similar_by_vector(theirs[a], 3))
    assert ours.similarity(a, b) == pytest.approx(theirs.similarity(a, b), abs=1e-6)
    assert ours.distance(a, b) == pytest.approx(theirs.distance(a, b), abs=1e-6)
    assert ours.distances(a, [b, c]) == pytest.approx(theirs.distances(a, [b, c]), abs=1e-5)
    assert ours.distances(a) == pytest.approx(theirs.distances(a), abs=1e-5)
    assert ours.n_similarity([a, b], [c, d]) == pytest.approx(theirs.n_similarity([a, b], [c, d]), abs=1e-5)
    assert ours.doesnt_match([a, b, c, d]) == theirs.doesnt_match([a, b, c, d])
    assert ours.most_similar_to_given(a, [b, c, d]) == theirs.most_similar_to_given(a, [b, c, d])
    assert ours.closer_than(a, b) == theirs.closer_than(a, b)
    assert ours.rank(a, b) == theirs.rank(a, b)
    assert np.array_equal(ours[[a, b]], theirs[[a, b]])
    assert ours.get_vector(a, norm=True) == pytest.approx(theirs.get_vector(a, norm=True), abs=1e-6)
    assert ours.get_vecattr(a, "count") == theirs.get_vecattr(a, "count")
    assert ours.key_to_index == theirs.key_to_index
    assert ours.vector_size == theirs.vector_size
    assert a in ours
    assert "nope" not in ours


def test_the_most_frequent_word_comes_first():
    embeddings = random_embeddings()
    here = embeddings.at("2000")
    assert here.counts is not None
    assert (np.diff(here.counts) <= 0).all()
    assert set(here.index_to_key) == {word for word in embeddings.words if embeddings.count(word, "2000")}
    assert len(embeddings.at("2000", min_count=0)) == len(embeddings)
    assert len(embeddings.at("2000", min_count=10**6)) == 0


def test_errors_are_one_line(ours):
    with pytest.raises(UnknownWordError, match=r"'w_0' is not among the \d+ words of 1990"):
        ours.most_similar("w_0")
    with pytest.raises(SettingsError, match="at least one word"):
        ours.most_similar([])
    with pytest.raises(SettingsError, match="cannot be compared"):
        ours.similar_by_vector([1.0, 2.0])
    with pytest.raises(SettingsError, match="none of these words"):
        ours.doesnt_match(["nope"])
    with pytest.raises(SettingsError, match="no attribute 'x'; the only attribute is 'count'"):
        ours.get_vecattr("w0", "x")


@pytest.mark.parametrize(
    ("package", "extra", "call"),
    [
        ("pandas", "pandas", "chronotope.embeddings.Matches().to_pandas()"),
        ("altair", "charts", "chronotope.analysis.answer.Answer([], title='').plot()"),
        ("vl_convert", "charts", "chronotope.analysis.answer.Answer([], title='').plot()"),
    ],
)
def test_without_a_package_the_message_says_how_to_install_it(package, extra, call):
    without = f"import sys; sys.modules['{package}'] = None; import chronotope.analysis.answer, chronotope.embeddings"
    done = subprocess.run([sys.executable, "-c", f"{without}; {call}"], capture_output=True, text=True)
    assert "MissingExtraError" in done.stderr
    assert f"pip install 'chronotope[{extra}]'" in done.stderr
