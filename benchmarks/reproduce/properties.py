"""The three properties that the paper asks of its vectors, and its inequality, as numbers.

    python -m benchmarks.reproduce.properties MODEL [WORD,WORD …]

The pairs of words stand in one relation, such as `great,greater big,bigger`; without two of them the first property is
left out.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.stats import spearmanr

import chronotope as ct
from chronotope.analysis.own_vectors import unit_vectors
from chronotope.embeddings import ConditionedEmbeddings, load

SHUFFLES = 200


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


def nearness(model: ConditionedEmbeddings, *, min_count: int = 5, most: int = 1000) -> dict[str, object]:
    """Return the second property, for a model over time: the mean cosine of words with themselves, by distance in bins.

    It is measured on the most frequent words that occur often enough in every bin. `nearer` is the share of them that
    are closer to themselves one bin apart than at the greatest distance.
    """
    labels = model.conditions.labels
    throughout = [word for word in model.words if min(model.count(word, label) for label in labels) >= min_count]
    words = sorted(throughout, key=lambda word: -sum(model.count(word).values()))[:most]
    unit = np.stack([model.project(words, label, label) for label in labels]).astype(np.float64)
    by_lag = [np.multiply(unit[:-lag], unit[lag:]).sum(axis=2).mean(axis=0) for lag in range(1, len(labels))]
    nearer = float(np.mean(by_lag[0] > by_lag[-1]))
    return {"similarity": [float(cosines.mean()) for cosines in by_lag], "words": len(words), "nearer": nearer}


def own_deviation(model: ConditionedEmbeddings, *, min_count: int = 5) -> float:
    """Return the third property: the rank correlation of a word's own deviation with its change over all conditions.

    The deviation from the common vector is relative to the length of the whole vector; mean over conditions.
    """
    answer = ct.stable(model, min_count=min_count, min_conditions=2, top=len(model))
    own = []
    for word in answer["word"]:
        parts = [model.parts(word, label) for label, count in model.count(word).items() if count >= min_count]
        own.append(np.mean([np.linalg.norm(alone) / np.linalg.norm(shared + alone) for shared, alone in parts]))
    return float(spearmanr(own, 1 - answer["stability"].to_numpy()).statistic)


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
        "nearness": nearness(model),
        "own_deviation": own_deviation(model),
        "largest_ratio": float(ratios.max()) if len(ratios) else None,
    }
    print(json.dumps(found, indent=2))


if __name__ == "__main__":
    main()
