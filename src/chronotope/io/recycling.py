"""Large arrays in memory that was used before.

The system clears all memory that it hands out, and a virtual machine may have to ask another system for it first, which
takes up to 3 ms a megabyte: as long as to read and tokenize what is put there.
"""

from __future__ import annotations

import threading
from collections import deque
from typing import Any

import numpy as np
from numpy.typing import NDArray

# Sizes differ a little from one array to the next.
STEP = 1 << 20


class Room(threading.local):
    """Memory for arrays of bytes, one after the other; each thread has its own.

    An array's memory is handed out again when nothing refers to it any more, whoever let go of it last.

    Examples
    --------
    >>> room = Room()
    >>> first = room.array(10)
    >>> part, place = first[3:], first.ctypes.data
    >>> del first
    >>> second = room.array(10)
    >>> second.ctypes.data == place
    False
    >>> del part
    >>> room.array(20).ctypes.data == place
    True
    """

    def __init__(self) -> None:
        self._free: deque[NDArray[np.uint8]] = deque()

    def array(self, size: int) -> NDArray[np.uint8]:
        """An array of so many bytes, whatever they are."""
        # What was let go of last may still be in the caches.
        memory = self._free.pop() if self._free else np.empty(0, np.uint8)
        if len(memory) < size:
            memory = np.empty(-(-size // STEP) * STEP, np.uint8)
        return np.asarray(_Lent(memory, self._free))[:size]


class _Lent:
    """Memory that goes back when the array that was made of it, and all parts of that, are gone."""

    def __init__(self, memory: NDArray[np.uint8], free: deque[NDArray[np.uint8]]) -> None:
        self.__array_interface__: dict[str, Any] = memory.__array_interface__
        self._memory, self._free = memory, free

    def __del__(self) -> None:
        self._free.append(self._memory)
