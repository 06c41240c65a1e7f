"""The arrays of embeddings: checks, defaults, and a cache."""

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable
from itertools import pairwise
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from chronotope.cooccurrence.vocabulary import Support

Value = TypeVar("Value")


def float32(
    name: str, values: ArrayLike, rows: int | None, columns: int | None = None, *, finite: bool = False
) -> NDArray[np.float32]:
    """Return a matrix as read-only float32; ValueError for another shape, or for infinite or NaN values if `finite`."""
    array = np.asarray(values, dtype=np.float32).view()
    array.flags.writeable = False
    sizes = zip(array.shape, (rows, columns), strict=False)
    fits = array.ndim == 2 and all(expected in (None, size) for size, expected in sizes)
    if not fits or not array.shape[1]:
        raise ValueError(f"{name} has the shape {array.shape}, not ({rows}, {columns or 'dimensions'})")
    if finite and not np.isfinite(array).all():
        raise ValueError(f"{name} holds values that are not numbers")
    return array


def mean_vectors(
    support: Support, vectors: NDArray[np.float32], words: int, conditions: Iterable[int]
) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
    """Return the (W, D) mean of each word's vectors in some conditions, weighted by count, and (W,) its count there."""
    total, weight = np.zeros((words, vectors.shape[1])), np.zeros(words, dtype=np.int64)
    for condition in conditions:
        word, count = support.words_in(condition), support.counts_in(condition)
        total[word] += vectors[support.start[condition] : support.start[condition + 1]] * count[:, None]
        weight[word] += count
    return (total / np.maximum(weight, 1)[:, None]).astype(np.float32), weight


def centers(support: Support, vectors: NDArray[np.float32]) -> NDArray[np.float64]:
    """Return the (C, D) mean vector of the words in each condition; zero for an empty condition."""
    means = np.zeros((len(support.start) - 1, vectors.shape[1]))
    for condition, (begin, end) in enumerate(pairwise(support.start)):
        if end > begin:
            means[condition] = vectors[begin:end].mean(axis=0, dtype=np.float64)
    return means


class LRUCache:
    """Keep the most recently used arrays up to `limit` bytes; the newest stays even if it is larger."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self._values: OrderedDict[Hashable, Any] = OrderedDict()
        self._lock = threading.RLock()

    def __reduce__(self) -> tuple[Any, ...]:
        return LRUCache, (self.limit,)  # a pickle holds no values

    def __len__(self) -> int:
        return len(self._values)

    def get(self, key: Hashable, make: Callable[[], Value]) -> Value:
        """Return the value of a key, computed if it is missing; other threads wait."""
        with self._lock:
            value: Value = self._values[key] if key in self._values else make()
            self._values[key] = value
            self._values.move_to_end(key)
            while len(self) > 1 and sum(value.nbytes for value in self._values.values()) > self.limit:
                self._values.popitem(last=False)
            return value
