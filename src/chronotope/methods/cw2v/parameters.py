"""The parameters of CW2V, and their start.

The paper's letters and our words: V `word`, U `context`, Q `condition`, D `word_deviation`, D′ `context_deviation`,
b `word_bias`, b′ `context_bias`. W words, C conditions, P pairs of word and condition that occur, D dimensions.
"""

from collections.abc import Collection, Mapping
from typing import NamedTuple

import numpy as np
from scipy import sparse
from sklearn.utils.extmath import randomized_svd

from chronotope.cooccurrence import Association, Counts
from chronotope.cooccurrence.association import pmi_matrix
from chronotope.methods.base import Floats
from chronotope.runtime.blas import one_blas_thread

# Words and contexts start at this share of their length, so a product starts at a quarter of the mutual information.
START_SHARE = 0.5
# A direction with a smaller share of the first singular value is rounding noise.
MIN_SINGULAR_SHARE = 1e-6


class Parameters(NamedTuple):
    """All learned parameters; deviations and biases exist only for pairs that occur.

    AdaGrad's accumulators have the same fields, with one number per row.
    """

    word: Floats  # (W, D)
    context: Floats  # (W, D)
    condition: Floats  # (C, D)
    word_deviation: Floats  # (P, D)
    context_deviation: Floats  # (P, D)
    word_bias: Floats  # (P,)
    context_bias: Floats  # (P,)


def initial_parameters(counts: Counts, dimensions: int, seed: int) -> Parameters:
    """Return small random words and contexts, condition vectors of 1, deviations and biases of 0.

    Condition vectors near 0 would be at a saddle: the gradient of words and contexts vanishes, only biases learn.
    """
    random = np.random.Generator(np.random.PCG64([seed, 0]))
    words, pairs = len(counts.vocabulary), len(counts.vocabulary.support.word)

    def small(rows: int) -> Floats:
        return (random.random((rows, dimensions), dtype=np.float32) - np.float32(0.5)) / np.float32(dimensions**0.5)

    return Parameters(
        word=small(words),
        context=small(words),
        condition=np.ones((len(counts.conditions), dimensions), dtype=np.float32),
        word_deviation=np.zeros((pairs, dimensions), dtype=np.float32),
        context_deviation=np.zeros((pairs, dimensions), dtype=np.float32),
        word_bias=np.zeros(pairs, dtype=np.float32),
        context_bias=np.zeros(pairs, dtype=np.float32),
    )


def start_along_directions(parameters: Parameters, counts: Counts, seed: int) -> None:
    """Set words and contexts from the singular vectors of the mean mutual information, balanced in length.

    From a random start the first steps are spent on finding these directions, and the result depends more on the
    seed. Dimensions beyond the rank of the matrix keep their random start.
    """
    matrix = mean_mutual_information(counts)
    rank = min(parameters.word.shape[1], matrix.shape[0])
    with one_blas_thread():
        left, scale, right = randomized_svd(matrix, rank, n_iter=4, random_state=seed % 2**32)
    kept = int((scale > MIN_SINGULAR_SHARE * max(scale[0], 1e-30)).sum())
    half = START_SHARE * np.sqrt(scale[:kept])
    parameters.word[:, :kept] = left[:, :kept] * half
    parameters.context[:, :kept] = right[:kept].T * half


def mean_mutual_information(counts: Counts) -> sparse.csr_array[np.float32]:
    """(W, W) the positive mutual information of each word, averaged over conditions by its occurrences."""
    words, support = len(counts.vocabulary), counts.vocabulary.support
    parts: list[sparse.csr_array[np.float32]] = []
    for condition in range(len(counts.conditions)):
        share = np.zeros(words, dtype=np.float32)
        here = support.words_in(condition)
        share[here] = support.counts_in(condition) / counts.vocabulary.counts[here]
        matrix = pmi_matrix(counts.cells(condition), words, Association())
        matrix.data *= np.repeat(share, np.diff(matrix.indptr))
        parts.append(matrix)
        # Add matrices of like size: each cell is then copied a few times only.
        while len(parts) > 1 and parts[-2].nnz < 2 * parts[-1].nnz:
            parts.append(parts.pop() + parts.pop())
    return sum(parts[1:], parts[0])


def initial_accumulators(parameters: Parameters, start: float, fixed: Collection[str] = ()) -> Parameters:
    """Return accumulators of `start`; those of `fixed` parameters hold the largest float.

    A step is the rate divided by the root of the accumulator, about 1e-21 for the largest float: a 1 stays exactly 1,
    and a 0 stays too small to change a bit of a vector. (Infinity could become NaN in a compiled square root.)
    """
    return Parameters(
        *(
            np.full(len(array), np.finfo(np.float32).max if name in fixed else start, dtype=np.float32)
            for name, array in parameters._asdict().items()
        )
    )


def to_tensors(parameters: Parameters, accumulators: Parameters) -> dict[str, Floats]:
    """Return all arrays by name, for a checkpoint."""
    named = {f"parameters.{name}": array for name, array in parameters._asdict().items()}
    return named | {f"accumulators.{name}": array for name, array in accumulators._asdict().items()}


def from_tensors(tensors: Mapping[str, Floats]) -> tuple[Parameters, Parameters]:
    """Return parameters and accumulators of a checkpoint."""
    parameters, accumulators = (
        Parameters(*(tensors[f"{kind}.{name}"] for name in Parameters._fields))
        for kind in ("parameters", "accumulators")
    )
    return parameters, accumulators
