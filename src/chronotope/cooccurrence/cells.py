"""Co-occurrence counts as sorted cells, and their sums.

Only cells with word ≤ context are kept. A cell holds how often the two stand near each other on either side, and how
much of that has the context after the word; the counts of the context's row are the same the other way round. A cell of
the diagonal holds both directions.

Many sets of cells are added at once, row by row: the counts of a row go to the places of their contexts, which stay in
the nearest caches. A bit for each context, and one for each 64 of these, say where there are any; going through them
gives the contexts in order.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from chronotope.runtime.bits import trailing_zeros
from chronotope.runtime.kernels import kernel
from chronotope.runtime.resources import in_order

# So many sets are added at a time: a compiled function is made for one number of them.
AT_ONCE = 16
# A sum is made of so many cells at a time, in memory that is used again.
CELLS_IN_A_BLOCK = 1 << 18


class CellArrays(NamedTuple):
    """Co-occurrence counts of one condition, sorted by word, then by context, with word ≤ context.

    Parts that are still to be added hold their counts in 32 bits if these are enough: less memory to ask for.
    """

    word: NDArray[np.int32]
    context: NDArray[np.int32]
    count: NDArray[np.int64 | np.uint32]  # type: ignore[assignment]  # hides tuple.count, which nobody needs here
    after: NDArray[np.int64 | np.uint32]  # how much of the count has the context after the word

    @classmethod
    def of(cls, word: Iterable[int], context: Iterable[int], count: Iterable[int], after: Iterable[int]) -> CellArrays:
        """Cells from plain numbers."""
        ids, sums = np.array([word, context], np.int32), np.array([count, after], np.int64)
        return cls(ids[0], ids[1], sums[0], sums[1])

    def part(self, first: int, last: int) -> CellArrays:
        """Some of the cells, not copied."""
        return CellArrays(
            self.word[first:last], self.context[first:last], self.count[first:last], self.after[first:last]
        )

    @classmethod
    def empty(cls, size: int, most: int | None = None) -> CellArrays:
        """Room for so many cells; of counts up to `most`, or of any."""
        ids = np.empty((2, size), dtype=np.int32)
        sums = np.empty((2, size), dtype=np.uint32 if most is not None and most < 1 << 32 else np.int64)
        return cls(ids[0], ids[1], sums[0], sums[1])

    def widened(self) -> CellArrays:
        """The same, with counts of 64 bits."""
        return self._replace(
            count=self.count.astype(np.int64, copy=False), after=self.after.astype(np.int64, copy=False)
        )


def sum_of(parts: list[CellArrays]) -> CellArrays:
    """The sum of sorted cells.

    Examples
    --------
    >>> one, two = CellArrays.of([0, 0], [1, 2], [5, 7], [5, 0]), CellArrays.of([0, 3], [2, 3], [1, 2], [1, 1])
    >>> [column.tolist() for column in sum_of([one, two])]
    [[0, 0, 3], [1, 2, 3], [5, 8, 2], [5, 1, 1]]
    """
    parts = [part for part in parts if len(part.word)]
    while len(parts) > 1:
        parts.sort(key=lambda part: -len(part.word))
        some, parts = parts[-AT_ONCE:], parts[:-AT_ONCE]
        parts.append(_added(some))
    return parts[0] if parts else CellArrays.empty(0)


def sum_in_blocks(parts: list[CellArrays], pool: ThreadPoolExecutor, threads: int) -> Iterator[CellArrays]:
    """The sum of sorted cells, in blocks of whole rows, made by threads a little before they are asked for."""
    parts = [part for part in parts if len(part.word)]
    if len(parts) <= 1:
        yield from parts
        return
    # Rows where the largest part has about equal shares.
    largest = max(parts, key=lambda part: len(part.word)).word
    blocks = -(-sum(len(part.word) for part in parts) // CELLS_IN_A_BLOCK)
    limits = np.unique(largest[np.linspace(0, len(largest), blocks, endpoint=False)[1:].astype(np.int64)])
    cuts = [[0, *np.searchsorted(part.word, limits), len(part.word)] for part in parts]
    stretches = (
        [part.part(cut[number], cut[number + 1]) for part, cut in zip(parts, cuts, strict=True)]
        for number in range(len(limits) + 1)
    )
    yield from in_order(pool, sum_of, stretches, ahead=2 * threads)


def _added(parts: list[CellArrays]) -> CellArrays:
    """The sum of at most `AT_ONCE` sets of cells, none of them empty."""
    most = sum(int(part.count.max()) for part in parts)
    if len({part.count.dtype for part in parts}) > 1:
        parts = [part.widened() for part in parts]
    contexts = 1 + max(int(part.context.max()) for part in parts)
    # No context is below its word, so what lies below the first word is left out.
    base = min(int(part.word[0]) for part in parts) // 64 * 64
    sums, marks = np.zeros((contexts - base, 2), np.int64), np.zeros((contexts - base) // 64 + 1, np.uint64)
    groups = np.zeros(len(marks) // 64 + 1, np.uint64)
    both = CellArrays.empty(sum(len(part.word) for part in parts), most)
    padded = (*parts, *[parts[0].part(0, 0)] * (AT_ONCE - len(parts)))
    return both.part(0, _add_rows(padded, len(parts), base, sums, marks, groups, both))


def total_pairs(cells: CellArrays) -> int:
    """The sum of both triangles: a cell counts in the row of its word and in that of its context.

    Examples
    --------
    >>> total_pairs(CellArrays.of([0, 0], [0, 1], [4, 5], [2, 5]))
    14
    """
    return int(_total(*cells[:3]))


@kernel()
def _total(word, context, count):  # type: ignore[no-untyped-def]
    total = 0
    for cell in range(len(word)):
        total += count[cell] if word[cell] == context[cell] else 2 * count[cell]
    return total


@kernel()
def _add_rows(parts, number, base, sums, marks, groups, both):  # type: ignore[no-untyped-def]
    """Fill in the sum; return its size."""
    one, six, low_bits = np.uint64(1), np.uint64(6), np.uint64(63)
    cursor = np.zeros(number, dtype=np.int64)
    beyond = np.int64(1) << 31
    size = 0
    while True:
        row = beyond
        for which in range(number):
            if cursor[which] < len(parts[which].word):
                row = min(row, np.int64(parts[which].word[cursor[which]]))
        if row == beyond:
            return size
        least, most = beyond, np.int64(0)
        for which in range(number):
            part = parts[which]
            cell, end = cursor[which], len(part.word)
            if cell == end or part.word[cell] != row:
                continue
            least = min(least, part.context[cell] - base)
            while cell < end and part.word[cell] == row:
                context = np.uint64(part.context[cell] - base)
                sums[context, 0] += np.int64(part.count[cell])
                sums[context, 1] += np.int64(part.after[cell])
                word = context >> six
                marks[word] |= one << (context & low_bits)
                groups[word >> six] |= one << (word & low_bits)
                cell += 1
            most = max(most, part.context[cell - 1] - base)
            cursor[which] = cell
        for group in range(least >> 12, (most >> 12) + 1):
            some = groups[group]
            groups[group] = 0
            while some:
                place = np.uint64(64 * group) + trailing_zeros(some)
                some &= some - one
                bits = marks[place]
                marks[place] = 0
                while bits:
                    context = (place << six) + trailing_zeros(bits)
                    bits &= bits - one
                    both.word[size] = row
                    both.context[size] = base + np.int64(context)
                    both.count[size] = sums[context, 0]
                    both.after[size] = sums[context, 1]
                    sums[context, 0] = sums[context, 1] = 0
                    size += 1
