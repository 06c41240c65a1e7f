"""What a corpus holds: how much text each condition has, and what to be wary of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from chronotope.corpus.dates import read_dates

# Below so many tokens the vectors of a condition rest on little; the regions of the paper have about a million each.
SMALL = 50_000
# A first or last time bin with less than this share of what its neighbors hold was probably cut off; so was one whose
# dates leave this share of it empty, beyond what its neighbors leave.
PARTIAL_SHARE = 0.25
NEIGHBORS = 3
# A word seen less often than this in the whole corpus is rare.
RARE = 5


@dataclass(frozen=True)
class ConditionReport:
    """What one condition holds.

    Attributes
    ----------
    condition
        Its label.
    documents, tokens
        How many there are, held-out ones included.
    vocabulary
        The number of distinct words.
    duplicates
        Documents whose exact text stood in the corpus before.
    rare
        The share of the tokens whose word is seen fewer than 5 times in the whole corpus: names, typing errors, and
        bad OCR.
    flag
        'partial?' for a first time bin that begins late, a last one that ends early (by a quarter of its length more
        than any of the next three), and one with less than a quarter of the text of its neighbors (the median of
        the next three); 'small' for fewer than 50,000 tokens, else nothing.
    """

    condition: str
    documents: int
    tokens: int
    vocabulary: int
    duplicates: int
    rare: float
    flag: str = ""


@dataclass(frozen=True)
class CorpusReport:
    """What a corpus holds.

    Attributes
    ----------
    conditions
        One report a condition.
    rows
        The rows that were read, good and bad.
    documents, tokens, vocabulary, duplicates
        Over all conditions.
    held_out
        The documents that are set aside.
    left_out, outside
        The rows that the filter (where) left out, and those that lie outside the named bins.
    unspaced
        The tokens in scripts that write no blanks between words.
    phrases
        The sequences of words that were joined.
    """

    conditions: tuple[ConditionReport, ...]
    rows: int
    documents: int
    tokens: int
    vocabulary: int
    duplicates: int
    held_out: int = 0
    left_out: int = 0
    outside: int = 0
    unspaced: int = 0
    phrases: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """As plain data for JSON."""
        data = asdict(self)
        data["conditions"] = [asdict(condition) for condition in self.conditions]
        data["phrases"] = list(self.phrases)
        return data

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> CorpusReport:
        """The report that `to_dict` described."""
        conditions = tuple(ConditionReport(**condition) for condition in data["conditions"])
        return cls(**{**data, "conditions": conditions, "phrases": tuple(data["phrases"])})


class Empty(NamedTuple):
    """How much of each time bin is empty at its ends, as shares of its length.

    Attributes
    ----------
    before, after
        (B,) what lies before the first date in it, and after the last.
    """

    before: NDArray[np.float64]
    after: NDArray[np.float64]


def empty_ends(written: pl.Series, bin_of: NDArray[np.integer], days: Sequence[tuple[int, int]]) -> Empty:
    """How much of each time bin is empty at its ends; only the first and the last few are looked at.

    A date that is as coarse as its bin fills it.

    Parameters
    ----------
    written
        (N,) the dates as they are written.
    bin_of
        (N,) the time bin of each.
    days
        The first and the last day of each bin.
    """
    ends = Empty(np.zeros(len(days)), np.zeros(len(days)))
    # Of timestamps nearly all differ, of their days few do.
    is_stamp = (pl.col("date").str.slice(4, 1) == "-") & pl.col("date").str.slice(10, 1).is_in(["T", " "])
    day = pl.when(is_stamp).then(pl.col("date").str.slice(0, 10)).otherwise(pl.col("date"))
    written = written.to_frame("date").select(day)["date"]
    for number in {*range(len(days))[: NEIGHBORS + 1], *range(len(days))[-NEIGHBORS - 1 :]}:
        dates = read_dates(written.filter(pl.Series(bin_of == number)).unique())
        first, last = days[number]
        length = last - first + 1
        ends.before[number] = (dates.first_day.min() - first) / length
        ends.after[number] = (last - dates.last_day.max()) / length
    return ends


def flags(tokens: Sequence[int], time_of: Sequence[int], empty: Empty | None = None) -> list[str]:
    """The flag of each condition.

    Parameters
    ----------
    tokens
        The tokens of each condition.
    time_of
        The position of its time bin; empty without a time axis.
    empty
        How much of each time bin lies before its first date and after its last.

    Examples
    --------
    >>> flags([90_000, 800_000, 700_000, 900_000, 20_000], range(5))
    ['partial?', '', '', '', 'partial?']
    >>> flags([90_000, 80_000], range(2), Empty(np.array([0.0, 0.1]), np.array([0.0, 0.6])))
    ['', 'partial?']
    >>> flags([90_000, 20_000], [])
    ['', 'small']
    """
    found = ["small" if count < SMALL else "" for count in tokens]
    if len(time_of):
        totals = np.bincount(np.asarray(time_of), np.asarray(tokens, dtype=np.float64))
        last = len(totals) - 1
        for bin_number, neighbors, side in (
            (0, slice(1, NEIGHBORS + 1), empty and empty.before),
            (last, slice(max(last - NEIGHBORS, 0), last), empty and empty.after),
        ):
            cut = last >= NEIGHBORS and totals[bin_number] < PARTIAL_SHARE * float(np.median(totals[neighbors]))
            if side is not None and last:
                cut |= bool(side[bin_number] > side[neighbors].max() + PARTIAL_SHARE)
            if cut:
                found = ["partial?" if t == bin_number else flag for t, flag in zip(time_of, found, strict=True)]
    return found
