"""Vectors that differ by rotations only are brought together exactly; rare words do not spoil it."""

import numpy as np
import pytest
from scipy.stats import ortho_group

import worlds
from chronotope.methods.word2vec.procrustes import align, rotation

SIZE = 8


def aligned_in(counts, vectors):
    vocabulary = counts.vocabulary
    return align(vectors, vocabulary.support, counts.conditions, len(vocabulary), shrinkage=100)


@pytest.mark.parametrize(
    "axes", [{"time": "time"}, {"place": "place"}, {"time": "time", "place": "place"}], ids=lambda axes: "×".join(axes)
)
def test_planted_rotations_are_undone_exactly(axes, counts_of):
    """Every word has one vector, seen in each condition from another side."""
    counts = counts_of(worlds.time_and_place(), **axes)
    support = counts.vocabulary.support
    rng = np.random.default_rng(1)
    truth = rng.standard_normal((len(counts.vocabulary), SIZE))
    turns = ortho_group.rvs(SIZE, size=len(counts.conditions), random_state=rng)
    vectors = np.einsum("pd,pde->pe", truth[support.word], turns[support.condition]).astype(np.float32)
    before = vectors.copy()
    aligned = aligned_in(counts, vectors)
    assert np.array_equal(vectors, before), "what is given is not changed"
    reference = np.zeros((len(counts.vocabulary), SIZE))
    reference[support.word] = aligned
    assert np.allclose(aligned, reference[support.word], atol=1e-5)
    assert not np.allclose(vectors, reference[support.word], atol=0.1)


def test_the_place_with_the_most_text_stays_as_it_is(counts_of):
    counts = counts_of(worlds.places(), place="place")
    support = counts.vocabulary.support
    vectors = np.random.default_rng(2).standard_normal((len(support.word), SIZE)).astype(np.float32)
    unchanged = (aligned_in(counts, vectors) == vectors).all(axis=1)
    same = [unchanged[support.condition == condition].all() for condition in range(len(counts.conditions))]
    assert same == (counts.tokens == counts.tokens.max()).tolist()


def test_rare_words_hardly_move_the_rotation():
    """A hundred frequent words tell the truth, a thousand rare ones point anywhere."""
    rng = np.random.default_rng(3)
    truth = ortho_group.rvs(SIZE, random_state=rng)
    source = rng.standard_normal((1100, SIZE)).astype(np.float32)
    target = (source @ truth).astype(np.float32)
    target[100:] = rng.standard_normal((1000, SIZE))
    count = np.repeat([1000, 2], [100, 1000])
    error = {
        name: np.abs(rotation(source, target, weight) - truth).max()
        for name, weight in (("trust", count / (count + 100)), ("all alike", np.ones(1100)))
    }
    assert error["trust"] < 0.05 < 0.2 < error["all alike"]
