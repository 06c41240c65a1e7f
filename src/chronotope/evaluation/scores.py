"""What an evaluation found: the scores, how many pairs could be answered at all, and how sure they are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from chronotope.evaluation.bootstrap import Interval, intervals
from chronotope.evaluation.metrics import CUTOFFS, METRICS, gains, mean_precision, mean_reciprocal_rank
from chronotope.evaluation.pairs import TestPair
from chronotope.frames import Framed, table

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True)
class Summary:
    """The scores over some pairs.

    Attributes
    ----------
    pairs
        How many pairs.
    answerable
        How many of them could be answered: both words and both conditions are known, and the answer is a candidate.
    mrr
        The mean reciprocal rank of the right answer; a pair that cannot be answered counts as wrong.
    mp
        For k = 1, 3, 5, 10 the share of pairs with the right answer among the first k.
    mrr_answerable
        The MRR over the answerable pairs only; 0 where there are none.
    intervals
        For each metric the 95 % interval, by resampling the words that are asked about; empty without pairs.
    """

    pairs: int
    answerable: int
    mrr: float
    mp: Mapping[int, float]
    mrr_answerable: float
    intervals: Mapping[str, Interval]

    def to_dict(self) -> dict[str, Any]:
        """As plain data for JSON; without pairs no score is known, and each is None."""
        return {
            "mrr": self._known(self.mrr),
            **{f"mp@{k}": self._known(value) for k, value in self.mp.items()},
            "pairs": self.pairs,
            "answerable": self.answerable,
            "mrr_answerable": self._known(self.mrr_answerable),
            "intervals": {metric: list(interval) for metric, interval in self.intervals.items()},
        }

    def _known(self, score: float) -> float | None:
        """A score; None where there are no pairs to score."""
        return score if self.pairs else None


@dataclass(frozen=True)
class Scores(Summary, Framed):
    """The scores of a model on test pairs.

    Attributes
    ----------
    same_word, different_words
        The scores over the pairs whose answer is the query word, and over the others: the first are easy.
    categories
        The scores of each category of the file; empty where it has none.
    test_pairs
        The pairs, in the order of the file.
    ranks
        The rank of the right answer for each pair, from 1; 0: not found.
    signature
        All that could change the scores, in one line.
    """

    same_word: Summary
    different_words: Summary
    categories: Mapping[str, Summary]
    test_pairs: tuple[TestPair, ...]
    ranks: tuple[int, ...]
    signature: str

    def _frame(self) -> pl.DataFrame:
        """A row for all pairs, for those of each kind and of each category."""
        parts: dict[str, Summary] = {"all": self, "same word": self.same_word, "different words": self.different_words}
        parts |= {f"category {name}": part for name, part in self.categories.items()}
        rows = list(parts.values())
        bounds = [tuple(row.intervals.get("mrr", (None, None))) for row in rows]
        return table(
            {
                "part": ("str", list(parts)),
                "pairs": ("int", [row.pairs for row in rows]),
                "answerable": ("int", [row.answerable for row in rows]),
                "mrr": ("float", [row._known(row.mrr) for row in rows]),
                "mrr_low": ("float", [low for low, _ in bounds]),
                "mrr_high": ("float", [high for _, high in bounds]),
                **{f"mp@{k}": ("float", [row._known(row.mp[k]) for row in rows]) for k in self.mp},
                "mrr_answerable": ("float", [row._known(row.mrr_answerable) for row in rows]),
            }
        )

    def to_dict(self) -> dict[str, Any]:
        """As plain data for JSON, without the single pairs."""
        data = super().to_dict() | {
            "signature": self.signature,
            "same_word": self.same_word.to_dict(),
            "different_words": self.different_words.to_dict(),
        }
        if self.categories:
            data["categories"] = {name: summary.to_dict() for name, summary in self.categories.items()}
        return data


def summarize(
    pairs: Sequence[TestPair],
    ranks: NDArray[np.int64],
    answerable: NDArray[np.bool_],
    chosen: NDArray[np.bool_] | None = None,
) -> Summary:
    """The scores over all the pairs, or over the chosen ones.

    Examples
    --------
    >>> pairs = [TestPair("bush", "1990", "clinton", "1995"), TestPair("bush", "1990", "obama", "2010")]
    >>> summary = summarize(pairs, np.array([2, 0]), np.array([True, False]))
    >>> summary.mrr, summary.mrr_answerable, summary.mp[3]
    (0.25, 0.5, 0.5)
    """
    if chosen is not None:
        pairs = [pair for pair, is_chosen in zip(pairs, chosen.tolist(), strict=True) if is_chosen]
        ranks, answerable = ranks[chosen], answerable[chosen]
    found = intervals(gains(ranks), [pair.query for pair in pairs]) if pairs else []
    return Summary(
        pairs=len(pairs),
        answerable=int(answerable.sum()),
        mrr=mean_reciprocal_rank(ranks),
        mp={k: mean_precision(ranks, k) for k in CUTOFFS},
        mrr_answerable=mean_reciprocal_rank(ranks[answerable]),
        intervals=dict(zip(METRICS, found, strict=False)),
    )
