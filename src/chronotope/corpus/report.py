"""What a corpus holds: how much text each condition has, and what to be wary of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

# Below so many tokens the vectors of a condition rest on little; the regions of the paper have about a million each.
SMALL = 50_000
# A first or last time bin with less than this share of what its neighbors hold was probably cut off.
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
        'partial?' for a first or last time bin with less than a quarter of the text of its neighbors (the median of
        the next three), 'small' for fewer than 50,000 tokens, else nothing.
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


def flags(tokens: Sequence[int], time_of: Sequence[int]) -> list[str]:
    """The flag of each condition.

    Parameters
    ----------
    tokens
        The tokens of each condition.
    time_of
        The position of its time bin; empty without a time axis.

    Examples
    --------
    >>> flags([90_000, 800_000, 700_000, 900_000, 20_000], range(5))
    ['partial?', '', '', '', 'partial?']
    >>> flags([90_000, 20_000], [])
    ['', 'small']
    """
    found = ["small" if count < SMALL else "" for count in tokens]
    if len(time_of):
        totals = np.bincount(np.asarray(time_of), np.asarray(tokens, dtype=np.float64))
        if len(totals) > NEIGHBORS:
            for bin_number, neighbors in (
                (0, totals[1 : NEIGHBORS + 1]),
                (len(totals) - 1, totals[-NEIGHBORS - 1 : -1]),
            ):
                if totals[bin_number] < PARTIAL_SHARE * float(np.median(neighbors)):
                    found = ["partial?" if t == bin_number else flag for t, flag in zip(time_of, found, strict=True)]
    return found
