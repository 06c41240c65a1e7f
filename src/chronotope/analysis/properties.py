"""The properties that the paper asks of conditioned embeddings, as measured facts.

The first, that relations keep their direction, is `chronotope.analysis.analogy.relation`. Here are the second, that a
word is more alike in near conditions than in distant ones, and the third, that words change to different degrees.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chronotope.analysis.old_answer import Answer
from chronotope.analysis.stability import Stability
from chronotope.config import at_least
from chronotope.embeddings import ConditionedEmbeddings

# How many words, the most frequent of those that can be judged, the second property is measured on.
MOST_WORDS = 1000


@dataclass(frozen=True)
class Consistency(Answer):
    """The second property: how alike words are to themselves so many time bins later.

    Attributes
    ----------
    lags
        How many bins lie between.
    similarity
        The mean cosine of a word with itself at each lag, over words and bins.
    words
        How many words were measured.
    nearer
        The share of words that are more alike at the shortest lag than at the longest.
    """

    lags: tuple[int, ...]
    similarity: tuple[float, ...]
    words: int
    nearer: float


@dataclass(frozen=True)
class Deviation(Answer):
    """How much of a word is its own in each condition.

    Attributes
    ----------
    word
        The word.
    own
        The length of its own part over that of its whole vector, mean over conditions: 0, it only moves with all words.
    conditions
        In how many conditions that is.
    """

    word: str
    own: float
    conditions: int


@dataclass(frozen=True)
class Deviations(Answer):
    """The third property: words by the size of their own deviation.

    Attributes
    ----------
    rows
        The words, the largest first.
    agreement
        The rank correlation (Spearman) of the deviation with the change that the cosines show (1 − stability); None
        where they cannot be compared.
    signature
        How the embeddings were made.
    """

    rows: tuple[Deviation, ...] = field(repr=False)
    agreement: float | None
    signature: str

    def to_dict(self, top: int = 20) -> dict[str, Any]:
        """As plain data for JSON: both ends of the list."""
        return {
            "largest": [row.to_dict() for row in self.rows[:top]],
            "smallest": [row.to_dict() for row in self.rows[: -top - 1 : -1]],
            "words": len(self.rows),
            "agreement": self.agreement,
            "signature": self.signature,
        }


@dataclass(frozen=True)
class ConditionBound(Answer):
    """How ‖v ⊙ (q_a − q_b)‖² compares with ‖v‖² ‖q_a − q_b‖² over words v and neighboring conditions a, b.

    Attributes
    ----------
    largest
        The largest ratio of the two; it cannot be above 1.
    above_half
        The share of ratios above ½, where the paper's inequality is false.
    ratios
        How many were looked at; 0 where the method has no condition vectors.
    """

    largest: float
    above_half: float
    ratios: int


def consistency(embeddings: ConditionedEmbeddings, *, min_count: int = 5) -> Consistency | None:
    """How alike words are to themselves over longer and longer times; None where there are not three bins in a row,
    or where each condition has a space of its own.

    Measured on the words with enough support in all the time bins (over time × place: of a place) of the series.

    Parameters
    ----------
    embeddings
        The embeddings.
    min_count
        A word counts where it occurs at least so often in every bin.
    """
    at_least("min_count", min_count, 1)
    if embeddings.query_mapping is not None:
        return None
    sums: dict[int, list[float]] = {}
    words, nearer = 0, 0
    for line in _timelines(embeddings):
        rows = _present_throughout(embeddings, line, min_count)
        if len(line) < 3 or not len(rows):
            continue
        first, last = np.zeros(len(rows)), np.zeros(len(rows))
        for lag in range(1, len(line)):
            cosines = np.multiply(rows[:, :-lag], rows[:, lag:]).sum(axis=2)
            sums.setdefault(lag, []).append(float(cosines.mean()))
            first = cosines.mean(axis=1) if lag == 1 else first
            last = cosines.mean(axis=1)
        words += len(rows)
        nearer += int(np.count_nonzero(first > last))
    if not words:
        return None
    lags = tuple(sorted(sums))
    return Consistency(lags, tuple(float(np.mean(sums[lag])) for lag in lags), words, nearer / words)


def deviations(embeddings: ConditionedEmbeddings, stability: Stability) -> Deviations:
    """Words by the size of their own deviation, and whether that tells the same as the cosines between conditions.

    Parameters
    ----------
    embeddings
        The embeddings.
    stability
        What `stable` found; the same words are ranked, in the same conditions.
    """
    total, count = np.zeros(len(embeddings)), np.zeros(len(embeddings), dtype=np.int64)
    for condition in range(len(embeddings.conditions)):
        begin, end = embeddings.observed.start[condition : condition + 2]
        enough = embeddings.observed.counts_in(condition) >= stability.min_count
        words = embeddings.observed.words_in(condition)[enough]
        whole = embeddings.vectors[begin:end][enough].astype(np.float64)
        own = whole - embeddings.common[words] * embeddings.condition_factors[condition]
        length = np.sqrt(np.square(whole).sum(axis=1))
        length[length == 0] = 1
        total[words] += np.sqrt(np.square(own).sum(axis=1)) / length
        count[words] += 1
    numbers = np.array([embeddings.index(row.word) for row in stability.rows], dtype=np.int64)
    sizes = total[numbers] / np.maximum(count[numbers], 1)
    order = np.lexsort((numbers, -sizes))
    rows = tuple(Deviation(stability.rows[at].word, float(sizes[at]), int(count[numbers[at]])) for at in order.tolist())
    changes = np.array([1 - row.stability for row in stability.rows])
    return Deviations(rows, _spearman(sizes, changes), embeddings.signature)


def condition_bound(embeddings: ConditionedEmbeddings) -> ConditionBound:
    """Whether the words move between neighboring conditions as little as their condition vectors say.

    For a word without a deviation the move is v ⊙ (q_a − q_b), and Σ v_k² (q_a − q_b)_k² ≤ ‖v‖² ‖q_a − q_b‖². The paper
    writes half of that, which is false where v and the difference lie along the same coordinate.

    Examples
    --------
    >>> from chronotope.conditions import Conditions
    >>> from chronotope.cooccurrence.vocabulary import Support
    >>> support = Support(np.array([0, 1, 2]), np.array([0, 0]), np.array([9, 9]))
    >>> along_one_axis = ConditionedEmbeddings(["a"], Conditions.of_times(["1", "2"]), support, [[1, 0], [2, 0]],
    ...     common=[[1, 0]], condition_factors=[[1, 1], [2, 1]])
    >>> condition_bound(along_one_axis).largest
    1.0
    """
    common = np.square(embeddings.common.astype(np.float64))
    lengths = common.sum(axis=1)
    ratios = []
    for a, b in embeddings.conditions.graph().edges.tolist():
        step = np.square(embeddings.condition_factors[a].astype(np.float64) - embeddings.condition_factors[b])
        if step.sum() > 0:
            moved = np.multiply(common, step).sum(axis=1)
            ratios.append(moved[lengths > 0] / (lengths[lengths > 0] * step.sum()))
    if not ratios:
        return ConditionBound(0.0, 0.0, 0)
    every = np.concatenate(ratios)
    return ConditionBound(float(every.max()), float((every > 0.5).mean()), len(every))


def _timelines(embeddings: ConditionedEmbeddings) -> list[list[int]]:
    """The conditions in order of time, for each place."""
    conditions = embeddings.conditions
    if not conditions.times:
        return []
    found: dict[int, list[int]] = {}
    for number in range(len(conditions)):
        found.setdefault(conditions.place_of[number] if conditions.places else 0, []).append(number)
    return list(found.values())


def _present_throughout(embeddings: ConditionedEmbeddings, line: list[int], min_count: int) -> NDArray[np.float64]:
    """(W, T, D) the unit vectors of the words with enough support in all conditions, the most frequent of them."""
    support = np.zeros(len(embeddings), dtype=np.int64)
    seen = np.zeros(len(embeddings), dtype=np.int64)
    matrices = [embeddings.matrix(embeddings.conditions.labels[condition], min_count) for condition in line]
    for matrix in matrices:
        support[matrix.word] += matrix.support
        seen[matrix.word] += 1
    words = np.flatnonzero(seen == len(line))
    words = np.sort(words[np.lexsort((words, -support[words]))[:MOST_WORDS]])
    rows = [matrix.unit[np.searchsorted(matrix.word, words)] for matrix in matrices]
    return np.stack(rows, axis=1).astype(np.float64)


def _spearman(one: NDArray[np.float64], other: NDArray[np.float64]) -> float | None:
    from scipy.stats import spearmanr

    if len(one) < 3 or np.ptp(one) == 0 or np.ptp(other) == 0:
        return None
    return float(spearmanr(one, other).statistic)
