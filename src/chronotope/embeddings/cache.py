"""LRU cache bounded in bytes."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from concurrent.futures import Future
from typing import Any


class LRUCache:
    """Keep the most recently used values up to `limit` bytes; the newest value stays whatever its size.

    Examples
    --------
    >>> cache = LRUCache(limit=10, size=len)
    >>> [cache.get(key, lambda: bytes(6)) and len(cache) for key in "aab"]
    [1, 1, 1]
    """

    def __init__(self, limit: int, size: Callable[[Any], int] = lambda value: int(value.nbytes)) -> None:
        self.limit = limit
        self._size = size
        self._sizes: OrderedDict[Hashable, int] = OrderedDict()
        self._futures: dict[Hashable, Future[Any]] = {}
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._sizes)

    def get(self, key: Hashable, make: Callable[[], Any]) -> Any:
        """Return the value of a key, computed by one thread if it is missing; an error of `make` is not kept."""
        with self._lock:
            known = self._futures.get(key)
            future = known or self._futures.setdefault(key, Future())
            if key in self._sizes:
                self._sizes.move_to_end(key)
        if known:
            return known.result()
        try:
            value = make()
        except BaseException as error:
            with self._lock:
                del self._futures[key]
            future.set_exception(error)
            raise
        with self._lock:
            self._sizes[key] = self._size(value)
            while sum(self._sizes.values()) > self.limit and len(self._sizes) > 1:
                del self._futures[self._sizes.popitem(last=False)[0]]
        future.set_result(value)
        return value
