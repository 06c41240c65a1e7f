"""The baselines that train word2vec: what they read, that they repeat, and that they find what is planted."""

import numpy as np
import pytest

import worlds
from chronotope.cooccurrence import count
from chronotope.corpus.source import read_corpus
from chronotope.methods import AlignedWord2Vec
from chronotope.methods.word2vec.training import MAX_DOCUMENT, TrainingText

pytest.importorskip("gensim")


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


def test_training_stops_where_progress_is_refused(small):
    def refuse(done, _):
        if done == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        AlignedWord2Vec(dimensions=4, epochs=4).fit(small, threads=2, on_step=refuse)
