"""`compass`: word2vec of all the text, its output side frozen, the other side learned again in each condition."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from chronotope.config import CompassSettings
from chronotope.cooccurrence import Counts
from chronotope.embeddings import ConditionedEmbeddings
from chronotope.errors import DivergenceError
from chronotope.methods.base import FitOptions, Floats, Method, uncentered
from chronotope.methods.word2vec import cbow
from chronotope.methods.word2vec.training import StepCounter, documents_of, epochs_for, word_frequency

# Tokens in one call of the kernel; training can be stopped between calls.
CHUNK_TOKENS = 500_000


@dataclass(frozen=True, repr=False)
class CompassWord2Vec(Method, CompassSettings):
    """word2vec with its output side learned from all the text and frozen (Di Carlo et al. 2019, Bianchi et al. 2020).

    First CBOW is trained on all the text: the compass. Then in each condition the word vectors are learned against the
    output vectors of the compass, which stay fixed, so that all conditions share one space without rotations. A word
    that is absent from a condition has its vector of the compass. Vectors are not centered, as in the original. The
    fields are those of `chronotope.config.CompassSettings`; the window and its weighting are those of the counts.

    The kernel is our own (`chronotope.methods.word2vec.cbow`), since gensim cannot freeze the output side. The
    compass uses one thread, the conditions use all.
    """

    _name = "compass"

    def _fit(self, counts: Counts, options: FitOptions) -> ConditionedEmbeddings:
        conditions = range(len(counts.conditions))
        of_all = self.epochs or epochs_for(float(counts.tokens.sum()))
        of_each = self.epochs or epochs_for(float(counts.tokens.mean()))
        steps = StepCounter(options.on_step, of_all + of_each * len(conditions))
        inside = self._random_vectors(len(counts.vocabulary), 0)
        outside = np.zeros_like(inside)
        self._learn(counts, conditions, of_all, inside, outside, steps, learn_outside=True)

        def vectors_in(condition: int) -> Floats:
            own = inside.copy() if self.start == "compass" else self._random_vectors(len(inside), 1 + condition)
            self._learn(counts, [condition], of_each, own, outside, steps, learn_outside=False)
            return own[counts.vocabulary.support.words_in(condition)]

        vectors = np.concatenate(steps.map(vectors_in, conditions, options.threads))
        if not (np.isfinite(vectors).all() and np.isfinite(inside).all()):
            raise DivergenceError(f"training diverged; lower the rate (now {self.rate:g})")
        provenance = replace(self, epochs=of_each).provenance(counts, options)
        provenance["settings"]["compass_epochs"] = of_all
        return uncentered(counts, vectors, provenance, common=inside)

    def _random_vectors(self, words: int, part: int) -> Floats:
        """(W, D) small random vectors, the start of word2vec."""
        random = np.random.Generator(np.random.PCG64([self.seed, part]))
        vectors = random.random((words, self.dimensions), dtype=np.float32)
        return (vectors - np.float32(0.5)) / np.float32(self.dimensions)

    def _learn(
        self,
        counts: Counts,
        part: Sequence[int],
        epochs: int,
        inside: Floats,
        outside: Floats,
        steps: StepCounter,
        *,
        learn_outside: bool,
    ) -> None:
        """Move the vectors by several passes over the text of some conditions."""
        frequency = word_frequency(counts, part)
        if not frequency.any():
            steps.add(epochs)
            return
        keep, noise = cbow.sampling(frequency, self.subsampling)
        chunks = split_documents(documents_of(counts, part))
        shrink = counts.settings.weighting == "harmonic"
        rates = np.linspace(self.rate, min(self.rate, cbow.LAST_RATE), epochs * len(chunks) + 1).tolist()
        # The compass uses random stream 0, the conditions the others.
        random = np.random.Generator(np.random.PCG64([self.seed, 0 if learn_outside else 1 + part[0], 1]))
        for epoch in range(epochs):
            for number, documents in enumerate(chunks, start=epoch * len(chunks)):
                text = cbow.Text(counts.store.checked_ids, documents, keep, noise, counts.settings.window, shrink)
                step = cbow.Step(rates[number], rates[number + 1], self.negative, learn_outside)
                cbow.learn(text, step, random, inside, outside)
                steps.check()
            steps.add()


def split_documents(documents: NDArray[np.int64]) -> list[NDArray[np.int64]]:
    """Split documents into chunks of about CHUNK_TOKENS; the split depends only on the text."""
    length = np.cumsum(documents[:, 1] - documents[:, 0])
    number = max(1, round(int(length[-1]) / CHUNK_TOKENS))
    limits = np.searchsorted(length, np.linspace(0, int(length[-1]), number + 1)[1:-1])
    return [part for part in np.split(documents, limits) if len(part)]
