"""A Dask cluster as a pool of workers, with results in order.

When a worker dies, Dask gives its tasks to others. When the scheduler restarts, unfinished tasks start again. A task
can cache its result in a store (see `once`), so that a later run does not repeat it.
"""

from __future__ import annotations

import json
import logging
import warnings
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import CancelledError
from contextlib import ExitStack, closing, contextmanager, suppress
from importlib import import_module
from itertools import islice
from typing import Any

from chronotope.errors import ClusterError, import_extra
from chronotope.io.provenance import versions
from chronotope.io.stores import exists, reading, writing

CONNECT_SECONDS, RECONNECT_SECONDS = 30.0, 120.0


@contextmanager
def connect(address: str | None, workers: int | None, seconds: float = CONNECT_SECONDS) -> Iterator[Pool]:
    """Connect to the cluster at an address, or start `workers` processes on this machine."""
    distributed = import_extra("distributed", "counting on a cluster", "cluster")
    with _quiet(), ExitStack() as stack:
        if address is None:
            each = {"threads_per_worker": 1, "memory_limit": 0, "env": {"POLARS_MAX_THREADS": "1"}}
            quiet = {"dashboard_address": None, "silence_logs": logging.CRITICAL}
            cluster = stack.enter_context(distributed.LocalCluster(n_workers=workers, **quiet, **each))
            address = cluster.scheduler_address
        yield stack.enter_context(closing(Pool(address, seconds)))


@contextmanager
def _quiet() -> Iterator[None]:
    """Silence Dask's messages about machines that join and leave; failures are raised."""
    levels = {logger: logger.level for logger in map(logging.getLogger, ("distributed", "tornado", "asyncio"))}
    try:
        for logger in levels:
            logger.setLevel(logging.CRITICAL)
        yield
    finally:
        for logger, level in levels.items():
            logger.setLevel(level)


class Pool:
    """The workers of a cluster."""

    def __init__(self, address: str, seconds: float = CONNECT_SECONDS) -> None:
        self._address = address
        self._client = self._connect(seconds)

    def close(self) -> None:
        """Disconnect from the cluster."""
        with suppress(Exception):  # it may be gone
            self._client.close(timeout=2)

    def everywhere(self, function: Callable[..., Any], *arguments: Any) -> dict[str, Any]:
        """Call a function on each worker; return the results by address."""
        return dict(self._client.run(function, *arguments))

    def in_order(self, function: Callable[..., Any], calls: Iterable[tuple[Any, ...]]) -> Iterator[Any]:
        """Yield the result of each call in order; submit two calls per thread ahead."""
        from distributed import KilledWorker

        upcoming = iter(calls)
        waiting: deque[tuple[tuple[Any, ...], Any]] = deque()
        ahead = 2 * sum(self._client.nthreads().values()) + 4
        while True:
            waiting.extend((call, self._submit(function, call)) for call in islice(upcoming, ahead - len(waiting)))
            if not waiting:
                return
            try:
                result = waiting[0][1].result()
            except CancelledError:  # the scheduler is gone
                self.close()
                self._client = self._connect(RECONNECT_SECONDS)
                waiting = deque((call, self._submit(function, call)) for call, _ in waiting)
                continue
            except KilledWorker:
                raise ClusterError("several workers died at the same task; do they have enough memory?") from None
            except (OSError, MemoryError) as error:
                raise ClusterError(f"a worker failed: {error or 'its memory is full'}") from None
            waiting.popleft()
            yield result

    def _submit(self, function: Callable[..., Any], call: tuple[Any, ...]) -> Any:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="Sending large graph")  # the tokens travel with the task
            return self._client.submit(function, *call, pure=False)

    def _connect(self, seconds: float) -> Any:
        """Wait for the scheduler and a worker; refuse workers of other versions."""
        distributed: Any = import_module("distributed")  # it has no types
        try:
            client = distributed.Client(self._address, timeout=seconds, set_as_default=False)
        except OSError:
            raise ClusterError(f"no scheduler answers at {self._address} (waited {seconds:.0f} seconds)") from None
        except ValueError as error:
            raise ClusterError(f"{self._address} is not the address of a scheduler ({error})") from None
        with ExitStack() as failing:
            failing.callback(client.close, timeout=2)
            try:
                client.wait_for_workers(1, timeout=seconds)
                check_versions(client.run(versions))
            except OSError:
                raise ClusterError(f"the cluster at {self._address} has no workers") from None
            except ImportError as error:
                raise ClusterError(f"a worker cannot run chronotope ({error}); install it on all machines") from None
            failing.pop_all()
            return client


def check_versions(workers: dict[str, Any]) -> None:
    """Raise ClusterError if a worker has other versions, since results may differ."""
    own = versions()
    for worker, its in workers.items():
        for package, version in own.items():
            if its.get(package) != version:
                raise ClusterError(
                    f"worker {worker} has {package} {its.get(package, 'not installed')}, this machine {version}; "
                    "install the same versions everywhere"
                )


def once(folder: str, name: str, make: Callable[[], Any]) -> Any:
    """Return the result of `make` (plain data), cached as a file in a folder."""
    path = f"{folder}/{name}.json"
    if exists(path):
        with reading(path) as file:
            return json.loads(file.read())
    result = make()
    with writing(path) as file:
        file.write(json.dumps(result).encode())
    return result
