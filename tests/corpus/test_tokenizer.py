"""What a word is, and that the fast scan finds the words that the pattern describes."""

from __future__ import annotations

import time

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chronotope.config import CorpusSettings
from chronotope.corpus import read_corpus, tokenize
from chronotope.corpus.junk import JUNK, without_junk
from chronotope.corpus.lexicon import Normalizer
from chronotope.corpus.scanning import Seen
from chronotope.corpus.tokenizer import WORD, split_texts
from chronotope.errors import InputError


def words_of(text, folder, **options):
    store = tokenize(read_corpus([{"text": text}], **options), folder)
    return [store.words[i] for i in store.ids.tolist()]


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
        (
            "naïve 東京 ok it is fine and so is this whole long text",
            "naïve 東京 ok it is fine and so is this whole long text",
        ),
        ("한국어 띄어쓰기", "한국어 띄어쓰기"),
        ("a\x00b\x1fc", "a b c"),
    ],
)
def test_words(text, expected, tmp_path):
    assert words_of(text, tmp_path / "s") == expected.split(" ")


def test_settings_of_words(tmp_path):
    text = "Café COLOUR it's"
    assert words_of(text, tmp_path / "s", lowercase=False) == ["Café", "COLOUR", "it"]
    assert words_of(text, tmp_path / "s", strip_accents=True) == ["cafe", "colour", "it"]
    assert words_of(text, tmp_path / "s", variants={"Colour": "color"}) == ["café", "color", "it"]
    assert words_of("State-of-the-art http://x <b>", tmp_path / "s", tokenizer="whitespace") == [
        "state-of-the-art", "http://x", "<b>",
    ]  # fmt: skip
    assert words_of("a-b-c", tmp_path / "s", tokenizer=lambda text: text.split("-")) == ["a", "b", "c"]
    with pytest.raises(InputError, match="must return a list of strings"):
        words_of("a b", tmp_path / "s", tokenizer=lambda text: text)


def test_accents_of_other_scripts_are_no_accents():
    assert Normalizer(CorpusSettings(strip_accents=True))("हिन्दी") == "हिन्दी"


PARTS = st.one_of(
    st.sampled_from([*"ab12,'’_-.@<>&; \n", "é", "e\u0301", "東", "𝒳", "\u00ad", "\u200d", "http://", "www.", "&amp;"]),
    st.characters(exclude_categories=["Cs"]),
)


def cleaned(series):
    data, start, stop = without_junk(series)
    return pl.Series([data[a:b].tobytes().decode() for a, b in zip(start, stop, strict=True)], dtype=pl.String)


@settings(deadline=None)
@given(st.lists(st.lists(PARTS, max_size=30).map("".join), max_size=5))
def test_the_scan_finds_what_the_pattern_describes(texts):
    series = pl.Series(texts, dtype=pl.String)
    assert words_in(split_texts(series)) == cleaned(series).str.extract_all(WORD).to_list()


# Texts that are all alike in some way, and longer than what the scan looks at together (64 bytes, 1024 words).
LIKELY = {
    "plain": ["a", "bc", "def", " ", " ", "\n", ", ", ". "],
    "with signs": ["it", "'", "s", "_", " ", "1", "2", ".", ",", "é", "’", "-"],
    "one long word": ["x", "y1", "zzz"],
    "long words": [*"abcdefghijklmnopqrstuvwxyz" * 8, "é", " "],
    "numbers": ["1", "2", ",", ".", " "],
    "foreign": ["слово", "да", "é", "— ", " ", "…"],
    "no blanks": ["東", "京", "。"],
    "only signs": ["-", " ", "—", "'"],
}


@pytest.mark.parametrize("kind", LIKELY)
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_long_texts_are_cut_as_the_pattern_describes(kind, seed):
    rng = np.random.default_rng(seed)
    texts = ["".join(rng.choice(LIKELY[kind], size)) for size in rng.choice([0, 1, 50, 64, 70, 200, 9_000], 40)]
    series = pl.Series(texts, dtype=pl.String)
    tokens = split_texts(series)
    assert words_in(tokens) == cleaned(series).str.extract_all(WORD).to_list()
    assert tokens.frequency.tolist() == np.bincount(tokens.code, minlength=len(tokens.forms)).tolist()
    assert words_in(split_texts(series, "whitespace")) == [text.split() for text in texts]


@pytest.mark.parametrize(
    ("tokenizer", "texts", "most"),
    [
        ("whitespace", lambda size: ["word et " * size], 128),
        ("words", lambda size: ["中文，" * size], 128),
        # New forms take longer where they are many.
        ("whitespace", lambda size: [f"hashtag{number}" for number in range(size)], 1_000),
    ],
)
def test_long_texts_and_many_short_ones_take_time_in_proportion(tokenizer, texts, most):
    """64 times as much text took 200 and 900 times as long when each word was sought to the end of all."""

    def seconds(size):
        series = pl.Series(texts(size))
        before = time.perf_counter()
        split_texts(series, tokenizer)
        return time.perf_counter() - before

    small, large = (min(seconds(size) for _ in range(3)) for size in (20_000, 1_280_000))
    assert large < most * small


def words_in(tokens):
    """The words of each text; no two forms are the same."""
    found, start = [], 0
    for length in tokens.length.tolist():
        found.append([tokens.forms[code] for code in tokens.code[start : start + length].tolist()])
        start += length
    assert len(set(tokens.forms)) == len(tokens.forms)
    return found


def test_many_distinct_words_are_kept_apart():
    words = [f"w{number}" for number in range(50_000)]
    tokens = split_texts(pl.Series([" ".join(words), " ".join(reversed(words))]))
    assert tokens.forms == words
    assert tokens.code.tolist() == [*range(50_000), *reversed(range(50_000))]


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
def test_a_tokenizer_that_returns_no_list_of_strings_is_told(returned, tmp_path):
    with pytest.raises(InputError, match="the tokenizer must return a list of strings, not "):
        tokenize(read_corpus([{"text": "a b"}], tokenizer=lambda _: returned), tmp_path / "s")


def test_a_tokenizer_may_be_a_generator(tmp_path):
    store = tokenize(read_corpus([{"text": "a b"}], tokenizer=lambda text: iter(text.split())), tmp_path / "s")
    assert store.words.to_list() == ["a", "b"]


def test_words_of_all_lengths_are_told_apart_however_many_there_are():
    """More distinct words than the first table has room for, short ones and long ones, each of them twice."""
    words = [f"{'x' * (number % 12)}{number}" for number in range(40_000)]
    tokens = split_texts(pl.Series([" ".join(words), "", " ".join(reversed(words))]))
    assert tokens.forms == words
    assert tokens.length.tolist() == [40_000, 0, 40_000]
    assert tokens.code.tolist() == [*range(40_000), *reversed(range(40_000))]


def test_a_word_is_not_the_same_with_a_null_byte_before_it():
    tokens = split_texts(pl.Series(["a \0a a\0 a abcdefg \0abcdefg"]), "whitespace")
    assert tokens.forms == ["a", "\0a", "a\0", "abcdefg", "\0abcdefg"]
    assert tokens.code.tolist() == [0, 1, 2, 0, 3, 4]


def test_letters_end_where_they_end_at_any_place_among_eight_bytes():
    """Eight bytes are looked at together: each neighbor of the letters in ASCII, after words of each length."""
    words = [("aZzA" * 5)[:length] for length in range(1, 18)]
    for sign in [chr(byte) for byte in range(128) if not chr(byte).isalnum() and chr(byte) not in "'_<>&@"]:
        tokens = split_texts(pl.Series([sign.join(words), *words]))
        assert tokens.forms == words
        assert tokens.code.tolist() == [*range(17), *range(17)]
        assert tokens.length.tolist() == [17] + [1] * 17


def test_words_are_found_at_any_place_among_sixty_four_bytes():
    """The scan jumps from mark to mark, 64 bytes at a time: words of every length around that, at every place."""
    words = ["a", "b1", "c" * 15, "d" * 16, "e" * 63, "f" * 64, "g" * 65, "h" * 129, "é" * 33, "i" * 64 + "é"]
    for shift in range(64):
        tokens = split_texts(pl.Series([" " * shift + "  ".join(words), "-".join(words), " " * 130]))
        assert tokens.forms == words
        assert tokens.length.tolist() == [len(words), len(words), 0]


@pytest.mark.parametrize(("count", "kind"), [(60_000, np.uint16), (1 << 16, np.int32), (70_000, np.int32)])
def test_many_forms(count, kind):
    words = [f"w{number}" for number in range(count)]
    tokens = split_texts(pl.Series([" ".join(words), " ".join(reversed(words))]))
    assert tokens.forms == words
    assert tokens.code.tolist() == [*range(count), *reversed(range(count))]
    assert tokens.code.dtype == kind


def test_texts_that_share_their_bytes_are_each_cleaned():
    texts = pl.Series(["write to a@b.org, or to me", "nothing to be left out here"]).gather([0, 1, 0])
    assert cleaned(texts).to_list() == ["write to  , or to me", "nothing to be left out here", "write to  , or to me"]


def test_junk_is_found_wherever_it_stands():
    random = np.random.default_rng(5)
    parts = ["www.un.org ", "WwW.x ", "http://a.b ", "a@b.org ", "<b>", "&amp;"]
    parts += ["& ", "< ", "ww.", ":", "/", "w", "é", "so "]
    texts = ["", "www.a", "ww", "w" * 200, "/", ":/"]
    for _ in range(3000):
        some = random.choice(parts, random.integers(0, 3)) if random.random() < 0.9 else []
        before, blanks, after = random.integers(0, [140, 2, 70]).tolist()
        texts.append("x" * before + " " * blanks + "".join(some) + "y" * after)
    series = pl.Series(texts)
    expected = series
    for _, junk in JUNK:
        expected = expected.str.replace_all(junk, " ")
    assert cleaned(series).to_list() == expected.to_list()
    assert series.to_list() == texts
    assert 500 < (expected != series).sum() < 2900


@pytest.mark.parametrize("kind", LIKELY)
def test_forms_that_were_seen_keep_their_numbers(kind):
    """Text after text with one table: the same words as without it, and of the forms only those that are new."""
    rng = np.random.default_rng(4)
    seen, all_forms = Seen(), []
    for size in (70, 0, 9_000, 9_000, 1):
        series = pl.Series(["".join(rng.choice(LIKELY[kind], size)) for _ in range(5)], dtype=pl.String)
        tokens, alone = split_texts(series, seen=seen), split_texts(series)
        all_forms += tokens.forms
        assert len(tokens.key) == len(tokens.forms)
        assert [all_forms[code] for code in tokens.code] == [alone.forms[code] for code in alone.code]
        assert tokens.length.tolist() == alone.length.tolist()
        assert tokens.frequency.tolist() == np.bincount(tokens.code, minlength=len(all_forms)).tolist()
    assert len(set(all_forms)) == len(all_forms) == seen.count


def test_tables_grow_from_text_to_text():
    """More forms than short numbers tell apart, and more bytes of them than there was room for, text by text."""
    words = [f"{'long' * (number % 40)}{number}" for number in range(70_000)]
    seen = Seen()
    for first in range(0, len(words), 7_000):
        tokens = split_texts(pl.Series([" ".join(words[: first + 7_000])]), seen=seen)
        assert tokens.forms == words[first : first + 7_000]
        assert tokens.code.tolist() == [*range(first + 7_000)]
        assert tokens.code.dtype == (np.uint16 if first < 63_000 else np.int32)
