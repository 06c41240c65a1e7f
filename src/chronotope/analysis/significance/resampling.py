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
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from chronotope.analysis.significance.measures import Question, Words
from chronotope.analysis.significance.refitting import FrozenModel, Refit
from chronotope.analysis.significance.shuffling import BOOTSTRAP, PERMUTATION, Documents
from chronotope.errors import DamagedFile
from chronotope.model.checkpoint import Checkpoint, stop_requests
from chronotope.provenance import checksum_of

Progress = Callable[[str, int, int | None], None]
Scores = NDArray[np.float32]

# The resamples of so many questions stay in a run.
KEPT = 8
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
        owned = {**identity, "seed": seed}
        path = folder / f"drift-{checksum_of(owned)[:16]}.resamples" if folder else None
        self._file = Checkpoint(path, owned)
        self._done = self._loaded()

    def scores(self, kind: int, many: int, pool: ThreadPoolExecutor, threads: int, progress: Progress | None) -> Scores:
        """(many, K) the score of each word in each resample; NaN where it could not be measured."""
        name = NAMES[kind]
        done = list(self._done.get(name, ())[:many])
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
                    if self._file.due:
                        self._save(name, done)
                    if stop.is_set():
                        raise KeyboardInterrupt
            finally:
                for future in waiting:
                    future.cancel()
                self._save(name, done)
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

    def _save(self, name: str, done: list[Scores]) -> None:
        if len(done) <= len(self._done.get(name, ())):
            return
        self._done[name] = np.array(done, dtype=np.float32)
        self._file.save(self._done, {})
        if self._file.path:
            _thin_out(self._file.path.parent)

    def _loaded(self) -> dict[str, Scores]:
        try:
            found = self._file.load(dict.fromkeys(NAMES.values(), (None, len(self._words))))
        except DamagedFile:
            raise DamagedFile(f"{self._file.path} cannot be read; delete it, and ask again") from None
        return dict(found[0]) if found else {}


def _thin_out(folder: Path) -> None:
    """Of all questions that were ever asked of a run, keep the resamples of the last few."""
    found = sorted(folder.glob("drift-*.resamples"), key=lambda path: path.stat().st_mtime_ns, reverse=True)
    for path in found[KEPT:]:
        path.unlink(missing_ok=True)


def cores(threads: int | None) -> int:
    """How many resamples are worked on at one time."""
    return threads or os.cpu_count() or 1
