"""From texts to the words in them: one pass over the bytes that also numbers the distinct forms.

A word (tokenizer 'words') is a run of Unicode letters and digits with their combining marks; an apostrophe or an
underscore inside it belongs to it (`don't`, `prime_minister`; but see `lexicon.Normalizer`), a hyphen parts it. Numbers
are words, with their points and commas (`5,000`). Links, e-mail addresses, markup tags and HTML entities are left out.
'whitespace' takes everything between blanks as a word, for text that is tokenized already.

What is done to a word (case, accents, variants) is done once a distinct form of a batch and not once a token; see
`lexicon`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from chronotope.corpus.junk import without_junk
from chronotope.corpus.readers import TOKEN_SEPARATOR
from chronotope.corpus.readers.strings import bytes_of
from chronotope.corpus.scanning import BETWEEN, JOINER, LETTER, POINT, WITHIN, Codes, Seen, scan
from chronotope.errors import InputError

LETTERS = r"[\p{L}\p{N}]"
# Marks, and characters without width that stand inside a word: the soft hyphen and the (non-)joiners.
MARKS = r"[\p{M}\x{AD}\x{200C}\x{200D}\x{2060}]"
JOINERS = r"['’_]"
POINTS = "[.,]"
UNIT = rf"(?:[0-9]+(?:{POINTS}[0-9]+)*|{LETTERS})"
WORD = rf"{UNIT}(?:{UNIT}|{MARKS})*(?:{JOINERS}{UNIT}(?:{UNIT}|{MARKS})*)*"

# The first byte of characters that take four.
FOUR_BYTES = 0xF0

Tokenizer = Callable[[str], list[str]]


class Tokens(NamedTuple):
    """The tokens of some texts.

    Attributes
    ----------
    code
        (T,) for each token the number of its form.
    written
        The bytes of the distinct forms that are new, in the order in which they first occur, with a separator after
        each; all are, unless it was said which were seen in other texts.
    frequency, key
        (F,) how often each form occurs, known ones first; (F - known, 2) what tells each new one from others (see
        `scanning.Forms`).
    length
        (N,) the number of tokens of each text.
    seen
        The number of what was seen before (see `scanning.Seen`); None: nothing, and nothing will be seen after it.
    """

    code: Codes
    written: NDArray[np.uint8]
    frequency: NDArray[np.int64]
    key: NDArray[np.uint64]
    length: NDArray[np.int64]
    seen: int | None = None

    @property
    def forms(self) -> list[str]:
        """The distinct forms that are new."""
        # The separator is in no form, whatever the tokenizer.
        return str(self.written.data, "utf-8").split(TOKEN_SEPARATOR)[:-1]

    def some_forms(self, chosen: NDArray[np.int64]) -> list[str]:
        """Those of the new forms with these places among them, ascending."""
        if 2 * len(chosen) > len(self.key):
            forms = self.forms
            return [forms[form] for form in chosen.tolist()]
        start, size = self._places()
        data = self.written.tobytes()
        places = zip(start[chosen].tolist(), size[chosen].tolist(), strict=True)
        return [str(data[first : first + many], "utf-8") for first, many in places]

    def foreign(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The places of the new forms with letters beyond ASCII; and how many bytes each new form has."""
        start, size = self._places()
        beyond = np.flatnonzero(self.written > 127)
        return np.unique(np.searchsorted(start, beyond, side="right") - 1), size

    def _places(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Where each new form begins, and how many bytes it has."""
        ends = np.flatnonzero(self.written == ord(TOKEN_SEPARATOR))
        start = np.concatenate([[0], ends[:-1] + 1]) if len(ends) else ends
        return start, ends - start


def split_texts(texts: pl.Series, tokenizer: str | Tokenizer = "words", seen: Seen | None = None) -> Tokens:
    """The tokens of texts.

    Parameters
    ----------
    texts
        Strings without nulls.
    tokenizer
        'words', 'whitespace', 'tokens' (joined by the separator that the readers use), or a function from a text to
        its tokens.
    seen
        The forms of other texts that were cut in the same way; those that are new come to them.

    Examples
    --------
    >>> tokens = split_texts(pl.Series(["Don't ask www.why.org, <b>ask</b> twenty-two.", "Ask!"]))
    >>> tokens.forms
    ["Don't", 'ask', 'twenty', 'two', 'Ask']
    >>> tokens.code.tolist(), tokens.frequency.tolist(), tokens.length.tolist()
    ([0, 1, 1, 2, 3, 4], [1, 2, 1, 1, 1], [5, 1])
    """
    if callable(tokenizer):
        texts, tokenizer = own_tokens(texts, tokenizer), "tokens"
    data, start, stop = without_junk(texts) if tokenizer == "words" else bytes_of(texts)
    classes = _classes(tokenizer, with_all=bool(data.max(initial=0) >= FOUR_BYTES))
    found = scan(data, start, stop, classes, ord(TOKEN_SEPARATOR), seen or Seen())
    return Tokens(*found, seen.number if seen else None)


def own_tokens(texts: pl.Series, tokenizer: Tokenizer) -> pl.Series:
    """The tokens that a user's own function makes of each text, joined by the separator of the readers."""
    return pl.Series([_own_tokens(tokenizer, text) for text in texts], dtype=pl.String)


def _own_tokens(tokenizer: Tokenizer, text: str) -> str:
    returned: object = tokenizer(text)
    if isinstance(returned, Iterable) and not isinstance(returned, str):
        tokens = list(returned)
        if all(isinstance(token, str) for token in tokens):
            return TOKEN_SEPARATOR.join(tokens)
    raise InputError(f"the tokenizer must return a list of strings, not {returned!r:.60}")


@cache
def _classes(tokenizer: str, with_all: bool = True) -> NDArray[np.uint8]:
    """(1114112,) what each character is to the scan; without those of four bytes in a quarter of the time."""
    classes = np.full(0x110000, BETWEEN if tokenizer == "words" else LETTER, np.uint8)
    classes[ord(TOKEN_SEPARATOR)] = BETWEEN
    if tokenizer == "tokens":
        return classes
    # Between the third and the fourteenth plane there is nothing; the last two are for private use.
    beyond = [np.arange(0x10000, 0x40000), np.arange(0xE0000, 0xE1000)] if with_all else []
    numbers = np.concatenate([np.arange(0xD800), np.arange(0xE000, 0x10000), *beyond])
    characters = pl.Series([numbers.astype("<u4").tobytes().decode("utf-32-le")]).str.split("").explode()

    def mark(pattern: str, value: int) -> None:
        classes[numbers[characters.str.contains(pattern).to_numpy()]] = value

    if tokenizer == "words":
        mark(MARKS, WITHIN)
        mark(LETTERS, LETTER)
        mark(JOINERS, JOINER)
        mark(POINTS, POINT)
    else:
        mark(r"\s", BETWEEN)
    return classes
