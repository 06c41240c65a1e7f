"""One stratum, side after side, on the cores of a CPU: equals `sides` up to rounding, on any number of threads.

While one side stands still, the rows of the other have nothing in common; each thread takes some parts of the stratum
and keeps the row it moves at hand. All predictions of a group are made at once, before the row moves (`row_products`):
so the processor has up to 32 independent products in flight, instead of waiting for each step before it can begin the
next.

The vectors of the side that stands still are written out before, some conditions at a time (`combine`), as rows of
whole registers: a cell then costs one row of memory, not two, and no addition. Beside its vector such a row holds the
bias and a 1, and the moving row a 1 and its own bias, so that one product is the whole prediction and one sum has the
gradient of vector and bias.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from chronotope.methods.cw2v.kernels.row_products import add_rows, ask_for, lanes, slopes
from chronotope.methods.cw2v.kernels.sides import SIDES
from chronotope.methods.cw2v.layout import PARTS, Layout
from chronotope.methods.cw2v.parameters import Accumulators, Parameters
from chronotope.methods.cw2v.rows import CELLS_IN_A_GROUP
from chronotope.methods.stretches import Stretch
from chronotope.runtime.kernels import kernel

# Repeatable to the bit: sums over dimensions stand in loops that store nothing. Where a loop also stores, the compiler
# makes a vector form and a scalar form and chooses by how near to each other the arrays happen to lie in memory; a sum
# would be taken in another order, and would differ from run to run.
#
# All that fastmath=True allows except nnan and ninf: with those the compiler may assume that no NaN exists, and it
# deletes the divergence check.
FAST_BUT_NAN_SAFE = {"reassoc", "contract", "arcp", "nsz", "afn"}

# So many bytes of vectors are written out at a time, if a condition does not have more: the largest cache holds them.
WRITTEN_AT_ONCE = 6 << 20


class Block(NamedTuple):
    """A few conditions of a stratum, whose rows move one after the other."""

    conditions: NDArray[np.int64]  # (B,) in the order of visits
    row_start: NDArray[np.int64]  # (B, PARTS + 1) the rows of each part
    other_start: NDArray[np.int64]  # (B + 1,) the vectors of each condition among those that are written out
    cells: Stretch


class CpuSides:
    """Moves `parameters` and `accumulators` in place; their condition vectors are not used.

    Parameters
    ----------
    penalty_share
        (P,) how much of a pair's penalty each visited cell carries.
    pool, threads
        Where the parts run, and how many of its threads to use; the result does not depend on it.
    """

    def __init__(
        self,
        layout: Layout,
        parameters: Parameters,
        accumulators: Accumulators,
        penalty_share: NDArray[np.float32],
        pool: ThreadPoolExecutor,
        threads: int,
    ) -> None:
        self._layout, self._parameters, self._accumulators = layout, parameters, accumulators
        self._share, self._pool = penalty_share, pool
        self._threads = min(threads, PARTS)
        self._gradient = np.empty((PARTS, *parameters.condition.shape), dtype=np.float32)
        self._squared = np.empty(PARTS)
        dimensions = parameters.word.shape[1]
        self._combine, self._move = compiled(dimensions)
        self._blocks = [blocks_of(layout, stratum, dimensions) for stratum in range(len(layout.order))]
        longest = max(int(block.other_start[-1]) for blocks in self._blocks for block in blocks)
        # Two, in turn: when rows have moved against the vectors in one, those that come next are written to the other.
        self._others = [aligned_zeros(longest, width_of(dimensions)) for _ in range(2)]

    def move_stratum(
        self, stratum: int, condition: NDArray[np.float32], rate: float
    ) -> tuple[float, NDArray[np.float32]]:
        """See `alternating.Kernel`."""
        self._gradient[:] = 0
        layout, blocks, met = self._layout, self._blocks[stratum], []
        stream = layout.cells.stream([block.cells for block in blocks] * 2)
        for own, other in SIDES:
            moving = (*side_of(self._parameters, own), *side_of(self._accumulators, own))
            still = tuple(side_of(self._parameters, other))
            self._squared[:] = 0

            def write_out(thread: int, number: int, still: tuple = still) -> None:  # type: ignore[type-arg]
                if number < len(blocks):
                    self._combine(
                        thread, self._threads, blocks[number], layout.pair_start, layout.pair_word, still, condition,
                        self._others[number % 2],
                    )  # fmt: skip

            def take_turn(thread: int, number: int, cells: NDArray[Any], moving: tuple = moving) -> None:  # type: ignore[type-arg]
                self._move(
                    np.arange(thread, PARTS, self._threads), blocks[number], layout.rows, layout.pair_word,
                    layout.cell_start, cells, layout.value_start, layout.values, self._others[number % 2], moving,
                    condition, self._share, rate, self._squared, self._gradient,
                )  # fmt: skip
                write_out(thread, number + 1)

            self._on_threads(write_out, 0)
            for number in range(len(blocks)):
                self._on_threads(take_turn, number, next(stream))
            met.append(float(self._squared.sum()))
        return met[0], self._gradient.sum(axis=0)

    def _on_threads(self, work: Callable[..., None], *more: Any) -> None:
        if self._threads == 1:
            work(0, *more)
        else:
            list(self._pool.map(lambda thread: work(thread, *more), range(self._threads)))


def blocks_of(layout: Layout, stratum: int, dimensions: int) -> list[Block]:
    """The conditions of a stratum, as many together as may be written out at a time."""
    order, row_start = layout.order[stratum], layout.row_start[stratum]
    pairs = np.diff(layout.pair_start)[order]
    ends, most = np.concatenate([[0], np.cumsum(pairs)]), WRITTEN_AT_ONCE // (4 * width_of(dimensions))
    blocks, first = [], 0
    while first < len(order):
        last = max(int(np.searchsorted(ends, ends[first] + most, side="right")) - 1, first + 1)
        cells = int(layout.cell_start[row_start[first, 0]]), int(layout.cell_start[row_start[last - 1, -1]])
        blocks.append(Block(order[first:last], row_start[first:last], ends[first : last + 1] - ends[first], cells))
        first = last
    return blocks


def width_of(dimensions: int) -> int:
    """How many numbers a written row has: the vector, the bias and a 1, filled up to whole registers."""
    return -(-(dimensions + 2) // lanes()) * lanes()


def aligned_zeros(rows: int, width: int) -> NDArray[np.float32]:
    """(rows, width) zeros that begin at the beginning of a line of the cache."""
    raw = np.zeros(4 * rows * width + 64, dtype=np.uint8)
    first = -raw.ctypes.data % 64
    return raw[first : first + 4 * rows * width].view(np.float32).reshape(rows, width)


def side_of(tensors: Parameters | Accumulators, name: str) -> Iterator[NDArray[np.float32]]:
    """The base, the deviations and the biases of a side."""
    return (getattr(tensors, field) for field in (name, f"{name}_deviation", f"{name}_bias"))


@cache
def compiled(dimensions: int) -> tuple[Any, Any]:
    """`combine` and `move` for vectors of this length: loops of a known length have no odd ends and no counters."""
    width = width_of(dimensions)
    bias_place, one_place = dimensions, dimensions + 1

    @kernel(error_model="numpy", fastmath=FAST_BUT_NAN_SAFE)
    def combine(thread, threads, block, pair_start, pair_word, still, q, others):  # type: ignore[no-untyped-def]
        """Write out the vectors of a side in the conditions of a block: this thread's share of them."""
        base, deviation, bias = still
        total = block.other_start[-1]
        begin, end = total * thread // threads, total * (thread + 1) // threads
        for turn in range(len(block.conditions)):
            c = block.conditions[turn]
            for row in range(max(begin, block.other_start[turn]), min(end, block.other_start[turn + 1])):
                pair = row - block.other_start[turn] + pair_start[c]
                i = pair_word[pair]
                for k in range(dimensions):
                    others[row, k] = base[i, k] * q[c, k] + deviation[pair, k]
                others[row, bias_place] = bias[pair]
                others[row, one_place] = np.float32(1)

    @kernel(error_model="numpy", fastmath=FAST_BUT_NAN_SAFE)
    def move(  # type: ignore[no-untyped-def]
        parts, block, rows, pair_word, cell_start, cells, value_start, values, others,
        moving, q, penalty_share, rate, squared, gradient,
    ):  # fmt: skip
        """Move the rows of some parts toward their targets; see `sides.ReferenceSides`."""
        base, deviation, bias, base_sum, deviation_sum, bias_sum = moving
        first_cell, last_cell = block.cells[0], len(cells) - 1
        per_dimension = np.float32(1.0 / dimensions)
        rate = np.float32(rate)
        # Small arrays of its own for all that the inner loops use, filled up with zeros.
        here = np.zeros(width, dtype=np.float32)
        v = np.zeros(width, dtype=np.float32)
        d = np.zeros(width, dtype=np.float32)
        by_vector = np.zeros(width, dtype=np.float32)
        by_condition = np.zeros(width, dtype=np.float32)
        slope = np.empty(CELLS_IN_A_GROUP, dtype=np.float32)
        for turn in range(len(block.conditions)):
            c = block.conditions[turn]
            for k in range(dimensions):
                here[k] = q[c, k]
            first_other, first_value = block.other_start[turn], value_start[c]
            for part in parts:
                met = 0.0
                for row in range(block.row_start[turn, part], block.row_start[turn, part + 1]):
                    pair = rows[row]
                    i = pair_word[pair]
                    for k in range(dimensions):
                        v[k] = base[i, k]
                        d[k] = deviation[pair, k]
                        by_condition[k] = np.float32(0)
                    b = bias[pair]
                    # The next row is asked of the memory now: the processor does not look so far ahead by itself.
                    following = rows[min(row + 1, len(rows) - 1)]
                    ask_for(dimensions, deviation, following)
                    ask_for(dimensions, base, pair_word[following])
                    for array in (bias, deviation_sum, bias_sum, penalty_share):
                        ask_for(1, array, following)
                    end = cell_start[row + 1] - first_cell
                    for first in range(cell_start[row] - first_cell, end, CELLS_IN_A_GROUP):
                        size = min(CELLS_IN_A_GROUP, end - first)
                        met += slopes(
                            dimensions, width, v, here, d, b, others, first_other, values, first_value, cells,
                            last_cell, first, size, slope,
                        )  # fmt: skip
                        by_bias, by_base_square, by_vector_square = add_rows(
                            dimensions, width, others, first_other, cells, first, size, slope, here, by_vector
                        )
                        base_sum[i] += by_base_square * per_dimension
                        deviation_sum[pair] += by_vector_square * per_dimension
                        bias_sum[pair] += by_bias * by_bias
                        base_step = rate / math.sqrt(base_sum[i])
                        step = rate / math.sqrt(deviation_sum[pair])
                        shrink = np.float32(1) / (np.float32(1) + step * penalty_share[pair] * np.float32(size))
                        for k in range(width):
                            by_condition[k] += by_vector[k] * v[k]
                            v[k] -= base_step * by_vector[k] * here[k]
                            d[k] = (d[k] - step * by_vector[k]) * shrink
                        b -= rate / math.sqrt(bias_sum[pair]) * by_bias
                    for k in range(dimensions):
                        base[i, k] = v[k]
                        deviation[pair, k] = d[k]
                        gradient[part, c, k] += by_condition[k]
                    bias[pair] = b
                squared[part] += met

    return combine, move
