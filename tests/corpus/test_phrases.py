"""Phrases become one word: the longest first, never across documents, and found ones are not made of function words."""

from __future__ import annotations

import numpy as np

from chronotope.corpus import read_corpus, tokenize
from worlds import documents


def test_given_phrases_are_joined(tmp_path):
    rows = [
        {"text": "The Prime Minister of New South Wales, South Wales"},
        {"text": "a prime"},
        {"text": "minister in the New South"},
    ]
    given = ["prime minister", "new south wales", "South Wales", "not there", "new"]
    store = tokenize(read_corpus(rows, phrases=given), tmp_path / "s")
    assert documents(store) == [
        ["the", "prime_minister", "of", "new_south_wales", "south_wales"],
        ["a", "prime"],
        ["minister", "in", "the", "new", "south"],
    ]
    assert store.report.phrases == ("new_south_wales", "prime_minister", "south_wales")
    assert "wales" not in store.words.to_list()
    assert store.counts[0] == 2
    assert store.words[0] == "the"


def test_a_variant_of_several_words_is_the_phrase(tmp_path):
    """'PM' is another form of the phrase 'prime minister'; both are one word."""
    rows = [{"text": "The PM, the prime minister"}]
    corpus = read_corpus(rows, phrases="prime minister", variants={"PM": "Prime Minister"})
    store = tokenize(corpus, tmp_path / "s")
    assert documents(store) == [["the", "prime_minister", "the", "prime_minister"]]
    assert sorted(store.words.to_list()) == ["prime_minister", "the"]


def test_pairs_that_belong_together_are_found(tmp_path):
    """'prime minister' stands together always, 'of the' often, the rest by chance."""
    rng = np.random.default_rng(1)
    function = [f"f{k}" for k in range(19)]
    content = [f"c{k}" for k in range(200)]
    rows = []
    for number in range(300):
        words = []
        for _ in range(20):
            words += ["of", "the"] if rng.random() < 0.5 else [rng.choice(function)]
            words += [rng.choice(content)]
        at = int(rng.integers(len(words)))
        found = ["prime", "minister"] if number % 3 == 0 else []
        rows.append({"text": " ".join([*words[:at], *found, *words[at:]])})
    store = tokenize(read_corpus(rows, find_phrases=True), tmp_path / "s")
    assert store.report.phrases == ("prime_minister",)
    assert dict(zip(store.words, store.counts, strict=True))["prime_minister"] == 100
    assert np.bincount(store.ids).tolist() == store.counts.tolist()
