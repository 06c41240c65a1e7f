"""The compass: its step is the gradient of its loss, what is frozen stays, and what is planted comes out."""

import numpy as np
import pytest

import worlds
from chronotope.methods import CompassWord2Vec
from chronotope.methods.word2vec import cbow
from chronotope.methods.word2vec.compass import documents_of

WORDS, SIZE = 9, 6


@pytest.fixture
def sides():
    rng = np.random.default_rng(1)
    return rng.standard_normal((2, WORDS, SIZE))


def loss(inside, outside, around, asked):
    """−log σ(mean · u) of the word that stands there, and −log σ(−mean · u) of those that do not."""
    scores = outside[asked] @ inside[around].mean(axis=0)
    signs = np.where(np.arange(len(asked)) == 0, 1.0, -1.0)
    return np.log1p(np.exp(-signs * scores)).sum()


def slope(function, matrix):
    """The derivative of a function by every entry, by finite differences."""
    found = np.zeros_like(matrix)
    for place in np.ndindex(*matrix.shape):
        ends = []
        for step in (1e-5, -1e-5):
            moved = matrix.copy()
            moved[place] += step
            ends.append(function(moved))
        found[place] = (ends[0] - ends[1]) / 2e-5
    return found


@pytest.mark.parametrize("learn_outside", [True, False])
def test_a_step_goes_down_the_gradient(sides, learn_outside):
    around, asked, rate = np.array([1, 4, 5, 7]), np.array([2, 0, 8, 3]), 0.01
    inside, outside = sides
    own, other = sides.astype(np.float32)
    cbow._move(
        around.astype(np.int32), asked.astype(np.int32), np.float32(rate), learn_outside, own, other,
        *np.empty((2, SIZE), np.float32),
    )  # fmt: skip
    # The mean shares the gradient out; word2vec gives all of it to every vector of the window.
    by_inside = slope(lambda moved: loss(moved, outside, around, asked), inside) * len(around)
    by_outside = slope(lambda moved: loss(inside, moved, around, asked), outside)
    assert np.allclose(own - inside, -rate * by_inside, atol=1e-6)
    assert np.allclose(other - outside, -rate * by_outside * learn_outside, atol=1e-6)


def test_text_is_read_within_its_documents_and_without_unknown_words():
    """Words of one document never meet those of another, and a number beyond the vocabulary is passed over."""
    ids = np.array([0, 99, 1, 2, 3], dtype=np.int32)
    documents = np.array([[0, 3], [3, 5]])
    noise = np.array([0.0, 0.0, 0.0, 0.0, 1.0])  # always the fifth word
    text = cbow.Text(ids, documents, np.ones(5), noise, window=5, shrink=False)
    inside = np.eye(5, dtype=np.float32)
    outside = np.zeros((5, 5), dtype=np.float32)
    cbow.learn(text, cbow.Step(0.1, 0.1, 2, True), np.random.default_rng(1), inside, outside)
    met = outside > 0
    assert met.tolist() == [
        [False, True, False, False, False],
        [True, False, False, False, False],
        [False, False, False, True, False],
        [False, False, True, False, False],
        [False] * 5,
    ]
    assert (outside[4, :4] < 0).all(), "the noise is pushed away from all"


def test_held_out_documents_are_not_read_and_all_others_once(counts_of):
    counts = counts_of(worlds.planted_drift(documents=60), time="time", min_count=3, holdout=0.3)
    documents = documents_of(counts, range(len(counts.conditions)))
    read = np.concatenate([counts.store.ids[first:last] for first, last in documents])
    words = len(counts.vocabulary)
    assert np.array_equal(np.bincount(read, minlength=words)[:words], counts.vocabulary.counts)


def test_an_absent_word_has_its_vector_of_the_compass_and_a_rare_one_stays_near_it(small):
    embeddings = CompassWord2Vec(dimensions=8, epochs=2).fit(small)
    absent = next(word for word in embeddings.words if not embeddings.count(word, "1990"))
    assert np.array_equal(embeddings.vector(absent, "1990", fallback=True), embeddings.common[embeddings.index(absent)])
    counts = embeddings.observed.count
    apart = np.linalg.norm(embeddings.vectors - embeddings.common[embeddings.observed.word], axis=1)
    assert apart[counts == 1].mean() < apart[counts >= 20].mean()
