"""What a word is, how forms are numbered, and which phrases become one word."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chronotope.corpus.source import read_corpus
from chronotope.corpus.tokenizer import PATTERNS, remove_junk, split_texts
from chronotope.errors import InputError
from worlds import documents, tokenize


def words_of(text, folder, **options):
    (words,) = documents(tokenize(read_corpus([{"text": text}], **options), folder))
    return words


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The dog's bone isn’t here.", "the dog bone isn't here"),
        ("'quoted' rock'n'roll workers'", "quoted rock'n'roll workers"),
        ("well-known co\u00adoperation", "well known cooperation"),
        ("prime_minister _emphasis_ __x__", "prime_minister emphasis x"),
        ("In 1998, 1,000.50 and 3rd", "in 1998 1,000.50 and 3rd"),
        ("see http://a.org/b?c=d, WWW.x.com and me@my.host.org!", "see and"),
        ("<p class='x'>bold</p> if a < b or c > d &amp; &#8217; R&D", "bold if a b or c d r d"),
        ("<!-- note -->text<br/>more", "text more"),
        ("AT&T; x@y", "at t x y"),
        ("Cafe\u0301 Ĳssel ΟΔΟΣ", "café ĳssel οδος"),
        ("हिन्दी में", "हिन्दी में"),
        ("می\u200cخواهم", "می\u200cخواهم"),
        ("naïve 東京 ok it is fine and so is this", "naïve 東京 ok it is fine and so is this"),
        ("한국어 띄어쓰기", "한국어 띄어쓰기"),
        ("a\x00b\x1fc", "a b c"),
        ("مـُحَمَّد", "محمد"),
        ("İstanbul Straße", "istanbul straße"),
    ],
)
def test_words(text, expected, tmp_path):
    assert words_of(text, tmp_path / "s") == expected.split(" ")


def test_settings_of_words(tmp_path):
    text = "Café COLOUR it's"
    assert words_of(text, tmp_path / "s", lowercase=False) == ["Café", "COLOUR", "it"]
    assert words_of(text, tmp_path / "s", strip_accents=True) == ["cafe", "colour", "it"]
    assert words_of("हिन्दी", tmp_path / "s", strip_accents=True) == ["हिन्दी"]
    assert words_of(text, tmp_path / "s", variants={"Colour": "color"}) == ["café", "color", "it"]
    assert words_of("State-of-the-art http://x <b>", tmp_path / "s", tokenizer="whitespace") == [
        "state-of-the-art", "http://x", "<b>",
    ]  # fmt: skip
    assert words_of("a-b-c", tmp_path / "s", tokenizer=lambda text: iter(text.split("-"))) == ["a", "b", "c"]


PARTS = st.one_of(
    st.sampled_from([*"ab12,'’_-.@<>&; \n", "é", "e\u0301", "東", "𝒳", "\u00ad", "\u200d", "http://", "www.", "&amp;"]),
    st.characters(exclude_categories=["Cs"]),
)


def tokens_of(tokens):
    """List the tokens of each text; no two forms are equal."""
    found, start = [], 0
    forms = tokens.forms.to_list()
    assert len(set(forms)) == len(forms)
    for length in tokens.length.tolist():
        found.append([forms[code] for code in tokens.code[start : start + length].tolist()])
        start += length
    assert start == len(tokens.code)
    return found


@pytest.mark.parametrize("tokenizer", PATTERNS)
@given(texts=st.lists(st.lists(PARTS, max_size=30).map("".join), max_size=5))
def test_the_kernel_finds_what_the_pattern_describes(tokenizer, texts):
    series = pl.Series(texts, dtype=pl.String)
    clean = remove_junk(series) if tokenizer in ("words", "emoji") else series
    assert tokens_of(split_texts(series, tokenizer)) == clean.str.extract_all(PATTERNS[tokenizer]).to_list()


@pytest.mark.parametrize("tokenizer", PATTERNS)
def test_every_character_is_classified_as_in_the_pattern(tokenizer):
    codes = [*range(1, 0x3400), *range(0x3400, 0xD800, 7), *range(0xE000, 0x110000, 7)]
    codes = [code for code in codes if chr(code) not in "@<&"]  # no junk
    texts = pl.Series([f"a{chr(code)}b 1{chr(code)}2 {chr(code)}" for code in codes])
    tokens, expected = split_texts(texts, tokenizer), texts.str.extract_all(PATTERNS[tokenizer])
    assert tokens.length.tolist() == expected.list.len().to_list()
    assert (tokens.forms.gather(tokens.code) == expected.explode().drop_nulls()).all()


def test_forms_are_numbered_by_first_occurrence():
    words = [f"{'x' * (number % 12)}{number}" for number in range(40_000)]
    tokens = split_texts(pl.Series([" ".join(words), "", " ".join(reversed(words))]))
    assert tokens.forms.to_list() == words
    assert tokens.length.tolist() == [40_000, 0, 40_000]
    assert tokens.code.tolist() == [*range(40_000), *reversed(range(40_000))]


@pytest.mark.parametrize(
    "text", ["今日は天気がいいですね。散歩に行きましょう。", "我们要和平，不要战争。", "สวัสดีชาวโลก"]
)
def test_scripts_without_blanks_are_refused_with_advice(text, tmp_path):
    with pytest.raises(InputError, match=r"pass a tokenizer .* tokenizer='whitespace' \(--tokenizer whitespace\)"):
        words_of(text, tmp_path / "s")
    assert words_of(" ".join(text), tmp_path / "s", tokenizer="whitespace")[0] == text[0]
    assert words_of(text, tmp_path / "s", tokenizer=list)[0] == text[0]


def test_a_few_stray_words_without_blanks_are_counted(tmp_path):
    store = tokenize(read_corpus([{"text": "the city of 東京 is large " * 3}]), tmp_path / "s")
    assert store.report.unspaced == 3


@pytest.mark.parametrize("returned", [None, 5, "a b", ["a", None], b"ab"])
def test_a_tokenizer_must_return_a_list_of_strings(returned, tmp_path):
    with pytest.raises(InputError, match="the tokenizer must return a list of strings, not "):
        tokenize(read_corpus([{"text": "a b"}], tokenizer=lambda _: returned), tmp_path / "s")


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
