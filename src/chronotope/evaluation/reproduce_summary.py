"""From the ranks of single fits to the lines of a table: means over seeds, intervals, distances to the best."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chronotope.evaluation.bootstrap import Interval, intervals
from chronotope.evaluation.compare import Difference, differences
from chronotope.evaluation.metrics import METRICS, gains
from chronotope.evaluation.pairs import TestPairs
from chronotope.evaluation.reproduce_paper import PAPER_NAMES
from chronotope.evaluation.reproduce_results import WAYS, Fit


@dataclass(frozen=True)
class Kinds:
    """The MRR over kinds of pairs, with candidates chosen and ranked in one way.

    Attributes
    ----------
    retrieval, min_support
        The way.
    answerable
        How many pairs could be answered.
    mrr
        Over all pairs.
    same_word, different_words
        Over the pairs whose answer is the query word, and over the others; None where there are none.
    """

    retrieval: str
    min_support: int
    answerable: int
    mrr: float
    same_word: float | None
    different_words: float | None


@dataclass(frozen=True)
class Line:
    """A contender on a file of pairs, over all its seeds.

    Attributes
    ----------
    contender, method
        Who.
    paper_name
        What the paper calls the method; None: it does not have it.
    seeds
        The seeds.
    mean, spread
        For each metric the mean over seeds, and how far the seed that is furthest from it lies from it.
    intervals
        For each metric the 95 % interval of the mean, by resampling the words that are asked about.
    kinds
        The MRR by kinds of pairs, for each way of choosing and ranking candidates; the first is that of the metrics.
    behind
        The difference in MRR to the best contender; None for the best itself.
    seconds, peak_bytes
        What a fit took: the mean time, and the most memory.
    """

    contender: str
    method: str
    paper_name: str | None
    seeds: tuple[int, ...]
    mean: Mapping[str, float]
    spread: Mapping[str, float]
    intervals: Mapping[str, Interval]
    kinds: tuple[Kinds, ...]
    behind: Difference | None
    seconds: float
    peak_bytes: int | None

    def to_dict(self) -> dict[str, Any]:
        """As plain data for JSON."""
        behind = self.behind.to_dict() if self.behind else {}
        return {
            **vars(self),
            "seeds": list(self.seeds),
            "intervals": {metric: list(interval) for metric, interval in self.intervals.items()},
            "kinds": [vars(kind) for kind in self.kinds],
            "behind": {key: behind[key] for key in ("difference", "interval", "real")} if behind else None,
        }


def summarize_fits(fits: Sequence[Fit], pairs: TestPairs) -> list[Line]:
    """The lines of the table for some pairs, in the order of the contenders' first fits.

    Parameters
    ----------
    fits
        What was done; each has answered the pairs in all ways.
    pairs
        The pairs.
    """
    by_contender: dict[str, list[Fit]] = {}
    for fit in fits:
        by_contender.setdefault(fit.contender, []).append(fit)
    groups = list(by_contender.values())
    if not groups:
        return []
    queries = [pair.query for pair in pairs.pairs]
    means = [np.mean(_gains(group, pairs), axis=0) for group in groups]
    reciprocal = np.column_stack([mean[:, 0] for mean in means])
    best = int(reciprocal.mean(axis=0).argmax())
    behind = differences(reciprocal, queries, [(best, number) for number in range(len(groups))])
    return [
        Line(
            contender=group[0].contender,
            method=group[0].method,
            paper_name=PAPER_NAMES.get(group[0].method),
            seeds=tuple(fit.seed for fit in group),
            mean=_named(mean.mean(axis=0)),
            spread=_named(np.abs(_gains(group, pairs).mean(axis=1) - mean.mean(axis=0)).max(axis=0)),
            intervals=dict(zip(METRICS, intervals(mean, queries), strict=True)),
            kinds=_kinds(group, pairs),
            behind=None if number == best else behind[number],
            seconds=float(np.mean([fit.seconds for fit in group])),
            peak_bytes=max((fit.peak_bytes for fit in group if fit.peak_bytes is not None), default=None),
        )
        for number, (group, mean) in enumerate(zip(groups, means, strict=True))
    ]


def _gains(fits: Sequence[Fit], pairs: TestPairs) -> NDArray[np.float64]:
    """(seeds, N, metrics) what each pair adds to each metric, for each fit."""
    return np.stack([gains(fit.answers_to(pairs, WAYS[0]).ranks) for fit in fits])


def _named(values: NDArray[np.float64]) -> dict[str, float]:
    return dict(zip(METRICS, values.tolist(), strict=True))


def _kinds(fits: Sequence[Fit], pairs: TestPairs) -> tuple[Kinds, ...]:
    same = np.array([pair.query == pair.answer for pair in pairs.pairs])
    found = []
    for way in (way for way in WAYS if all(fit.has_answered([pairs], [way]) for fit in fits)):
        answers = [fit.answers_to(pairs, way) for fit in fits]
        mrr = np.mean([gains(one.ranks)[:, 0] for one in answers], axis=0)
        found.append(
            Kinds(
                retrieval=way.retrieval,
                min_support=way.min_support,
                answerable=answers[0].answerable,
                mrr=float(mrr.mean()),
                same_word=float(mrr[same].mean()) if same.any() else None,
                different_words=float(mrr[~same].mean()) if (~same).any() else None,
            )
        )
    return tuple(found)
