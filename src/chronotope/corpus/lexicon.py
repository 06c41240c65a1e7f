"""The growing lexicon: from the forms that stand in the text to the words that are counted."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from chronotope.config import CorpusSettings
from chronotope.corpus.form_table import NOT_THERE, FormTable
from chronotope.corpus.tokenizer import Tokens

DROPPED = -1

_INVISIBLE = dict.fromkeys((0x00AD, 0x2060, 0xFEFF))
_AT_THE_ENDS = "\u200c\u200d"
_ACCENT = re.compile("[\u0300-\u036f]")
# What is elided before a vowel: d'Escoto, l'État, qu'il. Not I'm, O'Neill or N'Djamena, where it is part of the word.
_ELISION = re.compile("^(?:[dlDL]|qu|Qu|QU)'")
# The scripts that write no blanks between words: Thai, Lao, Myanmar, Khmer, kana, Han.
UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
    "\uff66-\uff9f\U00020000-\U0003ffff]"
)


class Normalizer:
    """How a form becomes a word: Unicode NFC, case and accents folded, variants replaced.

    A final 's and an elided d', l' or qu' are taken off. A token of text that was tokenized already keeps them; blanks
    inside it are written as in a phrase.

    Examples
    --------
    >>> normalize = Normalizer(CorpusSettings(strip_accents=True, variants={"colour": "color", "PM": "prime minister"}))
    >>> [normalize(form) for form in ["Café", "Rome’s", "d'Escoto", "COLOUR", "pm", "co\\u00adoperate"]]
    ['cafe', 'rome', 'escoto', 'color', 'prime_minister', 'cooperate']
    >>> normalize("Rome’s", as_it_is=True), normalize("New York", as_it_is=True)
    ("rome's", 'new_york')
    """

    def __init__(self, settings: CorpusSettings) -> None:
        self._lowercase = settings.lowercase
        self._strip_accents = settings.strip_accents
        self._variants: Mapping[str, str] = {}
        self._variants = {self._written(form): self._written(word) for form, word in settings.variants.items()}

    def __call__(self, form: str, as_it_is: bool = False) -> str:
        """The word that a form stands for; empty if nothing is left."""
        if form.isascii():
            word = form.lower() if self._lowercase else form
        else:
            word = form.translate(_INVISIBLE).strip(_AT_THE_ENDS).replace("’", "'")
            word = unicodedata.normalize("NFC", word.lower() if self._lowercase else word)
            if self._strip_accents:
                word = unicodedata.normalize("NFC", _ACCENT.sub("", unicodedata.normalize("NFD", word)))
        if as_it_is:
            word = "_".join(word.split())
        elif "'" in word:
            word = _ELISION.sub("", word.removesuffix("'s").removesuffix("'S"))
        return self._variants.get(word, word)

    def _written(self, words: str) -> str:
        """One word as it is, and several as the phrase that they are: prime_minister."""
        return "_".join(word for form in words.split() if (word := self(form)))


class Lexicon:
    """The distinct words met so far, numbered in the order of their first occurrence."""

    def __init__(self, settings: CorpusSettings) -> None:
        self.words: list[str] = []
        self._normalize = Normalizer(settings)
        self._numbers: dict[str, int] = {}
        self._known = {False: FormTable(), True: FormTable()}

    def numbers(self, tokens: Tokens, as_it_is: bool = False) -> NDArray[np.int32]:
        """The number of the word that each form stands for; DROPPED where nothing is left of it."""
        known = self._known[as_it_is]
        # Most forms were met before: the loop goes over the others only, and over long ones.
        found = known.find(tokens.key)
        new = np.flatnonzero(found == NOT_THERE)
        found[new] = [self.add(self._normalize(form, as_it_is)) for form in tokens.some_forms(new)]
        known.add(tokens.key[new], found[new])
        return found

    def add(self, word: str) -> int:
        """The number of a word, which is new or not."""
        if not word:
            return DROPPED
        number = self._numbers.setdefault(word, len(self.words))
        if number == len(self.words):
            self.words.append(word)
        return number

    def find(self, form: str, as_it_is: bool = False) -> int | None:
        """The number of the word that a form stands for; None if it does not occur."""
        return self._numbers.get(self._normalize(form, as_it_is))

    def __len__(self) -> int:
        return len(self.words)


class Unspaced(NamedTuple):
    """How much of some text is in scripts without blanks: its tokens, their characters, all characters."""

    tokens: int = 0
    characters: int = 0
    of_characters: int = 0

    def __add__(self, other: Unspaced) -> Unspaced:  # type: ignore[override]
        return Unspaced(*(mine + its for mine, its in zip(self, other, strict=True)))


def unspaced(tokens: Tokens) -> Unspaced:
    """How much of some text is in scripts without blanks between words.

    Examples
    --------
    >>> import polars as pl
    >>> from chronotope.corpus.tokenizer import split_texts
    >>> unspaced(split_texts(pl.Series(["天気がいい ok ok ok", "天気がいい, ok ok"])))
    Unspaced(tokens=2, characters=10, of_characters=20)
    """
    foreign, size = tokens.foreign()
    forms = tokens.some_forms(foreign)
    size[foreign] = [len(form) for form in forms]
    characters = size * tokens.frequency
    found = foreign[[UNSPACED.search(form) is not None for form in forms]]
    return Unspaced(int(tokens.frequency[found].sum()), int(characters[found].sum()), int(characters.sum()))
