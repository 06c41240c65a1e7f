"""Which words changed: between two conditions, step by step, over a whole series, or in one place.

A word that is absent, or too rare, shows no change of its own and is left out, and counted. Noise alone makes vectors
differ, the more so the rarer a word is: every row says how far its score stands out among words of like frequency, and
resamples of the documents (`chronotope.analysis.significance`) say how much of it is noise.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from chronotope.analysis.drift_answer import Drift, DriftRow, Side
from chronotope.analysis.significance.judged import Judged, Resampling
from chronotope.analysis.significance.matched import Numbers, matched_z
from chronotope.analysis.significance.measures import Measured, Question, ask
from chronotope.config import at_least
from chronotope.embeddings import ConditionedEmbeddings
from chronotope.embeddings.nearest import Floats
from chronotope.errors import SettingsError
from chronotope.io.provenance import checksum_of

if TYPE_CHECKING:
    from chronotope.cooccurrence import Counts

__all__ = ["Drift", "DriftRow", "Side", "drift"]

MIN_COUNT = 20


class _ModelRows:
    """The vectors of a model, as `measures.Rows`."""

    def __init__(self, embeddings: ConditionedEmbeddings, min_count: int) -> None:
        self._embeddings, self._min_count = embeddings, min_count

    def at(self, condition: int) -> tuple[NDArray[np.int64], Floats]:
        """The words with enough support in a condition, and their centered unit vectors."""
        found = self._embeddings.matrix(self._embeddings.conditions.labels[condition], self._min_count)
        return found.word, found.unit

    def project(self, words: NDArray[np.int64], condition: int, to: int) -> Floats:
        """The unit vectors of words in one condition, as they stand among those of another."""
        labels = self._embeddings.conditions.labels
        return self._embeddings.project([self._embeddings.words[word] for word in words], labels[condition], labels[to])


def drift(
    embeddings: ConditionedEmbeddings,
    start: str | None = None,
    end: str | None = None,
    *,
    over: str | None = None,
    min_count: int = MIN_COUNT,
    counts: Counts | None = None,
    permutations: int = 0,
    bootstrap: int = 0,
    within: str | None = None,
    seed: int = 1,
    seeds: int = 0,
    threads: int | None = None,
    progress: Callable[[str, int, int | None], None] | None = None,
    keep_in: str | Path | None = None,
) -> Drift:
    """How much every word changed, the most changed first.

    Parameters
    ----------
    embeddings
        The embeddings.
    start, end
        The two conditions to compare; by default the first and the last in time. With `over` they are the first and
        the last time bin that take part.
    over
        'ends': from `start` to `end`, 1 − the cosine of a word's two vectors. 'steps': the largest such change between
        consecutive time bins. 'series': 1 − the mean cosine over all pairs of conditions. 'unusual': 1 − the cosine of
        a word's most unusual condition with the mean direction of the others. By default 'ends', or 'unusual' where
        the conditions are not a sequence in time.
    min_count
        A word occurs at least so often in both conditions (over several: in a condition that counts for it, of which
        there are two at least); at least 1.
    counts
        The run that the model was trained on; resamples are counted from it.
    permutations, bootstrap, within, seed
        How much is resampled, and how: see `Resampling`. Needs a model of method graph or shared-context.
    seeds
        How many more models are trained on the run, with the same settings and other seeds: whether a word comes out
        again. For any method that has a seed.
    threads
        How many cores to use; the result does not depend on it.
    progress
        Called with the stage, how much is done, and of how much.
    keep_in
        The folder where finished resamples, and the scores of other seeds, are kept, so that asking again goes on from
        there; None: nowhere.

    Examples
    --------
    >>> from chronotope.conditions import Conditions
    >>> from chronotope.cooccurrence.vocabulary import Support
    >>> support = Support(np.array([0, 3, 6]), np.array([0, 1, 2] * 2), np.array([20] * 6))
    >>> vectors = [[1, 0], [0, 1], [-1, -1], [1, 0], [0, -1], [-1, 1]]
    >>> answer = drift(ConditionedEmbeddings(
    ...     ["the", "bank", "of"], Conditions.of_times(["1990", "2000"]), support, vectors))
    >>> answer.top(1)[0].word, answer.top(1)[0].before.condition
    ('bank', '1990')
    """
    at_least("min_count", min_count, 1)
    question = ask(embeddings.conditions, start, end, over)
    measured = question.measure(_ModelRows(embeddings, min_count), len(embeddings))
    frequency = _frequency(embeddings, question, measured, min_count)
    resampling = Resampling(permutations, bootstrap, within, seed, seeds)
    judged = Judged()
    if counts is None and (permutations or bootstrap or seeds):
        raise SettingsError("permutations, bootstrap and seeds read the documents again: give the run (counts=)")
    if counts is not None and (permutations or bootstrap):
        from chronotope.analysis.significance.judging import judge

        judged = judge(
            embeddings,
            counts,
            question,
            measured,
            frequency,
            min_count,
            resampling,
            threads=threads,
            progress=progress,
            folder=Path(keep_in) if keep_in else None,
        )
    if counts is not None and seeds:
        from chronotope.analysis.significance.retraining import agreement, scores_over_seeds

        others = scores_over_seeds(
            embeddings,
            counts,
            measured,
            lambda other: question.measure(_ModelRows(other, min_count), len(other)),
            seeds,
            identity={
                "model": checksum_of(embeddings.provenance),
                "question": question.identity,
                "min_count": min_count,
            },
            threads=threads,
            progress=progress,
            folder=Path(keep_in) if keep_in else None,
        )
        stability, spread = agreement(measured.scores, others, judged.noise)
        judged = replace(judged, seed_stability=stability, seed_spread=spread)
    decisive = measured.scores if judged.corrected is None else np.nan_to_num(judged.corrected, nan=-np.inf)
    order = np.lexsort((measured.words, -decisive))
    labels = embeddings.conditions.labels
    first, last = (labels[at] for at in question.steps[0]) if question.over == "ends" else (None, None)
    return Drift(
        embeddings,
        question.over,
        first,
        last,
        measured.words[order],
        measured.scores[order],
        matched_z(measured.scores, frequency)[order],
        measured.before[order],
        measured.after[order],
        judged.in_order(order),
        resampling,
        len(embeddings) - len(order),
        min_count,
        _span(embeddings, question) if start is not None or end is not None else None,
    )


def _span(embeddings: ConditionedEmbeddings, question: Question) -> tuple[str, str] | None:
    """The first and the last time bin that take part in a change over several."""
    labels, taken = embeddings.conditions.labels, question.conditions
    return None if question.over == "ends" else (labels[taken[0]], labels[taken[-1]])


def _frequency(embeddings: ConditionedEmbeddings, question: Question, measured: Measured, min_count: int) -> Numbers:
    """(K,) how often each word occurs, as far as that decides the noise of its score.

    Between two conditions it is the harmonic mean of both counts: the rarer side makes the noise.
    """
    observed, inverse, total = embeddings.observed, np.zeros(len(embeddings)), np.zeros(len(embeddings))
    for condition in question.conditions:
        count = observed.counts_in(condition)
        word = observed.words_in(condition)[count >= min_count]
        total[word] += count[count >= min_count]
        inverse[word] += 1 / count[count >= min_count]
    if question.over == "ends":
        return np.asarray(2 / inverse[measured.words])
    return np.asarray(total[measured.words])
