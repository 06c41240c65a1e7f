"""From counts to the training data of a model: scaling, targets and weights."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from chronotope.cooccurrence.cells import CellArrays
from chronotope.cooccurrence.dataset import Counts

if TYPE_CHECKING:
    from scipy import sparse


def scale_of_conditions(counts: Counts, by: str = "pairs") -> NDArray[np.float64]:
    """(C,) the factor that turns the stored counts of each condition into X.

    Every condition gets the same mass, the mean over conditions: the same number of 'pairs' as the paper says, or
    counts in proportion to the size of the text ('tokens') as the authors' program does.
    """
    size = np.asarray(counts.pairs if by == "pairs" else counts.tokens, dtype=np.float64)
    with np.errstate(divide="ignore"):
        factor = np.where(size > 0, size[size > 0].mean() / size, 0.0)
    return factor / counts.unit


def targets(scaled: NDArray[np.float64], kind: str) -> NDArray[np.float32]:
    """log X, or log(1 + X)."""
    return (np.log(scaled) if kind == "log" else np.log1p(scaled)).astype(np.float32)


def weights(scaled: NDArray[np.float64], cap: float, power: float) -> NDArray[np.float32]:
    """min(1, (X / cap) ** power); 1 everywhere where the cap is 0.

    Examples
    --------
    >>> weights(np.array([0.5, 8.0]), cap=8.0, power=0.75).round(3).tolist()
    [0.125, 1.0]
    """
    if cap == 0:
        return np.ones(len(scaled), dtype=np.float32)
    return np.minimum(1.0, (scaled / cap) ** power).astype(np.float32)


def symmetric(cells: CellArrays, words: int) -> sparse.csr_array[np.float64]:
    """(W, W) the counts of a condition in both directions."""
    from scipy import sparse

    word, context, count = cells.word, cells.context, cells.count
    other = word != context
    rows, columns = np.append(word, context[other]), np.append(context, word[other])
    return sparse.csr_array((np.append(count, count[other]).astype(np.float64), (rows, columns)), shape=(words, words))
