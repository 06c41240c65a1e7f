"""Where words and contexts of CW2V start: along the main directions of the mutual information of words and contexts.

From a random start the first steps are spent on finding these directions, and where training ends depends on the seed.
The directions are those of `graph` without any pull: orthonormal contexts for the rows of all conditions. A word's
rows, averaged by its occurrences, and the contexts are then turned and scaled so that both carry the same share.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from chronotope.cooccurrence import Association, Counts
from chronotope.methods.cw2v.parameters import Floats, Parameters
from chronotope.methods.device import Choice
from chronotope.methods.graph.gpu import GpuSolver
from chronotope.methods.graph.links import make_problem
from chronotope.methods.graph.matrix import mutual_information
from chronotope.methods.graph.model import CpuSolver
from chronotope.runtime.blas import one_blas_thread

# A row with so many occurrences is trusted by half, as in `graph`.
HALF_TRUST = 10.0
# Both sides start at this share of their length, so that a product starts at a quarter of the mutual information.
SHARE = 0.5
# A direction with less than this share of the first is none.
LEAST = 1e-6


def start_along_directions(
    parameters: Parameters,
    counts: Counts,
    seed: int,
    choice: Choice,
    pool: ThreadPoolExecutor,
    threads: int,
    folder: Path | None,
) -> None:
    """Put words and contexts where they start; beyond the number of directions they stay as they are."""
    support, words = counts.vocabulary.support, len(counts.vocabulary)
    matrix = mutual_information(counts, Association(), marginals="own", threads=threads, folder=folder)
    problem = make_problem(
        matrix, support, words, counts.conditions, smoothness=0.0, deviation_penalty=0.0, half_trust=HALF_TRUST
    )
    dimensions = min(parameters.word.shape[1], words)
    solver = (
        CpuSolver(problem, dimensions, pool)
        if choice.device == "cpu"
        else GpuSolver(problem, dimensions, streamed=choice.streamed)
    )
    solver.start_contexts(seed)
    solver.solve_rows()
    total, rows = np.zeros((words, dimensions)), solver.rows
    for first, last in pairwise(support.start):
        total[support.word[first:last]] += rows[first:last] * support.count[first:last, None]
    word, context = balanced(total / np.maximum(counts.vocabulary.counts, 1)[:, None], solver.contexts)
    found = word.shape[1]
    parameters.word[:, :found], parameters.context[:, :found] = word, context


def balanced(rows: NDArray[np.float64], contexts: Floats) -> tuple[Floats, Floats]:
    """(W, D′) words and contexts whose products are those of the rows with the contexts, times `SHARE` squared.

    Both have the same length along each direction. Only directions that the rows have are left.

    Examples
    --------
    >>> word, context = balanced(np.array([[4.0, 0], [0, 0]]), np.eye(2, dtype=np.float32))
    >>> abs(word).tolist(), abs(context).tolist()
    ([[1.0], [0.0]], [[1.0], [0.0]])
    """
    with one_blas_thread():  # the bits of a product in BLAS may differ with its threads
        left, scale, right = np.linalg.svd(rows, full_matrices=False)
        kept = scale > LEAST * scale[0]
        half = SHARE * np.sqrt(scale[kept])
        word, context = left[:, kept] * half, contexts @ right[kept].T * half
    return word.astype(np.float32), context.astype(np.float32)
