"""word2vec models by gensim, one for each part of a corpus; the same bytes for any number of threads.

gensim is repeatable with one worker only, so each model has one, and several models are trained at a time.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from chronotope import config
from chronotope.config import Word2VecSettings
from chronotope.cooccurrence import Counts
from chronotope.cooccurrence.vocabulary import Support
from chronotope.errors import MissingExtra, SettingsError
from chronotope.io.provenance import versions
from chronotope.methods.sweeps import OnStep
from chronotope.methods.word2vec.text import TrainingText
from chronotope.runtime.resources import cores

if TYPE_CHECKING:
    from gensim.models import Word2Vec

Floats = NDArray[np.float32]

EPOCHS = 5
MOST_EPOCHS = 50
WORDS_TO_SEE = 5_000_000


def epochs_for(words: float) -> int:
    """The passes over a text of so many words: five, and more where it is small.

    Five passes over the text of one year are too few to move the vectors far from where they start.

    Examples
    --------
    >>> epochs_for(10_000_000), epochs_for(400_000), epochs_for(10_000)
    (5, 13, 50)
    """
    return int(np.clip(np.ceil(WORDS_TO_SEE / max(words, 1)), EPOCHS, MOST_EPOCHS))


def train_conditions(counts: Counts, settings: Word2VecSettings, threads: int | None, on_step: OnStep | None) -> Floats:
    """(P, D) the vector of each pair of the support, from a model of each condition alone: each in its own space."""
    parts = [[condition] for condition in range(len(counts.conditions))]
    vectors = train(counts, settings, parts, threads, on_step)
    support = counts.vocabulary.support
    return np.concatenate([part[support.words_in(condition)] for condition, part in enumerate(vectors)])


def train(
    counts: Counts,
    settings: Word2VecSettings,
    parts: Sequence[Sequence[int]],
    threads: int | None,
    on_step: OnStep | None = None,
) -> list[Floats]:
    """For each part, which is some conditions, the (W, D) vectors of a model of its text; zero for absent words.

    Parameters
    ----------
    counts
        The vocabulary, and where the text is.
    settings
        With the number of epochs filled in.
    parts
        The conditions of each model.
    threads
        How many models are trained at a time.
    on_step
        Called with the number of epochs done and of all, over all models; one call at a time, from any thread.
    """
    epochs = settings.epochs or EPOCHS
    done, lock, stop = 0, threading.Lock(), threading.Event()

    def advance() -> None:
        nonlocal done
        if stop.is_set():
            raise KeyboardInterrupt
        with lock:
            done += 1
            if on_step:
                on_step(done, epochs * len(parts))

    def trained(part: Sequence[int]) -> Floats:
        vectors = np.zeros((len(counts.vocabulary), settings.dimensions), dtype=np.float32)
        frequency = _frequency(counts.vocabulary.support, part, len(vectors))
        words = np.flatnonzero(frequency)
        if len(words):
            model = _model(settings, counts, part, {str(word): int(frequency[word]) for word in words.tolist()})
            model.train(
                TrainingText(counts, part),
                total_words=int(frequency.sum()),
                epochs=epochs,
                callbacks=[_EpochEnd(advance)],
            )
            vectors[words] = model.wv[[str(word) for word in words.tolist()]]
        return vectors

    with ThreadPoolExecutor(threads or cores()) as pool:
        try:
            return list(pool.map(trained, parts))
        except BaseException:
            # Models that are being trained end with their epoch; the pool waits for them.
            stop.set()
            raise


def provenance(
    method: str, settings: Word2VecSettings, counts: Counts, place_edges: Iterable[tuple[str, str]] | None
) -> dict[str, Any]:
    """How the vectors were made; refuses edges between places, which no word2vec baseline uses."""
    if place_edges is not None:
        raise SettingsError(f"{method} knows no neighbors among places; leave the edges out")
    return {
        "method": method,
        "settings": config.to_dict(settings),
        "seed": settings.seed,
        "run": counts.checksum,
        "min_count": counts.vocabulary.min_count,
        "window": counts.settings.window,
        "place_edges": None,
        "device": "cpu",
        "versions": versions() | {"gensim": _gensim().__version__},
    }


def _gensim() -> Any:
    try:
        import gensim
    except ImportError:
        raise MissingExtra("word2vec", "word2vec") from None
    return gensim


def _model(settings: Word2VecSettings, counts: Counts, part: Sequence[int], frequency: dict[str, int]) -> Word2Vec:
    """A model that is about to be trained; its first vectors depend on the seed and the part alone."""
    _gensim()
    from gensim.models import Word2Vec

    model = Word2Vec(
        vector_size=settings.dimensions,
        window=counts.settings.window,
        # gensim draws the reach of each window at random, so that a context at distance d counts less; or not.
        shrink_windows=counts.settings.weighting == "harmonic",
        min_count=1,
        workers=1,
        sg=int(settings.algorithm == "skipgram"),
        negative=settings.negative,
        sample=settings.subsampling,
        seed=int(np.random.SeedSequence([settings.seed, part[0]]).generate_state(1)[0]),
    )
    model.build_vocab_from_freq(frequency)
    return model


def _frequency(support: Support, part: Sequence[int], words: int) -> NDArray[np.int64]:
    """(W,) how often each word occurs in some conditions."""
    frequency = np.zeros(words, dtype=np.int64)
    for condition in part:
        frequency[support.words_in(condition)] += support.counts_in(condition)
    return frequency


class _EpochEnd:
    """What gensim calls as training goes on."""

    def __init__(self, then: Callable[[], None]) -> None:
        self._then = then

    def on_train_begin(self, _model: Any) -> None: ...
    def on_train_end(self, _model: Any) -> None: ...
    def on_epoch_begin(self, _model: Any) -> None: ...
    def on_epoch_end(self, _model: Any) -> None:
        self._then()
