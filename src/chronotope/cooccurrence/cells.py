"""Co-occurrence counts as sorted cells, and their sums.

A cell exists only for word ≤ context. It holds the count of the two words near each other in either order, and how
much of it has the context after the word. A diagonal cell holds both directions.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class CellArrays(NamedTuple):
    """Co-occurrence counts of one condition, sorted by word, then by context; all columns are (N,)."""

    word: NDArray[np.int32]
    context: NDArray[np.int32]
    count: NDArray[np.int64]  # type: ignore[assignment]  # in units of the run; hides tuple.count
    after: NDArray[np.int64]

    @classmethod
    def of(cls, word: Iterable[int], context: Iterable[int], count: Iterable[int], after: Iterable[int]) -> CellArrays:
        """Make cells from plain numbers."""
        ids, sums = np.array([word, context], np.int32), np.array([count, after], np.int64)
        return cls(ids[0], ids[1], sums[0], sums[1])

    @classmethod
    def empty(cls, size: int = 0) -> CellArrays:
        """Make uninitialized cells."""
        ids, sums = np.empty((2, size), np.int32), np.empty((2, size), np.int64)
        return cls(ids[0], ids[1], sums[0], sums[1])

    @classmethod
    def concatenate(cls, parts: list[CellArrays]) -> CellArrays:
        """Concatenate consecutive parts."""
        if len(parts) == 1:
            return parts[0]
        return cls(*map(np.concatenate, zip(*parts, strict=True))) if parts else cls.empty()

    def part(self, first: int, last: int) -> CellArrays:
        """Return cells first … last - 1 as views."""
        rows = slice(first, last)
        return CellArrays(self.word[rows], self.context[rows], self.count[rows], self.after[rows])

    def blocks(self, rows: int) -> Iterator[CellArrays]:
        """Yield the cells in blocks of `rows`."""
        for first in range(0, len(self.word), rows):
            yield self.part(first, first + rows)

    def keys(self) -> NDArray[np.int64]:
        """(N,) word and context as one number each, ascending."""
        return self.word.astype(np.int64) << 32 | self.context

    def total(self) -> int:
        """Sum both triangles: a cell counts in the row of its word and in that of its context."""
        return int(2 * self.count.sum() - self.count[self.word == self.context].sum())


def sum_of(parts: list[CellArrays]) -> CellArrays:
    """Add sorted cells."""
    parts = [part for part in parts if len(part.word)]
    if len(parts) < 2:
        return CellArrays.concatenate(parts)
    key = np.concatenate([part.keys() for part in parts])
    order = np.argsort(key, kind="stable")  # merges sorted stretches in linear time
    key = key[order]
    start = np.flatnonzero(np.diff(key, prepend=-1))
    count, after = (
        np.add.reduceat(np.concatenate(column)[order], start)
        for column in ([part.count for part in parts], [part.after for part in parts])
    )
    key = key[start]
    return CellArrays((key >> 32).astype(np.int32), (key & 0xFFFFFFFF).astype(np.int32), count, after)


def merge(streams: Iterable[Iterator[CellArrays]]) -> Iterator[CellArrays]:
    """Add sorted streams of cells; yield the sum in blocks, with one block of each stream in memory."""
    held = [(CellArrays.empty(), np.empty(0, np.int64), stream) for stream in streams]
    while True:
        loaded = []
        for block, keys, stream in held:
            while not len(keys) and (following := next(stream, None)) is not None:
                block, keys = following, following.keys()
            if len(keys):
                loaded.append((block, keys, stream))
        if not loaded:
            return
        # Cells are complete up to the least of the last keys: later blocks of all streams hold larger keys.
        complete = min(keys[-1] for _, keys, _ in loaded)
        parts, held = [], []
        for block, keys, stream in loaded:
            cut = int(np.searchsorted(keys, complete, side="right"))
            parts.append(block.part(0, cut))
            held.append((block.part(cut, len(keys)), keys[cut:], stream))
        yield sum_of(parts)
