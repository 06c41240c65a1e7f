"""Does a word have a counterpart in another condition?

There is always a nearest word. A counterpart is nearer than its rivals: its cosine with the word exceeds, by a margin,
the mean of two other cosines, of the word with its nearest neighbor in the source, and of the candidate with the
nearest word of the source. The margin is calibrated on words without a counterpart: for words of both conditions the
word itself is removed from the target, so that the best remaining match is false. Rare words get a separate margin.
"""

from math import ceil
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from chronotope.embeddings.nearest import Floats, nearest
from chronotope.embeddings.retrieval import ConditionMatrix

WORDS = 600  # removed words, evenly spaced by frequency
GROUPS, GROUP_WORDS = 3, 100  # groups by frequency, and the fewest words of a group


class Bar(NamedTuple):
    """The margin by which a counterpart must be nearer than its rivals, for groups of words by falling frequency."""

    margins: tuple[float, ...]  # infinite if there are too few words to calibrate
    least: tuple[int, ...]  # the smallest count of each group but the last
    rate: float | None  # false-match rate of removed words, cross-validated; None if unknown
    words: int  # number of removed words

    def margin(self, count: int) -> float:
        """Return the margin for a word with this count."""
        return self.margins[sum(count < least for least in self.least)]


def own_similarity(words: NDArray[np.int64], unit: Floats, pool: ConditionMatrix) -> NDArray[np.float64]:
    """Return the cosine of each word with its nearest other word of the pool; 0 if there is none."""
    found = nearest(unit, pool.unit, 2)
    other = np.where(pool.word[found.row] == words[:, None], 0.0, found.cosine)
    return np.asarray(other.max(axis=1, initial=-1.0 if len(pool.word) > 1 else 0.0))


def excess_of_removed(source: ConditionMatrix, moved: Floats, target: ConditionMatrix) -> NDArray[np.float64]:
    """Return (2, N) the counts of removed words, falling, and the margin of their false matches over the rivals.

    `moved` are the vectors of the source in the space of the target.
    """
    _, one, other = np.intersect1d(source.word, target.word, return_indices=True)
    if len(target.word) < 2 or not len(one):
        return np.empty((2, 0))
    order = np.argsort(-source.support[one], kind="stable")
    order = order[np.unique(np.linspace(0, len(order) - 1, min(WORDS, len(order))).round().astype(int))]
    one, other = one[order], other[order]
    found = nearest(moved[one], target.unit, 2)
    best = (np.arange(len(one)), (found.row[:, 0] == other).astype(int))
    back = nearest(target.unit[found.row[best]], moved, 1).cosine[:, 0]
    own = own_similarity(source.word[one], source.unit[one], source)
    return np.array([source.support[one], found.cosine[best] - (own + back) / 2])


def calibrate(removed: NDArray[np.float64], chance: float) -> Bar:
    """Return the margins that the removed words of `excess_of_removed` exceed with probability `chance`."""
    counts, excess = removed
    parts = np.array_split(np.arange(len(excess)), max(1, min(GROUPS, len(excess) // GROUP_WORDS)))
    least = tuple(int(counts[part[-1]]) for part in parts[:-1])
    halves = [(part[::2], part[1::2]) for part in parts]
    folds = [(a, _quantile(excess[b], chance)) for half in halves for a, b in (half, half[::-1])]
    known = len(excess) and all(margin < np.inf for _, margin in folds)
    rate = sum(int((excess[a] >= margin).sum()) for a, margin in folds) / len(excess) if known else None
    return Bar(tuple(_quantile(excess[part], chance) for part in parts), least, rate, len(excess))


def _quantile(values: NDArray[np.float64], chance: float) -> float:
    """Return the value that a new one exceeds with probability at most `chance`; infinite with too few values."""
    rank = ceil((len(values) + 1) * (1 - chance))
    return float(np.sort(values)[rank - 1]) if 0 < rank <= len(values) else -np.inf if rank == 0 else np.inf
