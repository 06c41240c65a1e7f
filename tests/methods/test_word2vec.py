"""The baselines that train word2vec: what they read, that they repeat, and that they find what is planted."""

import sys

import numpy as np
import pytest

import worlds
from chronotope.cooccurrence import count
from chronotope.corpus import read_corpus
from chronotope.datasets.invented import invented_world
from chronotope.errors import MissingExtraError
from chronotope.evaluation.evaluate import evaluate
from chronotope.methods import AlignedWord2Vec, LinearWord2Vec, StaticWord2Vec
from chronotope.methods.word2vec.training import MAX_DOCUMENT, TrainingText

pytest.importorskip("gensim")

KINDS = [StaticWord2Vec, LinearWord2Vec, AlignedWord2Vec]


@pytest.fixture(scope="module")
def three_places(tmp_path_factory):
    """Three places of 50,000 words each, and the names that correspond."""
    world = invented_world(years=(1998,), places=("arlen", "borva", "celdon"), documents=1800)
    path = tmp_path_factory.mktemp("places") / "pairs.csv"
    world.write_pairs(path, "place")
    return count(read_corpus(world.records, place="place"), min_count=5), path


def test_all_the_text_of_the_vocabulary_is_read_and_nothing_that_is_held_out(counts_of):
    counts = counts_of(worlds.planted_drift(documents=60), time="time", min_count=3, holdout=0.3)
    for condition in range(len(counts.conditions)):
        read = [int(word) for document in TrainingText(counts, [condition]) for word in document]
        found = np.bincount(read, minlength=len(counts.vocabulary))
        support = counts.vocabulary.support
        assert np.array_equal(np.flatnonzero(found), support.words_in(condition))
        assert np.array_equal(found[found > 0], support.counts_in(condition))


def test_long_documents_are_cut_and_lose_nothing():
    text = "river water bank shore flood " * 5000
    counts = count(read_corpus([{"text": text, "time": "1990"}], time="time"), min_count=1)
    lengths = [len(document) for document in TrainingText(counts, [0])]
    assert lengths == [MAX_DOCUMENT, MAX_DOCUMENT, 5000]


@pytest.mark.parametrize("kind", KINDS)
def test_every_pass_is_a_step_and_the_version_of_gensim_is_kept(kind, small):
    steps = []
    embeddings = kind(dimensions=8, epochs=2).fit(small, on_step=lambda *step: steps.append(step))
    assert embeddings.provenance["settings"]["epochs"] == 2
    assert "gensim" in embeddings.provenance["versions"]
    total = 2 if kind is StaticWord2Vec else 2 * len(small.conditions)
    assert steps == [(number, total) for number in range(1, total + 1)]


@pytest.mark.parametrize("kind", KINDS)
def test_planted_equivalents_are_found_far_more_often_than_by_chance(kind, three_places):
    """By chance the right one of 500 words has a mean reciprocal rank of 0.006."""
    counts, pairs = three_places
    assert evaluate(kind(epochs=10).fit(counts), pairs)["mrr"][0] > 0.3


def test_training_stops_where_progress_is_refused(small):
    def refuse(done, _):
        if done == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        AlignedWord2Vec(dimensions=4, epochs=4).fit(small, threads=2, on_step=refuse)


def test_without_gensim_the_message_says_what_to_install(small, monkeypatch):
    monkeypatch.setitem(sys.modules, "gensim", None)
    with pytest.raises(MissingExtraError, match=r"chronotope\[word2vec\]"):
        StaticWord2Vec().fit(small)
