"""The positive mutual information of all conditions, in memory or on disk, and its sum over conditions."""

import errno
import tempfile
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray
from scipy import sparse

from chronotope.cooccurrence import Association, Counts, PairMatrix
from chronotope.cooccurrence.association import pmi_matrix, pooled_contexts
from chronotope.errors import InputError
from chronotope.methods.graph.objective import GraphProblem
from chronotope.runtime.resources import Block, even_blocks, stretches

CELLS_AT_ONCE = 1 << 20
POOLED_AT_ONCE = 1 << 22

Rows = tuple[NDArray[Any], NDArray[Any], NDArray[Any]]  # lengths of the rows; contexts and values of their cells


class DiskArray:
    """An array in an unnamed file in `folder`; slices are memory-mapped."""

    def __init__(self, dtype: DTypeLike, folder: Path) -> None:
        self._dtype, self._folder = np.dtype(dtype), folder
        self._file = tempfile.TemporaryFile(dir=folder, prefix="chronotope-")  # noqa: SIM115

    def __setitem__(self, part: slice, numbers: NDArray[Any]) -> None:
        try:
            self._file.seek(part.start * self._dtype.itemsize)
            self._file.write(np.ascontiguousarray(numbers, self._dtype).data)
            self._file.flush()
        except OSError as error:
            if error.errno != errno.ENOSPC:
                raise
            raise InputError(f"the disk of {self._folder} is full; make room, or allow more memory") from None

    def __getitem__(self, part: slice) -> NDArray[Any]:
        if part.start >= part.stop:
            return np.empty(0, dtype=self._dtype)
        offset, shape = int(part.start) * self._dtype.itemsize, (int(part.stop - part.start),)
        return np.asarray(np.memmap(self._file, self._dtype, mode="r", offset=offset, shape=shape))


def mutual_information(
    counts: Counts,
    association: Association,
    *,
    marginals: str = "own",
    threads: int = 1,
    folder: Path | None = None,
) -> PairMatrix:
    """Return one sparse row for each (word, condition), in memory or, with a `folder`, on disk.

    `marginals` are the context frequencies: the condition's 'own', or 'pooled' over all conditions. Each thread holds
    one condition at a time; with a folder there is one thread.
    """
    words, conditions = len(counts.vocabulary), range(len(counts.conditions))
    columns = 1 + association.directional_contexts
    pooled = pooled_contexts(counts, association.directional_contexts) if marginals == "pooled" else None

    def rows(condition: int) -> Rows:
        matrix = pmi_matrix(counts.cells(condition), words, association, pooled)
        return np.diff(matrix.indptr)[counts.vocabulary.support.words_in(condition)], matrix.indices, matrix.data

    with ThreadPoolExecutor(threads) as pool:
        parts = (map if folder or threads == 1 else pool.map)(rows, conditions)
        return _assemble(parts, 2 * columns * counts.size, words * columns, folder)


def pooled_rows(problem: GraphProblem, folder: Path | None = None) -> PairMatrix:
    """Return one row for each word: Σ w M over its conditions, divided by √Σ w.

    Their main directions are close to those of all rows, at a fraction of the cells.
    """
    matrix, weight, words = problem.matrix, problem.weight, problem.words
    word = np.empty(len(weight), dtype=np.int64)
    word[problem.order] = np.repeat(np.arange(words), np.diff(problem.word_start))
    scale = 1 / np.sqrt(np.maximum(np.bincount(word, weight, words), 1e-12))
    load = np.append(0, np.cumsum(np.bincount(word, np.diff(matrix.start), words)))
    blocks = even_blocks(load, max(1, int(load[-1]) // POOLED_AT_ONCE))
    # Words ascend within a condition, so a block of words is one stretch of rows in each.
    first = np.flatnonzero(np.diff(word, prepend=words) <= 0)
    limits = np.array(
        [
            low + np.searchsorted(word[low:high], [block[0] for block in blocks] + [words])
            for low, high in pairwise([*first, len(word)])
        ]
    ).reshape(-1, len(blocks) + 1)

    def pool(number: int) -> Rows:
        own = limits[:, number : number + 2]
        pairs = np.concatenate([np.arange(low, high) for low, high in own])
        cells = [slice(matrix.start[low], matrix.start[high]) for low, high in own]
        value, context = (np.concatenate([column[part] for part in cells]) for column in (matrix.value, matrix.context))
        start = np.append(0, np.cumsum(np.diff(matrix.start)[pairs]))
        rows = sparse.csr_array((value, context, start), shape=(len(pairs), matrix.contexts))
        share = (weight[pairs] * scale[word[pairs]]).astype(np.float32)
        low, high = blocks[number]
        adding = sparse.csr_array((share, (word[pairs] - low, np.arange(len(pairs)))), shape=(high - low, len(pairs)))
        total = adding @ rows
        total.sort_indices()
        return np.diff(total.indptr), total.indices, total.data

    return _assemble(map(pool, range(len(blocks))), int(matrix.start[-1]), matrix.contexts, folder)


def pieces(matrix: PairMatrix, block: Block, cells_at_once: int = CELLS_AT_ONCE) -> Iterator[tuple[slice, PairMatrix]]:
    """Yield slices of the rows of a block with their matrices, of which one at a time needs to be in memory."""
    start = matrix.start[block[0] : block[1] + 1]
    for first, last in stretches(start, cells_at_once):
        own, cells = start[first : last + 1] - start[first], slice(int(start[first]), int(start[last]))
        rows = slice(block[0] + first, block[0] + last)
        yield rows, PairMatrix(own, matrix.context[cells], matrix.value[cells], matrix.contexts)


def _assemble(parts: Iterable[Rows], room: int, contexts: int, folder: Path | None) -> PairMatrix:
    """Concatenate parts of (lengths, contexts, values), at most `room` cells in all."""
    lengths, size = [np.zeros(1, dtype=np.int64)], 0
    # Pages that are never written take no memory.
    columns: list[Any] = [
        DiskArray(dtype, folder) if folder else np.empty(room, dtype) for dtype in (np.int32, np.float32)
    ]
    for length, *cells in parts:
        lengths.append(length)
        for column, part in zip(columns, cells, strict=True):
            column[size : size + len(part)] = part
        size += len(cells[0])
    context, value = (column[:size] if folder is None else column for column in columns)
    return PairMatrix(np.cumsum(np.concatenate(lengths)), context, value, contexts)
