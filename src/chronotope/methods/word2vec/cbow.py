"""Continuous bag of words with negative sampling, compiled; the output side can be frozen.

word2vec (Mikolov et al. 2013) predicts a word from the mean of the vectors around it: the `inside` matrix holds the
vectors that are averaged, the `outside` matrix the vectors to compare the mean with. gensim always moves both.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from chronotope.methods.base import FAST_BUT_NAN_SAFE
from chronotope.runtime.kernels import kernel

NOISE_POWER = 0.75
LAST_RATE = 1e-4  # of word2vec


class Text(NamedTuple):
    """Documents as word numbers, and their sampling."""

    ids: NDArray[np.int32]  # (T,) word numbers; numbers outside the vocabulary are skipped
    starts: NDArray[np.int64]  # (N, 2) begin and end of each document
    keep: NDArray[np.float64]  # (W,) the probability that an occurrence of a word is kept
    noise: NDArray[np.float64]  # (W,) the cumulative distribution of negative samples
    window: int
    shrink: bool  # whether the size of each window is random, so that nearer contexts count more


class Step(NamedTuple):
    """The settings of one pass."""

    rate: float  # at the start
    last_rate: float  # and at the end
    negative: int
    learn_outside: bool


def sampling(frequency: NDArray[np.int64], subsampling: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return for each word the probability that an occurrence is kept, and the cumulative noise distribution."""
    share = frequency / max(int(frequency.sum()), 1)
    with np.errstate(divide="ignore"):
        ratio = np.where(share > 0, subsampling / share, np.inf) if subsampling else np.full(len(share), np.inf)
    keep = np.minimum(1.0, np.sqrt(ratio) + ratio)
    noise = np.cumsum(frequency.astype(np.float64) ** NOISE_POWER)
    return keep, noise / max(noise[-1], 1)


@kernel(fastmath=FAST_BUT_NAN_SAFE)
def learn(text, step, random, inside, outside):  # type: ignore[no-untyped-def]
    """Move the vectors by one pass over some documents."""
    length = text.starts[:, 1] - text.starts[:, 0]
    kept = np.empty(length.max(), dtype=np.int32)
    around = np.empty(2 * text.window, dtype=np.int32)
    asked = np.empty(1 + step.negative, dtype=np.int32)
    mean = np.empty(inside.shape[1], dtype=np.float32)
    pull = np.empty(inside.shape[1], dtype=np.float32)
    total, done = length.sum(), 0
    for document in range(len(text.starts)):
        rate = np.float32(step.rate + (step.last_rate - step.rate) * (done / total))
        done += length[document]
        size = 0
        for word in text.ids[text.starts[document, 0] : text.starts[document, 1]]:
            if word < len(inside) and (text.keep[word] >= 1 or random.random() < text.keep[word]):
                kept[size] = word
                size += 1
        for place in range(size):
            reach = 1 + int(random.random() * text.window) if text.shrink else text.window
            contexts = 0
            for other in range(max(0, place - reach), min(size, place + reach + 1)):
                if other != place:
                    around[contexts] = kept[other]
                    contexts += 1
            if contexts == 0:
                continue
            asked[0] = kept[place]
            for number in range(step.negative):
                asked[1 + number] = np.searchsorted(text.noise, random.random(), side="right")
            _move(around[:contexts], asked, rate, step.learn_outside, inside, outside, mean, pull)


@kernel(fastmath=FAST_BUT_NAN_SAFE, forceinline=True)
def _move(around, asked, rate, learn_outside, inside, outside, mean, pull):  # type: ignore[no-untyped-def]
    """One step: asked[0] is the word in the middle, the others are negative samples."""
    dimensions = inside.shape[1]
    share = np.float32(1) / np.float32(len(around))
    for k in range(dimensions):
        mean[k] = np.float32(0)
        pull[k] = np.float32(0)
    for word in around:
        for k in range(dimensions):
            mean[k] += inside[word, k]
    for k in range(dimensions):
        mean[k] *= share
    for number in range(len(asked)):
        word = asked[number]
        if number > 0 and word == asked[0]:
            continue
        score = np.float32(0)
        for k in range(dimensions):
            score += mean[k] * outside[word, k]
        predicted = np.float32(1) / (np.float32(1) + np.exp(-score))
        error = (np.float32(1) if number == 0 else np.float32(0)) - predicted
        for k in range(dimensions):
            pull[k] += error * outside[word, k]
        if learn_outside:
            for k in range(dimensions):
                outside[word, k] += rate * error * mean[k]
    # As in word2vec, every vector of the window takes the whole step, not its share of the mean.
    for word in around:
        for k in range(dimensions):
            inside[word, k] += rate * pull[k]
