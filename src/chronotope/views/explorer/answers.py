"""Answers as JSON, made once: in a few threads, kept within bounds, shared by all who ask the same at the same time."""

from __future__ import annotations

import asyncio
import json
from collections import OrderedDict
from collections.abc import Callable, Hashable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from enum import Enum
from typing import Any

KEPT_BYTES = 128 << 20


class Lane(Enum):
    """Threads of their own for each kind of work, so that what takes milliseconds never waits for what takes longer."""

    QUICK = "quick"  # what a reader waits for: the company of a word, its series, words to choose from
    CHARTS = "charts"  # the other charts
    AHEAD = "ahead"  # what nobody has asked for yet


@dataclass
class _Making:
    """An answer that is being made: the work, the same for those who await it, and how many they are."""

    work: Future[Any]
    answer: asyncio.Future[Any]
    awaited: int = 0


class Answers:
    """The answers of one server; it belongs to the event loop that asks it.

    Parameters
    ----------
    threads
        How many quick answers, and how many charts, are made at a time; the others wait their turn.
    limit
        How many bytes of answers are kept.
    """

    def __init__(self, threads: int, limit: int = KEPT_BYTES) -> None:
        sizes = {Lane.QUICK: threads, Lane.CHARTS: threads, Lane.AHEAD: 1}
        self._pools = {lane: ThreadPoolExecutor(size, lane.value) for lane, size in sizes.items()}
        self._limit = limit
        self._total = 0
        self._kept: OrderedDict[Hashable, tuple[Any, int]] = OrderedDict()
        self._making: dict[Hashable, _Making] = {}

    async def json(self, key: Hashable, make: Callable[[], Any], lane: Lane = Lane.CHARTS) -> bytes:
        """The JSON of what `make` returns."""
        text: bytes = await self.value(key, lambda: to_json(make()), len, lane)
        return text

    async def value(
        self, key: Hashable, make: Callable[[], Any], size: Callable[[Any], int], lane: Lane = Lane.CHARTS
    ) -> Any:
        """What `make` returns, made in a thread where it is not kept; an error is not kept.

        Work that has not begun is dropped when the last one who awaits it goes away.
        """
        if key in self._kept:
            self._kept.move_to_end(key)
            return self._kept[key][0]
        making = self._making.get(key)
        if making is None:
            work = self._pools[lane].submit(make)
            making = self._making[key] = _Making(work, asyncio.wrap_future(work))
            making.answer.add_done_callback(lambda done: self._made(key, done, size))
        making.awaited += 1
        try:
            # One who goes away takes nothing from the others who wait for the same.
            return await asyncio.shield(making.answer)
        finally:
            making.awaited -= 1
            if not making.awaited and making.work.cancel():
                self._making.pop(key, None)

    def _made(self, key: Hashable, done: asyncio.Future[Any], size: Callable[[Any], int]) -> None:
        if done.cancelled():
            return
        del self._making[key]
        if done.exception() is not None:
            return
        bytes_taken = size(done.result())
        self._kept[key] = done.result(), bytes_taken
        self._total += bytes_taken
        while self._total > self._limit and len(self._kept) > 1:
            _, (_, freed) = self._kept.popitem(last=False)
            self._total -= freed

    def close(self) -> None:
        """Stop; what is being made is finished and thrown away."""
        for pool in self._pools.values():
            pool.shutdown(wait=False, cancel_futures=True)


def to_json(data: Any) -> bytes:
    """Plain data as JSON; a value that is no number is an error of ours, never sent."""
    return json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()
