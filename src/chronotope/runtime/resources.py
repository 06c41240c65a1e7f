"""Cores, memory, workers of a cluster, and how work is divided among them; results depend on none of these."""

import socket
import uuid
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from chronotope.errors import ClusterError, SettingsError
from chronotope.io import stores
from chronotope.runtime.cluster import Pool, connect
from chronotope.runtime.memory import Memory

Item = TypeVar("Item")
Result = TypeVar("Result")
Block = tuple[int, int]  # rows, from the first to before the last


def cores() -> int:
    """Return the number of cores that this process may use, given its affinity and cgroup quota."""
    import joblib  # slow to import

    return int(joblib.cpu_count())


@dataclass(frozen=True)
class Resources:
    """Cores and memory of this machine, the workers of a cluster, and the folder that these write to."""

    threads: int = field(default_factory=cores)
    memory: Memory = field(default_factory=Memory)
    pool: Pool | None = None
    spill: str = ""

    @classmethod
    @contextmanager
    def of(
        cls,
        threads: int | None = None,
        memory: str | int | None = None,
        workers: int | None = None,
        cluster: str | None = None,
    ) -> Iterator[Self]:
        """Yield the requested resources; a cluster stays connected for the length of the block."""
        if workers and cluster:
            raise SettingsError("give either the address of a cluster or a number of workers on this machine, not both")
        with connect(cluster, workers) if workers or cluster else nullcontext() as pool:
            yield cls(threads or cores(), Memory.of(memory), pool)

    def spilling_to(self, folder: str) -> Self:
        """Return the resources with a spill folder; raise ClusterError if a worker cannot see it."""
        if self.pool is not None:
            name = f"{folder}/{uuid.uuid4().hex}.probe"
            with stores.writing(name) as file:
                file.write(b"here")
            for worker, host in self.pool.everywhere(_host_without, name).items():
                if host:
                    raise ClusterError(
                        f"worker {worker} on {host} does not see {folder}; all machines must be able to write "
                        "there: choose a shared folder or an address (--spill s3://…)"
                    )
            stores.remove(name)
        return replace(self, spill=folder)


def _host_without(name: str) -> str:
    """Return the name of this machine if it cannot see a file, otherwise an empty string."""
    return "" if stores.exists(name) else socket.gethostname()


def stretches(start: NDArray[np.integer], most: int) -> Iterator[Block]:
    """Cut rows into ranges that hold at most `most` items, or one row; row r holds items start[r] … start[r + 1] - 1.

    >>> list(stretches(np.array([0, 5, 6, 7, 10]), 3))
    [(0, 1), (1, 3), (3, 4)]
    """
    first = 0
    while first < len(start) - 1:
        last = max(int(np.searchsorted(start, start[first] + most, side="right")) - 1, first + 1)
        yield first, last
        first = last


def even_blocks(start: NDArray[np.integer], blocks: int) -> list[Block]:
    """Split rows into blocks of about equal load; the load of row r is start[r + 1] − start[r].

    >>> even_blocks(np.array([0, 5, 6, 7, 10]), 2)
    [(0, 1), (1, 4)]
    """
    limits = np.searchsorted(start, np.linspace(0, start[-1], blocks + 1))
    limits[0], limits[-1] = 0, len(start) - 1
    return [(int(first), int(last)) for first, last in pairwise(limits)]


def in_order(
    pool: ThreadPoolExecutor, function: Callable[[Item], Result], items: Iterable[Item], ahead: int
) -> Iterator[Result]:
    """Map a function over items in threads; yield results in order, with at most `ahead` items in advance."""
    waiting: deque[Future[Result]] = deque()
    for item in items:
        waiting.append(pool.submit(function, item))
        if len(waiting) > ahead:
            yield waiting.popleft().result()
    while waiting:
        yield waiting.popleft().result()
