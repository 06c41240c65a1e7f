"""What a preparation may use: cores, memory, and the workers of a cluster. The result depends on none of it."""

from __future__ import annotations

import os
import socket
import uuid
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cache
from typing import TypeVar

import joblib

from chronotope.errors import ClusterError, SettingsError
from chronotope.io import stores
from chronotope.runtime.cluster import Pool, connected
from chronotope.runtime.memory import Memory


@cache
def _first_process() -> int:
    return os.getpid()


def check_not_forked() -> None:
    """Raise SettingsError in a process that was forked after its parent used polars, whose threads do not survive."""
    if _first_process() != os.getpid():
        raise SettingsError(
            "this process was forked from one that has used chronotope, and would wait for ever; start processes with "
            "multiprocessing.get_context('spawn')"
        )


@contextmanager
def out_of_memory() -> Iterator[None]:
    """Turn a failed allocation in the block into a SettingsError."""
    try:
        yield
    except MemoryError as error:
        raise SettingsError(
            f"not enough memory ({str(error).splitlines()[0] if str(error) else 'an allocation failed'}); raise the "
            "limit of this process, or hold less at a time (--memory 1GB, --threads 1)"
        ) from None


def cores() -> int:
    """Return how many cores this process may use; affinity and cgroup quotas count."""
    return int(joblib.cpu_count())


Item = TypeVar("Item")
Result = TypeVar("Result")


@dataclass(frozen=True)
class Resources:
    """Cores, memory and workers.

    Attributes
    ----------
    threads
        How many cores of this machine are used.
    memory
        How much memory this process may hold.
    pool
        The workers of a cluster, if any.
    spill
        Where they leave what they make, for each other and for us.
    """

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
    ) -> Iterator[Resources]:
        """What a user asks for; a cluster is connected to, and let go of at the end of the block."""
        if workers and cluster:
            raise SettingsError("give either the address of a cluster or a number of workers on this machine, not both")
        here = cls(threads or cores(), Memory.of(memory))
        if not (workers or cluster):
            yield here
            return
        with connected(cluster, workers) as pool:
            yield replace(here, pool=pool)

    def spilling_to(self, folder: str) -> Resources:
        """The same, with the place that the workers write to; refused where they cannot."""
        if self.pool is not None:
            check_shared(self.pool, folder)
        return replace(self, spill=folder)


def in_order(
    pool: ThreadPoolExecutor, function: Callable[[Item], Result], items: Iterable[Item], ahead: int
) -> Iterator[Result]:
    """What a function makes of each item, in their order; threads work on up to `ahead` more than was asked for.

    Examples
    --------
    >>> with ThreadPoolExecutor(2) as pool:
    ...     list(in_order(pool, len, ["", "a", "is"], ahead=2))
    [0, 1, 2]
    """
    waiting: deque[Future[Result]] = deque()
    for item in items:
        waiting.append(pool.submit(function, item))
        if len(waiting) > ahead:
            yield waiting.popleft().result()
    while waiting:
        yield waiting.popleft().result()


def check_shared(pool: Pool, folder: str) -> None:
    """Refuse a folder that is not the same for this machine and for the workers."""
    name = f"{folder}/{uuid.uuid4().hex}.probe"
    with stores.writing(name) as file:
        file.write(b"here")
    for worker, host in pool.everywhere(_where_missing, name).items():
        if host:
            raise ClusterError(
                f"worker {worker} on {host} does not see {folder}; name a place that all machines can write "
                "(--spill s3://…, or a shared folder)"
            )
    stores.remove(name)


def _where_missing(name: str) -> str:
    """The name of this machine where a file is missing."""
    return "" if stores.exists(name) else socket.gethostname()
