"""Sentences and contexts of a word: real text, the word marked, an even choice, the nearest first."""

from __future__ import annotations

import shutil
from collections import Counter

import pytest

import chronotope as ct
import worlds
from chronotope.analysis.sentence_sample import sentence_sample
from chronotope.errors import ChronotopeError, DamagedFileError, InputError, SettingsError

FILLER = "The sun rose over the town and the people went to work. "


def planted(**settings):
    """Two years in two places; 'Bank' stands in sentences of its own, and one document says it ten times."""
    sentence = FILLER + "Number {} praised the River Bank in May! " + FILLER
    rows = [{"text": sentence.format(n), "year": "1990-05-01", "place": "arlen"} for n in range(6)]
    rows.append({"text": "Every Bank number nine. " * 10 + "A bank's money.", "year": "1990-06-01", "place": "borva"})
    money = FILLER + "Money in the bank of Mr. Hull. Loans." + FILLER * 300
    rows += [{"text": money, "year": "1991", "place": "arlen"} for _ in range(3)]
    rows.append({"text": "No such word here.", "year": 1991, "place": "borva"})
    corpus = ct.read_corpus(rows, time="year", every="1y", place="place", **settings)
    return ct.count(corpus, min_count=1, window=4)


@pytest.fixture(scope="module")
def counts():
    return planted()


def marked(row, name=""):
    return row["text"][row[f"{name}start"] : row[f"{name}end"]]


def test_a_sentence_is_the_text_itself_with_the_word_marked(counts):
    found = ct.evidence(counts, "bank", at="1990/arlen", top=20)
    assert found.facts["occurrences"] == found.facts["documents"] == len(found) == 6
    assert set(found["text"]) == {f"Number {n} praised the River Bank in May!" for n in range(6)}
    assert {marked(row) for row in found} == {"Bank"}
    wanted = {"condition": "1990/arlen", "date": "1990-05-01", "place": "arlen", "document": "records:1"}
    assert wanted.items() <= next(iter(found)).items()


def test_documents_take_turns_and_a_sentence_is_shown_once(counts):
    found = ct.evidence(counts, "bank", at="1990", top=8)
    assert Counter(found["place"]) == {"arlen": 6, "borva": 2}
    assert found["text"].n_unique() == 8
    assert set(ct.evidence(counts, "bank", at="1990", top=2)["place"]) == {"arlen", "borva"}
    same = ct.evidence(counts, "bank", at="1991/arlen", top=5)
    assert same["text"].to_list() == ["Money in the bank of Mr. Hull."]
    assert same.notes[0] == "bank occurs 3 times in 3 documents."
    assert same.notes[1].startswith("Shown: 1 sentence,")


def test_the_seed_decides_the_choice(counts):
    chosen = [tuple(ct.evidence(counts, "bank", at="1990/arlen", top=2, seed=seed)["document"]) for seed in range(5)]
    assert chosen[1] == tuple(ct.evidence(counts, "bank", at="1990/arlen", top=2)["document"])
    assert len(set(chosen)) > 1


def test_the_nearest_come_first_and_both_are_marked(counts):
    found = ct.evidence(counts, "bank", near="money", top=5)
    assert found["distance_words"].to_list() == [1, 3]
    assert {marked(row, "near_").lower() for row in found} == {"money"}
    assert not found.facts["sampled"]
    assert ct.evidence(counts, "bank", near="money", distance=1).facts["together"] == 1
    none = ct.evidence(counts, "bank", near="work", distance=2)
    assert len(none) == 0
    assert "It never occurs within 2 words of work" in none.notes[1]


def test_one_long_document_hides_no_other():
    """Most of the text is one document in which the bank is a river's; all others are about money."""
    book = {"text": FILLER * 40_000 + "The river bank is muddy. " * 3, "year": 1990}
    letters = [{"text": f"Money of letter {n} is in the bank. " + FILLER * 9, "year": 1990} for n in range(30)]
    rows = [book, *letters, {"text": "A bank. " + FILLER, "year": 1991}]
    counts = ct.count(ct.read_corpus(rows, time="year"), min_count=1, window=4)
    found = ct.contexts(counts, "bank", at="1990", top=30)
    assert found.facts["documents"] == 31
    assert found["share"][found["context"].index_of("in")] > 4 * found["share"][found["context"].index_of("river")]
    near = ct.evidence(counts, "bank", near="money", distance=7, top=50)
    assert (near.facts["together"], len(near), near.facts["sampled"]) == (30, 30, False)
    sample = sentence_sample(counts, 0, len(counts.vocabulary), 30, most_tokens=4000)
    assert len({one.document for one in sample.sentences}) > 5
    assert 2000 < sample.searched <= 4000 < sample.tokens


def test_the_context_that_sets_a_condition_apart_pulls_most(counts):
    assert set(ct.contexts(counts, "bank", at="1990/arlen")["context"][:2]) == {"river", "in"}
    found = ct.contexts(counts, "bank", at="1991")
    assert {"of", "mr", "hull"} <= set(found["context"][:5])
    assert (found["pull"] > found["elsewhere"])[:5].all()
    assert not found.facts["sampled"]
    assert len(ct.contexts(counts, "bank", at="1991/borva")) == 0


def test_counts_are_those_of_the_vocabulary(counts_of):
    counts = counts_of(worlds.planted_drift(documents=300), time="time", holdout=0.2)
    for word in ("bank", "the", "money", "water"):
        for condition in (0, 4, 9):
            found = ct.evidence(counts, word, at=counts.conditions.labels[condition], top=1000)
            support = counts.vocabulary.support.of(counts.vocabulary.index(word), condition)
            assert found.facts["occurrences"] == support
            assert {marked(row).lower() for row in found} <= {word}


def test_a_phrase_is_found_joined_or_not():
    rows = [{"text": "The Prime\nMinister met a prime example; the PM left. Prime ministers. " * 3, "year": 1990}]
    for phrases, count in (((), 3), (("prime minister",), 6)):
        variants = {"PM": "prime minister"} if phrases else {}
        counts = ct.count(ct.read_corpus(rows, time="year", phrases=phrases, variants=variants), min_count=1)
        found = ct.evidence(counts, "Prime Minister")
        assert found.facts["occurrences"] == count
        assert {marked(row) for row in found} <= {"Prime\nMinister", "PM"}
        assert found.facts["word"] == ("prime_minister" if phrases else "prime minister")


def test_sentences_and_phrases_anywhere_in_a_long_document_are_found():
    sentences = [f"Word{n} met the Prime Minister of New York City near New York." for n in range(200)]
    rows = [{"text": " ".join(sentences[part::2]), "year": 1990 + part} for part in range(2)]
    corpus = ct.read_corpus(rows, time="year", phrases=["prime minister", "new york", "new york city", "york near new"])
    counts = ct.count(corpus, min_count=1)
    for n in range(0, 200, 13):
        assert ct.evidence(counts, f"word{n}")["text"].to_list() == [sentences[n]]
    for form in ("New York City", "Prime Minister", "New York"):
        found = ct.evidence(counts, form.lower(), top=200)
        assert {marked(row) for row in found} == {form}
        assert sorted(found["text"]) == sorted(sentences)
    both = ct.evidence(counts, "prime minister", near="new york city", top=50)
    assert {marked(row, "near_") for row in both} == {"New York City"}


def test_a_model_knows_its_run(counts, tmp_path):
    shutil.copytree(counts.folder, tmp_path / "run")
    fitted = ct.GraphModel(dimensions=5, epochs=1).fit(counts)
    assert len(ct.evidence(fitted, "bank", at="1990/arlen")) == 6
    for path in (tmp_path / "run" / "model.ct", tmp_path / "beside.ct"):
        fitted.save(path)
        assert len(ct.evidence(path, "bank", at="1990/arlen")) == 6
    (tmp_path / "far").mkdir()
    fitted.save(tmp_path / "far" / "model.ct")
    with pytest.raises(InputError, match="name the run instead"):
        ct.evidence(tmp_path / "far" / "model.ct", "bank")


def test_what_is_absent_gets_one_line(counts, tmp_path):
    assert "bank does not occur there; it occurs most in" in ct.evidence(counts, "bank", at="1991/borva").notes[0]
    with pytest.raises(InputError, match="is not a run"):
        ct.evidence(tmp_path, "bank")
    with pytest.raises(InputError, match="prepared without its text"):
        ct.evidence(planted(keep_text=False), "bank")


def test_a_document_is_cited_by_its_kept_fields():
    rows = [{"text": "The bank is high.", "year": 1990, "title": "Rivers", "speaker": "Ada"}]
    rows.append({"text": "A bank is low.", "year": 1990, "title": None, "speaker": "Ada"})
    corpus = ct.read_corpus(rows, time="year", keep=("title", "speaker"))
    counts = ct.count(corpus, min_count=1)
    cited = "Rivers, Ada (records:1)"
    assert set(ct.evidence(counts, "bank", top=2)["document"]) == {cited, "Ada (records:2)"}
    assert ct.evidence(counts, "bank", where="title = 'Rivers' AND file LIKE 'rec%'")["document"].to_list() == [cited]
    none = ct.evidence(counts, "bank", where="speaker = 'Bob'")
    assert none.notes == ("bank occurs 0 times in 0 documents.", "No document with bank has speaker = 'Bob'.")
    with pytest.raises(SettingsError, match=r"no field 'speakr' .* the fields are: title, speaker, file"):
        ct.evidence(counts, "bank", where="speakr = 'Ada'")


def test_two_periods_stand_side_by_side(counts):
    found = ct.evidence(counts, "bank", at="1990/arlen", against="1991", top=2)
    assert found["condition"].to_list() == ["1990/arlen", "1990/arlen", "1991/arlen"]
    assert (found.facts["occurrences"], found.facts["occurrences_against"]) == (6, 3)
    assert found.title == "Sentences with bank, 1990/arlen and 1991"


def test_a_damaged_run_is_refused(counts, tmp_path):
    for number, name in enumerate(("tokens.bin", "text.parquet")):
        run = tmp_path / str(number)
        shutil.copytree(counts.folder, run)
        size = (run / name).stat().st_size
        for content, error, message in (
            (b"", DamagedFileError, "cut short"),
            (bytes(size), ChronotopeError, "prepare the run again"),
        ):
            (run / name).write_bytes(content)
            with pytest.raises(error, match=message):
                ct.evidence(run, "bank")


def test_conditions_are_chosen_by_label_axis_or_range(counts):
    def asked(**where):
        return sorted(set(ct.frequency(counts, "bank", **where)["condition"]))

    assert asked() == list(counts.conditions.labels)
    assert asked(at="1990/BORVA") == ["1990/borva"]
    assert asked(at="1991") == asked(start="1991") == ["1991/arlen", "1991/borva"]
    assert asked(start="1990/borva", end="1991/borva") == ["1990/borva", "1991/borva"]
