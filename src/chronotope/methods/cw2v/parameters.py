"""What CW2V learns, and how it starts.

The paper's letters and our words: V `word`, U `context`, Q `condition`, D `word_deviation`, D′ `context_deviation`,
b `word_bias`, b′ `context_bias`. W words, C conditions, P pairs of word and condition that occur, D dimensions.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]


class Parameters(NamedTuple):
    """Everything that is learned; deviations and biases exist only for pairs that occur."""

    word: Floats  # (W, D)
    context: Floats  # (W, D)
    condition: Floats  # (C, D)
    word_deviation: Floats  # (P, D)
    context_deviation: Floats  # (P, D)
    word_bias: Floats  # (P,)
    context_bias: Floats  # (P,)


class Accumulators(NamedTuple):
    """AdaGrad's memory: the sum of mean squared gradients, one number for each row of each parameter.

    One number a row, not one an element: it halves the time and the memory, at the same held-out error.
    """

    word: Floats  # (W,)
    context: Floats  # (W,)
    condition: Floats  # (C,)
    word_deviation: Floats  # (P,)
    context_deviation: Floats  # (P,)
    word_bias: Floats  # (P,)
    context_bias: Floats  # (P,)


def initial_parameters(words: int, conditions: int, pairs: int, dimensions: int, seed: int) -> Parameters:
    """Small random words and contexts, condition vectors of 1, deviations and biases of 0.

    A condition vector near 0 would sit at a saddle: there the gradient of words and contexts vanishes with it, and
    only the biases learn.
    """
    random = np.random.Generator(np.random.PCG64([seed, 0]))

    def small(rows: int) -> Floats:
        return (random.random((rows, dimensions), dtype=np.float32) - np.float32(0.5)) / np.float32(dimensions**0.5)

    return Parameters(
        word=small(words),
        context=small(words),
        condition=np.ones((conditions, dimensions), dtype=np.float32),
        word_deviation=np.zeros((pairs, dimensions), dtype=np.float32),
        context_deviation=np.zeros((pairs, dimensions), dtype=np.float32),
        word_bias=np.zeros(pairs, dtype=np.float32),
        context_bias=np.zeros(pairs, dtype=np.float32),
    )


def initial_accumulators(parameters: Parameters, start: float, fixed: Collection[str] = ()) -> Accumulators:
    """Accumulators that hold `start`; those of parameters that are to stay as they are hold the largest number.

    A step is the rate over the root of the accumulator, some 1e-21 there: what starts at 1 stays exactly 1, and what
    starts at 0 stays so far below any vector that adding it changes no bit. (Infinity would give steps of exactly 0,
    but compiled kernels may take the root by an approximation that makes NaN of it.)
    """
    return Accumulators(
        *(
            np.full(len(array), np.finfo(np.float32).max if name in fixed else start, dtype=np.float32)
            for name, array in parameters._asdict().items()
        )
    )


def to_tensors(parameters: Parameters, accumulators: Accumulators) -> dict[str, Floats]:
    """Return all arrays by name, for a checkpoint."""
    named = {f"parameters.{name}": array for name, array in parameters._asdict().items()}
    return named | {f"accumulators.{name}": array for name, array in accumulators._asdict().items()}


def from_tensors(tensors: Mapping[str, Floats]) -> tuple[Parameters, Accumulators]:
    """Return the arrays of a checkpoint."""
    parameters = Parameters(*(tensors[f"parameters.{name}"] for name in Parameters._fields))
    return parameters, Accumulators(*(tensors[f"accumulators.{name}"] for name in Accumulators._fields))
