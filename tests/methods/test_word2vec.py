"""The baselines that train word2vec: the text that they read, the anchors of their maps, the steps of the compass."""

import numpy as np
import pytest
from scipy.stats import ortho_group

import worlds
from chronotope.cooccurrence import count
from chronotope.corpus.source import read_corpus
from chronotope.errors import InputError
from chronotope.methods import AlignedWord2Vec, CompassWord2Vec, LinearWord2Vec
from chronotope.methods.word2vec import cbow
from chronotope.methods.word2vec.compass import documents_of
from chronotope.methods.word2vec.procrustes import align, anchor_words, linear_map, listed_anchors, rotation
from chronotope.methods.word2vec.training import MAX_DOCUMENT, TrainingText

SIZE = 8


def test_all_the_text_of_the_vocabulary_is_read_and_nothing_that_is_held_out(counts_of):
    counts = counts_of(worlds.planted_drift(documents=60), time="time", min_count=3, holdout=0.3)
    support, words, conditions = counts.vocabulary.support, len(counts.vocabulary), range(len(counts.conditions))
    for condition in conditions:
        read = [int(word) for document in TrainingText(counts, [condition]) for word in document]
        found = np.bincount(read, minlength=words)
        assert np.array_equal(np.flatnonzero(found), support.words_in(condition))
        assert np.array_equal(found[found > 0], support.counts_in(condition))
    of_compass = np.concatenate([counts.store.ids[first:last] for first, last in documents_of(counts, conditions)])
    assert np.array_equal(np.bincount(of_compass, minlength=words)[:words], counts.vocabulary.counts)


def test_long_documents_are_cut_and_lose_nothing():
    text = "river water bank shore flood " * 5000
    counts = count(read_corpus([{"text": text, "time": "1990"}], time="time"), min_count=1)
    lengths = [len(document) for document in TrainingText(counts, [0])]
    assert lengths == [MAX_DOCUMENT, MAX_DOCUMENT, 5000]


def test_training_stops_where_progress_is_refused(small):
    pytest.importorskip("gensim")

    def refuse(done, _):
        if done == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        AlignedWord2Vec(dimensions=4, epochs=4).fit(small, threads=2, on_step=refuse)


@pytest.fixture
def turned(drifting):
    """Every word has one vector, seen from another side in each condition; every second word is replaced by noise."""
    support = drifting.vocabulary.support
    rng = np.random.default_rng(1)
    truth = rng.standard_normal((len(drifting.vocabulary), SIZE))
    turns = ortho_group.rvs(SIZE, size=len(drifting.conditions), random_state=rng)
    vectors = np.einsum("pd,pde->pe", truth[support.word], turns[support.condition])
    moving = support.word % 2 == 1
    vectors[moving] = rng.standard_normal((moving.sum(), SIZE))
    return vectors.astype(np.float32)


@pytest.mark.parametrize("anchors", ["stable", "list", "file"])
@pytest.mark.parametrize("kind", ["rotation", "linear map"])
def test_maps_fitted_to_unchanged_words_are_exact(drifting, turned, anchors, kind, tmp_path):
    words, support = drifting.vocabulary.words, drifting.vocabulary.support
    (tmp_path / "anchors.txt").write_text("\n".join(words[::2]) + "\n")
    given = {"stable": "stable", "list": words[::2], "file": str(tmp_path / "anchors.txt")}[anchors]
    chosen = anchor_words(listed_anchors(given, drifting.vocabulary), drifting, turned, 100.0)
    assert chosen[::2].sum() > 50
    assert not chosen[1::2].any()
    fit = {} if kind == "rotation" else {"fit": linear_map}
    aligned = align(turned, support, drifting.conditions, len(words), 100.0, chosen, **fit)
    reference = np.zeros((len(words), SIZE))
    reference[support.word] = aligned
    still = support.word % 2 == 0
    assert np.allclose(aligned[still], reference[support.word[still]], atol=1e-4)


def test_unknown_anchors_are_reported(drifting):
    with pytest.warns(UserWarning, match="left out: xyzzy"):
        listed_anchors(("bank", "xyzzy"), drifting.vocabulary)
    with pytest.raises(InputError, match="none of the anchors"):
        listed_anchors(("xyzzy",), drifting.vocabulary)
    with pytest.raises(InputError, match="frequent, stable, or a file"):
        listed_anchors("no/such/file", drifting.vocabulary)


@pytest.mark.parametrize("kind", [AlignedWord2Vec, LinearWord2Vec])
@pytest.mark.parametrize("anchors", ["frequent", "stable", ("river", "water", "money", "the")])
def test_methods_record_their_anchors(kind, anchors, small):
    pytest.importorskip("gensim")
    embeddings = kind(dimensions=8, epochs=2, anchors=anchors).fit(small)
    settings = embeddings.provenance["settings"]
    assert settings["anchors"] == (anchors if isinstance(anchors, str) else list(anchors))
    assert embeddings.provenance["anchors"] >= 4
    assert "gensim" in embeddings.provenance["versions"]
    assert embeddings.query_mapping is None
    assert not np.allclose(embeddings.vectors, kind(dimensions=8, epochs=2).fit(small).vectors, atol=1e-3)


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


@pytest.fixture
def sides():
    rng = np.random.default_rng(1)
    return rng.standard_normal((2, 9, SIZE))


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


def test_an_absent_word_has_its_vector_of_the_compass_and_a_rare_one_stays_near_it(small):
    embeddings = CompassWord2Vec(dimensions=8, epochs=2).fit(small)
    absent = next(word for word in embeddings.words if not embeddings.count(word, "1990"))
    assert np.array_equal(embeddings.vector(absent, "1990", fallback=True), embeddings.common[embeddings.index(absent)])
    counts = embeddings.observed.count
    apart = np.linalg.norm(embeddings.vectors - embeddings.common[embeddings.observed.word], axis=1)
    assert apart[counts == 1].mean() < apart[counts >= 20].mean()
