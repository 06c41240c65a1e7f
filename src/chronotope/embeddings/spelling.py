"""The spellings under which a word that was typed may stand in a model."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator


def spellings(word: str) -> Iterator[str]:
    """A word as it was typed, then as `prepare` may have written it: its case and accents folded, a phrase joined.

    Examples
    --------
    >>> list(spellings("Prime Minister"))[-1], "cafe" in spellings("CAFE\\u0301"), "don't" in spellings("Don’t")
    ('prime_minister', True, True)
    """
    yield word
    composed = unicodedata.normalize("NFC", "_".join(word.replace("’", "'").split()))
    yield composed
    yield composed.lower()
    apart = unicodedata.normalize("NFD", composed.lower())
    yield unicodedata.normalize("NFC", "".join(mark for mark in apart if not "\u0300" <= mark <= "\u036f"))
