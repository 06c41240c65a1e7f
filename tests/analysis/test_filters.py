"""Filters of words, documents in every ranked answer, and words that rest on one document."""

import json

import numpy as np
import pytest

import chronotope as ct
from chronotope.analysis.filters import stop_words
from chronotope.errors import InputError, UnknownWordError

ALL = {"exclude": "stopwords:en,Muddy", "no_names": True, "no_numbers": True, "min_documents": 5}
GONE = {"muddy", "geneva", "geneva_bank", "1945", "zebra"}
ASKED = {
    "drift": {"top": 50, "min_count": 1},
    "stable": {"top": 50, "min_count": 1},
    "neighbors": {"word": "river", "at": "1990", "top": 50, "min_count": 1},
    "equivalents": {"word": "river", "at": "1990", "to": "1991", "top": 50, "min_count": 1},
    "collocates": {"word": "river", "top": 50, "min_count": 1},
}
COLUMN = {"neighbors": "neighbor", "equivalents": "equivalent", "collocates": "collocate"}


def record(number):
    zebra = " A zebra, the zebra: a zebra saw the zebra, no zebra by the river." if number in (0, 1) else ""
    year, other = (1990, "boat") if number % 2 else (1991, "fish")
    text = f"The muddy river met Geneva in 1945, the {other} by the water. A Geneva Bank, then the river water.{zebra}"
    return {"text": text, "year": year, "source": "daily" if number < 30 else f"weekly {number}"}


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("filters") / "run"
    corpus = ct.read_corpus([record(n) for n in range(40)], time="year", phrases=["geneva bank"], keep=["source"])
    counts = ct.count(corpus, folder, min_count=1)
    ct.GraphModel(dimensions=8, epochs=3).fit(counts).save(folder / "model.ct")
    return folder


def listed(answer):
    return set(answer[COLUMN.get(answer.name, "word")])


@pytest.mark.parametrize("name", ASKED)
def test_filters_leave_out_what_they_name_and_say_how_many(run, chronotope, name):
    ask = getattr(ct, name)
    everything = ask(run, **ASKED[name], **({"min_documents": 1} if name == "drift" else {}))
    answer = ask(run, **ASKED[name], **ALL)
    assert listed(answer) == listed(everything) - GONE - stop_words("en") - {"saw"}
    assert listed(everything) & GONE >= {"muddy", "1945"}
    assert all(row["documents"] >= 5 for row in answer)
    assert any(" names, 1 numbers" in note or " names, 1 number" in note for note in answer.notes), answer.notes
    for gone in {"muddy", "geneva_bank", "the"} & listed(everything):
        assert gone in listed(ask(run, **ASKED[name], words=[gone, "water"]))
    options = ["--no-names", "--no-numbers", "--exclude", ALL["exclude"], "--min-documents", 5]
    given = {key: value for key, value in ASKED[name].items() if key != "word"}
    options += [f"--{key.replace('_', '-')}={value}" for key, value in given.items()]
    words = ["river"] if "word" in ASKED[name] else []
    assert json.loads(chronotope(name, "--json", *options, run, *words).stdout) == json.loads(answer.to_json())


def test_drift_leaves_out_words_of_few_documents_unless_told(run):
    assert "zebra" not in listed(ct.drift(run, min_count=1, top=50))
    row = next(row for row in ct.drift(run, min_count=1, top=50, min_documents=1) if row["word"] == "zebra")
    assert (row["documents"], row["largest_share"]) == (2, 1.0)


def test_documents_are_those_of_the_store(run):
    store = ct.load(run).counts.store
    number = store.words.to_list().index("boat")
    documents = np.flatnonzero([number in ids for ids in np.split(store.ids, store.starts[1:-1])])
    assert len(documents) == 20
    near = ct.neighbors(run, "river", at="1990", top=50, min_count=1)
    assert dict(zip(near["neighbor"], near["documents"], strict=True))["boat"] == 20
    overall = ct.neighbors(run, "river", top=50, min_count=1)
    assert dict(zip(overall["neighbor"], overall["documents"], strict=True))["water"] == 40
    assert ct.analogy(run, "river", "water", "boat", at="1990", top=90, min_count=1)["documents"].min() < 5
    assert ct.analogy(run, "river", "water", "boat", at="1990", min_count=1, min_documents=5)["documents"].min() >= 5


def test_a_model_without_its_run_knows_no_documents_and_says_so(run):
    model = ct.load(run)
    alone = ct.ConditionedEmbeddings(model.words, model.conditions, model.observed, model.vectors)
    for answer in (ct.drift(alone, min_count=1), ct.neighbors(alone, "river"), ct.stable(alone)):
        assert answer["documents"].null_count() == len(answer) > 0
        assert any("are unknown without the run" in note for note in answer.notes)
    assert not {"the", "1945"} & listed(ct.drift(alone, min_count=1, exclude="stopwords:en", no_numbers=True))
    with pytest.raises(InputError, match="no-names needs the run"):
        ct.drift(alone, no_names=True)


def test_words_are_a_list_or_a_file_that_may_begin_with_a_mark(run, tmp_path):
    (tmp_path / "words.txt").write_text("\ufeffwater\n\nnowhere\n", encoding="utf-8")
    path = tmp_path / "words.txt"
    for words in (path, str(path), ", ".join(["nowhere", *["water"] * 50])):
        answer = ct.neighbors(run, "river", words=words, min_count=1)
        assert listed(answer) == {"water"}
        assert "Not in the vocabulary: nowhere." in answer.notes
    assert "the" not in listed(ct.stable(run, exclude=["stopwords:fr", "the"], min_count=1))


def test_a_word_that_rests_on_one_document_or_one_source_is_told(run):
    told = "One document holds more than half of the occurrences of zebra in 1990 (100%), 1991 (100%)."
    for question in (ct.series, ct.collocates, ct.frequency):
        assert told in question(run, "zebra").notes
    assert told in ct.neighbors(run, "zebra", at="all").notes
    told = "One document holds more than half of the occurrences of zebra in 1990 (100%)."
    assert told in ct.contexts(run, "zebra", at="1990").notes
    assert "One document holds" not in " ".join(ct.series(run, "river").notes)
    assert "One document holds 100% of the occurrences of zebra." in ct.evidence(run, "zebra", at="1990").notes
    records = [{"text": "the cat sat there for long", "year": 1990, "source": "house"}] * 9
    records += [{"text": "the lynx saw the lynx", "year": 1990, "source": "zoo"}] * 3
    counts = ct.count(ct.read_corpus(records, time="year", keep=["source"]), min_count=1)
    model = ct.GraphModel(dimensions=2, epochs=1).fit(counts)
    told = "One source holds more than half of the occurrences of lynx in 1990 (100%)."
    assert told in ct.neighbors(model, "lynx", at="1990").notes
    # Most of the text is of that source, too.
    assert not any("source" in note for note in ct.neighbors(model, "cat", at="1990").notes)


def test_a_star_stands_for_any_letters():
    """So words can be chosen by the tags that a tagger wrote into the text."""
    texts = ["bank_NOUN runs_VERB river_NOUN", "bank_NOUN sees_VERB river_NOUN"] * 20
    records = [{"text": text, "year": year} for year in (1990, 1991) for text in texts]
    counts = ct.count(ct.read_corpus(records, time="year", tokenizer="whitespace"), min_count=1)
    model = ct.GraphModel(dimensions=3).fit(counts)
    asked = {"model": model, "min_count": 1, "min_documents": 1}
    assert set(ct.drift(words="*_VERB", **asked)["word"]) == {"runs_verb", "sees_verb"}
    assert set(ct.drift(exclude="*_verb", **asked)["word"]) == {"bank_noun", "river_noun"}
    with pytest.raises(UnknownWordError):
        ct.drift(words="*_adj", **asked)
