"""Scores of every word in many resamples: in order, on several threads, saved now and then, and resumable."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chronotope.analysis.significance.measures import Question, Words
from chronotope.analysis.significance.refitting import FrozenModel
from chronotope.analysis.significance.shuffling import BOOTSTRAP, PERMUTATION, Documents, Resample
from chronotope.errors import DamagedFileError
from chronotope.io.provenance import checksum_of
from chronotope.methods.checkpoint import Checkpoint, stop_requests
from chronotope.runtime.blas import one_blas_thread
from chronotope.runtime.resources import in_order

Progress = Callable[[str, int, int | None], None]
Scores = NDArray[np.float32]

OBSERVED = "observed"
NAMES = {PERMUTATION: "permutations", BOOTSTRAP: "bootstrap"}


# Number of questions whose scores are kept in a run.
MOST_FILES = 8


class Kept:
    """The finished scores of one question about one model.

    Parameters
    ----------
    identity
        All that the scores depend on, as plain data.
    kinds
        Of what there are scores, such as 'permutations'.
    words
        How many words are scored.
    folder
        Where they are kept; None: nowhere.
    """

    def __init__(self, identity: Mapping[str, Any], kinds: Sequence[str], words: int, folder: Path | None) -> None:
        path = folder / f"drift-{checksum_of(identity)[:16]}.resamples" if folder else None
        self._file = Checkpoint(path, dict(identity))
        self._done = self._loaded(dict.fromkeys(kinds, (None, words)))

    @property
    def due(self) -> bool:
        """Whether it is a while since something was saved."""
        return self._file.due

    def of(self, kind: str, many: int) -> list[Scores]:
        """The first of the finished scores of a kind, `many` at most."""
        return list(self._done.get(kind, ())[:many])

    def save(self, kind: str, done: list[Scores]) -> None:
        """Keep the scores of a kind, where they are more than before."""
        if len(done) <= len(self._done.get(kind, ())):
            return
        self._done[kind] = np.array(done, dtype=np.float32)
        # In one order, whichever kind was finished first: the same answer has the same bytes.
        self._file.save(dict(sorted(self._done.items())), {})
        if self._file.path:
            _thin_out(self._file.path.parent)

    def _loaded(self, shapes: Mapping[str, tuple[int | None, ...]]) -> dict[str, Scores]:
        try:
            found = self._file.load(shapes)
        except DamagedFileError:
            raise DamagedFileError(f"{self._file.path} cannot be read; delete it, and ask again") from None
        return dict(found[0]) if found else {}


def _thin_out(folder: Path) -> None:
    """Of all questions that were ever asked of a run, keep the scores of the last few."""
    found = sorted(folder.glob("drift-*.resamples"), key=lambda path: path.stat().st_mtime_ns, reverse=True)
    for path in found[MOST_FILES:]:
        path.unlink(missing_ok=True)


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
        if len(done) < many:
            self._model  # noqa: B018  # made once, before several threads ask for it
        with stop_requests() as stop:
            try:
                # Only a few ahead: each takes memory.
                turns = range(len(done), many)
                for scores in in_order(pool, lambda turn: self._one(kind, turn), turns, ahead=threads - 1):
                    done.append(scores)
                    if progress:
                        progress(name, len(done), many)
                    if self._kept.due:
                        self._kept.save(name, done)
                    if stop.is_set():
                        raise KeyboardInterrupt
            finally:
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
