"""Scores of every word in many resamples: in order, on several threads, saved now and then, and resumable."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from chronotope.analysis.significance.kept import Kept, Scores
from chronotope.analysis.significance.measures import Question, Words
from chronotope.analysis.significance.refitting import FrozenModel
from chronotope.analysis.significance.shuffling import BOOTSTRAP, PERMUTATION, Documents, Resample
from chronotope.methods.checkpoint import stop_requests
from chronotope.runtime.blas import one_blas_thread

Progress = Callable[[str, int, int | None], None]

OBSERVED = "observed"
NAMES = {PERMUTATION: "permutations", BOOTSTRAP: "bootstrap"}


class Resampler:
    """Measures resamples of one question about one model.

    Parameters
    ----------
    make
        Makes the model whose rows are solved anew. That takes a while, so it is only called where a score is not kept.
    documents, question, words
        What is resampled, what is asked, and the words that are tested, ascending.
    seed
        The same seed gives the same resamples, whatever the number of threads.
    identity
        All that the scores depend on but the seed, as plain data.
    folder
        Where finished resamples are kept, so that asking again goes on from there; None: nowhere.
    """

    def __init__(
        self,
        make: Callable[[], FrozenModel],
        documents: Documents,
        question: Question,
        words: Words,
        *,
        seed: int,
        identity: Mapping[str, Any],
        folder: Path | None = None,
    ) -> None:
        self._make, self._documents, self._question, self._words = make, documents, question, words
        self._seed = seed
        self._kept = Kept({**identity, "seed": seed}, (OBSERVED, *NAMES.values()), len(words), folder)

    def observed(self) -> Scores:
        """(K,) the score of each word in the documents as they are."""
        done = self._kept.of(OBSERVED, 1)
        if not done:
            with one_blas_thread():
                done = [self._measure(self._documents.all())]
        self._kept.save(OBSERVED, done)
        return done[0]

    def scores(self, kind: int, many: int, pool: ThreadPoolExecutor, threads: int, progress: Progress | None) -> Scores:
        """(many, K) the score of each word in each resample; NaN where it could not be measured."""
        name = NAMES[kind]
        done = self._kept.of(name, many)
        waiting: deque[Future[Scores]] = deque()
        turns = iter(range(len(done), many))
        if len(done) < many:
            self._model  # noqa: B018  # made once, before several threads ask for it
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

    @cached_property
    def _model(self) -> FrozenModel:
        return self._make()

    def _measure(self, resample: Resample) -> Scores:
        """(K,) the score of each word that is tested."""
        measured = self._question.measure(self._model.refit(resample), self._model.words)
        scores = np.full(len(self._words), np.nan, dtype=np.float32)
        place = np.searchsorted(self._words, measured.words)
        tested = self._words[np.minimum(place, len(self._words) - 1)] == measured.words
        scores[place[tested]] = measured.scores[tested]
        return scores

    def _one(self, kind: int, turn: int) -> Scores:
        with one_blas_thread():
            return self._measure(self._documents.resample(kind, self._seed, turn))
