"""A Dask cluster as a pool of workers: results come in order, and a machine that fails is no end of the work.

A worker that dies has its tasks done by others (Dask sees to that). A task that takes far longer than the rest is also
given to another worker, and the first result counts. When the scheduler is gone we wait for it to come back, and hand
out again what was under way. A task leaves its result in a store under its own name (see `once`), so that nothing is
done twice, also by a later run.
"""

from __future__ import annotations

import json
import logging
import threading
import time
import warnings
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

from chronotope.errors import ClusterError, MissingExtra
from chronotope.io.provenance import versions
from chronotope.io.stores import exists, reading, writing

# So long we wait for a scheduler that is gone, in seconds.
PATIENCE = 120.0
# A task is given to another worker, too, when it takes so many times as long as most, and so many seconds at least.
FAR_LONGER, AT_LEAST = 4.0, 10.0
TICK, LOOK_AGAIN = 0.5, 5.0
LOST = ("cancelled", "lost")


@contextmanager
def connected(address: str | None, workers: int | None, patience: float = PATIENCE) -> Iterator[Pool]:
    """The workers of the cluster at an address, or so many processes on this machine."""
    try:
        from distributed import LocalCluster
    except ImportError:
        raise MissingExtra("counting on a cluster", "cluster") from None
    local: Any = LocalCluster  # it has no types
    # What Dask says of machines that come and go we say ourselves, in one line.
    loggers = [logging.getLogger(name) for name in ("distributed", "tornado", "asyncio")]
    levels = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.CRITICAL)
    try:
        if address is not None:
            with closing(Pool(address, patience)) as pool:
                yield pool
            return
        with (
            local(
                n_workers=workers,
                threads_per_worker=1,
                processes=True,
                memory_limit=0,
                dashboard_address=None,
                silence_logs=logging.CRITICAL,
                env={"POLARS_MAX_THREADS": "1"},
            ) as cluster,
            closing(Pool(cluster.scheduler_address, patience)) as pool,
        ):
            yield pool
    finally:
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)


@dataclass
class _Task:
    """A call that was handed out, to one worker or to two."""

    call: tuple[Any, ...]
    futures: list[Any] = field(default_factory=list)
    since: float = 0.0
    ended: threading.Event = field(default_factory=threading.Event)


class Pool:
    """The workers of a cluster."""

    def __init__(self, address: str, patience: float = PATIENCE) -> None:
        self._address = address
        self._patience = patience
        self._threads, self._looked = 1, 0.0
        self._seconds: deque[float] = deque(maxlen=101)  # how long the last tasks took
        self._client = self._connect(min(patience, 30.0))

    def everywhere(self, function: Callable[..., Any], *arguments: Any) -> dict[str, Any]:
        """What a function returns on each worker, by its address; what it raises is raised here."""
        found: dict[str, Any] = self._client.run(function, *arguments)
        return found

    def in_order(self, function: Callable[..., Any], calls: Iterable[tuple[Any, ...]]) -> Iterator[Any]:
        """What a function returns for each of some calls, in their order; a few are handed out ahead."""
        waiting: deque[_Task] = deque()
        upcoming = iter(calls)
        while True:
            while len(waiting) < self._ahead() and (call := next(upcoming, None)) is not None:
                waiting.append(_Task(call))
                if self._client.status == "running":
                    self._hand_out(function, waiting[-1])
            if not waiting:
                return
            result = self._result_of_first(function, waiting)
            self._seconds.append(time.monotonic() - waiting.popleft().since)
            yield result

    def _ahead(self) -> int:
        """How many tasks are handed out: two for each thread, and some for workers that are slow or join later."""
        if time.monotonic() > self._looked + LOOK_AGAIN and self._client.status == "running":
            self._look(self._client)
        return 2 * self._threads + 4

    def _look(self, client: Any) -> None:
        with suppress(OSError):  # that the scheduler is gone is found out by those who wait for it
            self._threads, self._looked = sum(client.nthreads().values()), time.monotonic()

    def close(self) -> None:
        """Let go of the cluster."""
        with suppress(Exception):  # it may be gone
            self._client.close(timeout=2)

    def _hand_out(self, function: Callable[..., Any], task: _Task, workers: list[str] | None = None) -> None:
        with warnings.catch_warnings():
            # The tokens that are to be counted travel with the task.
            warnings.filterwarnings("ignore", message="Sending large graph")
            future = self._client.submit(function, *task.call, pure=False, workers=workers)
        future.add_done_callback(lambda _: task.ended.set())
        task.futures.append(future)
        task.since = task.since or time.monotonic()

    def _result_of_first(self, function: Callable[..., Any], waiting: deque[_Task]) -> Any:
        """The result of the first task, whatever happens to workers and to the scheduler."""
        task = waiting[0]
        while True:
            task.ended.wait(TICK)
            if self._client.status != "running" or any(future.status in LOST for future in task.futures):
                self._client = self._reconnected()
                for lost in waiting:
                    lost.futures.clear()
                    lost.ended.clear()
                    self._hand_out(function, lost)
                continue
            for future in [future for future in task.futures if future.status in ("finished", "error")]:
                if future.status == "error":
                    raise _explained(future.exception(timeout=AT_LEAST)) from None
                try:
                    return future.result(timeout=AT_LEAST)
                except TimeoutError:
                    # The worker that has the result does not answer any more.
                    others = self._others(task)
                    task.futures.remove(future)
                    task.ended.clear()
                    self._hand_out(function, task, others)
            if self._is_late(task):
                self._hand_out(function, task, self._others(task))

    def _is_late(self, task: _Task) -> bool:
        """Whether a task takes far longer than the others did, and only one worker has it."""
        usual = sorted(self._seconds)[len(self._seconds) // 2] if self._seconds else 0.0
        late = time.monotonic() - task.since > max(AT_LEAST, FAR_LONGER * usual)
        return late and len(task.futures) == 1 and bool(self._others(task))

    def _others(self, task: _Task) -> list[str]:
        """The workers that neither have a task nor its result."""
        keys = [future.key for future in task.futures]
        holding = {worker for found in self._client.who_has(keys).values() for worker in found}
        busy = self._client.processing()
        return [worker for worker, own in busy.items() if worker not in holding and not set(keys) & set(own)]

    def _reconnected(self) -> Any:
        self.close()
        return self._connect(self._patience)

    def _connect(self, patience: float) -> Any:
        """A client of the scheduler, once it answers and has workers."""
        from distributed import Client

        client_of: Any = Client  # it has no types
        until = time.monotonic() + patience
        reason = f"no scheduler answers at {self._address}"
        while time.monotonic() < until:
            client: Any = None
            try:
                client = client_of(self._address, timeout=min(5.0, patience), set_as_default=False)
                reason = f"the cluster at {self._address} has no workers"
                client.wait_for_workers(1, timeout=max(1.0, until - time.monotonic()))
                self._look(client)
                check_versions(client.run(versions))
                return client
            except ImportError as error:
                raise ClusterError(f"a worker cannot run chronotope ({error}); install it on all machines") from None
            except ValueError as error:
                raise ClusterError(f"{self._address} is no address of a scheduler ({error})") from None
            except OSError:
                time.sleep(TICK)
                if client is not None:
                    client.close(timeout=2)
            except ClusterError:
                client.close(timeout=2)
                raise
        raise ClusterError(f"{reason} (waited {patience:.0f} seconds)")


def _explained(error: BaseException) -> BaseException:
    """What a task raised, as a user can understand it; a fault of our own stays as it is."""
    from distributed import KilledWorker

    if isinstance(error, KilledWorker):
        return ClusterError("several workers died at the same task; do they have enough memory?")
    if isinstance(error, OSError | MemoryError):
        return ClusterError(f"a worker cannot go on: {error or 'its memory is full'}")
    return error


def check_versions(found: dict[str, Any]) -> None:
    """Refuse workers that would not give the same bytes."""
    own = versions()
    for worker, its in found.items():
        for package, version in own.items():
            if its.get(package) != version:
                raise ClusterError(
                    f"worker {worker} has {package} {its.get(package, 'not installed')}, this machine {version}; "
                    "install the same versions everywhere"
                )


def once(folder: str, name: str, make: Callable[[], Any]) -> Any:
    """What `make` returns, which must be plain data; if that was made before, it is taken from the folder."""
    path = f"{folder}/{name}.json"
    if exists(path):
        with reading(path) as file:
            return json.loads(file.read())
    made = make()
    with writing(path) as file:
        file.write(json.dumps(made).encode())
    return made
