"""From a token back to its sentence: the span of each token in the text, and the bounds of the sentence around it.

Positions are not stored. The text is tokenized again, and each word is checked against the token that was counted.
"""

import re
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from chronotope.config import CorpusSettings, from_dict
from chronotope.corpus.lexicon import Normalizer
from chronotope.corpus.tokenizer import JUNK, PATTERNS
from chronotope.corpus.tokens import LEMMAS
from chronotope.errors import DamagedFileError
from chronotope.io.run_folder import read_run
from chronotope.io.untrusted import read_table

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


def normalizer_of(folder: Path) -> Normalizer:
    """Return the normalization with which the run in a folder was made; its lemmas are those that it stored."""
    settings = from_dict(CorpusSettings, read_run(folder)["corpus"])
    path = folder / LEMMAS
    if not path.exists():
        return Normalizer(settings)
    lemmas = dict(read_table(path, {"word": pl.String, "lemma": pl.String}).iter_rows())
    return Normalizer(settings, lambda word: lemmas.get(word, word))


def token_spans(text: str, kind: str, words: Sequence[str], normalize: Normalizer) -> NDArray[np.int64]:
    """(N, 2) the span of each of the first N words of a text; DamagedFileError if the text has other words.

    `kind` is the tokenizer: 'words', 'whitespace' or 'tokens'. A phrase covers all its tokens.

    >>> from chronotope.config import CorpusSettings
    >>> text = "The Prime Minister's <i class='x'>bank</i>"
    >>> spans = token_spans(text, "words", ["the", "prime_minister", "bank"], Normalizer(CorpusSettings()))
    >>> [text[start:end] for start, end in spans]
    ['The', "Prime Minister's", 'bank']
    """
    cleaned, origin = _without_junk(text) if kind == "words" else (text, None)
    mark = _unused_mark(cleaned)
    # Every second piece is a token.
    pattern = PATTERNS["emoji" if kind == "words" and normalize.emoji else kind]
    pieces = pl.Series([cleaned]).str.replace_all(f"(?:{pattern})", f"{mark}${{0}}{mark}")[0].split(mark)
    ends = np.cumsum([len(piece) for piece in pieces])
    # Whether a form keeps its upper case depends on its sentence.
    fold = str.lower if normalize.smart_case else str
    words = list(map(fold, words))
    known = {form: fold(normalize(form, kind != "words")) for form in set(pieces[1::2])}
    forms = [known[form] for form in pieces[1::2]]
    kept = np.flatnonzero([bool(form) for form in forms])
    bounds = np.column_stack([ends[:-1:2], ends[1::2]])[kept]
    forms = [forms[at] for at in kept.tolist()]
    if forms[: len(words)] != words:
        bounds = _phrase_bounds(forms, words, bounds)
    bounds = bounds[: len(words)]
    return bounds if origin is None else np.column_stack([origin[bounds[:, 0]], origin[bounds[:, 1] - 1] + 1])


def _phrase_bounds(forms: Sequence[str], words: Sequence[str], bounds: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the bounds of words; some are phrases, tokens joined by `_`."""
    found, at = np.empty((len(words), 2), np.int64), 0
    for number, word in enumerate(words):
        joined, first = "", at
        while joined != word:
            if at == len(forms) or (joined and not word.startswith(f"{joined}_")):
                raise DamagedFileError("the text of the run does not fit its tokens; prepare the run again")
            joined = f"{joined}_{forms[at]}" if joined else forms[at]
            at += 1
        found[number] = bounds[first, 0], bounds[at - 1, 1]
    return found


def all_sentences(text: str, longest: int = 2 * REACH) -> list[Bounds]:
    """Return the bounds of all sentences of a text; one that is longer than `longest` is cut at blanks.

    >>> text = "It rained. Mr. Hull spoke."
    >>> [text[found.start : found.end] for found in all_sentences(text)]
    ['It rained.', 'Mr. Hull spoke.']
    """
    ends = [match.end() for match in _END.finditer(text) if not _continues(text, match)]
    found = []
    for begin, end in pairwise([0, *ends, len(text)]):
        start = begin
        while start < end:
            stop = end if end - start <= longest else _nearest_blank(text, start + longest, start, -1)
            piece = text[start:stop]
            first, last = start + len(piece) - len(piece.lstrip()), start + len(piece.rstrip())
            found += [Bounds(first, last, start > begin, stop < end)] if first < last else []
            start = stop
    return found


def sentence_around(text: str, span: Span, reach: int = REACH) -> Bounds:
    """Return the bounds of the sentence around a span, at most `reach` characters on either side.

    >>> text = "It rained. Mr. Hull of the U.S. Senate spoke. All listened."
    >>> found = sentence_around(text, Span(15, 19))
    >>> text[found.start : found.end]
    'Mr. Hull of the U.S. Senate spoke.'
    """
    low, high = max(0, span.start - reach), min(len(text), span.end + reach)
    start, end = low, high
    # Search a little further, so that the period of an abbreviation is recognized.
    for match in _END.finditer(text, max(0, low - 12), min(len(text), high + 12)):
        if _continues(text, match):
            continue
        if low <= match.end() <= span.start:
            start = match.end()
        elif match.start() >= span.end - 1:
            end = min(high, match.end())
            break
    cut_before, cut_after = start == low > 0, end == high < len(text)
    start = _nearest_blank(text, start, span.start, 1) if cut_before else start
    end = _nearest_blank(text, end, span.end, -1) if cut_after else end
    found = text[start:end]
    return Bounds(start + len(found) - len(found.lstrip()), start + len(found.rstrip()), cut_before, cut_after)


def _continues(text: str, stop: re.Match[str]) -> bool:
    """Return whether the sentence continues after a stop: in an abbreviation, or before a lowercase letter."""
    if "\n" in stop.group() and not stop.group().strip():
        return False
    following = text[stop.end() : stop.end() + 3].lstrip(_OPENING)
    before = text[max(0, stop.start() - 12) : stop.start() + 1]
    return following[:1].islower() or _ABBREVIATION.search(before) is not None


def _nearest_blank(text: str, place: int, stop: int, step: int) -> int:
    """Return the nearest blank from `place` toward `stop`, so that no word is cut."""
    for at in range(place, stop, step):
        if text[at if step > 0 else at - 1].isspace():  # or a separator of tokens, which Python calls a space, too
            return at
    return place


def _without_junk(text: str) -> tuple[str, NDArray[np.int64] | None]:
    """Return the text without junk, as the tokenizer reads it, and the original position of each character."""
    origin: NDArray[np.int64] | None = None
    for pattern in JUNK:
        series = pl.Series([text])
        dropped = series.str.extract_all(pattern)[0].to_list()
        if not dropped:
            continue
        # Replace junk by a character that is not in the text, and split there.
        mark = _unused_mark(text)
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


def _unused_mark(text: str) -> str:
    """Return a character that is not in a text."""
    return next(mark for mark in map(chr, range(0xE000, 0xF8FF)) if mark not in text)
