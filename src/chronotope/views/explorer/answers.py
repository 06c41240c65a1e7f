"""Answers as JSON, made once: in a few threads, kept within bounds, shared by all who ask the same at the same time."""

from __future__ import annotations

import asyncio
import json
from collections import OrderedDict
from collections.abc import Callable, Hashable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

KEPT_BYTES = 128 << 20


class Answers:
    """The answers of one server; it belongs to the event loop that asks it.

    Parameters
    ----------
    threads
        How many answers are made at a time; the others wait their turn.
    limit
        How many bytes of answers are kept.
    """

    def __init__(self, threads: int, limit: int = KEPT_BYTES) -> None:
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="answer")
        self._limit = limit
        self._total = 0
        self._kept: OrderedDict[Hashable, tuple[Any, int]] = OrderedDict()
        self._making: dict[Hashable, asyncio.Future[Any]] = {}

    async def json(self, key: Hashable, make: Callable[[], Any]) -> bytes:
        """The JSON of what `make` returns."""
        text: bytes = await self.value(key, lambda: to_json(make()), len)
        return text

    async def value(self, key: Hashable, make: Callable[[], Any], size: Callable[[Any], int]) -> Any:
        """What `make` returns, made in a thread where it is not kept; an error is not kept."""
        if key in self._kept:
            self._kept.move_to_end(key)
            return self._kept[key][0]
        if key not in self._making:
            self._making[key] = asyncio.get_running_loop().run_in_executor(self._pool, make)
            self._making[key].add_done_callback(lambda done: self._made(key, done, size))
        # One who goes away takes nothing from the others who wait for the same.
        return await asyncio.shield(self._making[key])

    def _made(self, key: Hashable, done: asyncio.Future[Any], size: Callable[[Any], int]) -> None:
        del self._making[key]
        if done.cancelled() or done.exception() is not None:
            return
        bytes_taken = size(done.result())
        self._kept[key] = done.result(), bytes_taken
        self._total += bytes_taken
        while self._total > self._limit and len(self._kept) > 1:
            _, (_, freed) = self._kept.popitem(last=False)
            self._total -= freed

    def close(self) -> None:
        """Stop; what is being made is finished and thrown away."""
        self._pool.shutdown(wait=False, cancel_futures=True)


def to_json(data: Any) -> bytes:
    """Plain data as JSON; a value that is no number is an error of ours, never sent."""
    return json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()
