"""The growing lexicon: from the forms that stand in the text to the words that are counted."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from chronotope.config import CorpusSettings
from chronotope.corpus.form_table import ANY, CASED, LOWER, NONE, NOT_THERE, FormTable
from chronotope.corpus.readers import TOKEN_SEPARATOR
from chronotope.corpus.tokenizer import Tokens, split_texts

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
    """The distinct words met so far, numbered as they came: in each batch plain ones before others.

    Examples
    --------
    >>> from chronotope.corpus.tokenizer import split_texts
    >>> lexicon = Lexicon(CorpusSettings())
    >>> lexicon.numbers(split_texts(pl.Series(["Rome's Senate and the senate of Rome, an aristocratically"]))).tolist()
    [4, 0, 1, 2, 0, 3, 4, 5, 6]
    >>> lexicon.words.to_list()
    ['senate', 'and', 'the', 'of', 'rome', 'an', 'aristocratically']
    """

    def __init__(self, settings: CorpusSettings) -> None:
        self._normalize = Normalizer(settings)
        # Plain forms of up to fifteen bytes, which are most, never become strings of Python.
        self._how = NONE if settings.variants else LOWER if settings.lowercase else CASED
        self._known = {False: FormTable(), True: FormTable()}
        self._short = FormTable()
        self._long: dict[str, int] = {}
        self._seen: dict[int, NDArray[np.int32]] = {}

    def numbers(self, tokens: Tokens, as_it_is: bool = False) -> NDArray[np.int32]:
        """The number of the word that each form stands for; DROPPED where nothing is left of it.

        Tokens that were cut after others, with the same forms seen, are to be asked about after them.
        """
        known = self._known[as_it_is]
        found = known.numbers(tokens.key, self._short, len(self), self._how)
        others = np.flatnonzero(found == NOT_THERE)
        if len(others):
            found[others] = self.add([self._normalize(form, as_it_is) for form in tokens.some_forms(others)])
            known.add(tokens.key[others], found[others])
        if tokens.seen is not None:
            found = self._seen[tokens.seen] = np.concatenate([self._seen.get(tokens.seen, found[:0]), found])
        return found

    def add(self, words: list[str]) -> NDArray[np.int32]:
        """The numbers of words, which are new or not; DROPPED where one is empty."""
        numbers = np.full(len(words), DROPPED, np.int32)
        filled = [number for number, word in enumerate(words) if word]
        if filled:
            tokens = split_texts(pl.Series([TOKEN_SEPARATOR.join(filter(None, words))]), "tokens")
            found = FormTable().numbers(tokens.key, self._short, len(self), ANY)
            others = np.flatnonzero(found == NOT_THERE)
            found[others] = [self._long.setdefault(word, len(self)) for word in tokens.some_forms(others)]
            numbers[filled] = found[tokens.code]
        return numbers

    @property
    def words(self) -> pl.Series:
        """The words in the order of their numbers."""
        words = pl.concat([self._short.spelt(), pl.Series(list(self._long), dtype=pl.String)])
        number = np.concatenate([self._short.in_order(), np.fromiter(self._long.values(), np.int32)])
        return words.gather(np.argsort(number))

    def __len__(self) -> int:
        return len(self._short) + len(self._long)


class Unspaced(NamedTuple):
    """How much of some text is in scripts without blanks: its tokens, their characters, all characters."""

    tokens: int = 0
    characters: int = 0
    of_characters: int = 0

    def __add__(self, other: Unspaced) -> Unspaced:  # type: ignore[override]
        return Unspaced(*(mine + its for mine, its in zip(self, other, strict=True)))


class Scripts:
    """How much of some texts is in scripts without blanks between words, where they are cut one after the other.

    Examples
    --------
    >>> import polars as pl
    >>> from chronotope.corpus.scanning import Seen
    >>> from chronotope.corpus.tokenizer import split_texts
    >>> scripts, seen = Scripts(), Seen()
    >>> scripts.unspaced(split_texts(pl.Series(["天気がいい ok ok ok", "天気がいい, ok ok"]), seen=seen))
    Unspaced(tokens=2, characters=10, of_characters=20)
    >>> scripts.unspaced(split_texts(pl.Series(["ok, 天気がいい"]), seen=seen))
    Unspaced(tokens=1, characters=5, of_characters=7)
    """

    def __init__(self) -> None:
        self._size = np.empty(0, np.int64)
        self._is_unspaced = np.empty(0, bool)

    def unspaced(self, tokens: Tokens) -> Unspaced:
        """How much of these texts is, which were cut with the forms of all those before seen."""
        foreign, size = tokens.foreign()
        forms = tokens.some_forms(foreign)
        size[foreign] = [len(form) for form in forms]
        is_unspaced = np.zeros(len(size), bool)
        is_unspaced[foreign] = [UNSPACED.search(form) is not None for form in forms]
        self._size = np.concatenate([self._size, size])
        self._is_unspaced = np.concatenate([self._is_unspaced, is_unspaced])
        characters, some = self._size * tokens.frequency, np.flatnonzero(self._is_unspaced)
        return Unspaced(int(tokens.frequency[some].sum()), int(characters[some].sum()), int(characters.sum()))
