"""Senses: planted homonyms are found with their shares, other words are not split; usages move where they should."""

from __future__ import annotations

import numpy as np
import pytest

import chronotope as ct
from chronotope.errors import InputError

NAMES = ("river", "money", "music", "farm", "war", "law", "sport", "food", "art", "rail", "sea", "coal")
TOPICS = {name: [f"{name}{number}" for number in range(15)] for name in NAMES}


def homonyms(shuffled=False):
    """Two years; 'bank' is of rivers and of money, half and half, and then 1 : 4; no other word changes."""
    random = np.random.default_rng(1)
    records = []
    for year in ("1990", "1991"):
        for _ in range(500):
            share = 0.5 if year == "1990" else 0.2
            topic = random.choice(list(TOPICS))
            words = [*random.choice(TOPICS[topic], 10), *random.choice(["the", "of", "and", "to"], 6)]
            if random.random() < {"river": share, "money": 1 - share}.get(topic, 0):
                words.append("bank")
            records.append({"text": " ".join(random.permutation(words)), "time": year})
    if shuffled:
        tokens = random.permutation([word for record in records for word in record["text"].split()])
        sizes = np.cumsum([len(record["text"].split()) for record in records])[:-1]
        for record, part in zip(records, np.split(tokens, sizes), strict=True):
            record["text"] = " ".join(part)
    return records


def model_of(records, **settings):
    counts = ct.count(ct.read_corpus(records, time="time"), min_count=3)
    return ct.GraphModel(dimensions=20, **settings).fit(counts)


@pytest.fixture(scope="module")
def model():
    return model_of(homonyms())


def test_a_homonym_has_its_senses_with_their_words_and_shares(model):
    answer = ct.senses(model, "bank")
    assert answer.facts["senses"] == 2
    for row in answer:
        topic = "river" if row["typical"][0].startswith("river") else "money"
        assert all(word.startswith(topic) for word in row["typical"][:5])
        texts = [one["text"] for one in homonyms() if one["time"] == row["condition"] and "bank" in one["text"]]
        assert row["low"] <= np.mean([topic in text for text in texts]) <= row["high"]
        assert topic in row["text"]
        assert "bank" in row["text"]


def test_words_of_one_topic_or_of_all_have_one_sense(model):
    """At a level of 5 %: one of six may be split by chance."""
    answers = [ct.senses(model, word) for word in ("river1", "money2", "music3", "farm4", "law5", "the")]
    assert sum(answer.facts["senses"] > 1 for answer in answers) <= 1
    assert all((answer["share"] == 1).all() for answer in answers if answer.facts["senses"] == 1)


def test_shuffled_text_has_no_senses():
    shuffled = model_of(homonyms(shuffled=True))
    assert [ct.senses(shuffled, word).facts["senses"] for word in ("bank", "the")] == [1, 1]


def test_few_usages_are_one_sense_and_said_to_be_few(model):
    answer = ct.senses(model, "bank", usages=10)
    assert answer.facts["senses"] == 1
    assert "too few to tell senses apart" in answer.notes[0]


def test_lemmas_of_a_function_are_those_of_the_run():
    """The function is not stored: the table of lemmas is."""
    corpus = ct.read_corpus(homonyms(), time="time", lemmas=lambda word: {"bank": "shore"}.get(word, word))
    model = ct.GraphModel(dimensions=20).fit(ct.count(corpus, min_count=3))
    assert all("bank" in row["text"] for row in ct.senses(model, "shore"))


def ends(source):
    """The first and the last condition."""
    return source.conditions.labels[0], source.conditions.labels[-1]


def test_usages_move_where_a_word_changes_company(drifting):
    contextual = ct.ContextualModel(words="bank,river,money,the,tree").fit(drifting)
    answer = ct.usage_change(contextual, *ends(drifting), permutations=99, min_count=5)
    assert answer["word"][0] == "bank"
    first = next(iter(answer))
    assert all(first[f"p_{name}"] == 0.01 for name in ("apd", "prt", "amd", "jsd"))
    assert answer.frame.filter(answer["word"] != "bank")["p_prt"].min() > 0.01
    assert 0 <= answer["jsd"].min() <= answer["jsd"].max() <= 1
    documents = dict(zip(answer["word"], answer["documents"], strict=True))
    fewer = ct.usage_change(contextual, *ends(drifting), min_count=5, min_documents=documents["bank"] + 1)
    assert set(fewer["word"]) == {word for word, count in documents.items() if count > documents["bank"]}
    assert "fewer than" in " ".join(fewer.notes)
    few = ct.usage_change(contextual, *ends(drifting), min_count=10**6)
    assert few.notes[1] == "Left out: 5 words with fewer than 1000000 at one end."
    with pytest.raises(ct.errors.InputError, match="no column 'jsdd' in this answer; columns: word, "):
        answer["jsdd"]
    assert "bank" not in set(ct.usage_change(contextual, *ends(drifting), min_count=5, exclude="bank")["word"])


def test_other_models_take_the_words_around(model):
    answer = ct.usage_change(model, *ends(model), words="bank,river1,music1,the", permutations=99, min_count=5)
    assert answer["word"][0] == "bank"
    assert "unknown" not in answer["word"]


def test_a_model_without_its_usages_says_what_to_do(drifting):
    contextual = ct.ContextualModel(words="bank", per_pair=10).fit(drifting)
    contextual.provenance["usages"] = "gone"
    with pytest.raises(InputError, match="train the model again"):
        ct.senses(contextual, "bank")
