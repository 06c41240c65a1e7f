"""From a token back to its sentence: where each token stands in the text, and where the sentence around it ends.

No place is stored for a token. The few pages around it are cut into words again, and each word is checked against the
token that was counted, so that what is marked is always what was counted.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from chronotope.corpus.junk import JUNK
from chronotope.corpus.lexicon import Normalizer
from chronotope.corpus.readers import TOKEN_SEPARATOR
from chronotope.corpus.tokenizer import WORD
from chronotope.errors import DamagedFile

PATTERNS = {"words": WORD, "whitespace": rf"[^\s{TOKEN_SEPARATOR}]+", "tokens": f"[^{TOKEN_SEPARATOR}]+"}
# A sentence without an end (a table, text without punctuation) is shown up to so many characters a side.
REACH = 300
_END = re.compile(r"[.!?…]+[\"'”’»)\]]*\s+|[。！？]|\s*\n\s*\n\s*")
_OPENING = "\"'“‘«(["
# A stop after these ends no sentence: titles, initials, U.S.
_ABBREVIATION = re.compile(
    r"(?:\b(?:Mr|Mrs|Ms|Messrs|Dr|Prof|St|Sen|Rep|Gov|Gen|Col|Capt|Lt|Sgt|Hon|Rev|No|Nos|vs|Art)"
    r"|(?:^|[\s(\"“‘.])[^\W\d_])\.$"
)


class Span(NamedTuple):
    """Where something stands in a text, in characters."""

    start: int
    end: int


class Bounds(NamedTuple):
    """Where a sentence stands in a text, and whether it is only a part of it that lacks its beginning or its end."""

    start: int
    end: int
    cut_before: bool
    cut_after: bool


def token_spans(text: str, kind: str, words: Sequence[str], normalize: Normalizer, skip: int = 0) -> list[Span]:
    """Where each of the first tokens stands in its text.

    Parameters
    ----------
    text
        The text.
    kind
        How its tokens are told apart: 'words', 'whitespace' or 'tokens'.
    words
        The words that were counted, in order; a phrase stands for as many tokens as it joins.
    normalize
        How a token becomes a word.
    skip
        So many tokens are passed over first.

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
        # Between two tokens no character can begin one, so the next place where the form stands is the token itself.
        first = cleaned.index(form, place)
        place = first + len(form)
        if form not in known:
            known[form] = normalize(form, kind != "words")
        if not known[form]:
            continue
        if skip:
            skip -= 1
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
    """The sentence that holds a span, or as much of it as lies within `reach` characters on either side.

    Examples
    --------
    >>> text = "It rained. Mr. Hull of the U.S. Senate spoke. All listened."
    >>> found = sentence_around(text, Span(15, 19))
    >>> text[found.start : found.end]
    'Mr. Hull of the U.S. Senate spoke.'
    """
    low, high = max(0, span.start - reach), min(len(text), span.end + reach)
    start, end = low, high
    # A little more is looked at, so that the stop of an abbreviation is known for what it is.
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
    """Whether a stop ends no sentence: it belongs to an abbreviation, or a small letter follows."""
    if "\n" in stop.group() and not stop.group().strip():
        return False
    following = text[stop.end() : stop.end() + 3].lstrip(_OPENING)
    before = text[max(0, stop.start() - 12) : stop.start() + 1]
    return following[:1].islower() or _ABBREVIATION.search(before) is not None


def _at_a_blank(text: str, place: int, stop: int, step: int) -> int:
    """The nearest blank from `place` toward `stop`, so that no word is shown in part."""
    for at in range(place, stop, step):
        if text[at if step > 0 else at - 1].isspace() or text[at if step > 0 else at - 1] == TOKEN_SEPARATOR:
            return at
    return place


def _without_junk(text: str) -> tuple[str, NDArray[np.int64] | None]:
    """The text as the tokenizer sees it, and for each of its characters the place where it stands in the text."""
    origin: NDArray[np.int64] | None = None
    for signs, junk in JUNK:
        # A search of Python's own: for one short text it costs a tenth of a question to polars.
        if not any(re.search(sign, text) for sign in signs):
            continue
        series = pl.Series([text])
        # What is left between the pieces of junk tells, together with their lengths, where each stands. The mark
        # between them may be any character that no junk consists of and that the text does not hold.
        mark = next(mark for mark in map(chr, range(0xE000, 0xF8FF)) if mark not in text)
        found = series.str.extract_all(junk)[0].to_list()
        left = series.str.replace_all(junk, mark)[0].split(mark)
        if not found:
            continue
        places: list[NDArray[np.int64]] = []
        place = 0
        for piece, dropped in zip(left, [*found, ""], strict=True):
            places.append(np.arange(place, place + len(piece) + bool(dropped)))
            place += len(piece) + len(dropped)
        step = np.concatenate(places)
        origin = step if origin is None else origin[step]
        text = " ".join(left)
    return text, origin


def _unfit() -> DamagedFile:
    return DamagedFile("the text of the run does not fit its tokens; prepare the run again")
