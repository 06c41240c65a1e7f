"""`compass`: word2vec of all the text, one side of it frozen, the other learned again in each condition."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chronotope import config
from chronotope.config import CompassSettings
from chronotope.cooccurrence import Counts, count
from chronotope.embeddings import ConditionedEmbeddings
from chronotope.errors import Diverged, SettingsError
from chronotope.io.provenance import versions
from chronotope.methods.sweeps import OnStep, OnSweep
from chronotope.methods.word2vec import cbow
from chronotope.methods.word2vec.cbow import Floats
from chronotope.methods.word2vec.training import epochs_for
from chronotope.runtime.resources import cores

# A call of the kernel learns from about so many running words, so that training can be stopped between two.
WORDS_AT_ONCE = 500_000


@dataclass(frozen=True)
class CompassWord2Vec(CompassSettings):
    """word2vec with its output side learned from all the text and frozen (Di Carlo et al. 2019, Bianchi et al. 2020).

    CBOW is trained on all the text first: that is the compass. Then in each condition the vectors of words are learned
    against its output vectors, which do not move, so that all conditions lie in one space without being turned. A
    word that is absent from a condition has its vector of the compass. Vectors are not centered, as in the original.
    The fields are those of `chronotope.config.CompassSettings`; the window and its weighting are those of the counts.

    The kernel is our own (`chronotope.methods.word2vec.cbow`), since gensim cannot hold the output side still.

    Examples
    --------
    >>> CompassWord2Vec().negative
    10
    """

    def fit(
        self,
        counts: Counts | Any,
        *,
        threads: int | None = None,
        place_edges: Iterable[tuple[str, str]] | None = None,
        checkpoint: str | Path | None = None,  # noqa: ARG002
        resume: bool = False,  # noqa: ARG002
        on_step: OnStep | None = None,
        on_epoch: OnSweep | None = None,  # noqa: ARG002
    ) -> ConditionedEmbeddings:
        """Train, and return the embeddings.

        The parameters are those of `GraphModel.fit`; the compass has one thread, the conditions have all, training is
        not resumed but begun anew, and there are no edges between places.
        """
        if not isinstance(counts, Counts):
            counts = count(counts)
        if place_edges is not None:
            raise SettingsError("compass knows no neighbors among places; leave the edges out")
        conditions = range(len(counts.conditions))
        of_all = self.epochs or epochs_for(float(counts.tokens.sum()))
        of_each = self.epochs or epochs_for(float(counts.tokens.mean()))
        progress = _Progress(on_step, of_all + of_each * len(conditions))

        inside = self._random_vectors(len(counts.vocabulary), 0)
        outside = np.zeros_like(inside)
        self._learn(counts, conditions, of_all, inside, outside, progress, learn_outside=True)

        def vectors_in(condition: int) -> Floats:
            own = inside.copy() if self.start == "compass" else self._random_vectors(len(inside), 1 + condition)
            self._learn(counts, [condition], of_each, own, outside, progress, learn_outside=False)
            return own[counts.vocabulary.support.words_in(condition)]

        with ThreadPoolExecutor(threads or cores()) as pool:
            try:
                vectors = np.concatenate(list(pool.map(vectors_in, conditions)))
            except BaseException:
                # Conditions that are being learned end with their stretch of text; the pool waits for them.
                progress.stop.set()
                raise
        if not (np.isfinite(vectors).all() and np.isfinite(inside).all()):
            raise Diverged(f"training left the finite numbers; lower the rate (now {self.rate:g})")
        return ConditionedEmbeddings(
            counts.vocabulary.words,
            counts.conditions,
            counts.vocabulary.support,
            vectors,
            common=inside,
            center=np.zeros((len(conditions), self.dimensions)),
            provenance={
                "method": "compass",
                "settings": config.to_dict(self) | {"epochs": of_each, "compass_epochs": of_all},
                "seed": self.seed,
                "run": counts.checksum,
                "min_count": counts.vocabulary.min_count,
                "window": counts.settings.window,
                "place_edges": None,
                "device": "cpu",
                "versions": versions(),
            },
        )

    def _random_vectors(self, words: int, part: int) -> Floats:
        """(W, D) small random vectors, as word2vec starts from."""
        random = np.random.Generator(np.random.PCG64([self.seed, part]))
        return (random.random((words, self.dimensions), dtype=np.float32) - np.float32(0.5)) / np.float32(
            self.dimensions
        )

    def _learn(
        self,
        counts: Counts,
        part: Sequence[int],
        epochs: int,
        inside: Floats,
        outside: Floats,
        progress: _Progress,
        *,
        learn_outside: bool,
    ) -> None:
        """Move the vectors by several passes over the text of some conditions."""
        frequency = np.zeros(len(inside), dtype=np.int64)
        support = counts.vocabulary.support
        for condition in part:
            frequency[support.words_in(condition)] += support.counts_in(condition)
        if not frequency.any():
            progress.add(epochs)
            return
        keep, noise = cbow.sampling(frequency, self.subsampling)
        stretches = list(_stretches(_documents(counts, part)))
        ids = counts.store.checked_ids
        shrink = counts.settings.weighting == "harmonic"
        rates = np.linspace(self.rate, min(self.rate, cbow.LAST_STEP), epochs * len(stretches) + 1)
        # One seed a call: the compass has the number 0, the conditions have those from 1 on.
        random = np.random.SeedSequence([self.seed, 0 if learn_outside else 1 + part[0]])
        seeds = random.generate_state(epochs * len(stretches), dtype=np.uint64) >> np.uint64(1)
        call = 0
        for _ in range(epochs):
            for documents in stretches:
                text = cbow.Text(ids, documents, keep, noise, counts.settings.window, shrink)
                step = cbow.Step(
                    float(rates[call]), float(rates[call + 1]), self.negative, int(seeds[call]), learn_outside
                )
                cbow.learn(text, step, inside, outside)
                call += 1
                progress.check()
            progress.add(1)


def _documents(counts: Counts, part: Sequence[int]) -> NDArray[np.int64]:
    """(N, 2) where the documents of some conditions begin and end; held-out ones are left out."""
    store = counts.store
    found = []
    for condition in part:
        documents = store.condition_slice(condition)
        numbers = np.arange(documents.start, documents.stop)[~store.held_out[documents]]
        found.append(np.column_stack([store.starts[numbers], store.starts[numbers + 1]]))
    return np.concatenate(found)


def _stretches(documents: NDArray[np.int64]) -> Iterable[NDArray[np.int64]]:
    """The documents in stretches of about equal length, which depend on the text alone."""
    length = np.cumsum(documents[:, 1] - documents[:, 0])
    number = max(1, round(int(length[-1]) / WORDS_AT_ONCE))
    limits = np.searchsorted(length, np.linspace(0, int(length[-1]), number + 1)[1:-1])
    return (part for part in np.split(documents, limits) if len(part))


class _Progress:
    """Counts finished passes over all models; stops those that go on when one of them is stopped."""

    def __init__(self, on_step: Callable[[int, int], None] | None, total: int) -> None:
        self.stop = threading.Event()
        self._on_step, self._total, self._done, self._lock = on_step, total, 0, threading.Lock()

    def check(self) -> None:
        if self.stop.is_set():
            raise KeyboardInterrupt

    def add(self, passes: int) -> None:
        with self._lock:
            self._done += passes
            if self._on_step:
                self._on_step(self._done, self._total)
