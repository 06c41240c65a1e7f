"""Split texts into tokens.

A word (tokenizer 'words') is a run of Unicode letters and digits with their combining marks. An apostrophe or
underscore inside it belongs to it (`don't`, `prime_minister`; `lexicon.Normalizer` removes some later). A hyphen ends
it. Numbers keep their points and commas (`5,000`). Links, e-mail addresses, markup tags and HTML entities are dropped.
'whitespace' splits at white space, for text that is tokenized already. 'tokens' splits at the separator of the readers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from chronotope.corpus.readers import TOKEN_SEPARATOR
from chronotope.errors import InputError

LETTERS = r"[\p{L}\p{N}]"
# Combining marks and zero-width characters inside a word: soft hyphen, (non-)joiners.
MARKS = r"[\p{M}\x{AD}\x{200C}\x{200D}\x{2060}]"
UNIT = rf"(?:[0-9]+(?:[.,][0-9]+)*|{LETTERS})"
WORD = rf"{UNIT}(?:{UNIT}|{MARKS})*(?:['’_]{UNIT}(?:{UNIT}|{MARKS})*)*"
PATTERNS = {"words": WORD, "whitespace": rf"[^\s{TOKEN_SEPARATOR}]+", "tokens": f"[^{TOKEN_SEPARATOR}]+"}
# E-mail addresses; then links, tags and entities.
JUNK = (
    r"[A-Za-z0-9_.+-]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+",
    r"\b(?i:https?://|www\.)[^\s<>\x22]+"
    r"|</?[A-Za-z!][^<>]{0,300}>"
    r"|&(?:[A-Za-z]{2,8}[0-9]{0,2}|#[0-9]{1,7}|#[xX][0-9A-Fa-f]{1,6});",
)

Tokenizer = Callable[[str], list[str]]


class Tokens(NamedTuple):
    """The tokens of some texts.

    Attributes
    ----------
    code
        (T,) the number of the form of each token.
    forms
        (F,) the distinct forms, in order of first occurrence.
    length
        (N,) the number of tokens of each text.
    """

    code: NDArray[np.int32]
    forms: pl.Series
    length: NDArray[np.int64]


def split_texts(texts: pl.Series, tokenizer: str | Tokenizer = "words") -> Tokens:
    """Split texts into tokens and number their distinct forms.

    Parameters
    ----------
    texts
        Strings without nulls.
    tokenizer
        'words', 'whitespace', 'tokens', or a function from a text to its tokens.

    Examples
    --------
    >>> tokens = split_texts(pl.Series(["Don't ask www.why.org, <b>ask</b> twenty-two.", "Ask!"]))
    >>> tokens.forms.to_list()
    ["Don't", 'ask', 'twenty', 'two', 'Ask']
    >>> tokens.code.tolist(), tokens.length.tolist()
    ([0, 1, 1, 2, 3, 4], [5, 1])
    """
    if callable(tokenizer):
        texts, tokenizer = join_own_tokens(texts, tokenizer), "tokens"
    if tokenizer == "words":
        texts = remove_junk(texts)
    lists = texts.str.extract_all(PATTERNS[tokenizer])
    encoded: Any = lists.explode().drop_nulls().rechunk().to_arrow().dictionary_encode()
    forms = pl.Series(encoded.dictionary, dtype=pl.String)
    return Tokens(encoded.indices.to_numpy(), forms, lists.list.len().to_numpy().astype(np.int64))


def remove_junk(texts: pl.Series) -> pl.Series:
    """Replace every link, e-mail address, tag and entity by a blank.

    Examples
    --------
    >>> remove_junk(pl.Series(["Ask <b>her</b>.", "Write to a@b.org!"])).to_list()
    ['Ask  her .', 'Write to  !']
    """
    for pattern in JUNK:
        texts = texts.str.replace_all(pattern, " ")
    return texts


def join_own_tokens(texts: pl.Series, tokenizer: Tokenizer) -> pl.Series:
    """Apply a user's tokenizer to each text and join its tokens by the separator of the readers."""
    return pl.Series([TOKEN_SEPARATOR.join(_own_tokens(tokenizer, text)) for text in texts], dtype=pl.String)


def _own_tokens(tokenizer: Tokenizer, text: str) -> list[str]:
    returned: object = tokenizer(text)
    if isinstance(returned, Iterable) and not isinstance(returned, str):
        tokens = list(returned)
        if all(isinstance(token, str) for token in tokens):
            return tokens
    raise InputError(f"the tokenizer must return a list of strings, not {returned!r:.60}")
