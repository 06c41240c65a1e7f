"""A memory for what is dear to compute, bounded in bytes."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

Value = TypeVar("Value")


class BoundedCache(Generic[Value]):
    """Keeps the values used last, up to so many bytes; the newest is kept whatever its size.

    Examples
    --------
    >>> cache = BoundedCache[bytes](limit=10, size=len)
    >>> [cache.get(key, lambda: bytes(6)) and len(cache) for key in "aab"]
    [1, 1, 1]
    """

    def __init__(self, limit: int, size: Callable[[Value], int]) -> None:
        self._limit = limit
        self._size = size
        self._total = 0
        self._values: OrderedDict[Hashable, Value] = OrderedDict()
        self._making: dict[Hashable, threading.Lock] = {}
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._values)

    def allow(self, limit: int) -> None:
        """Keep up to so many bytes from now on, where that is more than before."""
        with self._lock:
            self._limit = max(limit, self._limit)

    def get(self, key: Hashable, make: Callable[[], Value]) -> Value:
        """The value under a key, made where it is not kept; threads that want the same one wait for one of them."""
        with self._lock:
            if key in self._values:
                self._values.move_to_end(key)
                return self._values[key]
            making = self._making.setdefault(key, threading.Lock())
        with making:
            with self._lock:
                if key in self._values:
                    return self._values[key]
            value = make()
            with self._lock:
                self._values[key] = value
                self._total += self._size(value)
                self._making.pop(key, None)
                while self._total > self._limit and len(self._values) > 1:
                    _, old = self._values.popitem(last=False)
                    self._total -= self._size(old)
        return value
