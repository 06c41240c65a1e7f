"""What is left out of texts: links, e-mail addresses, markup tags and HTML entities."""

from __future__ import annotations

from functools import reduce
from operator import or_

import numpy as np
import polars as pl

from chronotope.corpus.readers.strings import Texts, bytes_of, read_only
from chronotope.runtime.bits import among
from chronotope.runtime.kernels import kernel

# Each kind of junk with what a text that holds it must contain: a search for that is far cheaper, and one for each sign
# is cheaper than one for all.
JUNK = (
    (("@",), r"[A-Za-z0-9_.+-]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+"),
    (
        (r"<[/A-Za-z!]|&[#A-Za-z][0-9A-Za-z]*;|://", r"(?i:www\.)"),
        r"\b(?i:https?://|www\.)[^\s<>\x22]+"
        r"|</?[A-Za-z!][^<>]{0,300}>"
        r"|&(?:[A-Za-z]{2,8}[0-9]{0,2}|#[0-9]{1,7}|#[xX][0-9A-Fa-f]{1,6});",
    ),
)


def without_junk(texts: pl.Series) -> Texts:
    """The bytes of texts, and where each begins and ends, with a blank for every link, e-mail address, tag and entity.

    Examples
    --------
    >>> data, start, stop = without_junk(pl.Series(["Ask <b>her</b>.", "Write to a@b.org!"]))
    >>> [data[first:last].tobytes() for first, last in zip(start, stop)]
    [b'Ask  her .', b'Write to  !']
    """
    data, start, stop = bytes_of(texts)
    suspect = np.flatnonzero(_suspects(data, start, stop))
    if not len(suspect):
        return data, start, stop
    some = texts.gather(suspect).alias("text")
    text = pl.col("text")
    may_hold = [reduce(or_, [text.str.contains(sign) for sign in signs]) for signs, _ in JUNK]
    held = some.to_frame().select(pl.any_horizontal(may_hold).arg_true()).to_series()
    if not len(held):
        return data, start, stop
    some = clean = some.gather(held)
    for _, junk in JUNK:
        clean = clean.str.replace_all(junk, " ")
    is_changed = (clean != some).to_numpy()
    if not is_changed.any():
        return data, start, stop
    suspect = suspect[held.to_numpy()[is_changed]]
    # Behind the others, not in their place: texts may share their bytes.
    others, first, last = bytes_of(clean.filter(pl.Series(is_changed)))
    together = np.concatenate([data, others])
    start, stop = start.copy(), stop.copy()
    start[suspect], stop[suspect] = first + len(data), last + len(data)
    return read_only((together, start, stop))


@kernel()
def _suspects(data, start, stop):  # type: ignore[no-untyped-def]
    """Whether there is @, <, &, :/ or www in each text; all kinds of junk have one of them."""
    found = np.empty(len(start), np.bool_)
    for text in range(len(start)):
        found[text] = _is_suspect(data, start[text], stop[text])
    return found


@kernel()
def _is_suspect(data, first, stop):  # type: ignore[no-untyped-def]
    one, two, last, last_but_one = np.uint64(1), np.uint64(2), np.uint64(63), np.uint64(62)
    colon_before = letter_before = np.uint64(0)
    place = first
    while place + 64 <= stop:
        colon, letter = among(data, place, 58, 58), among(data, place, 119, 119) | among(data, place, 87, 87)
        signs = among(data, place, 64, 64) | among(data, place, 60, 60) | among(data, place, 38, 38)
        signs |= among(data, place, 47, 47) & ((colon << one) | (colon_before >> last))
        second = letter & ((letter << one) | (letter_before >> last))
        signs |= second & ((letter << two) | (letter_before >> last_but_one))
        if signs:
            return True
        colon_before, letter_before = colon, letter
        place += 64
    for i in range(place, stop):
        byte = data[i]
        if byte == 64 or byte == 60 or byte == 38:
            return True
        if byte == 47 and i > first and data[i - 1] == 58:
            return True
        if byte | 32 == 119 and i > first + 1 and data[i - 1] | 32 == 119 and data[i - 2] | 32 == 119:
            return True
    return False
