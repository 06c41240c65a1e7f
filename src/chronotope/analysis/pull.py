"""Which contexts make a word what it is in a condition, against what it is elsewhere.

The pull of a context j on a word is p(j | word) · max(0, log p(j | word) / p(j)): its share of the word's company times
the positive mutual information of the two, which is what the models learn from. Over all contexts it adds up to how
telling the company is. Frequencies p(j) are those of the conditions in question.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from chronotope.analysis.old_answer import Answer
from chronotope.analysis.concordance import Concordance, Term
from chronotope.analysis.sampling import evenly
from chronotope.analysis.windows import company_of, support_in

# A context that stood near the word but once pulls by chance: it has to make one whole pair, two at a distance of two.
FEWEST_PAIRS = 1.0
# So many running words are read on either side of the comparison; of more, an even choice of documents.
MOST_TOKENS = 1 << 18


@dataclass(frozen=True, slots=True)
class Pull(Answer):
    """A context and how much it makes of a word's company.

    Attributes
    ----------
    word
        The context.
    pull
        How much it pulls in the conditions that were asked about.
    elsewhere
        How much it pulls in all the others.
    share
        Its share of the word's company in the conditions that were asked about.
    """

    word: str
    pull: float
    elsewhere: float
    share: float


def strongest_pulls(
    concordance: Concordance, term: Term, conditions: NDArray[np.int64], top: int, seed: int
) -> tuple[Pull, ...]:
    """The contexts that pull a word most in some conditions, less what they pull in the others."""
    others = np.setdiff1d(np.arange(len(concordance.conditions)), conditions)
    here, share = _pulls(concordance, term, conditions, seed)
    elsewhere, _ = _pulls(concordance, term, others, seed)
    order = np.argsort(elsewhere - here, kind="stable")[:top]
    return tuple(
        Pull(concordance.counts.vocabulary.words[word], float(here[word]), float(elsewhere[word]), float(share[word]))
        for word in order.tolist()
        if here[word] > 0
    )


def _pulls(
    concordance: Concordance, term: Term, conditions: NDArray[np.int64], seed: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """(W,) how much each context pulls in some conditions together, and its share of the company."""
    documents = evenly(concordance, concordance.candidates(term, conditions), seed, MOST_TOKENS)
    company = company_of(concordance, term, np.sort(documents))
    share = company / max(company.sum(), 1)
    support = support_in(concordance, conditions)
    expected = support / max(support.sum(), 1)
    enough = (company >= FEWEST_PAIRS * concordance.counts.unit) & (expected > 0)
    ratio = np.divide(share, expected, out=np.ones_like(share), where=enough)
    return share * np.maximum(np.log(ratio), 0), share
