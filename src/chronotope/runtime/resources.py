"""Cores, memory and the workers of a cluster; results depend on none of them."""

import socket
import uuid
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Self, TypeVar

from chronotope.errors import ClusterError, SettingsError
from chronotope.io import stores
from chronotope.runtime.cluster import Pool, connect
from chronotope.runtime.memory import Memory

Item = TypeVar("Item")
Result = TypeVar("Result")


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
        here = cls(threads or cores(), Memory.of(memory))
        if not (workers or cluster):
            yield here
            return
        with connect(cluster, workers) as pool:
            yield replace(here, pool=pool)

    def spilling_to(self, folder: str) -> Self:
        """Return the resources with a spill folder; raise ClusterError if a worker does not see it."""
        if self.pool is not None:
            name = f"{folder}/{uuid.uuid4().hex}.probe"
            with stores.writing(name) as file:
                file.write(b"here")
            for worker, host in self.pool.everywhere(_host_without, name).items():
                if host:
                    raise ClusterError(
                        f"worker {worker} on {host} does not see {folder}; name a place that all machines can write "
                        "(--spill s3://…, or a shared folder)"
                    )
            stores.remove(name)
        return replace(self, spill=folder)


def _host_without(name: str) -> str:
    """Return the name of this machine if a file is missing here."""
    return "" if stores.exists(name) else socket.gethostname()


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
