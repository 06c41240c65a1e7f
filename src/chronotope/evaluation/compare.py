"""Is one model better than another on the same pairs, or is it luck? A paired bootstrap over the words asked about."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chronotope.errors import SettingsError
from chronotope.evaluation.bootstrap import RESAMPLES, SEED, Interval, quantiles, resampled_means
from chronotope.evaluation.metrics import reciprocal_ranks
from chronotope.evaluation.scores import Scores


@dataclass(frozen=True)
class Difference:
    """How much better the second of two models is than the first.

    Attributes
    ----------
    first, second
        The numbers of the models, from 0, in the order given.
    difference
        The MRR of the second less that of the first.
    interval
        Its 95 % interval.
    other_sign
        The share of the resamples in which the difference is zero or has the other sign: small means it is no luck.
    real
        Whether the interval leaves out zero; never where all pairs ask about one word, since there is nothing to
        resample then.
    """

    first: int
    second: int
    difference: float
    interval: Interval
    other_sign: float
    real: bool

    def to_dict(self) -> dict[str, Any]:
        """As plain data for JSON."""
        return vars(self) | {"interval": list(self.interval)}


def compare(scores: Sequence[Scores], *, resamples: int = RESAMPLES, seed: int = SEED) -> list[Difference]:
    """The difference in MRR between every two models, the same resamples of the query words for all.

    Parameters
    ----------
    scores
        What `evaluate` gave for each model on the same pairs.
    resamples
        How many resamples.
    seed
        Of the random numbers; the same seed gives the same answer.
    """
    if len(scores) < 2:
        raise SettingsError(f"a comparison needs the scores of at least two models, not {len(scores)}")
    asked = [[(pair.query, pair.answer) for pair in one.test_pairs] for one in scores]
    for number, other in enumerate(asked[1:], start=2):
        if other != asked[0]:
            raise SettingsError(f"models 1 and {number} were not evaluated on the same pairs; compare needs the same")
    gains = np.column_stack([reciprocal_ranks(one.ranks) for one in scores])
    queries = [query for query, _ in asked[0]]
    return differences(gains, queries, list(combinations(range(len(scores)), 2)), resamples=resamples, seed=seed)


def differences(
    gains: NDArray[np.float64],
    queries: Sequence[str],
    models: Sequence[tuple[int, int]],
    *,
    resamples: int = RESAMPLES,
    seed: int = SEED,
) -> list[Difference]:
    """The differences between the means of columns, by resampling the words that are asked about.

    Parameters
    ----------
    gains
        (N, models) what each pair adds to the score of each model.
    queries
        (N,) the word that each pair asks about.
    models
        Which two are compared.
    resamples, seed
        As for `compare`.

    Examples
    --------
    >>> found = differences(np.array([[1.0, 0.0], [0.5, 0.0]]), ["obama", "clinton"], [(0, 1)])[0]
    >>> found.difference, found.real
    (-0.75, True)
    """
    resampled_all = resampled_means(gains, queries, resamples=resamples, seed=seed)
    several = len(set(queries)) > 1
    found = []
    for first, second in models:
        difference = float(gains[:, second].mean() - gains[:, first].mean())
        resampled = resampled_all[:, second] - resampled_all[:, first]
        interval = quantiles(resampled[:, None])[0]
        found.append(
            Difference(
                first=first,
                second=second,
                difference=difference,
                interval=interval,
                other_sign=float((resampled * np.sign(difference) <= 0).mean()),
                real=several and (interval.low > 0 or interval.high < 0),
            )
        )
    return found


@dataclass(frozen=True)
class Standing:
    """A model in a comparison.

    Attributes
    ----------
    name
        What the model is called.
    scores
        Its scores.
    behind
        How much better (or worse: mostly worse) it is than the best model; None for the best itself.
    """

    name: str
    scores: Scores
    behind: Difference | None

    def to_dict(self) -> dict[str, Any]:
        """As plain data for JSON."""
        behind = None
        if self.behind:
            behind = {key: value for key, value in self.behind.to_dict().items() if key not in ("first", "second")}
        return {"model": self.name, **self.scores.to_dict(), "behind_best": behind}


def standings(names: Sequence[str], scores: Sequence[Scores]) -> list[Standing]:
    """The models by MRR, the best first, each with its distance to the best.

    Parameters
    ----------
    names
        What the models are called.
    scores
        What `evaluate` gave for each on the same pairs.
    """
    best = max(range(len(scores)), key=lambda number: scores[number].mrr)
    # The best comes first, so that its comparisons with the others are the first ones of all.
    order = [best, *sorted(set(range(len(scores))) - {best}, key=lambda number: -scores[number].mrr)]
    found = compare([scores[number] for number in order])
    behind = [None, *(difference for difference in found if difference.first == 0)]
    return [
        Standing(names[number], scores[number], difference) for number, difference in zip(order, behind, strict=True)
    ]
