"""Is one model better than another on the same pairs, or is it luck? A paired bootstrap over the words asked about."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

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
    """

    first: int
    second: int
    difference: float
    interval: Interval
    other_sign: float

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
    means = resampled_means(gains, [query for query, _ in asked[0]], resamples=resamples, seed=seed)
    found = []
    for first, second in combinations(range(len(scores)), 2):
        difference = scores[second].mrr - scores[first].mrr
        resampled = means[:, second] - means[:, first]
        found.append(
            Difference(
                first=first,
                second=second,
                difference=difference,
                interval=quantiles(resampled[:, None])[0],
                other_sign=float((resampled * np.sign(difference) <= 0).mean()),
            )
        )
    return found
