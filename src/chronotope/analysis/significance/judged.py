"""What is asked of resamples, and what they say of each word."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from chronotope.analysis.significance.matched import Numbers
from chronotope.config import at_least

FIGURES = ("corrected", "noise", "low", "high", "p", "q", "stability", "seed_stability", "seed_spread")
MOST_TOP = 100


def most_changed(words: int) -> int:
    """How many words count as the most changed: a hundred, or the top tenth of a small vocabulary."""
    return min(MOST_TOP, -(-words // 10))


@dataclass(frozen=True)
class Resampling:
    """How much is resampled, and how.

    Attributes
    ----------
    permutations
        How often the conditions of documents are exchanged at random, for p and q.
    bootstrap
        How often half of the documents of each condition are drawn, for intervals and stability.
    within
        A field of the documents: only documents with the same value exchange conditions, so that a mixture of sources
        that changes is not taken for a change of meaning.
    seed
        The same seed gives the same answer.
    seeds
        How many more models are trained, each with another seed.
    """

    permutations: int = 0
    bootstrap: int = 0
    within: str | None = None
    seed: int = 1
    seeds: int = 0

    def __post_init__(self) -> None:
        for name in ("permutations", "bootstrap", "seed", "seeds"):
            at_least(name, getattr(self, name), 0)


@dataclass(frozen=True, eq=False)
class Judged:
    """What resamples say of each word; None where that was not asked.

    Attributes
    ----------
    corrected
        (K,) the score less what noise alone adds to it: 0 on average for a word that did not change.
    noise
        (K,) the score that a word of its frequency and company has without any change.
    low, high
        (K,) the ends of a 95 % interval of the corrected score.
    p, q
        (K,) how often chance does as much, and the share of false discoveries among words at least as clear.
    stability
        (K,) the share of the draws of documents in which the word is among the most changed.
    seed_stability, seed_spread
        (K,) the share of models of other seeds, and this one, in which the word is among the most changed, and the
        standard deviation of its score over them.
    """

    corrected: Numbers | None = None
    noise: Numbers | None = None
    low: Numbers | None = None
    high: Numbers | None = None
    p: Numbers | None = None
    q: Numbers | None = None
    stability: Numbers | None = None
    seed_stability: Numbers | None = None
    seed_spread: Numbers | None = None

    def in_order(self, order: NDArray[np.int64]) -> Judged:
        """The same for the words in another order."""
        given = {name: getattr(self, name) for name in FIGURES}
        return replace(self, **{name: values[order] for name, values in given.items() if values is not None})
