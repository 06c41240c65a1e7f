"""Which words stay the same: the mean cosine of a word with itself over all pairs of conditions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from chronotope.analysis.old_answer import Answer
from chronotope.analysis.directions import directions
from chronotope.analysis.significance.matched import matched_z
from chronotope.config import at_least
from chronotope.embeddings import ConditionedEmbeddings
from chronotope.errors import SettingsError

if TYPE_CHECKING:
    from chronotope.analysis.significance.judged import Judged
    from chronotope.cooccurrence import Counts


@dataclass(frozen=True, slots=True)
class StableWord:
    """How much a word stays the same.

    Attributes
    ----------
    word
        The word.
    stability
        The mean cosine over all pairs of conditions in which it has enough support; 1: it never moves.
    conditions
        In how many conditions that is.
    count
        How often it occurs in them together.
    z
        How far the stability stands out among words of like frequency, in robust standard deviations.
    corrected
        The stability less the noise, which makes a word that is rare, or whose company says little, look less stable
        than it is; None where documents were not resampled.
    low, high
        The ends of a 95 % interval of the corrected stability: a word is known to be stable where `low` is high.
    p
        How often a word that did not change at all is as unstable by chance.
    """

    word: str
    stability: float
    conditions: int
    count: int
    z: float = 0.0
    corrected: float | None = None
    low: float | None = None
    high: float | None = None
    p: float | None = None

    def to_dict(self) -> dict[str, Any]:
        """As plain data for JSON."""
        return {name: getattr(self, name) for name in self.__slots__}


@dataclass(frozen=True)
class Stability(Answer):
    """The stability of every word that has enough support in enough conditions.

    Attributes
    ----------
    rows
        The words, the most stable first: by the lower end of the interval where there is one, since a word of which
        little is known is not known to be stable.
    left_out
        How many words have enough support in too few conditions.
    min_count, min_conditions
        What counts as enough.
    signature
        How the embeddings were made.
    permutations, bootstrap
        How much was resampled.
    """

    rows: tuple[StableWord, ...] = field(repr=False)
    left_out: int
    min_count: int
    min_conditions: int
    signature: str
    permutations: int = 0
    bootstrap: int = 0

    def most(self, top: int = 20) -> list[StableWord]:
        """The words that changed least, the most stable first."""
        return list(self.rows[:top])

    def least(self, top: int = 20) -> list[StableWord]:
        """The words that changed most, the least stable first: by the upper end of the interval where there is one."""
        if not self.bootstrap:
            return list(self.rows[: -top - 1 : -1])
        known = [row for row in reversed(self.rows) if row.high is not None]
        return sorted(known, key=lambda row: cast("float", row.high))[:top]

    def to_dict(self, top: int = 20) -> dict[str, Any]:
        """As plain data for JSON: both ends of the list."""
        return {
            "most": [row.to_dict() for row in self.most(top)],
            "least": [row.to_dict() for row in self.least(top)],
            "words": len(self.rows),
            "left_out": self.left_out,
            "min_count": self.min_count,
            "min_conditions": self.min_conditions,
            "permutations": self.permutations,
            "bootstrap": self.bootstrap,
            "signature": self.signature,
        }


def stable(
    embeddings: ConditionedEmbeddings,
    *,
    min_count: int = 5,
    min_conditions: int = 2,
    counts: Counts | None = None,
    permutations: int = 0,
    bootstrap: int = 0,
    within: str | None = None,
    seed: int = 1,
    threads: int | None = None,
    progress: Callable[[str, int, int | None], None] | None = None,
    keep_in: str | Path | None = None,
) -> Stability:
    """The stability of every word: its mean cosine with itself over all pairs of conditions.

    Parameters
    ----------
    embeddings
        The embeddings.
    min_count
        A condition counts for a word that occurs in it at least so often; at least 1, since a word that is absent
        has no meaning of its own there.
    min_conditions
        Leave out words with fewer such conditions; two at least. A word that is seen in a few neighboring time bins
        only has had little occasion to change.
    counts, permutations, bootstrap, within, seed, threads, progress, keep_in
        As for `drift`: resamples of the documents, for what noise adds to the change of a word, and intervals.

    Examples
    --------
    >>> from chronotope.conditions import Conditions
    >>> from chronotope.cooccurrence.vocabulary import Support
    >>> support = Support(np.array([0, 3, 6]), np.array([0, 1, 2] * 2), np.array([9] * 6))
    >>> vectors = [[1, 0], [0, 1], [-1, -1], [1, 0], [0, -1], [-1, 1]]
    >>> answer = stable(ConditionedEmbeddings(
    ...     ["the", "bank", "of"], Conditions.of_times(["1990", "2000"]), support, vectors))
    >>> [row.word for row in answer.most(2)], answer.most(1)[0].stability
    (['the', 'of'], 1.0)
    """
    at_least("min_conditions", min_conditions, 2)
    if len(embeddings.conditions) == 1:
        raise SettingsError("a word is stable over two conditions or more, and this model has one")
    total, squares, conditions, support = directions(embeddings, min_count)
    kept = np.flatnonzero(conditions >= min_conditions)
    # ‖Σ u‖² is the sum of the cosines over all ordered pairs, with the squares of the n themselves.
    pairs = conditions[kept] * (conditions[kept] - 1)
    mean = (np.square(total[kept]).sum(axis=1) - squares[kept]) / pairs
    judged: dict[str, NDArray[np.float64]] = {}
    if permutations or bootstrap:
        from chronotope.analysis.drift import drift

        changed = drift(
            embeddings,
            over="series",
            min_count=min_count,
            counts=counts,
            permutations=permutations,
            bootstrap=bootstrap,
            within=within,
            seed=seed,
            threads=threads,
            progress=progress,
            keep_in=keep_in,
        )
        places = np.argsort(changed.words)[np.searchsorted(np.sort(changed.words), kept)]
        judged = _as_stability(changed.judged.in_order(places))
    decisive = np.nan_to_num(judged["low"], nan=-np.inf) if bootstrap else mean
    z = matched_z(mean, support[kept].astype(np.float64))
    order = np.lexsort((kept, -decisive))
    rows = tuple(
        StableWord(
            embeddings.words[kept[at]],
            float(mean[at]),
            int(conditions[kept[at]]),
            int(support[kept[at]]),
            float(z[at]),
            **{name: float(values[at]) for name, values in judged.items() if np.isfinite(values[at])},
        )
        for at in order.tolist()
    )
    left_out = len(embeddings) - len(rows)
    return Stability(rows, left_out, min_count, min_conditions, embeddings.signature, permutations, bootstrap)


def _as_stability(judged: Judged) -> dict[str, NDArray[np.float64]]:
    """What resamples say of the change of words, said of their stability."""
    found = {"corrected": judged.corrected, "low": judged.high, "high": judged.low}
    turned = {name: np.minimum(1 - values, 1) for name, values in found.items() if values is not None}
    return turned if judged.p is None else {**turned, "p": judged.p}
