"""Match words as users type them with the words of a model."""

import os
import unicodedata
from collections.abc import Iterator, Sequence
from pathlib import Path

from chronotope.errors import InputError
from chronotope.io.untrusted import read_text


def check_word(word: object) -> None:
    """Raise InputError unless a word is text."""
    if not isinstance(word, str):
        raise InputError(f"a word must be text, not {type(word).__name__}")


def check_words(words: Sequence[str]) -> None:
    """Raise ValueError unless words are distinct, on one line each, and valid UTF-8."""
    if not words:
        raise ValueError("there are no words")
    if len(set(words)) != len(words):
        raise ValueError("a word occurs twice in the list of words")
    try:
        text = "\n".join(words)
        text.encode("utf-8")
    except UnicodeEncodeError:
        raise ValueError("a word cannot be written as UTF-8") from None
    if text.count("\n") != len(words) - 1:
        raise ValueError("a word has a line break in it")


def spellings(word: str) -> Iterator[str]:
    """Yield a word as typed, then joined as a phrase, in lower case, and without accents, as `prepare` may store it."""
    yield word
    composed = unicodedata.normalize("NFC", "_".join(word.replace("’", "'").split()))
    yield composed
    yield composed.lower()
    decomposed = unicodedata.normalize("NFD", composed.lower())
    yield unicodedata.normalize("NFC", "".join(mark for mark in decomposed if not "\u0300" <= mark <= "\u036f"))


def read_words(words: str | Sequence[str] | Path | None) -> list[str] | None:
    """Return a list of words from a list, a comma-separated text, or a file with one word per line; None for None."""
    if words is None or not isinstance(words, str | Path):
        return None if words is None else list(words)
    if isinstance(words, Path) or words.endswith((".txt", ".csv", ".tsv")) or os.path.isfile(words):
        return [line.strip() for line in read_text(words).splitlines() if line.strip()]
    return [word.strip() for word in words.split(",") if word.strip()]
