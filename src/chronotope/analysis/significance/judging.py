"""What resamples say of each word: correction, interval, p, q and stability."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from chronotope.analysis.significance.judged import Judged, Resampling, most_changed
from chronotope.analysis.significance.matched import Numbers, false_discovery_rates, pooled_p
from chronotope.analysis.significance.measures import Measured, Question, Words
from chronotope.analysis.significance.noiseless import student
from chronotope.analysis.significance.refitting import FrozenModel, check_refittable
from chronotope.analysis.significance.resampled_rows import document_counts
from chronotope.analysis.significance.resampling import Progress, Resampler
from chronotope.analysis.significance.shuffling import BOOTSTRAP, PERMUTATION, take_part
from chronotope.cooccurrence import Counts
from chronotope.embeddings import ConditionedEmbeddings
from chronotope.io.provenance import checksum_of
from chronotope.runtime.resources import cores

# Resamples that were kept by a version that drew them in another way are not gone on with.
SCHEME = 2


def judge(
    embeddings: ConditionedEmbeddings,
    counts: Counts,
    question: Question,
    measured: Measured,
    frequency: Numbers,
    min_count: int,
    resampling: Resampling,
    *,
    threads: int | None = None,
    progress: Progress | None = None,
    folder: Path | None = None,
) -> Judged:
    """What resamples of the run's documents say of the measured words.

    Parameters
    ----------
    embeddings, counts
        The model, and the run that it was trained on.
    question, measured, frequency
        What was asked, the answer for the model, and by which frequency words are alike.
    min_count
        A word counts in a condition where it occurs so often in the run.
    folder
        Where finished resamples are kept; None: nowhere.
    """
    check_refittable(embeddings, counts, question.conditions)
    documents = take_part(counts, question.conditions, resampling.within)
    observed = embeddings.observed
    counted: dict[int, Words] = {
        condition: observed.words_in(condition)[observed.counts_in(condition) >= min_count].astype(np.int64)
        for condition in question.conditions
    }
    many = threads or cores()
    identity = {
        "model": checksum_of(embeddings.provenance),
        "question": question.identity,
        "min_count": min_count,
        "within": resampling.within,
        "scheme": SCHEME,
    }

    def make() -> FrozenModel:
        if progress:
            progress("getting ready; the first time, compiling", 0, None)
        return FrozenModel(embeddings, counts, counted, len(documents.number), many)

    with ThreadPoolExecutor(many) as pool:
        resampler = Resampler(
            make, documents, question, measured.words, seed=resampling.seed, identity=identity, folder=folder
        )
        score = resampler.observed().astype(np.float64)
        exchanged, drawn = (
            resampler.scores(kind, asked, pool, many, progress).astype(np.float64) if asked else None
            for kind, asked in ((PERMUTATION, resampling.permutations), (BOOTSTRAP, resampling.bootstrap))
        )
    held = document_counts(counts.store, documents.all(), len(question.conditions), len(counts.vocabulary))
    return _judged(score, exchanged, drawn, frequency, _fewest(held, question, measured))


def _fewest(held: NDArray[np.int64], question: Question, measured: Measured) -> NDArray[np.int64]:
    """(K,) in how many documents each word stands, at the end of its change where it stands in fewer."""
    ends = [
        held[np.searchsorted(question.conditions, end), measured.words] for end in (measured.before, measured.after)
    ]
    return np.minimum(*ends)


def _judged(
    score: Numbers,
    exchanged: Numbers | None,
    drawn: Numbers | None,
    frequency: Numbers,
    documents: NDArray[np.int64],
) -> Judged:
    noise = p = q = low = high = stability = None
    if exchanged is not None:
        noise = _means(exchanged)
        p = pooled_p(score, exchanged, frequency)
        q = false_discovery_rates(p)
    if drawn is not None:
        mean = _means(drawn)
        if noise is None:
            # What half of the documents adds to the score is about what all of them had added to the truth.
            noise = mean - score
        reach = student(documents) * _spreads(drawn, mean)
        low, high = score - noise - reach, score - noise + reach
        ranks = np.argsort(np.argsort(-np.nan_to_num(drawn, nan=-np.inf), axis=1, kind="stable"), axis=1)
        stability = (ranks < most_changed(len(score))).mean(axis=0)
    corrected = None if noise is None else score - noise
    return Judged(corrected, noise, low, high, p, q, stability)


def _means(scores: Numbers) -> Numbers:
    """(K,) the mean over the resamples that could be measured."""
    known = np.isfinite(scores)
    many = known.sum(axis=0)
    total = np.where(known, scores, 0).sum(axis=0)
    return np.asarray(np.divide(total, many, out=np.full(scores.shape[1], np.nan), where=many > 0))


def _spreads(scores: Numbers, mean: Numbers) -> Numbers:
    """(K,) the standard deviation over the resamples that could be measured."""
    known = np.isfinite(scores)
    many = known.sum(axis=0)
    squares = np.where(known, np.square(scores - mean), 0).sum(axis=0)
    return np.asarray(np.sqrt(np.divide(squares, many - 1, out=np.full(len(mean), np.nan), where=many > 1)))
