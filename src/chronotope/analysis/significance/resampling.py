"""Scores of every word in many resamples: in order, on several threads, saved now and then, and resumable."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from chronotope.analysis.significance.kept import Kept, Scores
from chronotope.analysis.significance.measures import Question, Words
from chronotope.analysis.significance.refitting import FrozenModel, Refit
from chronotope.analysis.significance.shuffling import BOOTSTRAP, PERMUTATION, Documents
from chronotope.model.checkpoint import stop_requests

Progress = Callable[[str, int, int | None], None]

NAMES = {PERMUTATION: "permutations", BOOTSTRAP: "bootstrap"}


class Resampler:
    """Measures resamples of one question about one model.

    Parameters
    ----------
    model, documents, question, words
        The model, what is resampled, what is asked, and the words that are tested, ascending.
    seed
        The same seed gives the same resamples, whatever the number of threads.
    identity
        All that the scores depend on but the seed, as plain data.
    folder
        Where finished resamples are kept, so that asking again goes on from there; None: nowhere.
    """

    def __init__(
        self,
        model: FrozenModel,
        documents: Documents,
        question: Question,
        words: Words,
        *,
        seed: int,
        identity: Mapping[str, Any],
        folder: Path | None = None,
    ) -> None:
        self._model, self._documents, self._question, self._words = model, documents, question, words
        self._seed = seed
        self._kept = Kept({**identity, "seed": seed}, tuple(NAMES.values()), len(words), folder)

    def scores(self, kind: int, many: int, pool: ThreadPoolExecutor, threads: int, progress: Progress | None) -> Scores:
        """(many, K) the score of each word in each resample; NaN where it could not be measured."""
        name = NAMES[kind]
        done = self._kept.of(name, many)
        waiting: deque[Future[Scores]] = deque()
        turns = iter(range(len(done), many))
        with stop_requests() as stop:
            try:
                while len(done) < many:
                    # Only a few ahead: each takes as much memory as the model.
                    for turn in islice(turns, max(0, threads - len(waiting))):
                        waiting.append(pool.submit(self._one, kind, turn))
                    done.append(waiting.popleft().result())
                    if progress:
                        progress(name, len(done), many)
                    if self._kept.due:
                        self._kept.save(name, done)
                    if stop.is_set():
                        raise KeyboardInterrupt
            finally:
                for future in waiting:
                    future.cancel()
                self._kept.save(name, done)
        return np.array(done, dtype=np.float32).reshape(many, len(self._words))

    def measure(self, refit: Refit) -> Scores:
        """(K,) the score of each word that is tested."""
        measured = self._question.measure(refit, self._model.words)
        scores = np.full(len(self._words), np.nan, dtype=np.float32)
        place = np.searchsorted(self._words, measured.words)
        tested = self._words[np.minimum(place, len(self._words) - 1)] == measured.words
        scores[place[tested]] = measured.scores[tested]
        return scores

    def _one(self, kind: int, turn: int) -> Scores:
        with threadpool_limits(1):
            return self.measure(self._model.refit(self._documents.resample(kind, self._seed, turn)))


def cores(threads: int | None) -> int:
    """How many resamples are worked on at one time."""
    return threads or os.cpu_count() or 1
