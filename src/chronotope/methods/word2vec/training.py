"""word2vec models by gensim, one for each part of a corpus; the same bytes for any number of threads.

gensim is repeatable with one worker only, so each model has one, and several models are trained at a time.
"""

import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chronotope.config import Word2VecSettings
from chronotope.cooccurrence import Counts
from chronotope.errors import import_extra
from chronotope.methods.base import FitOptions, Floats, OnStep

EPOCHS = 5
MAX_EPOCHS = 50
WORDS_TO_SEE = 5_000_000
# gensim silently drops the words of a document beyond this number, so longer documents are split.
MAX_DOCUMENT = 10_000


def epochs_for(words: float) -> int:
    """Return the number of passes over a text: five, and more for fewer words.

    Five passes over the text of one year are too few to move the vectors far from their start.

    >>> epochs_for(10_000_000), epochs_for(400_000), epochs_for(10_000)
    (5, 13, 50)
    """
    return int(np.clip(np.ceil(WORDS_TO_SEE / max(words, 1)), EPOCHS, MAX_EPOCHS))


class StepCounter:
    """Count epochs over all models of a fit; `stop` ends models in other threads."""

    def __init__(self, on_step: OnStep, total: int) -> None:
        self.stop = threading.Event()
        self._on_step, self._total, self._done, self._lock = on_step, total, 0, threading.Lock()

    def check(self) -> None:
        """Raise KeyboardInterrupt if another model was stopped."""
        if self.stop.is_set():
            raise KeyboardInterrupt

    def add(self, epochs: int = 1) -> None:
        """Report more finished epochs; one call at a time."""
        self.check()
        with self._lock:
            self._done += epochs
            self._on_step(self._done, self._total)

    def map(self, work: Callable[[Any], Floats], parts: Sequence[Any], threads: int) -> list[Floats]:
        """Apply a function to all parts on threads; if one fails, stop the others."""
        with ThreadPoolExecutor(threads) as pool:
            try:
                return list(pool.map(work, parts))
            except BaseException:
                self.stop.set()
                raise


def documents_of(counts: Counts, part: Sequence[int]) -> NDArray[np.int64]:
    """(N, 2) the first and the last token of each document of some conditions, without held-out documents."""
    store = counts.store
    limits = []
    for condition in part:
        documents = store.condition_slice(condition)
        numbers = np.arange(documents.start, documents.stop)[~store.held_out[documents]]
        limits.append(np.column_stack([store.starts[numbers], store.starts[numbers + 1]]))
    return np.concatenate(limits)


class TrainingText:
    """The documents of some conditions as lists of words, without held-out documents; every pass reads them again.

    A word is written as its number; words outside the vocabulary are left out.
    """

    def __init__(self, counts: Counts, conditions: Sequence[int]) -> None:
        self._ids, self._documents = counts.store.ids, documents_of(counts, conditions).tolist()
        self._names = [str(word) for word in range(len(counts.vocabulary))]

    def __iter__(self) -> Iterator[list[str]]:
        for begin, end in self._documents:
            ids = np.asarray(self._ids[begin:end])
            ids = ids[ids < len(self._names)]
            for first in range(0, len(ids), MAX_DOCUMENT):
                yield [self._names[word] for word in ids[first : first + MAX_DOCUMENT].tolist()]


def train(
    counts: Counts, settings: Word2VecSettings, parts: Sequence[Sequence[int]], options: FitOptions
) -> list[Floats]:
    """Return for each part (some conditions) the (W, D) vectors of a model of its text; zero for absent words."""
    from gensim.models import Word2Vec
    from gensim.models.callbacks import CallbackAny2Vec

    epochs = settings.epochs or EPOCHS
    steps = StepCounter(options.on_step, epochs * len(parts))

    class CountEpoch(CallbackAny2Vec):  # type: ignore[misc]
        def on_epoch_end(self, _model: Any) -> None:
            steps.add()

    def train_part(part: Sequence[int]) -> Floats:
        vectors = np.zeros((len(counts.vocabulary), settings.dimensions), dtype=np.float32)
        frequency = word_frequency(counts, part)
        words = np.flatnonzero(frequency).tolist()
        if not words:
            return vectors
        model = Word2Vec(
            vector_size=settings.dimensions,
            window=counts.settings.window,
            # gensim draws the reach of each window at random, so that nearer contexts count more.
            shrink_windows=counts.settings.weighting == "harmonic",
            min_count=1,
            workers=1,
            sg=int(settings.algorithm == "skipgram"),
            negative=settings.negative,
            sample=settings.subsampling,
            seed=int(np.random.SeedSequence([settings.seed, part[0]]).generate_state(1)[0]),
        )
        model.build_vocab_from_freq({str(word): int(frequency[word]) for word in words})
        text = TrainingText(counts, part)
        model.train(text, total_words=int(frequency.sum()), epochs=epochs, callbacks=[CountEpoch()])
        vectors[words] = model.wv[[str(word) for word in words]]
        return vectors

    return steps.map(train_part, parts, options.threads)


def word_frequency(counts: Counts, part: Sequence[int]) -> NDArray[np.int64]:
    """(W,) the number of occurrences of each word in some conditions."""
    frequency, support = np.zeros(len(counts.vocabulary), dtype=np.int64), counts.vocabulary.support
    for condition in part:
        frequency[support.words_in(condition)] += support.counts_in(condition)
    return frequency


def gensim_version() -> dict[str, str]:
    """Return the version of gensim for the provenance; MissingExtraError if it is not installed."""
    return {"gensim": import_extra("gensim", "word2vec", "word2vec").__version__}
