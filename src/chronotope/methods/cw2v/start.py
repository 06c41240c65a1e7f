"""Where words and contexts of CW2V start: along the main directions of the mutual information.

From a random start the first steps are spent on finding these directions, and the result depends more on the seed.
"""

from __future__ import annotations

import numpy as np
from scipy import sparse
from sklearn.utils.extmath import randomized_svd

from chronotope.cooccurrence import Association, Counts
from chronotope.cooccurrence.association import rows_by_condition
from chronotope.methods.cw2v.parameters import Parameters
from chronotope.runtime.blas import one_blas_thread

# Both sides start at this share of their length, so that a product starts at a quarter of the mutual information.
SHARE = 0.5
# A direction with a smaller share of the first singular value is rounding noise.
MIN_SHARE = 1e-6


def start_along_directions(parameters: Parameters, counts: Counts, seed: int) -> None:
    """Set words and contexts from the singular vectors of the mean mutual information, balanced in length.

    Dimensions beyond the rank of the matrix keep their random start.
    """
    matrix = mean_mutual_information(counts)
    rank = min(parameters.word.shape[1], matrix.shape[0])
    with one_blas_thread():
        left, scale, right = randomized_svd(matrix, rank, n_iter=4, random_state=seed % 2**32)
    kept = int((scale > MIN_SHARE * max(scale[0], 1e-30)).sum())
    half = SHARE * np.sqrt(scale[:kept])
    parameters.word[:, :kept] = left[:, :kept] * half
    parameters.context[:, :kept] = right[:kept].T * half


def mean_mutual_information(counts: Counts) -> sparse.csr_array[np.float32]:
    """(W, W) the positive mutual information of each word, averaged over conditions by its occurrences."""
    words, support = len(counts.vocabulary), counts.vocabulary.support
    share = (support.count / counts.vocabulary.counts[support.word]).astype(np.float32)
    parts: list[sparse.csr_array[np.float32]] = []
    for condition, rows in enumerate(rows_by_condition(counts, Association())):
        here = slice(support.start[condition], support.start[condition + 1])
        length = np.zeros(words, dtype=np.int64)
        length[support.word[here]] = rows.length
        start = np.append(0, np.cumsum(length))
        value = rows.value * np.repeat(share[here], rows.length)
        parts.append(sparse.csr_array((value, rows.context, start), shape=(words, words)))
        # Add matrices of like size: each cell is then copied a few times only.
        while len(parts) > 1 and parts[-2].nnz < 2 * parts[-1].nnz:
            parts.append(parts.pop() + parts.pop())
    return sum(parts[1:], parts[0])
