"""Upper case that means something, lemmas, and normalizers of other scripts; evidence finds what was written."""

import polars as pl
import pytest

import chronotope as ct
from chronotope.corpus.tokenizer import split_texts
from chronotope.errors import InputError, SettingsError

RECORDS = [
    {"text": "The US spoke of SALT (UN). They gave us salt. WE TALK OF SALT. Then Smith went to Rome.", "year": 1990},
    {"text": "“We met US's men, and Smith”, said a man. They went: Rome falls, smith.", "year": 1991},
]


def counted(**settings):
    return ct.count(ct.read_corpus(RECORDS, time="year", **settings), min_count=1)


def totals(counts):
    return dict(zip(counts.vocabulary.words, counts.vocabulary.counts.tolist(), strict=True))


def test_the_case_of_a_word_is_counted_inside_of_sentences_that_are_not_shouted():
    counts = counted()
    lexicon = pl.read_parquet(counts.folder / "lexicon.parquet")
    case = {word: rest for word, *rest in lexicon.select("word", "inside", "capitalized", "upper").rows()}
    assert case["smith"] == [3, 2, 0]  # a name, beside "smith"
    assert case["us"] == [3, 2, 2]
    assert case["salt"] == [2, 1, 1]  # not the shouted one
    assert case["they"] == [0, 0, 0]
    assert case["un"] == [0, 0, 1]  # after a bracket
    assert case["rome"] == [1, 1, 0]


def test_a_word_after_a_hyphen_has_the_case_of_the_first():
    text = "He met Ban Ki-moon and an anti-American man by the moon. Co-operation: we-They -moon. A post-war moon"
    counts = ct.count(ct.read_corpus([{"text": text, "year": 1990}], time="year"), min_count=1)
    lexicon = pl.read_parquet(counts.folder / "lexicon.parquet").select("word", "inside", "capitalized")
    case = {word: tuple(rest) for word, *rest in lexicon.rows()}
    names = {"moon": (4, 1), "american": (1, 1), "war": (1, 0), "they": (0, 0), "operation": (0, 0)}
    assert names.items() <= case.items(), case


def test_smart_case_keeps_acronyms_apart_and_evidence_finds_both():
    assert totals(counted())["us"] == 3
    counts = counted(lowercase="smart")
    assert {word: totals(counts)[word] for word in ("US", "us", "SALT", "salt", "UN", "we")} == {
        **{"US": 2, "us": 1, "SALT": 1, "salt": 2, "UN": 1, "we": 2}
    }
    assert [row["text"] for row in ct.evidence(counts, "SALT")] == ["The US spoke of SALT (UN)."]
    assert {row["text"] for row in ct.evidence(counts, "salt")} == {"They gave us salt.", "WE TALK OF SALT."}
    again = ct.count(ct.read_corpus(RECORDS, time="year", lowercase="smart"), min_count=1, threads=2)
    assert again.checksum == counts.checksum


def test_prepare_reports_words_of_two_cases(chronotope, tmp_path):
    records = [{"text": "they gave us salt, and the US took it", "year": 1990}] * 15
    pl.DataFrame(records).write_ndjson(tmp_path / "a.jsonl")
    command = ("prepare", tmp_path / "a.jsonl", "--time", "year", "--min-count", 1, "-o")
    assert "us (50% US); --case smart" in chronotope(*command, tmp_path / "a").stderr
    assert "--case smart" not in chronotope(*command, tmp_path / "b", "--case", "smart").stderr
    assert "case must be lower or smart or keep" in chronotope(*command, tmp_path / "c", "--case", "no", code=2).stderr


class Token:
    lemma_ = "go"


@pytest.mark.parametrize(
    "lemmas", ["en", lambda word: {"went": "go", "men": "man"}.get(word, word), lambda word: [Token] * (word == "went")]
)
def test_lemmas_are_counted_and_evidence_shows_what_was_written(lemmas):
    counts = counted(lemmas=lemmas)
    assert totals(counts)["go"] == 2
    assert "went" not in totals(counts)
    for word in ("go", "went"):
        sentences = [row["text"][row["start"] : row["end"]] for row in ct.evidence(counts, word)]
        assert sentences == ["went", "went"]


def test_what_is_wrong_with_lemmas_is_told():
    with pytest.raises(SettingsError, match="no lemmas for 'xx'"):
        counted(lemmas="xx")
    with pytest.raises(InputError, match="must return a string"):
        counted(lemmas=lambda _: 3)


def test_emoji_are_words_on_request():
    text = "ok😀 👩‍💻👍🏽, ❤️ 🇫🇷🇩🇪! © x5"
    tokens = split_texts(pl.Series([text]), "emoji")
    assert tokens.forms.to_list() == ["ok", "😀", "👩‍💻", "👍🏽", "❤️", "🇫🇷", "🇩🇪", "x5"]
    assert split_texts(pl.Series([text])).forms.to_list() == ["ok", "x5"]
    records = [{"text": f"{text} It was fine👍🏽.", "year": 1990}]
    counts = ct.count(ct.read_corpus(records, time="year", emoji=True), min_count=1)
    assert totals(counts)["👍🏽"] == 2
    assert [row["text"][row["start"] : row["end"]] for row in ct.evidence(counts, "🇩🇪")] == ["🇩🇪"]
