"""From counts to training data: scaling, targets, weights, and positive pointwise mutual information (PMI).

With `directional_contexts`, a word before and the same word after are two contexts. Words with the same role (two
surnames) then become more similar than words that follow each other (a first name and a surname).
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from chronotope.cooccurrence.cells import CellArrays
from chronotope.cooccurrence.dataset import Counts

CELLS_AT_ONCE = 1 << 18


class PairMatrix(NamedTuple):
    """The rows of all conditions as one sparse matrix: a row for each (word, condition) that occurs."""

    start: NDArray[np.int64]  # (P + 1,)
    context: NDArray[np.int32]  # (N,)
    value: NDArray[np.float32]  # (N,)
    contexts: int  # the number of columns


class Association(NamedTuple):
    """The settings of the mutual information.

    With `directional_contexts`, context j after a word is column 2j, before it 2j + 1.
    """

    context_power: float = 0.75  # exponent of context frequencies; below 1 it lowers the weight of rare contexts
    pmi_power: float = 1.0  # exponent of the mutual information; above 1 it raises the weight of strong associations
    directional_contexts: bool = False  # whether a word before and after are two contexts


def scale_of_conditions(counts: Counts, by: str = "pairs") -> NDArray[np.float64]:
    """(C,) the factor that turns the stored counts of each condition into X.

    Every condition gets the mean mass over conditions: by 'pairs', as in the paper, or in proportion to the size of the
    text, by 'tokens', as in the authors' program.
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

    >>> weights(np.array([0.5, 8.0]), cap=8.0, power=0.75).round(3).tolist()
    [0.125, 1.0]
    """
    if cap == 0:
        return np.ones(len(scaled), dtype=np.float32)
    return np.minimum(1.0, (scaled / cap) ** power).astype(np.float32)


def symmetric(cells: CellArrays, words: int) -> sparse.csr_array[np.float64]:
    """(W, W) the counts of a condition in both directions."""
    word, context, count = cells.word, cells.context, cells.count
    other = word != context
    rows, columns = np.append(word, context[other]), np.append(context, word[other])
    return sparse.csr_array((np.append(count, count[other]).astype(np.float64), (rows, columns)), shape=(words, words))


def pmi_matrix(
    cells: CellArrays, words: int, association: Association, expected: NDArray[np.float64] | None = None
) -> sparse.csr_array[np.float32]:
    """Compute the positive mutual information of one condition: a row for each word, a column for each context.

    Columns ascend within a row. `expected` are the frequencies of the contexts; by default those of the cells.
    """
    directional = association.directional_contexts
    share = (context_totals(cells, words, directional) if expected is None else expected) ** association.context_power
    share /= max(share.sum(), 1)
    with np.errstate(divide="ignore"):
        log_row, log_share = np.log(context_totals(cells, words, directional=False)), np.log(share)

    def entries(row: NDArray[np.int32], context: NDArray[np.int32], *counts: NDArray[np.int64]) -> list[NDArray[Any]]:
        """Return row, column and value of the positive entries; `counts` has one array, or one for each side."""
        column = len(counts) * context[:, None] + np.arange(len(counts), dtype=np.int32)
        with np.errstate(divide="ignore", invalid="ignore"):
            pmi = np.log(np.stack(counts, axis=1)) - log_row[row, None] - log_share[column]
        kept = pmi > 0
        value = (pmi[kept] ** association.pmi_power).astype(np.float32)
        return [np.repeat(row, kept.sum(axis=1)), column[kept], value]

    upper, lower = [], []
    for word, context, count, after in cells.blocks(CELLS_AT_ONCE):
        before, other = count - after, word != context  # a diagonal cell belongs to one row
        upper.append(entries(word, context, *((after, before) if directional else (count,))))
        mirrored = [column[other] for column in (context, word, *((before, after) if directional else (count,)))]
        lower.append(entries(*mirrored))
    # Columns below the diagonal come first, so that those of each row ascend.
    none = [np.empty(0, np.int32), np.empty(0, np.int32), np.empty(0, np.float32)]
    row, column, value = map(np.concatenate, zip(none, *lower, *upper, strict=True))
    return sparse.coo_array((value, (row, column)), shape=(words, words * (1 + directional))).tocsr()


def pooled_contexts(counts: Counts, directional: bool) -> NDArray[np.float64]:
    """Return the frequency of each context in all conditions together, each with the same weight."""
    words, scale = len(counts.vocabulary), scale_of_conditions(counts)
    totals = (context_totals(counts.cells(condition), words, directional) for condition in range(len(scale)))
    return sum((factor * total for factor, total in zip(scale, totals, strict=True)), np.zeros(1))


def context_totals(cells: CellArrays, words: int, directional: bool) -> NDArray[np.float64]:
    """Sum the counts of each context: (W,), or (2W,) if directional.

    >>> after = CellArrays.of([0], [1], [2], [2])  # word 1 stands after word 0, twice
    >>> context_totals(after, 2, directional=True).tolist()
    [0.0, 2.0, 2.0, 0.0]
    """
    other = cells.word != cells.context
    if not directional:
        total = np.bincount(cells.context, cells.count, words) + np.bincount(cells.word, other * cells.count, words)
        return np.asarray(total, dtype=np.float64)
    before = cells.count - cells.after
    totals = np.empty(2 * words)
    totals[::2] = np.bincount(cells.context, cells.after, words) + np.bincount(cells.word, other * before, words)
    totals[1::2] = np.bincount(cells.context, before, words) + np.bincount(cells.word, other * cells.after, words)
    return totals
