"""The words of each condition: as a simple account has them."""

from __future__ import annotations

import numpy as np
import pytest

from chronotope.corpus import read_corpus, tokenize
from chronotope.corpus.measuring import measure
from chronotope.corpus.report import RARE


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    rng = np.random.default_rng(0)
    # A condition of its own for some of the texts: whether words are counted or sorted depends on the size.
    rows = [
        {
            "text": " ".join(f"w{k}" for k in rng.zipf(1.3, rng.integers(1, 900)) % 300) + f" rare{number // 2}" * 2,
            "year": 2000 + number if number < 20 else int(rng.integers(1990, 1999)),
        }
        for number in range(400)
    ]
    rows.append({"text": "a word or two", "year": 2020})
    return tokenize(read_corpus(rows, time="year", holdout=0.3), tmp_path_factory.mktemp("s") / "s")


@pytest.mark.parametrize(("threads", "words", "part"), [(1, None, 16), (3, None, 16), (2, 40, 1), (2, 0, 1 << 20)])
def test_words_of_conditions_equal_a_simple_account(store, monkeypatch, threads, words, part):
    monkeypatch.setattr("chronotope.corpus.measuring.CHUNK_TOKENS", 1_000)
    monkeypatch.setattr("chronotope.corpus.measuring.PART_OF_LEXICON", part)
    given = (store.ids, store.starts, store.document_condition, store.held_out, len(store.conditions))
    found = measure(*given, store.counts < RARE, threads, words)
    held_out = np.repeat(store.held_out, np.diff(store.starts))
    condition = np.repeat(store.document_condition, np.diff(store.starts))
    size = len(store.words) if words is None else words
    for number in range(len(store.conditions)):
        here = slice(found.start[number], found.start[number + 1])
        expected = np.bincount(store.ids[(condition == number) & ~held_out], minlength=len(store.words))[:size]
        assert found.word[here].tolist() == np.flatnonzero(expected).tolist()
        assert found.count[here].tolist() == expected[expected > 0].tolist()
        tokens = store.tokens_of(number)
        assert found.distinct[number] == len(np.unique(tokens)) == store.report.conditions[number].vocabulary
        assert found.rare[number] == (store.counts[tokens] < RARE).sum()
