"""Answers as JSON: made in threads, shared by callers with the same question, and kept in a cache of bounded size."""

from __future__ import annotations

import asyncio
import json
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from enum import Enum
from typing import Any

CACHED_BYTES = 128 << 20
Progress = Callable[..., None]
Make = Callable[[Progress], bytes]


class Lane(Enum):
    """A thread pool for each kind of work, so that quick answers never wait for slow ones."""

    QUICK = "quick"  # one condition, one series, words to choose from
    CHARTS = "charts"  # the other questions
    SLOW = "slow"  # resampling, long lists, and preparation


class DroppedError(Exception):
    """Stops the work on an answer that no caller awaits any more."""


@dataclass
class _Making:
    """An answer that is being made: the work, the future that its callers await, and their number."""

    work: Future[bytes]
    answer: asyncio.Future[bytes]
    awaited: int = 0
    dropped: bool = False


class Answers:
    """The answers of one server, used from a single event loop.

    `threads` quick answers and as many charts are made at a time, and one slow answer; `limit` bytes are cached.
    """

    def __init__(self, threads: int, limit: int = CACHED_BYTES) -> None:
        sizes = {Lane.QUICK: threads, Lane.CHARTS: threads, Lane.SLOW: 1}
        self._pools = {lane: ThreadPoolExecutor(size, lane.value) for lane, size in sizes.items()}
        self._limit, self._total, self._lock = limit, 0, threading.Lock()
        self._cached: OrderedDict[Hashable, bytes] = OrderedDict()
        self._making: dict[Hashable, _Making] = {}

    async def value(self, key: Hashable, make: Make, lane: Lane = Lane.CHARTS) -> bytes:
        """Return the result of `make`, from the cache or made in a thread; an error is not cached.

        Work is dropped when its last caller leaves: at once if it has not begun, else when it next calls the function
        `progress` that `make` gets.
        """
        if key in self._cached:
            self._cached.move_to_end(key)
            return self._cached[key]
        with self._lock:
            making = self._making.get(key)
            if making is None or making.dropped:
                making = self._start(key, make, lane)
            making.awaited += 1
        try:
            # A caller who leaves must not cancel the answer for the others.
            return await asyncio.shield(making.answer)
        finally:
            making.awaited -= 1
            if not making.awaited and making.work.cancel():
                self._making.pop(key, None)

    def _start(self, key: Hashable, make: Make, lane: Lane) -> _Making:
        def progress(*_: object) -> None:
            with self._lock:
                making.dropped = not making.awaited
            if making.dropped:
                raise DroppedError

        work = self._pools[lane].submit(make, progress)
        making = self._making[key] = _Making(work, asyncio.wrap_future(work))
        making.answer.add_done_callback(lambda done: self._finish(key, making, done))
        return making

    def _finish(self, key: Hashable, making: _Making, done: asyncio.Future[bytes]) -> None:
        if self._making.get(key) is making:
            del self._making[key]
        if done.cancelled() or done.exception() is not None or key in self._cached:
            return
        self._cached[key] = done.result()
        self._total += len(done.result())
        while self._total > self._limit and len(self._cached) > 1:
            _, oldest = self._cached.popitem(last=False)
            self._total -= len(oldest)

    def close(self) -> None:
        """Shut the threads down; work that has begun is finished and discarded."""
        for pool in self._pools.values():
            pool.shutdown(wait=False, cancel_futures=True)


def to_json(data: Any) -> bytes:
    """Return plain data as JSON; NaN and infinity raise ValueError."""
    return json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()
