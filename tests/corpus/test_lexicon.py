"""Words are what the normalizer makes of forms, whichever way a form goes: as a key, or as a string."""

import numpy as np
import polars as pl
import pytest

from chronotope.config import CorpusSettings
from chronotope.corpus.lexicon import DROPPED, Lexicon, Normalizer
from chronotope.corpus.readers import TOKEN_SEPARATOR
from chronotope.corpus.scanning import Seen
from chronotope.corpus.tokenizer import split_texts

PARTS = [
    "a",
    "Z",
    "the",
    "Rome",
    "'s",
    "d'",
    "é",
    "É",
    "e\u0301",
    "9",
    "_",
    "ß",
    "İ",
    "\u00ad",
    "\u200d",
    "DEL\x7f",
    "x" * 7,
]
SETTINGS = [
    CorpusSettings(),
    CorpusSettings(lowercase=False),
    CorpusSettings(strip_accents=True),
    CorpusSettings(variants={"rome": "roma", "a": "the"}),
]


def forms(random: np.random.Generator, count: int) -> list[str]:
    """Forms of one to five parts, in which short and long, plain and other ones occur, some again and again."""
    return ["".join(random.choice(PARTS, random.integers(1, 6))) for _ in range(count)]


@pytest.mark.parametrize("settings", SETTINGS)
@pytest.mark.parametrize("as_it_is", [False, True])
def test_numbers_are_those_of_the_words(settings: CorpusSettings, as_it_is: bool) -> None:
    random = np.random.default_rng(3)
    lexicon, normalize = Lexicon(settings), Normalizer(settings)
    met: list[tuple[str, int]] = []
    for size in (1, 500, 5000, 20_000, 3):
        batch = forms(random, size) + (["New York", " ", "new\tyork"] if as_it_is else [])
        tokens = split_texts(pl.Series([TOKEN_SEPARATOR.join(batch)]), "tokens")
        numbers = lexicon.numbers(tokens, as_it_is)
        met += [(normalize(form, as_it_is), numbers[code]) for form, code in zip(batch, tokens.code, strict=True)]
    words = lexicon.words.to_list()
    assert len(words) == len(lexicon) == len({word for word, _ in met} - {""})
    assert all(words[number] == word if word else number == DROPPED for word, number in met)
    assert {len(word.encode()) > 15 for word in words} == {False, True}


def test_numbers_do_not_depend_on_what_was_seen() -> None:
    """Two threads, each with the forms that it saw before, take batches in turn: the same words, the same numbers."""
    random = np.random.default_rng(5)
    alone, together = Lexicon(CorpusSettings()), Lexicon(CorpusSettings())
    seen = Seen(), Seen()
    for number in random.integers(0, 2, 30):
        text = pl.Series([TOKEN_SEPARATOR.join(forms(random, 300))])
        fresh, continued = split_texts(text, "tokens"), split_texts(text, "tokens", seen[number])
        assert (together.numbers(continued)[continued.code] == alone.numbers(fresh)[fresh.code]).all()
    assert together.words.to_list() == alone.words.to_list()


def test_words_are_added_once() -> None:
    lexicon = Lexicon(CorpusSettings())
    lexicon.numbers(split_texts(pl.Series(["prime minister"])))
    added = lexicon.add(["prime_minister", "", "minister", "prime_minister", "secretary_general_of_the"])
    assert added.tolist() == [2, DROPPED, 1, 2, 3]
    assert lexicon.words.to_list() == ["prime", "minister", "prime_minister", "secretary_general_of_the"]


def test_without_words() -> None:
    assert Lexicon(CorpusSettings()).words.to_list() == []
