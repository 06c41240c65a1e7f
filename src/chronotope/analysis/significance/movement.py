"""How much of a word's movement it shares with the whole vocabulary, and how much is its own."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from chronotope.embeddings import ConditionedEmbeddings


def own_share(
    embeddings: ConditionedEmbeddings, words: NDArray[np.int64], before: int, after: int, min_support: int
) -> NDArray[np.float64]:
    """(K,) the share of each word's movement between two conditions that is its own: 0 none, 1 all.

    The common part is what a factor for each dimension, the same for all words, makes of a word's vector. Models with
    condition vectors (cw2v) bring these factors; for others they are those that make the vectors of all words with
    enough support as large in the one condition as in the other. (Those of least squared error would be small where the
    vectors of the first condition are noisy: noise would pass for a movement of all words, and the share would depend
    on which condition comes first.) The remainder is the word's own. The share is that of the squared lengths, of
    centered vectors.

    Examples
    --------
    >>> from chronotope.conditions import Conditions
    >>> from chronotope.cooccurrence.vocabulary import Support
    >>> support = Support(np.array([0, 3, 6]), np.array([0, 1, 2] * 2), np.array([9] * 6))
    >>> moved = [[2, 0], [-1, 1], [-1, -1], [4, 0], [-2, 1], [-2, -1]]
    >>> embeddings = ConditionedEmbeddings(["a", "b", "c"], Conditions.of_times(["1990", "2000"]), support, moved)
    >>> own_share(embeddings, np.array([0, 1, 2]), 0, 1, 5).round(6).tolist()
    [0.0, 0.0, 0.0]
    """
    observed = embeddings.observed
    first, last = (observed.words_in(at)[observed.counts_in(at) >= min_support] for at in (before, after))
    shared = np.intersect1d(first, last, assume_unique=True).astype(np.int64)
    old, new = (_centered(embeddings, shared, at) for at in (before, after))
    place = np.searchsorted(shared, words)
    factors = embeddings.condition_factors
    if (factors == 1).all():
        sizes = np.square(old).sum(axis=0), np.square(new).sum(axis=0)
        # Half of the way each: the one condition grows to the mean size of both, and from there to the other's.
        half = np.divide(sizes[1], sizes[0], out=np.ones_like(sizes[0]), where=(sizes[0] > 0) & (sizes[1] > 0)) ** 0.25
        common = old[place] * (half - 1) + new[place] * (1 - 1 / half)
    else:
        apart = (factors[after] - factors[before]).astype(np.float64)
        common = embeddings.common[words] * apart - (embeddings.common[shared] * apart).mean(axis=0)
    own = new[place] - old[place] - common
    squares = np.square(own).sum(axis=1), np.square(common).sum(axis=1)
    total = squares[0] + squares[1]
    return np.asarray(np.divide(squares[0], total, out=np.zeros(len(words)), where=total > 0))


def _centered(embeddings: ConditionedEmbeddings, words: NDArray[np.int64], condition: int) -> NDArray[np.float64]:
    observed = embeddings.observed
    pairs = observed.start[condition] + np.searchsorted(observed.words_in(condition), words)
    return np.asarray(embeddings.vectors[pairs].astype(np.float64) - embeddings.center[condition])
