"""Split texts into tokens.

A word (tokenizer 'words') is a run of Unicode letters and digits with their combining marks. An apostrophe or
underscore inside it belongs to it (`don't`, `prime_minister`; `lexicon.Normalizer` removes some later). A hyphen ends
it. Numbers keep their points and commas (`5,000`). Links, e-mail addresses, markup tags and HTML entities are dropped.
'whitespace' splits at white space, for text that is tokenized already. 'tokens' splits at the separator of the readers.
"""

from collections.abc import Callable, Iterable
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import polars as pl
import pyarrow as pa
from numpy.typing import NDArray

from chronotope.corpus.readers.pieces import TOKEN_SEPARATOR
from chronotope.errors import InputError

# Classes of characters. Outside tokens: BETWEEN (blank, hyphen), BREAK (quote, bracket), STOP (end of a sentence). In
# tokens: WITHIN (mark), JOINER (apostrophe), POINT (in a number), LETTER, and LOWER, a letter that is not upper case.
BETWEEN, BREAK, STOP, WITHIN, JOINER, POINT, LETTER, LOWER = range(8)
# Flags of a token: it begins a sentence or follows a quote or bracket; a hyphen joins it to the token before; its
# sentence has no lower-case letter.
INITIAL, HYPHENATED, SHOUTED = 1, 2, 4
LETTERS = r"[\p{L}\p{N}]"
# Combining marks and zero-width characters inside a word: soft hyphen, (non-)joiners.
MARKS = r"[\p{M}\x{AD}\x{200C}\x{200D}\x{2060}]"
JOINERS = "['’_]"
POINTS = "[.,]"
UNIT = rf"(?:[0-9]+(?:{POINTS}[0-9]+)*|{LETTERS})"
WORD = rf"{UNIT}(?:{UNIT}|{MARKS})*(?:{JOINERS}{UNIT}(?:{UNIT}|{MARKS})*)*"
EMOJI_SIGNS = r"[\p{Extended_Pictographic}\x{1F3FB}-\x{1F3FF}--[©®™\p{L}\p{N}]]"
_PICTURE = rf"{EMOJI_SIGNS}[\x{{1F3FB}}-\x{{1F3FF}}\x{{FE0F}}]*"
EMOJI = rf"{_PICTURE}(?:\x{{200D}}{_PICTURE})*|\p{{Regional_Indicator}}{{1,2}}"
PATTERNS = {
    "words": WORD,
    "emoji": f"{EMOJI}|{WORD}",
    "whitespace": rf"[^\s{TOKEN_SEPARATOR}]+",
    "tokens": f"[^{TOKEN_SEPARATOR}]+",
}
# E-mail addresses; then links, tags and entities. All contain one of the signs.
JUNK_SIGNS = r"[@<&]|://|(?i:www\.)"
JUNK = (
    r"[A-Za-z0-9_.+-]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+",
    r"\b(?i:https?://|www\.)[^\s<>\x22]+"
    r"|</?[A-Za-z!][^<>]{0,300}>"
    r"|&(?:[A-Za-z]{2,8}[0-9]{0,2}|#[0-9]{1,7}|#[xX][0-9A-Fa-f]{1,6});",
)

Tokenizer = Callable[[str], list[str]]


class Tokens(NamedTuple):
    """The tokens of some texts."""

    code: NDArray[np.int32]  # (T,) the number of the form of each token
    forms: pl.Series  # (F,) the distinct forms, in order of first occurrence
    length: NDArray[np.int64]  # (N,) the number of tokens of each text
    flags: NDArray[np.uint8]  # (T,) bits: INITIAL, HYPHENATED, SHOUTED


def split_texts(texts: pl.Series, tokenizer: str | Tokenizer = "words") -> Tokens:
    """Split texts, without nulls, into tokens and number their distinct forms.

    The tokenizer is 'words', 'emoji' (both), 'whitespace', 'tokens', or a function from a text to its tokens.

    >>> tokens = split_texts(pl.Series(["Don't ask www.why.org, <b>ask</b> twenty-two.", "Ask!"]))
    >>> tokens.forms.to_list()
    ["Don't", 'ask', 'twenty', 'two', 'Ask']
    >>> tokens.code.tolist(), tokens.length.tolist()
    ([0, 1, 1, 2, 3, 4], [5, 1])
    """
    from chronotope.corpus.token_kernel import find_tokens  # here, since the import of numba is slow

    if callable(tokenizer):
        texts, tokenizer = join_own_tokens(texts, tokenizer), "tokens"
    if tokenizer in ("words", "emoji"):
        texts = remove_junk(texts)
    if tokenizer == "emoji":
        texts = texts.str.replace_all(f"(?:{EMOJI})", " $0 ")
    array: Any = texts.rechunk().to_arrow()
    _, offsets, buffer = array.buffers()
    data = np.frombuffer(buffer or b"", np.uint8)
    bounds = np.frombuffer(offsets, np.int64)[array.offset : array.offset + len(array) + 1]
    # At least one byte lies between two tokens of a text.
    out: Any = np.empty(len(data), np.uint8)
    ends: Any = np.zeros(len(data) // 2 + len(array) + 2, np.int64)
    length, flags = np.zeros(len(array), np.int64), np.empty(len(ends), np.uint8)
    count = find_tokens(data, bounds, character_classes(tokenizer), out, ends, length, flags)
    buffers = pa.py_buffer(ends[: count + 1]), pa.py_buffer(out[: ends[count]])
    encoded: Any = pa.LargeStringArray.from_buffers(count, *buffers).dictionary_encode()
    code = np.frombuffer(encoded.indices.buffers()[1], np.int32, count)  # with `to_numpy` Arrow would import pandas
    return Tokens(code, pl.Series(encoded.dictionary, dtype=pl.String), length, flags[:count])


@cache
def character_classes(tokenizer: str) -> NDArray[np.uint8]:
    """(0x110000,) return the class of every character."""
    classes = np.full(0x110000, BREAK if tokenizer in ("words", "emoji") else LETTER, np.uint8)
    # Planes 3 to 13 are empty, the last two are for private use.
    codes = np.concatenate([np.arange(0xD800), np.arange(0xE000, 0x40000), np.arange(0xE0000, 0xE1000)])
    characters = pl.Series([chr(code) for code in codes.tolist()])
    lower = r"[\p{L}--[\p{Lu}\p{Lt}]]"
    patterns = {
        "words": {BETWEEN: r"[\p{Zs}\t-]", STOP: r"[.!?…。！？\r\n]", WITHIN: MARKS, LETTER: LETTERS, JOINER: JOINERS}
        | {POINT: POINTS, LOWER: lower},
        "emoji": {LETTER: rf"{EMOJI_SIGNS}|\p{{Regional_Indicator}}"},
        "whitespace": {LOWER: lower, BETWEEN: r"\s"},
        "tokens": {LOWER: lower},
    }
    chosen = [*patterns["words"].items()] if tokenizer == "emoji" else []
    for kind, pattern in [*chosen, *patterns[tokenizer].items()]:
        classes[codes[characters.str.contains(pattern).to_numpy()]] = kind
    classes[ord(TOKEN_SEPARATOR)] = BETWEEN
    return classes


def remove_junk(texts: pl.Series) -> pl.Series:
    """Replace every link, e-mail address, tag and entity by a blank."""
    suspects = texts.str.contains(JUNK_SIGNS)
    if not suspects.any():
        return texts
    clean = texts.filter(suspects)
    for pattern in JUNK:
        clean = clean.str.replace_all(pattern, " ")
    return texts.clone().scatter(suspects.arg_true(), clean)


def join_own_tokens(texts: pl.Series, tokenizer: Tokenizer) -> pl.Series:
    """Apply a user's tokenizer to each text and join its tokens by the separator of the readers."""
    joined = []
    for text in texts:
        returned: object = tokenizer(text)
        tokens = list(returned) if isinstance(returned, Iterable) and not isinstance(returned, str) else None
        if tokens is None or not all(isinstance(token, str) for token in tokens):
            raise InputError(f"the tokenizer must return a list of strings, not {returned!r:.60}")
        joined.append(TOKEN_SEPARATOR.join(tokens))
    return pl.Series(joined, dtype=pl.String)
