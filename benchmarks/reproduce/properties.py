"""The three properties that the paper asks of its vectors, and its inequality, as numbers.

    python -m benchmarks.reproduce.properties MODEL [WORD,WORD …]

The pairs of words stand in one relation, such as `great,greater big,bigger`; without two of them the first property is
left out.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import spearmanr

from chronotope.analysis.own_vectors import unit_vectors
from chronotope.embeddings import ConditionedEmbeddings, load

SHUFFLES = 200
# The second property is measured on this many words, the most frequent ones.
WORDS = 1000


def relation(
    model: ConditionedEmbeddings, pairs: Sequence[tuple[str, str]], *, min_count: int = 5, seed: int = 1
) -> dict[str, float | None]:
    """Return the first property: how well the difference vectors of related pairs agree.

    Returns
    -------
    `agreement` of different pairs in one condition and `by_chance` that of wrong pairs of the same words, both mean
    cosines over the conditions; `across`, the mean cosine of a pair with itself in other conditions. None if there are
    too few pairs whose words occur often enough.
    """
    rng = np.random.default_rng(seed)
    agreement, by_chance = [], []
    differences: dict[tuple[str, str], list[NDArray[np.float64]]] = {pair: [] for pair in pairs}
    for label in model.conditions.labels:
        here = [pair for pair in pairs if all(model.count(word, label) >= min_count for word in pair)]
        if not here:
            continue
        first, second = (
            model.project([pair[side] for pair in here], label, label).astype(np.float64) for side in (0, 1)
        )
        for pair, difference in zip(here, unit_vectors(second - first), strict=True):
            differences[pair].append(difference)
        if len(here) > 1:
            agreement.append(_mean_cosine(unit_vectors(second - first)))
        if len(here) > 2:
            by_chance += [_mean_cosine(unit_vectors(second[_cycle(len(here), rng)] - first)) for _ in range(SHUFFLES)]
    across = [_mean_cosine(np.array(rows)) for rows in differences.values() if len(rows) > 1]
    return {"agreement": _mean(agreement), "by_chance": _mean(by_chance), "across": _mean(across)}


def consistency(model: ConditionedEmbeddings, *, min_count: int = 5) -> dict[str, Any]:
    """Return the second property: the mean cosine of a word with itself by the number of time bins between.

    Returns
    -------
    `similarity` at each lag from 1 on, the number of `words` (those that occur often enough in all bins), and the share
    of words that are `nearer` at the shortest lag than at the longest. The conditions are time bins.
    """
    matrices = [model.matrix(label, min_count) for label in model.conditions.labels]
    counts, seen = np.zeros(len(model), dtype=np.int64), np.zeros(len(model), dtype=np.int64)
    for matrix in matrices:
        counts[matrix.word] += matrix.support
        seen[matrix.word] += 1
    words = np.flatnonzero(seen == len(matrices))
    words = np.sort(words[np.lexsort((words, -counts[words]))[:WORDS]])
    rows = np.stack([m.unit[np.searchsorted(m.word, words)] for m in matrices], axis=1).astype(np.float64)
    cosines = [np.multiply(rows[:, :-lag], rows[:, lag:]).sum(axis=2) for lag in range(1, len(matrices))]
    nearer = float((cosines[0].mean(axis=1) > cosines[-1].mean(axis=1)).mean())
    return {"similarity": [float(lag.mean()) for lag in cosines], "words": len(words), "nearer": nearer}


def deviations(model: ConditionedEmbeddings, *, min_count: int = 5) -> tuple[dict[str, float], float]:
    """Return the third property: how much of each word is its own, largest first, and whether that is its change.

    A word's own part is the length of its deviation over that of its vector, mean over conditions. The second number is
    the rank correlation with 1 − the mean cosine between conditions.
    """
    total, many = np.zeros(len(model)), np.zeros(len(model), dtype=np.int64)
    sums, squares = np.zeros((len(model), model.dimensions)), np.zeros(len(model))
    for condition, label in enumerate(model.conditions.labels):
        begin, end = model.observed.start[condition : condition + 2]
        enough = model.observed.counts_in(condition) >= min_count
        words = model.observed.words_in(condition)[enough]
        whole = model.vectors[begin:end][enough].astype(np.float64)
        own = whole - model.common[words] * model.condition_factors[condition]
        length = np.linalg.norm(whole, axis=1)
        total[words] += np.linalg.norm(own, axis=1) / np.where(length == 0, 1, length)
        unit = model.matrix(label, min_count).unit.astype(np.float64)
        many[words] += 1
        sums[words] += unit
        squares[words] += np.square(unit).sum(axis=1)
    kept = np.flatnonzero(many >= 2)
    # The squared length of a sum of unit vectors is the sum of all their cosines.
    stability = (np.square(sums).sum(axis=1) - squares)[kept] / (many * (many - 1))[kept]
    own_part = (total / np.maximum(many, 1))[kept]
    order = np.lexsort((kept, -own_part))
    ranked = {model.words[kept[at]]: float(own_part[at]) for at in order.tolist()}
    return ranked, float(spearmanr(own_part, 1 - stability).statistic)


def condition_bound(model: ConditionedEmbeddings) -> NDArray[np.float64]:
    """Return the ratios ‖v ⊙ (q_a − q_b)‖² / ‖v‖² ‖q_a − q_b‖² over words v and neighboring conditions a, b.

    None can be above 1; the paper says ½, which is false. Empty for methods without condition vectors.
    """
    common = np.square(model.common.astype(np.float64))
    common = common[common.any(axis=1)]
    ratios = [np.empty(0)]
    for a, b in model.conditions.graph().edges.tolist():
        step = np.square(model.condition_factors[a].astype(np.float64) - model.condition_factors[b])
        if step.any():
            ratios.append(np.multiply(common, step).sum(axis=1) / (common.sum(axis=1) * step.sum()))
    return np.concatenate(ratios)


def _cycle(size: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Return a random permutation in which nothing stays in its place."""
    order = rng.permutation(size)
    other = np.empty_like(order)
    other[order] = np.roll(order, 1)
    return other


def _mean_cosine(unit: NDArray[np.float64]) -> float:
    """Return the mean cosine over all pairs of different rows."""
    total = np.square(unit.sum(axis=0)).sum() - np.square(unit).sum()
    return float(total / (len(unit) * (len(unit) - 1)))


def _mean(values: Sequence[float]) -> float | None:
    return float(np.mean(values)) if values else None


def main() -> None:
    """Print the properties of a model as JSON."""
    model, pairs = load(sys.argv[1]), [(a, b) for a, b in (pair.split(",") for pair in sys.argv[2:])]
    ratios = condition_bound(model)
    found = {
        "relation": relation(model, pairs) if len(pairs) > 1 else None,
        "consistency": consistency(model) if model.conditions.axis == "time" else None,
        "deviations": deviations(model)[1],
        "largest_ratio": float(ratios.max()) if len(ratios) else None,
    }
    print(json.dumps(found, indent=2))


if __name__ == "__main__":
    main()
