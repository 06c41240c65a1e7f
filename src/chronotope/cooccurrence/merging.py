"""Count chunks of documents and add them up, condition after condition.

Chunks are counted in threads or by the workers of a Dask cluster. Their cells stay in memory or in a file until the
condition is complete; then its chunks are merged as streams. Counts are integers and merged cells are sorted, so
threads and clusters give the same bytes.
"""

import uuid
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from chronotope.config import CountSettings
from chronotope.cooccurrence.cells import CellArrays, merge
from chronotope.cooccurrence.cells_file import CellsFile, write_cells
from chronotope.cooccurrence.counting import count_cells, distance_weights
from chronotope.corpus.tokens import TOKEN, TOKENS, TokenStore
from chronotope.io.stores import writing
from chronotope.runtime.cluster import Pool, once
from chronotope.runtime.memory import Memory
from chronotope.runtime.progress import Progress
from chronotope.runtime.resources import Resources, in_order, stretches

Texts = tuple[NDArray[np.int32], NDArray[np.int64]]  # token ids, and where each document ends in them

PAIRS_IN_A_CHUNK = 4_000_000
MIN_TOKENS_IN_A_CHUNK = 25_000
BYTES_OF_A_PAIR = 60  # its cell before and after sorting, and its share of the tokens
BYTES_OF_A_CELL = 24
BYTES_OF_WRITING = 110_000_000


class Limits(NamedTuple):
    """Sizes of chunks and buffers; the result does not depend on them."""

    tokens: int  # in a chunk
    held: int = 8  # most chunks of a condition that stay in memory; larger conditions go to files
    fan_in: int = 32  # streams to merge at a time
    rows: int = 1 << 15  # of each stream in memory during the merge

    @classmethod
    def of(cls, memory: Memory, threads: int, window: int) -> Self:
        """Choose limits for an amount of memory; raise SettingsError if it is too small."""
        usual = cls(max(PAIRS_IN_A_CHUNK // window, MIN_TOKENS_IN_A_CHUNK))
        if memory.limit is None:
            return usual
        fixed = BYTES_OF_WRITING + 4 * usual.fan_in * usual.rows * BYTES_OF_A_CELL
        of_a_token = (2 * threads + 1) * window * BYTES_OF_A_PAIR
        left = memory.room_for(fixed + MIN_TOKENS_IN_A_CHUNK * of_a_token, "counting") - fixed
        return usual._replace(tokens=min(usual.tokens, left // of_a_token), held=1)


class Chunk(NamedTuple):
    """Documents first … last - 1, all of one condition."""

    condition: int
    first: int
    last: int


def count_conditions(
    store: TokenStore,
    words: int,
    settings: CountSettings,
    resources: Resources,
    folder: str,
    *,
    held_out: bool = False,
    limits: Limits | None = None,
    progress: Progress | None = None,
) -> Iterator[Iterator[CellArrays]]:
    """Yield the cells of each condition in turn; use its blocks before you request the next condition.

    `words` is the size of the vocabulary. `folder` is for temporary cells; all machines of a cluster must see it. With
    `held_out` only the held-out documents are counted, otherwise only the others.
    """
    limits = limits or Limits.of(resources.memory, resources.threads, settings.window)
    stage, kind = ("setting counts aside", "held-out") if held_out else ("counting", "cells")
    tasks = list(_tasks(store, limits.tokens))
    work = _Work(store, held_out, words, distance_weights(settings), limits, f"{folder}/{kind}")
    if resources.pool:
        counted = _in_processes(tasks, work, resources.pool)
    else:
        counted = _in_threads(tasks, work, resources.threads)
    waiting: list[Iterator[CellArrays]] = []
    current = done = 0
    for chunks, streams in zip(tasks, counted, strict=True):
        for chunk, stream in zip(chunks, streams, strict=True):
            while current < chunk.condition:
                yield _merge(waiting, words, limits, folder)
                waiting, current = [], current + 1
            waiting.append(stream)
            done += int(store.starts[chunk.last] - store.starts[chunk.first])
        if progress:
            progress(stage, done, len(store.ids))
    while current < len(store.conditions):
        yield _merge(waiting, words, limits, folder)
        waiting, current = [], current + 1


def _tasks(store: TokenStore, tokens: int) -> Iterator[list[Chunk]]:
    """Cut large conditions into chunks of about `tokens`, and group small ones."""
    group: list[Chunk] = []
    size = 0
    for condition in range(len(store.conditions)):
        documents = store.condition_slice(condition)
        starts = store.starts[documents.start : documents.stop + 1]
        for first, last in stretches(starts, tokens):
            length = int(starts[last] - starts[first])
            if group and size + length > tokens:
                yield group
                group, size = [], 0
            group.append(Chunk(condition, documents.start + first, documents.start + last))
            size += length
    if group:
        yield group


class _Work(NamedTuple):
    """The parameters that all tasks share."""

    store: TokenStore
    held_out: bool
    words: int
    weights: NDArray[np.int64]
    limits: Limits
    name: str  # the beginning of the paths of temporary files

    def read(self, chunk: Chunk) -> Texts:
        """Read the documents of a chunk that are held out, or all others."""
        store = self.store
        starts = store.starts[chunk.first : chunk.last + 1]
        size, offset, lengths = int(starts[-1] - starts[0]), int(starts[0]) * TOKEN.itemsize, np.diff(starts)
        # Not from the memory map, whose pages would count as memory.
        ids = np.fromfile(store.folder / TOKENS, TOKEN, size, offset=offset)
        chosen = store.held_out[chunk.first : chunk.last] == self.held_out
        return ids if chosen.all() else ids[np.repeat(chosen, lengths)], np.cumsum(lengths[chosen])


def _in_threads(tasks: list[list[Chunk]], work: _Work, threads: int) -> Iterator[list[Iterator[CellArrays]]]:
    """Count tasks in threads; yield the cells of their chunks."""
    chunks_of = np.bincount([chunk.condition for chunks in tasks for chunk in chunks])
    words, weights, limits = work.words, work.weights, work.limits

    def count(task: tuple[int, list[Chunk]]) -> list[Iterator[CellArrays]]:
        number, chunks = task
        texts = map(work.read, chunks)
        if max(chunks_of[chunk.condition] for chunk in chunks) > limits.held:
            path = f"{work.name}-{number}.parquet"
            return _streams(path, _count_to_file(path, texts, words, weights, limits.rows), words)
        return [count_cells(*text, words, weights).blocks(limits.rows) for text in texts]

    with ThreadPoolExecutor(threads) as pool:
        try:
            yield from in_order(pool, count, enumerate(tasks), ahead=threads)
        finally:
            pool.shutdown(cancel_futures=True)


def _in_processes(tasks: list[list[Chunk]], work: _Work, pool: Pool) -> Iterator[list[Iterator[CellArrays]]]:
    """Count tasks on the workers of a cluster, which write files; yield the cells of their chunks."""
    paths = [f"{work.name}-{number}.parquet" for number in range(len(tasks))]
    calls = (
        (path, list(map(work.read, chunks)), work.words, work.weights, work.limits.rows)
        for path, chunks in zip(paths, tasks, strict=True)
    )
    for path, sizes in zip(paths, pool.in_order(_count_once, calls), strict=True):
        yield _streams(path, sizes, work.words)


def _count_once(path: str, *task: Any) -> list[int]:
    """Count on a worker, unless the result is cached."""
    folder, _, name = path.removesuffix(".parquet").rpartition("/")
    return list(once(folder, name, lambda: _count_to_file(path, *task)))


def _count_to_file(path: str, texts: Iterable[Texts], words: int, weights: NDArray[np.int64], rows: int) -> list[int]:
    """Write the cells of each chunk to a file, as if it were a condition; return their sizes."""
    with writing(path) as file:
        return write_cells(file, ([count_cells(*text, words, weights)] for text in texts), rows)[0]


def _streams(path: str, sizes: list[int], words: int) -> list[Iterator[CellArrays]]:
    """Return the cells of each chunk in a file."""
    file = CellsFile(path, sizes, words)
    return [file.parts(number) for number in range(len(sizes))]


def _merge(streams: list[Iterator[CellArrays]], words: int, limits: Limits, folder: str) -> Iterator[CellArrays]:
    """Add streams; if there are too many, write partial sums to files first."""
    while len(streams) > limits.fan_in:
        path = f"{folder}/{uuid.uuid4().hex}.parquet"
        with writing(path) as file:
            sizes, _ = write_cells(file, [merge(streams[: limits.fan_in])], limits.rows)
        streams = streams[limits.fan_in :] + _streams(path, sizes, words)
    yield from merge(streams)
