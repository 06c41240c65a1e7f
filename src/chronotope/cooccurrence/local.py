"""Counting on this machine: chunks of documents in threads; what memory cannot hold goes to disk and is merged."""

from __future__ import annotations

import itertools
import tempfile
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from chronotope.config import CountSettings
from chronotope.cooccurrence.cells import AT_ONCE, CellArrays, sum_in_blocks, sum_of
from chronotope.cooccurrence.counting import FEWEST, Scratch, count_cells, count_in_parts, distance_weights
from chronotope.cooccurrence.delta_packing import ROWS_IN_A_PAGE
from chronotope.cooccurrence.spilling import (
    BYTES_OF_A_CELL,
    BYTES_OF_A_MERGE,
    MOST_AT_ONCE,
    Run,
    merged,
    read_run,
    write_runs,
)
from chronotope.corpus import TokenStore
from chronotope.runtime.memory import Memory

Progress = Callable[[str, int, int | None], None]

# Small enough that the text of a chunk and the places of its words stay in the caches.
TOKENS_IN_A_CHUNK = 2_000_000
FEWEST_TOKENS_IN_A_CHUNK = 25_000
# Up to so many cells (400 MB) the parts of a condition wait until there are `AT_ONCE`; sums of so many (1 GB) wait for
# the last one, which is never held as a whole.
FEW_CELLS, MANY_CELLS = 25_000_000, 1 << 26
# What writing a row group of the final file takes.
BYTES_OF_WRITING = 110_000_000


class Plan(NamedTuple):
    """How the memory is used.

    Attributes
    ----------
    chunk
        So many tokens are counted at a time, by each thread.
    alone
        A condition of up to so many is counted in one go.
    cells
        So many cells of a condition are held; with more, they go to disk.
    """

    chunk: int
    alone: int
    cells: int


def plan_for(memory: Memory, threads: int, window: int, tokens: int) -> Plan:
    """How to count within a limit; one that is too small is an error that says what is needed."""
    if memory.limit is None:
        # Not to have to add two parts is worth a chunk that is out of the caches, if no thread has to wait for it.
        alone = int(np.clip(tokens // (2 * threads), TOKENS_IN_A_CHUNK, 2 * TOKENS_IN_A_CHUNK))
        return Plan(TOKENS_IN_A_CHUNK, alone, 1 << 62)
    # Each token, where it stands, the link of its row if it is the only one of its word, and at most so many cells,
    # twice: in their rows, which may be half empty, and closed up.
    of_a_token = 8 + 8 * (FEWEST + 2) + window * (2 * 8 + BYTES_OF_A_CELL)
    fixed = BYTES_OF_A_MERGE + BYTES_OF_WRITING
    fewest = (threads + 1) * FEWEST_TOKENS_IN_A_CHUNK * of_a_token
    left = memory.room_for(fixed + 3 * fewest, "counting") - fixed
    chunk = left // 3 // (threads + 1) // of_a_token
    # What is added up, what is being written, and the sum of both.
    cells = 2 * left // 3 // (3 * BYTES_OF_A_CELL)
    chunk = int(np.clip(chunk, FEWEST_TOKENS_IN_A_CHUNK, TOKENS_IN_A_CHUNK))
    return Plan(chunk, chunk, cells)


def count_conditions(
    store: TokenStore,
    words: int,
    settings: CountSettings,
    threads: int,
    *,
    held_out: bool = False,
    memory: Memory | None = None,
    folder: Path | None = None,
    pack: Callable[[Iterable[CellArrays], ThreadPoolExecutor | None], Iterator[Any]] | None = None,
    progress: Progress | None = None,
) -> Iterator[Iterator[Any]]:
    """The cells of each condition in turn, in one or more blocks, which are to be used before the next is asked for.

    Parameters
    ----------
    words
        The size of the vocabulary.
    threads
        How many count at the same time; the cells do not depend on it.
    held_out
        Whether the documents are counted that were set aside, or the others.
    memory
        A limit; cells that would go beyond it are written to `folder` (or where temporary files go) in the meantime.
    pack
        Makes what is handed out instead of the cells of a condition. It gets them part by part, of which nothing may be
        kept, in the thread that counts them; or those of a large condition, with the threads that count if it is all in
        memory.
    """
    weights = distance_weights(settings)
    plan = plan_for(memory or Memory(), threads, settings.window, len(store.ids))
    stage = "setting counts aside" if held_out else "counting"
    done, total = 0, len(store.ids)
    sizes = [len(store.tokens_of(condition)) for condition in range(len(store.conditions))]
    most, ahead = 0, threads
    if not (memory and memory.limit):
        ahead = 2 * threads + 1
        most = max((size if size <= plan.alone else plan.chunk for size in sizes), default=0)
    own = threading.local()
    with (
        tempfile.TemporaryDirectory(prefix=".spilled-", dir=folder) as spilled,
        ThreadPoolExecutor(threads) as pool,
    ):
        # Threads that take a name at the same time get different ones: nothing of this is Python's own code.
        names = map(f"{spilled}/{{}}.parquet".format, itertools.count())

        def work() -> Iterator[tuple[CellSum, int, int, bool, int | None]]:
            for condition, size in enumerate(sizes):
                found = CellSum(plan.cells, names)
                parts = list(chunks(store, condition, plan.alone if size <= plan.alone else plan.chunk))
                for number, (first, last) in enumerate(parts):
                    yield found, first, last, number == len(parts) - 1, condition if len(parts) == 1 else None

        def counted(found: CellSum, first: int, last: int, alone: int | None) -> list[Any] | None:
            if not hasattr(own, "scratch"):
                own.scratch = Scratch(most)
            tokens, ends = documents(store, first, last, held_out)
            packed = None
            if pack and alone is not None:
                parts = count_in_parts(tokens, ends, words, weights, own.scratch, ROWS_IN_A_PAGE, None)
                packed = list(pack(parts, None))
            else:
                found.add(count_cells(tokens, ends, words, weights, own.scratch))
            store.forget(first, last)
            return packed

        upcoming = work()
        waiting: list[tuple[Future[list[Any] | None], CellSum, int, bool]] = []
        try:
            while True:
                # Only a few chunks ahead, so that finished ones do not pile up, but some: the disk may keep us waiting.
                while len(waiting) <= ahead and (item := next(upcoming, None)):
                    found, first, last, is_last, alone = item
                    size = int(store.starts[last] - store.starts[first])
                    waiting.append((pool.submit(counted, found, first, last, alone), found, size, is_last))
                if not waiting:
                    break
                future, found, size, is_last = waiting.pop(0)
                packed = future.result()
                done += size
                if progress:
                    progress(stage, done, total)
                if packed is not None:
                    yield iter(packed)
                elif is_last:
                    blocks = found.blocks(pool, threads)
                    yield pack(blocks, None if found.is_on_disk else pool) if pack else blocks
        except BaseException:
            pool.shutdown(cancel_futures=True)  # nobody will use them
            raise


def chunks(store: TokenStore, condition: int, tokens: int) -> Iterator[tuple[int, int]]:
    """Ranges of documents of a condition, each of a bounded number of tokens."""
    documents = store.condition_slice(condition)
    first = documents.start
    while first < documents.stop:
        last = int(np.searchsorted(store.starts, store.starts[first] + tokens, side="right")) - 1
        last = min(max(last, first + 1), documents.stop)
        yield first, last
        first = last


def documents(
    store: TokenStore, first: int, last: int, held_out: bool
) -> tuple[np.ndarray[tuple[int], np.dtype[np.int32]], np.ndarray[tuple[int], np.dtype[np.int64]]]:
    """The tokens of some documents, those that were set aside or the others; and where each document ends in them."""
    lengths = np.diff(store.starts[first : last + 1])
    ids = np.asarray(store.ids[store.starts[first] : store.starts[last]])
    chosen = store.held_out[first:last] == held_out
    if not chosen.all():
        ids = ids[np.repeat(chosen, lengths)]
    return np.ascontiguousarray(ids), np.cumsum(lengths[chosen])


class CellSum:
    """The cells of a condition, added up by several threads; when there are too many they go to disk.

    Parts wait until there are many, or the others together are more than the largest, and are then added all at once,
    so that no cell is gone through more than a few times. Very large ones wait for the end.
    """

    def __init__(self, most_cells: int, names: Iterator[str]) -> None:
        self._most_cells = most_cells
        self._names = names
        self._lock = threading.Lock()
        self._parts: list[CellArrays] = []
        self._runs: list[Run] = []

    def add(self, cells: CellArrays) -> None:
        """Add cells; any thread may."""
        while True:
            with self._lock:
                self._parts.append(cells)
                full = self._taken() if self._size() > self._most_cells else []
                some = self._to_be_added()
            del cells
            self._spill(full)
            if not some:
                return
            cells = sum_of(some)
            del some

    def blocks(self, pool: ThreadPoolExecutor, threads: int) -> Iterator[CellArrays]:
        """The sum, sorted, in one or more blocks; nothing can be added any more."""
        if not self._runs:
            yield from sum_in_blocks(self._taken(), pool, threads)
            return
        self._spill(self._taken())
        while len(self._runs) > MOST_AT_ONCE:
            some, self._runs = self._runs[:MOST_AT_ONCE], self._runs[MOST_AT_ONCE:]
            self._runs += write_runs(next(self._names), [merged([read_run(run) for run in some])])
            for run in some:
                Path(run.path).unlink()
        yield from merged([read_run(run) for run in self._runs])
        for run in self._runs:
            Path(run.path).unlink()

    @property
    def is_on_disk(self) -> bool:
        """Whether there were too many for the memory."""
        return bool(self._runs)

    def _size(self) -> int:
        return sum(len(part.word) for part in self._parts)

    def _to_be_added(self) -> list[CellArrays]:
        """Parts that are many by now, which are taken out."""
        if len(self._parts) == AT_ONCE:
            return self._taken()
        small = [part for part in self._parts if len(part.word) < MANY_CELLS]
        *others, largest = sorted([0, *(len(part.word) for part in small)])
        if sum(others) <= max(largest, min(FEW_CELLS, self._most_cells // 4)):
            return []
        self._parts = [part for part in self._parts if len(part.word) >= MANY_CELLS]
        return small

    def _taken(self) -> list[CellArrays]:
        parts, self._parts = self._parts, []
        return parts

    def _spill(self, parts: list[CellArrays]) -> None:
        if not parts:
            return
        with self._lock:
            name = next(self._names)
        total = sum_of(parts)
        parts.clear()
        runs = write_runs(name, [[total]])
        with self._lock:
            self._runs += runs
