"""Continuous bag of words with negative sampling, one side of which can be frozen; compiled.

word2vec (Mikolov et al. 2013) predicts a word from the mean of the vectors around it: the `inside` matrix holds the
vectors that are averaged, the `outside` matrix those that the mean is compared with. gensim moves both, always, so
this is a kernel of our own; it draws its own random numbers, hence the same bytes everywhere.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from chronotope.runtime.kernels import kernel

Floats = NDArray[np.float32]

NOISE_POWER = 0.75
LAST_STEP = 1e-4  # the last step, as a share of the unit rate: that of word2vec

# Sums over dimensions stand in loops that store nothing, so that they are taken in the same order in every run. All
# that fastmath=True allows except nnan and ninf.
FAST_BUT_NAN_SAFE = {"reassoc", "contract", "arcp", "nsz", "afn"}


class Text(NamedTuple):
    """Documents as word numbers, and what is drawn of them."""

    ids: NDArray[np.int32]  # (T,) word numbers; those that are no words of the vocabulary are passed over
    starts: NDArray[np.int64]  # (N, 2) where each document begins and ends
    keep: NDArray[np.float64]  # (W,) the probability that an occurrence of a word is kept
    noise: NDArray[np.float64]  # (W,) the cumulative distribution that words which are not there are drawn from
    window: int
    shrink: bool  # whether the reach of each window is drawn at random, so that a context at distance d counts less


class Step(NamedTuple):
    """How a stretch of text is learned from."""

    rate: float  # at the start of the stretch
    last_rate: float  # and at its end
    negative: int
    seed: int
    learn_outside: bool


def sampling(frequency: NDArray[np.int64], subsampling: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """For each word the probability that an occurrence is kept, and the cumulative distribution of the noise.

    Examples
    --------
    >>> keep, noise = sampling(np.array([96, 4, 0]), 0.1)
    >>> keep.round(3).tolist(), noise.round(3).tolist()
    ([0.427, 1.0, 1.0], [0.916, 1.0, 1.0])
    """
    share = frequency / max(int(frequency.sum()), 1)
    with np.errstate(divide="ignore"):
        ratio = np.where(share > 0, subsampling / share, np.inf) if subsampling else np.full(len(share), np.inf)
    keep = np.minimum(1.0, np.sqrt(ratio) + ratio)
    noise = np.cumsum(frequency.astype(np.float64) ** NOISE_POWER)
    return keep, noise / max(noise[-1], 1)


@kernel(fastmath=FAST_BUT_NAN_SAFE)
def learn(text, step, inside, outside):  # type: ignore[no-untyped-def]
    """Move the vectors by one pass over some documents."""
    state = np.uint64(step.seed)
    longest = 0
    total = 0
    for document in range(len(text.starts)):
        longest = max(longest, text.starts[document, 1] - text.starts[document, 0])
        total += text.starts[document, 1] - text.starts[document, 0]
    kept = np.empty(longest, dtype=np.int32)
    around = np.empty(2 * text.window, dtype=np.int32)
    asked = np.empty(1 + step.negative, dtype=np.int32)
    mean = np.empty(inside.shape[1], dtype=np.float32)
    pull = np.empty(inside.shape[1], dtype=np.float32)
    done = 0
    for document in range(len(text.starts)):
        rate = np.float32(step.rate + (step.last_rate - step.rate) * (done / total))
        length = 0
        for place in range(text.starts[document, 0], text.starts[document, 1]):
            done += 1
            word = text.ids[place]
            if word >= len(inside):
                continue
            if text.keep[word] < 1:
                state = _next(state)
                if _fraction(state) >= text.keep[word]:
                    continue
            kept[length] = word
            length += 1
        for place in range(length):
            reach = text.window
            if text.shrink:
                state = _next(state)
                reach = 1 + int(_fraction(state) * text.window)
            size = 0
            for other in range(max(0, place - reach), min(length, place + reach + 1)):
                if other != place:
                    around[size] = kept[other]
                    size += 1
            if size == 0:
                continue
            asked[0] = kept[place]
            for number in range(step.negative):
                state = _next(state)
                asked[1 + number] = np.searchsorted(text.noise, _fraction(state), side="right")
            _move(around[:size], asked, rate, step.learn_outside, inside, outside, mean, pull)


@kernel(fastmath=FAST_BUT_NAN_SAFE)
def _move(around, asked, rate, learn_outside, inside, outside, mean, pull):  # type: ignore[no-untyped-def]
    """One step: asked[0] is the word that stands there, the others do not, unless they are drawn by chance."""
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
        given = np.float32(1) / (np.float32(1) + np.exp(-score))
        error = (np.float32(1) if number == 0 else np.float32(0)) - given
        for k in range(dimensions):
            pull[k] += error * outside[word, k]
        if learn_outside:
            for k in range(dimensions):
                outside[word, k] += rate * error * mean[k]
    # As in word2vec every vector of the window takes the whole step, not its share of the mean.
    for word in around:
        for k in range(dimensions):
            inside[word, k] += rate * pull[k]


@kernel()
def _next(state):  # type: ignore[no-untyped-def]
    """The state of the random numbers after this one: a counter in steps of an odd number."""
    return state + np.uint64(0x9E3779B97F4A7C15)


@kernel()
def _fraction(state):  # type: ignore[no-untyped-def]
    """A number from 0 to 1 for a state: its bits are mixed (SplitMix64), of which 53 are kept."""
    mixed = (state ^ (state >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    mixed ^= mixed >> np.uint64(31)
    return (mixed >> np.uint64(11)) * (1.0 / 9007199254740992.0)
