"""The sentences behind an answer: real text, the word marked, an even choice, and the nearest first."""

from __future__ import annotations

import shutil
from collections import Counter

import pytest

import chronotope as ct
import worlds
from chronotope.analysis.concordance import choose_conditions
from chronotope.conditions import Conditions
from chronotope.errors import (
    ChronotopeError,
    DamagedFileError,
    InputError,
    SettingsError,
    UnknownConditionError,
    UnknownWordError,
)

FILLER = "The sun rose over the town and the people went to work. "


def planted(**settings):
    """Two years in two places; 'Bank' stands in sentences of its own, and one document says it ten times."""
    rows = [
        {
            "text": FILLER + f"Number {n} praised the River Bank in May! " + FILLER,
            "year": "1990-05-01",
            "place": "arlen",
        }
        for n in range(6)
    ]
    rows.append({"text": "Every Bank number nine. " * 10 + "A bank's money.", "year": "1990-06-01", "place": "borva"})
    rows += [
        {"text": FILLER + "Money in the bank of Mr. Hull. Loans." + FILLER * 300, "year": "1991", "place": "arlen"}
        for _ in range(3)
    ]
    rows.append({"text": "No such word here.", "year": 1991, "place": "borva"})
    corpus = ct.read_corpus(rows, time="year", every="1y", place="place", **settings)
    return ct.count(corpus, min_count=1, window=4)


@pytest.fixture(scope="module")
def counts():
    return planted()


def marked(example):
    return example.text[example.start : example.end]


def test_a_sentence_is_the_text_itself_with_the_word_marked(counts):
    found = ct.evidence(counts, "bank", at="1990/arlen", top=20)
    assert found.occurrences == found.documents == len(found.examples) == 6
    assert {example.text for example in found.examples} == {
        f"Number {n} praised the River Bank in May!" for n in range(6)
    }
    assert {marked(example) for example in found.examples} == {"Bank"}
    first = found.examples[0]
    assert (first.condition, first.date, first.place, first.document) == (
        "1990/arlen",
        "1990-05-01",
        "arlen",
        "records:1",
    )


def test_documents_take_turns_and_a_sentence_is_shown_once(counts):
    found = ct.evidence(counts, "bank", at="1990", top=8)
    assert Counter(example.place for example in found.examples) == {"arlen": 6, "borva": 2}
    assert len({example.text for example in found.examples}) == 8
    assert {example.place for example in ct.evidence(counts, "bank", at="1990", top=2).examples} == {"arlen", "borva"}
    same = ct.evidence(counts, "bank", at="1991/arlen", top=5)
    assert (same.occurrences, len(same.examples)) == (3, 1)
    assert same.examples[0].text == "Money in the bank of Mr. Hull."


def test_another_seed_is_another_choice_and_the_same_seed_the_same(counts):
    asked = [ct.evidence(counts, "bank", at="1990/arlen", top=2, seed=seed) for seed in (1, 1, 2, 3, 4)]
    assert asked[0] == asked[1]
    assert len({tuple(example.document for example in one.examples) for one in asked}) > 1


def test_a_seed_of_more_than_64_bits_is_refused(counts):
    assert ct.evidence(counts, "bank", seed=2**64 - 1).examples
    for seed in (2**64, -1):
        with pytest.raises(SettingsError, match="seed must be"):
            ct.evidence(counts, "bank", seed=seed)


def test_the_nearest_come_first_and_both_are_marked(counts):
    found = ct.evidence(counts, "bank", near="money", top=5)
    assert found.with_both == found.searched == 4
    assert [example.distance for example in found.examples] == [1, 3]
    for example in found.examples:
        assert example.text[slice(*example.near)].lower() == "money"
        assert marked(example).lower().startswith("bank")
    assert ct.evidence(counts, "bank", near="money", within=1).together == 1
    assert ct.evidence(counts, "bank", near="work", within=2).examples == ()


def test_the_context_that_sets_a_condition_apart_pulls_most(counts):
    assert {pull.word for pull in ct.evidence(counts, "bank", at="1990/arlen").pulls[:2]} == {"river", "in"}
    pulls = ct.evidence(counts, "bank", at="1991").pulls
    assert {"of", "mr", "hull"} <= {pull.word for pull in pulls[:5]}
    assert all(pull.pull > pull.elsewhere for pull in pulls[:5])


def test_counts_are_those_of_the_vocabulary(counts_of):
    counts = counts_of(worlds.planted_drift(documents=300), time="time", holdout=0.2)
    support = counts.vocabulary.support
    for word in ("bank", "the", "money", "water"):
        for condition in (0, 4, 9):
            label = counts.conditions.labels[condition]
            found = ct.evidence(counts, word, at=label, top=1000, pulls=0)
            assert found.occurrences == support.of(counts.vocabulary.index(word), condition)
            assert all(marked(example).lower() == word for example in found.examples)


def test_planted_drift_has_its_sentences(drifting):
    """'bank' stands among river words before 1995 and among money words after; so do its sentences and pulls."""
    for time, company, other in (("1992", worlds.RIVER, worlds.MONEY), ("1997", worlds.MONEY, worlds.RIVER)):
        found = ct.evidence(drifting, "bank", at=time)
        words = Counter(word for example in found.examples for word in example.text.lower().strip(".").split())
        assert sum(words[word] for word in company) > 3 * sum(words[word] for word in other)
        pulls = {pull.word for pull in found.pulls}
        assert pulls & set(company)
        assert not pulls & set(other)


def test_a_phrase_is_found_joined_or_not():
    rows = [{"text": "The Prime\nMinister met a prime example; the PM left. Prime ministers. " * 3, "year": 1990}]
    for phrases, count in (((), 3), (("prime minister",), 6)):
        variants = {"PM": "prime minister"} if phrases else {}
        counts = ct.count(ct.read_corpus(rows, time="year", phrases=phrases, variants=variants), min_count=1)
        found = ct.evidence(counts, "Prime Minister")
        assert found.occurrences == count
        assert {marked(example) for example in found.examples} <= {"Prime\nMinister", "PM"}
        assert found.word == ("prime_minister" if phrases else "prime minister")


def test_sentences_anywhere_in_a_long_document_are_found():
    text = "".join(f"Sentence number {n} tells of word{n} and no more. " for n in range(2000))
    counts = ct.count(ct.read_corpus([{"text": text, "year": 1990}], time="year"), min_count=1)
    for n in range(0, 2000, 61):
        (example,) = ct.evidence(counts, f"word{n}", pulls=0).examples
        assert example.text == f"Sentence number {n} tells of word{n} and no more."


def test_a_model_knows_its_run(counts, tmp_path):
    shutil.copytree(counts.folder, tmp_path / "run")
    fitted = ct.GraphModel(dimensions=5, epochs=1).fit(counts)
    for path in (tmp_path / "run" / "model.ct", tmp_path / "beside.ct"):
        fitted.save(path)
        assert ct.evidence(path, "bank", at="1990/arlen").occurrences == 6
    (tmp_path / "far").mkdir()
    fitted.save(tmp_path / "far" / "model.ct")
    with pytest.raises(InputError, match="name the run instead"):
        ct.evidence(tmp_path / "far" / "model.ct", "bank")


def test_what_is_not_there_is_told_in_one_line(counts, tmp_path):
    assert ct.evidence(counts, "bank", at="1991/borva").examples == ()
    with pytest.raises(UnknownWordError, match="words of this run; did you mean bank"):
        ct.evidence(counts, "banck")
    with pytest.raises(UnknownConditionError, match="did you mean 1990/arlen"):
        ct.evidence(counts, "bank", at="1990/arlan")
    with pytest.raises(InputError, match="holds no word"):
        ct.evidence(counts, "…")
    with pytest.raises(InputError, match="is not a run"):
        ct.evidence(tmp_path, "bank")
    with pytest.raises(InputError, match="prepared without its text"):
        ct.evidence(planted(keep_text=False), "bank")


def test_an_older_run_and_a_damaged_one_are_told(counts, tmp_path):
    for name, message in (("tokens.bin", "cut short"), ("text.parquet", "cut short")):
        run = tmp_path / name
        shutil.copytree(counts.folder, run)
        (run / name).write_bytes(b"")
        with pytest.raises(DamagedFileError, match=message):
            ct.evidence(run, "bank")
    run = tmp_path / "tampered"
    shutil.copytree(counts.folder, run)
    for name in ("text.parquet", "tokens.bin"):
        whole = (run / name).read_bytes()
        (run / name).write_bytes(bytes(len(whole)))
        with pytest.raises(ChronotopeError, match="prepare the run again"):
            ct.evidence(run, "bank")
        (run / name).write_bytes(whole)


def test_conditions_are_chosen_by_label_axis_or_range():
    both = Conditions(("1998", "1999", "2000"), ("canada", "india"), (0, 0, 1, 2, 2), (0, 1, 1, 0, 1))
    assert choose_conditions(both).tolist() == [0, 1, 2, 3, 4]
    assert choose_conditions(both, at="1998/INDIA").tolist() == [1]
    assert choose_conditions(both, at="2000").tolist() == [3, 4]
    assert choose_conditions(both, start="1999").tolist() == [2, 3, 4]
    assert choose_conditions(both, start="1998/india", end="1999/india").tolist() == [1, 2]
    for wrong, message in (
        ({"start": "2000", "end": "1998"}, "comes after"),
        ({"start": "canada"}, "no range"),
        ({"start": "1998/canada", "end": "2000/india"}, "no range"),
        ({"at": "1998", "start": "1998"}, "not both"),
    ):
        with pytest.raises(SettingsError, match=message):
            choose_conditions(both, **wrong)
    with pytest.raises(SettingsError, match="needs time bins"):
        choose_conditions(Conditions.of_places(["canada"]), start="canada")


def test_phrases_in_long_documents():
    """The sentences of all words and phrases of a document are found."""
    sentences = [f"Word{n} met the Prime Minister of New York City near New York." for n in range(40)]
    rows = [{"text": " ".join(sentences[part::2]), "year": 1990 + part} for part in range(2)]
    corpus = ct.read_corpus(rows, time="year", phrases=["prime minister", "new york", "new york city", "york near new"])
    counts = ct.count(corpus, min_count=1)
    for n, sentence in enumerate(sentences):
        (example,) = ct.evidence(counts, f"word{n}", pulls=0).examples
        assert example.text == sentence
    for phrase, form in (
        ("new york city", "New York City"),
        ("prime minister", "Prime Minister"),
        ("new york", "New York"),
    ):
        found = ct.evidence(counts, phrase, top=50, pulls=0)
        assert found.occurrences == 40
        assert {marked(example) for example in found.examples} == {form}
        assert sorted(example.text for example in found.examples) == sorted(sentences)
    both = ct.evidence(counts, "prime minister", near="new york city", top=50, pulls=0)
    assert {example.text[slice(*example.near)] for example in both.examples} == {"New York City"}
