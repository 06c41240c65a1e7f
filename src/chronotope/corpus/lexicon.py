"""The lexicon: normalize the forms in the text to the words that are counted."""

import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from chronotope.config import CorpusSettings
from chronotope.corpus.tokenizer import HYPHENATED, SHOUTED, Tokens
from chronotope.errors import InputError, SettingsError, import_extra

DROPPED = -1
# Words that the report lists for mixed case: minimum count, minimum share of each case, maximum number of words.
MIXED_COUNT, MIXED_SHARE, MIXED_SHOWN = 20, 0.1, 8

# Also the variation selector of emoji, and the tatweel and harakat of Arabic, which are optional in writing.
_INVISIBLE = dict.fromkeys((0x00AD, 0x2060, 0xFEFF, 0xFE0F, 0x0640, *range(0x064B, 0x0653), 0x0670))
_JOINERS = "\u200c\u200d"
_ACCENT = re.compile("[\u0300-\u036f]")
# Elided before a vowel: d'Escoto, l'État, qu'il. Not I'm, O'Neill or N'Djamena, where it is part of the word.
_ELISION = re.compile("^(?:[dlDL]|qu|Qu|QU)'")
# Scripts without blanks between words: Thai, Lao, Myanmar, Khmer, kana, Han.
UNSPACED = (
    r"[\x{e00}-\x{eff}\x{1000}-\x{109f}\x{1780}-\x{17ff}\x{3040}-\x{30ff}\x{31f0}-\x{31ff}\x{3400}-\x{4dbf}"
    r"\x{4e00}-\x{9fff}\x{f900}-\x{faff}\x{ff66}-\x{ff9f}\x{20000}-\x{3ffff}]"
)


# Two letters or more, all in upper case: US, UN's, COVID-19.
UPPER = r"^\P{Ll}*\p{Lu}\P{Ll}*\p{Lu}\P{Ll}*(?:['’]s)?$"


class Normalizer:
    """Turn a form into a word: Unicode NFC, case and accents folded, variants replaced.

    A final 's and an elided d', l' or qu' are removed. A pretokenized form keeps them; blanks inside it become
    underscores, as in a phrase. With a language of lemmas or a function `lemmatize`, the lemma replaces the word;
    `lemmas` caches the lemmas found so far.

    >>> normalize = Normalizer(CorpusSettings(strip_accents=True, variants={"colour": "color", "PM": "prime minister"}))
    >>> [normalize(form) for form in ["Café", "Rome’s", "d'Escoto", "COLOUR", "pm", "co\\u00adoperate"]]
    ['cafe', 'rome', 'escoto', 'color', 'prime_minister', 'cooperate']
    >>> normalize("Rome’s", pretokenized=True), normalize("New York", pretokenized=True)
    ("rome's", 'new_york')
    """

    def __init__(self, settings: CorpusSettings, lemmatize: Callable[[str], Any] | None = None) -> None:
        self.smart_case, self.emoji = settings.lowercase == "smart", settings.emoji
        self.lemmas: dict[str, str] = {}
        self._lowercase, self._strip_accents = settings.lowercase, settings.strip_accents
        self._variants = {self._phrase(form): self._phrase(word) for form, word in settings.variants.items()}
        self._lemmatize = lemmatize or (lemmatizer_of(settings.lemmas) if settings.lemmas else None)

    def __call__(self, form: str, pretokenized: bool = False) -> str:
        """Return the word of a form; it may be empty."""
        word = self._fold(form, pretokenized)
        word = self._variants.get(word, word)
        if self._lemmatize is None or not word:
            return word
        if word not in self.lemmas:
            self.lemmas[word] = _lemma(self._lemmatize(word)) or word
        return self.lemmas[word]

    def _fold(self, form: str, pretokenized: bool = False) -> str:
        """Return a form with case, accents and endings folded."""
        stem = form.replace("’", "'").removesuffix("'s")
        is_upper = stem.isupper() and sum(map(str.isalpha, stem)) > 1  # US, UN's
        lower = self._lowercase and not (self.smart_case and is_upper)
        if form.isascii():
            word = form.lower() if lower else form
        else:
            word = form.translate(_INVISIBLE).strip(_JOINERS).replace("’", "'")
            # İ would become i with a dot above.
            word = unicodedata.normalize("NFC", word.lower().replace("i\u0307", "i") if lower else word)
            if self._strip_accents:
                word = unicodedata.normalize("NFC", _ACCENT.sub("", unicodedata.normalize("NFD", word)))
        if pretokenized:
            word = "_".join(word.split())
        elif "'" in word:
            word = _ELISION.sub("", word.removesuffix("'s").removesuffix("'S"))
        return word

    def _phrase(self, words: str) -> str:
        """Fold each word and join them: prime_minister."""
        return "_".join(word for form in words.split() if (word := self._fold(form)))


def lemmatizer_of(language: str) -> Callable[[str], str]:
    """Return the function of simplemma from a word to its lemma; acronyms stay as they are."""
    lemmatize = import_extra("simplemma", f"lemmas of '{language}'", "lemmas").lemmatize
    try:
        lemmatize("a", lang=language)
    except ValueError:
        raise SettingsError(f"no lemmas for '{language}'; use a code of simplemma, such as en, de, fr or es") from None
    return lambda word: word if word.isupper() else lemmatize(word, lang=language).lower()


def _lemma(returned: Any) -> str:
    """Return a lemma from what a function returned: text, or the tokens of spaCy."""
    try:
        return returned if isinstance(returned, str) else "".join(token.lemma_ for token in returned)
    except (AttributeError, TypeError):
        raise InputError(f"lemmas must return a string for each word, not {returned!r:.60}") from None


class Lexicon:
    """The distinct words so far, numbered by first occurrence.

    >>> lexicon = Lexicon(CorpusSettings())
    >>> lexicon.numbers(["Rome's", "Senate", "senate", "of", "Rome"]).tolist()
    [0, 1, 1, 2, 0]
    >>> lexicon.words.to_list()
    ['rome', 'senate', 'of']
    """

    def __init__(self, settings: CorpusSettings, lemmatize: Callable[[str], Any] | None = None) -> None:
        self.normalize = normalize = Normalizer(settings, lemmatize)
        self._words = words = dict[str, int]()

        @cache
        def number(form: str, pretokenized: bool) -> int:
            word = normalize(form, pretokenized)
            return words.setdefault(word, len(words)) if word else DROPPED

        self._number = number

    def numbers(self, forms: Sequence[str], pretokenized: bool = False) -> NDArray[np.int32]:
        """Return the number of the word of each form, new or known; DROPPED for an empty word."""
        return np.fromiter((self._number(form, pretokenized) for form in forms), np.int32, len(forms))

    def add(self, words: Iterable[str]) -> list[int]:
        """Return the numbers of words, new or known."""
        return [self._words.setdefault(word, len(self._words)) for word in words]

    def get(self, word: str) -> int | None:
        """Return the number of a word, or None."""
        return self._words.get(word)

    @property
    def words(self) -> pl.Series:
        """The words in the order of their numbers."""
        return pl.Series(list(self._words), dtype=pl.String)

    def __len__(self) -> int:
        return len(self._words)


def count_unspaced(tokens: Tokens) -> tuple[int, int, int]:
    """Count the tokens in scripts without blanks between words, their characters, and the characters of all tokens."""
    frequency = np.bincount(tokens.code, minlength=len(tokens.forms))
    characters = tokens.forms.str.len_chars().to_numpy() * frequency
    unspaced = tokens.forms.str.contains(UNSPACED).to_numpy()
    return int(frequency[unspaced].sum()), int(characters[unspaced].sum()), int(characters.sum())


def count_case(tokens: Tokens) -> NDArray[np.int64]:
    """(3, F) the number of tokens of each form inside sentences, capitalized inside sentences, and all in upper case.

    Sentences without a lower-case letter do not count. A word after a hyphen also counts as capitalized if the word
    before the hyphen is: 'moon' in 'Ki-moon'.
    """
    code, flags, size = tokens.code, tokens.flags, len(tokens.forms)
    regular = np.bincount(code[flags < SHOUTED], minlength=size)
    capital = tokens.forms.str.contains(r"^(?:[dl]['’]|qu['’])?\p{Lu}").to_numpy()[code]
    alone = flags & HYPHENATED == 0
    first = np.maximum.accumulate(np.where(alone, np.arange(len(code)), 0))
    inside = flags[first] == 0
    capitalized = np.bincount(code[inside & (capital | capital[first])], minlength=size)
    inside_count = np.bincount(code[inside], minlength=size)
    return np.stack([inside_count, capitalized, regular * tokens.forms.str.contains(UPPER).to_numpy()])


def lower_shouted(tokens: Tokens) -> Tokens:
    """Give the tokens of sentences without a lower-case letter separate forms in lower case."""
    shouted = (tokens.flags >= SHOUTED).astype(np.int32)
    forms = pl.concat([tokens.forms, tokens.forms.str.to_lowercase()])
    return tokens._replace(code=tokens.code + shouted * np.int32(len(tokens.forms)), forms=forms)


def mixed_case(lexicon: pl.DataFrame) -> list[str]:
    """Return a note on the most frequent words that occur both in upper case and otherwise, or an empty list."""
    share = pl.col("upper") / pl.col("count")
    often = (pl.col("count") >= MIXED_COUNT) & share.is_between(MIXED_SHARE, 1 - MIXED_SHARE)
    found = lexicon.filter(often & (pl.col("word").str.len_chars() > 1)).head(MIXED_SHOWN).select("word", share).rows()
    shown = ", ".join(f"{word} ({part:.0%} {word.upper()})" for word, part in found)
    return [f"both in upper and in lower case: {shown}; --case smart keeps them apart"] if found else []
