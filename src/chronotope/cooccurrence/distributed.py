"""Counting on a cluster: workers count chunks of documents and leave the cells in a store; then runs of a condition are
merged, in a tree.

The kernels are those of this machine, counts are integers, and the merged cells are sorted: the result has the same
bytes as a count here. What crosses the network for a token: its number, 4 bytes, and the cells of its chunk.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from chronotope.config import CountSettings
from chronotope.cooccurrence.cells import CellArrays, sum_of
from chronotope.cooccurrence.counting import count_cells, distance_weights
from chronotope.cooccurrence.local import TOKENS_IN_A_CHUNK, Progress, chunks, documents
from chronotope.cooccurrence.spilling import MOST_AT_ONCE, Run, merged, read_run, write_runs
from chronotope.corpus import TokenStore
from chronotope.runtime.cluster import Pool, once

# What one task counts; its tokens travel with it.
TOKENS_IN_A_TASK = 2_000_000


class Chunk(NamedTuple):
    """Documents of one condition, to be counted."""

    condition: int
    tokens: NDArray[np.int32]
    ends: NDArray[np.int64]


def count_elsewhere(
    store: TokenStore,
    words: int,
    settings: CountSettings,
    pool: Pool,
    folder: str,
    *,
    held_out: bool = False,
    progress: Progress | None = None,
) -> Iterator[Iterator[CellArrays]]:
    """The cells of each condition in turn, in blocks: what `local.count_conditions` says, counted by workers."""
    weights = distance_weights(settings)
    kind = "aside" if held_out else "cells"
    stage = "setting counts aside" if held_out else "counting"
    runs: dict[int, list[Run]] = defaultdict(list)
    tasks = ((folder, f"{kind}-{number}", some, words, weights) for number, some in enumerate(_tasks(store, held_out)))
    done = 0
    for found, tokens in pool.in_order(_count_task, tasks):
        for condition, run in found:
            runs[condition].append(Run(*run))
        done += tokens
        if progress:
            progress(stage, done, len(store.ids))
    level = 0
    while any(len(some) > 1 for some in runs.values()):
        level += 1
        runs = _merged_once(runs, pool, folder, f"{kind}-merged-{level}")
    for condition in range(len(store.conditions)):
        yield (block for run in runs.get(condition, []) for block in read_run(run))


def _tasks(store: TokenStore, held_out: bool) -> Iterator[list[Chunk]]:
    """Chunks of about so many tokens together."""
    some: list[Chunk] = []
    for condition in range(len(store.conditions)):
        for first, last in chunks(store, condition, TOKENS_IN_A_CHUNK):
            some.append(Chunk(condition, *documents(store, first, last, held_out)))
            store.forget(first, last)
            if sum(len(chunk.tokens) for chunk in some) + TOKENS_IN_A_CHUNK > TOKENS_IN_A_TASK:
                yield some
                some = []
    if some:
        yield some


def _count_task(
    folder: str, name: str, some: list[Chunk], words: int, weights: NDArray[np.int64]
) -> tuple[list[tuple[int, Run]], int]:
    """Count on a worker; where the cells of each condition are, and how many tokens that were."""

    def made() -> list[tuple[int, Run]]:
        counted: dict[int, list[CellArrays]] = defaultdict(list)
        for chunk in some:
            # What comes over the network cannot be written to, and the kernels are compiled for arrays that can.
            cells = count_cells(chunk.tokens.copy(), chunk.ends.copy(), words, weights.copy())
            counted[chunk.condition].append(cells)
        runs = write_runs(f"{folder}/{name}.parquet", ([sum_of(parts)] for parts in counted.values()))
        return [(condition, run) for condition, run in zip(counted, runs, strict=True) if run.cells]

    return once(folder, name, made), sum(len(chunk.tokens) for chunk in some)


def _merged_once(runs: dict[int, list[Run]], pool: Pool, folder: str, name: str) -> dict[int, list[Run]]:
    """Each condition's runs merged, so many at a time."""
    groups: list[tuple[int, list[Run]]] = []
    for condition, some in runs.items():
        for first in range(0, len(some), MOST_AT_ONCE):
            groups.append((condition, some[first : first + MOST_AT_ONCE]))
    calls: Iterator[tuple[Any, ...]] = (
        (folder, f"{name}-{number}", some) for number, (_, some) in enumerate(groups) if len(some) > 1
    )
    found = pool.in_order(_merge_task, calls)
    fewer: dict[int, list[Run]] = defaultdict(list)
    for condition, some in groups:
        fewer[condition].append(Run(*next(found)) if len(some) > 1 else some[0])
    return fewer


def _merge_task(folder: str, name: str, some: list[Run]) -> Run:
    """Merge runs on a worker."""

    def made() -> Run:
        return write_runs(f"{folder}/{name}.parquet", [merged([read_run(Run(*run)) for run in some])])[0]

    found: Run = once(folder, name, made)
    return found
