"""`zeros`: the vectors of CW2V, fitted to the mutual information of all pairs of words, zeros included.

With A = V ⊙ q_c + D and B = U ⊙ q_c + D′, one row for each word that occurs in the condition,

    L = Σ_c Σ_ij w_ic w_jc (M_ijc − a_ic · b_jc)²  +  β′ (‖D‖² + ‖D′‖²)  +  α/2 Σ_(a,b)∈E ‖q_a − q_b‖²

M is the positive mutual information, and w = n / (n + 10) as in `graph`. Given the other side, the rows of a condition
have a closed form, whose cost depends only on the nonzero cells; so have V, U and q. No step raises the loss. β′ is β/8
times the mean square of a dimension of B at the start, so that the same β suits vocabularies of all sizes.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from itertools import pairwise

import numpy as np
from scipy import sparse

from chronotope.config import ConditionedSettings
from chronotope.cooccurrence import Association, Counts
from chronotope.cooccurrence.association import pmi_matrix
from chronotope.methods.base import TrainingRun
from chronotope.methods.cw2v.parameters import START_SHARE, Parameters, initial_parameters, start_along_directions
from chronotope.runtime.blas import one_blas_thread

SHRINKAGE = 10.0
PENALTY_UNIT = 8.0


def fit_with_zeros(
    settings: ConditionedSettings,
    counts: Counts,
    neighbors: sparse.csr_array[np.float64],
    run: TrainingRun,
    in_memory: bool,
    on_sweep: Callable[[Parameters, float], None],
) -> Parameters:
    """Return the parameters after `epochs` sweeps; biases are zero.

    `neighbors` (C, C) holds the α of each edge, in both directions. `on_sweep` gets the loss relative to that of zero
    vectors.
    """
    support, words, size = counts.vocabulary.support, len(counts.vocabulary), len(counts.conditions)
    word, condition = support.word, support.condition
    rows = [slice(int(first), int(last)) for first, last in pairwise(support.start)]
    weight = (support.count / (support.count + SHRINKAGE))[:, None]
    parameters = initial_parameters(counts, settings.dimensions, settings.seed)
    if saved := run.load({name: array.shape for name, array in parameters._asdict().items()}):
        parameters, penalty = Parameters(**saved[0]), float(saved[1]["penalty"])
    else:
        if settings.start == "directions":
            start_along_directions(parameters, counts, settings.seed)
            for start in (parameters.word, parameters.context):
                start /= np.float32(START_SHARE)
        square = (weight * np.square(parameters.context[word], dtype=np.float64)).sum() / size / settings.dimensions
        penalty = settings.deviation_penalty / PENALTY_UNIT * float(square)
    q = parameters.condition
    sides = [(parameters.word, parameters.word_deviation), (parameters.context, parameters.context_deviation)]
    degree = np.asarray(neighbors.sum(axis=1), dtype=np.float64).reshape(-1, 1)

    def information(c: int) -> sparse.csr_array[np.float32]:
        """M of the words that occur."""
        here = word[rows[c]]
        return pmi_matrix(counts.cells(c), words, Association())[here][:, here]

    matrix = cache(information) if in_memory else information

    def zero_loss(c: int) -> float:
        found, here = matrix(c), weight[rows[c], 0]
        return float(here @ (found.multiply(found) @ here))

    def solve(side: int, c: int) -> float:
        """Find the best deviations of words (0) or contexts (1); return their share of the loss, less a constant."""
        here = rows[c]
        (base, deviation), (other, other_deviation) = sides[side], sides[1 - side]
        w, own = weight[here], (base[word[here]] * q[c]).astype(np.float64)
        fixed = (other[word[here]] * q[c] + other_deviation[here]).astype(np.float64)
        found = matrix(c).T if side else matrix(c)
        squares, product = fixed.T @ (w * fixed), found @ (w * fixed)
        scale, axes = np.linalg.eigh(squares)
        right = w * (product - own @ squares)
        best = ((right @ axes) / (w * scale + penalty)) @ axes.T
        deviation[here] = best
        own += best
        return float((w * own * (own @ squares - 2 * product)).sum())

    def refit() -> float:
        """Find the best bases and condition vectors for the vectors; return the penalties."""
        pull, strength = neighbors @ q.astype(np.float64), np.repeat(degree, q.shape[1], axis=1)
        for base, vectors in sides:
            vectors += base[word] * q[condition]
            total, squares = np.zeros((2, *base.shape))
            for c, here in enumerate(rows):
                total[word[here]] += vectors[here] * q[c]
                squares[word[here]] += q[c] ** 2
            base[:] = total / np.maximum(squares, np.finfo(np.float32).tiny)
            for c, here in enumerate(rows):
                pull[c] += 2 * penalty * (base[word[here]] * vectors[here]).sum(axis=0, dtype=np.float64)
                strength[c] += 2 * penalty * np.square(base[word[here]], dtype=np.float64).sum(axis=0)
        q[:] = np.where(strength > 0, pull / np.maximum(strength, 1e-300), q)
        for base, vectors in sides:
            vectors -= base[word] * q[condition]
        own = sum(float(np.square(vectors, dtype=np.float64).sum()) for _, vectors in sides)
        return float((q * (degree * q - neighbors @ q)).sum()) / 2 + penalty * own

    with one_blas_thread():
        constant = sum(run.pool.map(zero_loss, range(size)))
        while len(run.history) < settings.epochs:
            for side in (0, 1):
                loss = sum(run.pool.map(partial(solve, side), range(size)))
            loss += constant + refit()
            on_sweep(parameters, loss / (constant or 1.0))
            run.save_if_due(parameters._asdict(), {"penalty": penalty})
    return parameters
