"""From a token back to its sentence: the span of each token in the text, and the bounds of the sentence around it.

Positions are not stored. The text is tokenized again, and each word is checked against the token that was counted.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from chronotope.corpus.lexicon import Normalizer
from chronotope.corpus.readers import TOKEN_SEPARATOR
from chronotope.corpus.tokenizer import JUNK, PATTERNS
from chronotope.errors import DamagedFileError

# Characters shown on each side of a word in a sentence without an end (a table, text without punctuation).
REACH = 300
_END = re.compile(r"[.!?…]+[\"'”’»)\]]*\s+|[。！？]|\s*\n\s*\n\s*")
_OPENING = "\"'“‘«(["
# A period after these ends no sentence: titles, initials, U.S.
_ABBREVIATION = re.compile(
    r"(?:\b(?:Mr|Mrs|Ms|Messrs|Dr|Prof|St|Sen|Rep|Gov|Gen|Col|Capt|Lt|Sgt|Hon|Rev|No|Nos|vs|Art)"
    r"|(?:^|[\s(\"“‘.])[^\W\d_])\.$"
)


class Span(NamedTuple):
    """A range of characters in a text."""

    start: int
    end: int


class Bounds(NamedTuple):
    """The range of a sentence in a text, and whether its beginning or its end is cut off."""

    start: int
    end: int
    cut_before: bool
    cut_after: bool


def token_spans(text: str, kind: str, words: Sequence[str], normalize: Normalizer) -> list[Span]:
    """Return the span of each of the first `words` of a text; DamagedFileError if the text does not match them.

    The kind says how the tokens were found: 'words', 'whitespace' or 'tokens'. The span of a phrase covers all its
    tokens.

    Examples
    --------
    >>> from chronotope.config import CorpusSettings
    >>> text = "The Prime Minister's <i class='x'>bank</i>"
    >>> spans = token_spans(text, "words", ["the", "prime_minister", "bank"], Normalizer(CorpusSettings()))
    >>> [text[span.start : span.end] for span in spans]
    ['The', "Prime Minister's", 'bank']
    """
    cleaned, origin = _without_junk(text) if kind == "words" else (text, None)
    forms = pl.Series([cleaned]).str.extract_all(PATTERNS[kind])[0].to_list()
    known: dict[str, str] = {}
    spans: list[Span] = []
    place, begin, joined = 0, -1, ""
    wanted = iter(words)
    word = next(wanted, None)
    for form in forms:
        if word is None:
            break
        # No character between two tokens can begin one, so the next match is the token itself.
        first = cleaned.index(form, place)
        place = first + len(form)
        if form not in known:
            known[form] = normalize(form, kind != "words")
        if not known[form]:
            continue
        joined = f"{joined}_{known[form]}" if begin >= 0 else known[form]
        begin = first if begin < 0 else begin
        if joined == word:
            spans.append(Span(begin, place))
            word, begin = next(wanted, None), -1
        elif not word.startswith(f"{joined}_"):
            raise _unfit()
    if word is not None:
        raise _unfit()
    if origin is not None:
        spans = [Span(int(origin[span.start]), int(origin[span.end - 1]) + 1) for span in spans]
    return spans


def sentence_around(text: str, span: Span, reach: int = REACH) -> Bounds:
    """Return the bounds of the sentence around a span, at most `reach` characters on either side.

    Examples
    --------
    >>> text = "It rained. Mr. Hull of the U.S. Senate spoke. All listened."
    >>> found = sentence_around(text, Span(15, 19))
    >>> text[found.start : found.end]
    'Mr. Hull of the U.S. Senate spoke.'
    """
    low, high = max(0, span.start - reach), min(len(text), span.end + reach)
    start, end = low, high
    # Search a little further, so that the period of an abbreviation is recognized.
    for match in _END.finditer(text, max(0, low - 12), min(len(text), high + 12)):
        if _goes_on(text, match):
            continue
        if low <= match.end() <= span.start:
            start = match.end()
        elif match.start() >= span.end - 1:
            end = min(high, match.end())
            break
    cut_before, cut_after = start == low > 0, end == high < len(text)
    start = _at_a_blank(text, start, span.start, 1) if cut_before else start
    end = _at_a_blank(text, end, span.end, -1) if cut_after else end
    found = text[start:end]
    return Bounds(start + len(found) - len(found.lstrip()), start + len(found.rstrip()), cut_before, cut_after)


def _goes_on(text: str, stop: re.Match[str]) -> bool:
    """Return whether the sentence continues after a stop: in an abbreviation, or before a lowercase letter."""
    if "\n" in stop.group() and not stop.group().strip():
        return False
    following = text[stop.end() : stop.end() + 3].lstrip(_OPENING)
    before = text[max(0, stop.start() - 12) : stop.start() + 1]
    return following[:1].islower() or _ABBREVIATION.search(before) is not None


def _at_a_blank(text: str, place: int, stop: int, step: int) -> int:
    """Return the nearest blank from `place` toward `stop`, so that no word is cut."""
    for at in range(place, stop, step):
        if text[at if step > 0 else at - 1].isspace() or text[at if step > 0 else at - 1] == TOKEN_SEPARATOR:
            return at
    return place


def _without_junk(text: str) -> tuple[str, NDArray[np.int64] | None]:
    """Return the text as the tokenizer sees it, and the position in the original of each of its characters."""
    origin: NDArray[np.int64] | None = None
    for pattern in JUNK:
        series = pl.Series([text])
        dropped = series.str.extract_all(pattern)[0].to_list()
        if not dropped:
            continue
        # Replace junk by a character that is not in the text, and split there.
        mark = next(mark for mark in map(chr, range(0xE000, 0xF8FF)) if mark not in text)
        left = series.str.replace_all(pattern, mark)[0].split(mark)
        places: list[NDArray[np.int64]] = []
        place = 0
        for piece, junk in zip(left, [*dropped, ""], strict=True):
            places.append(np.arange(place, place + len(piece) + bool(junk)))
            place += len(piece) + len(junk)
        step = np.concatenate(places)
        origin = step if origin is None else origin[step]
        text = " ".join(left)
    return text, origin


def _unfit() -> DamagedFileError:
    return DamagedFileError("the text of the run does not fit its tokens; prepare the run again")
