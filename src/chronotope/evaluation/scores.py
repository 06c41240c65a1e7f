"""MRR and MP@k of ranks, and bootstrap intervals over the words that are asked about.

A rank is the place of the right answer among the candidates, from 1; 0: not found. Intervals resample query words, not
pairs: twenty questions about one office-holder are not independent.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from chronotope.embeddings import ConditionedEmbeddings
from chronotope.evaluation.pairs import Labels, PairSource, TestPairs, read_pairs
from chronotope.io.provenance import checksum_of

CUTOFFS = (1, 3, 5, 10)
METRICS = ("mrr", *(f"mp@{k}" for k in CUTOFFS))
RESAMPLES = 1000
SEED = 1
TAILS = ((1 - 0.95) / 2, (1 + 0.95) / 2)
Floats = NDArray[np.float64]


class Scores(NamedTuple):
    """The rank of each pair's answer; a pair is `answerable` if the model knows it and its answer is a candidate."""

    pairs: TestPairs
    ranks: NDArray[np.int64]
    answerable: NDArray[np.bool_]
    signature: str
    fallback: int  # pairs whose query is absent from its condition, answered from its other conditions

    def to_dict(self) -> dict[str, Any]:
        """Return the scores as plain data: of all pairs, of same-word pairs and the others, and of each category."""
        pairs = self.pairs.pairs
        query = np.array([pair.query for pair in pairs], dtype=object)
        same = np.array([pair.query == pair.answer for pair in pairs])
        category = np.array([pair.category or "(none)" for pair in pairs])
        names = sorted(set(category.tolist()))

        def part(chosen: Any) -> dict[str, Any]:
            return summarize(query[chosen].tolist(), self.ranks[chosen], self.answerable[chosen])

        data = part(slice(None)) | {"fallback": self.fallback, "signature": self.signature}
        data |= {"same_word": part(same), "different_words": part(~same)}
        return data if names == ["(none)"] else data | {"categories": {name: part(category == name) for name in names}}


def score(
    model: ConditionedEmbeddings,
    pairs: PairSource,
    min_count: int = 5,
    retrieval: str = "csls",
    depth: int = 10,
    role_map: bool | None = None,
) -> Scores:
    """Return the ranks of a model on test pairs, with one batch of queries per pair of conditions."""
    asked = read_pairs(pairs, model.conditions.labels)
    labels = Labels(model.conditions.labels)
    ranks, answerable = np.zeros(len(asked.pairs), np.int64), np.zeros(len(asked.pairs), bool)
    batches: dict[tuple[str, str], list[int]] = {}
    how: dict[str, Any] = {"min_count": min_count, "retrieval": retrieval, "role_map": role_map}
    for number, pair in enumerate(asked.pairs):
        at, to = labels.known(pair.query_condition), labels.known(pair.answer_condition)
        if at and to and pair.query in model and pair.answer in model and model.count(pair.answer, to) >= min_count:
            answerable[number] = True
            batches.setdefault((at, to), []).append(number)
    for (at, to), numbers in batches.items():
        queries = list(dict.fromkeys(asked.pairs[number].query for number in numbers))
        answers = model.equivalents(queries, at, to, depth, **how, fallback=True)
        words = {query: [match.word for match in found] for query, found in zip(queries, answers, strict=True)}
        for number in numbers:
            found, answer = words[asked.pairs[number].query], asked.pairs[number].answer
            ranks[number] = found.index(answer) + 1 if answer in found else 0
    index = model.conditions.index
    mapped = any(model.search.takes_role_map(index(at), index(to), role_map) for at, to in batches)
    absent = sum(not model.count(asked.pairs[one].query, at) for (at, _), some in batches.items() for one in some)
    ranking = f"{retrieval}|{'role maps|' if mapped else ''}absent queries from other conditions:{absent}"
    signature = (
        f"{asked.name}|depth:{depth}|oov:wrong|pairs:{len(ranks)}|answerable:{answerable.sum()}|min count:{min_count}|"
        f"{ranking}|checksum:{checksum_of([astuple(pair) for pair in asked.pairs])[:8]}|{model.signature}"
    )
    return Scores(asked, ranks, answerable, signature, absent)


def gains(ranks: ArrayLike) -> NDArray[np.float64]:
    """(N, metrics) the contribution of each pair to each of `METRICS`, which is the mean of its column.

    >>> gains([2, 0]).tolist()
    [[0.5, 0.0, 1.0, 1.0, 1.0], [0.0, 0.0, 0.0, 0.0, 0.0]]
    """
    ranks = np.asarray(ranks, dtype=np.int64)
    within = [(ranks > 0) & (ranks <= k) for k in CUTOFFS]
    return np.column_stack([np.where(ranks > 0, 1 / np.maximum(ranks, 1), 0.0), *within]).astype(np.float64)


def summarize(queries: Sequence[str], ranks: NDArray[np.int64], answerable: NDArray[np.bool_]) -> dict[str, Any]:
    """Return the scores over some pairs as plain data; without pairs every score is None.

    >>> scores = summarize(["bush", "bush"], np.array([2, 0]), np.array([True, False]))
    >>> scores["mrr"], scores["mrr_answerable"], scores["mp@3"]
    (0.25, 0.5, 0.5)
    """
    values = gains(ranks)
    means = [float(column.mean()) if len(values) else None for column in values.T]
    answered = values[answerable, 0]
    return {
        **dict(zip(METRICS, means, strict=True)),
        "pairs": len(values),
        "answerable": int(answerable.sum()),
        "mrr_answerable": (float(answered.mean()) if len(answered) else 0.0) if len(values) else None,
        "intervals": dict(zip(METRICS, map(list, intervals(values, queries)), strict=False)) if len(values) else {},
    }


def resampled_means(values: ArrayLike, clusters: Sequence[str]) -> Floats:
    """(RESAMPLES, M) the mean of each column of the (N, M) values in each resample of whole clusters."""
    values = np.asarray(values, dtype=np.float64)
    names, cluster = np.unique(np.asarray(clusters, dtype=object), return_inverse=True)
    size = np.bincount(cluster)
    total = np.column_stack([np.bincount(cluster, column) for column in values.T])
    drawn = np.random.default_rng(SEED).multinomial(len(names), np.full(len(names), 1 / len(names)), size=RESAMPLES)
    # einsum adds in a fixed order; the last bits of a BLAS product depend on the number of threads.
    return np.asarray(np.einsum("rk,km->rm", drawn.astype(np.float64), total) / (drawn @ size)[:, None])


def intervals(values: ArrayLike, clusters: Sequence[str]) -> list[tuple[float, float]]:
    """Return the 95 % interval of the mean of each column, scores from 0 to 1; (0, 1) for a single cluster."""
    if len(set(clusters)) == 1:
        return [(0.0, 1.0)] * np.shape(values)[1]
    return [quantiles(column) for column in resampled_means(values, clusters).T]


def quantiles(resampled: NDArray[np.float64]) -> tuple[float, float]:
    """Return the bounds of the middle 95 %; resamples without a score (NaN) are left out."""
    low, high = np.quantile(resampled[~np.isnan(resampled)], TAILS)
    return float(low), float(high)


class Difference(NamedTuple):
    """How much better the second of two models is than the first, with the 95 % interval.

    `other_sign` is the share of the resamples in which the difference is zero or has the other sign. `significant`:
    the interval excludes zero; never if all pairs ask about one word.
    """

    difference: float
    difference_low: float
    difference_high: float
    other_sign: float
    significant: bool


def difference(scores: Sequence[float], resampled: Sequence[NDArray[np.float64]], several: bool = True) -> Difference:
    """Compare two scores by their values in the same resamples; `several` clusters are needed for significance."""
    found = float(scores[1] - scores[0])
    apart = resampled[1] - resampled[0]
    low, high = quantiles(apart)
    return Difference(found, low, high, float((apart * np.sign(found) <= 0).mean()), several and not low <= 0 <= high)
