"""Long arrays that training goes through in order, stretch by stretch: in memory, or in a file that is read ahead.

A file has no name, so that nothing is left of it whatever happens to the process, and it is read into two buffers in
turn: while one stretch is worked on, the next arrives. Both kinds hold the same numbers, so the result is the same.
"""

from __future__ import annotations

import errno
import os
import tempfile
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import DTypeLike, NDArray

from chronotope.errors import InputError
from chronotope.runtime.memory import Memory, in_words

Stretch = tuple[int, int]  # from the first to before the last

# What compiling, reading and the buffers take beside the arrays.
BESIDE = 150 << 20


class Stretches(Protocol):
    """A long array."""

    def put(self, first: int, part: NDArray[Any]) -> None:
        """Write a part of it, from place `first` on."""
        ...

    def stream(self, stretches: Sequence[Stretch]) -> Iterator[NDArray[Any]]:
        """These stretches in turn; each is good until the next is asked for."""
        ...


class InMemory:
    """A long array in memory.

    Examples
    --------
    >>> kept = InMemory((5,), np.int16)
    >>> kept.put(0, np.arange(5))
    >>> [part.tolist() for part in kept.stream([(3, 5), (0, 2)])]
    [[3, 4], [0, 1]]
    """

    def __init__(self, shape: tuple[int, ...], dtype: DTypeLike) -> None:
        self.array = np.empty(shape, dtype=dtype)

    def put(self, first: int, part: NDArray[Any]) -> None:
        """See `Stretches`."""
        self.array[first : first + len(part)] = part

    def stream(self, stretches: Sequence[Stretch]) -> Iterator[NDArray[Any]]:
        """See `Stretches`."""
        return (self.array[first:last] for first, last in stretches)


class InFile:
    """A long array in a nameless file in `folder`, which is gone with the object; it grows as it is written.

    Parameters
    ----------
    columns
        The shape of one place of the array: empty for a number.
    """

    def __init__(self, columns: tuple[int, ...], dtype: DTypeLike, folder: Path) -> None:
        self._dtype, self._columns, self._folder = np.dtype(dtype), columns, folder
        self._size = self._dtype.itemsize * int(np.prod(columns))
        self._file = tempfile.TemporaryFile(dir=folder, prefix="chronotope-", buffering=0)  # noqa: SIM115

    def put(self, first: int, part: NDArray[Any]) -> None:
        """See `Stretches`."""
        view, place = np.ascontiguousarray(part, self._dtype).data.cast("B"), first * self._size
        try:
            while len(view):
                written = os.pwrite(self._file.fileno(), view, place)
                view, place = view[written:], place + written
        except OSError as error:
            if error.errno != errno.ENOSPC:
                raise
            raise InputError(f"the disk of {self._folder} is full; make room, or allow more memory") from None

    def stream(self, stretches: Sequence[Stretch]) -> Iterator[NDArray[Any]]:
        """See `Stretches`."""
        longest = max((last - first for first, last in stretches), default=0)
        buffers = [np.empty((longest, *self._columns), dtype=self._dtype) for _ in range(2)]
        with ThreadPoolExecutor(1) as ahead:
            waiting = ahead.submit(self._read, stretches[0], buffers[0]) if stretches else None
            for number in range(len(stretches)):
                assert waiting is not None
                found = waiting.result()
                if number + 1 < len(stretches):
                    waiting = ahead.submit(self._read, stretches[number + 1], buffers[(number + 1) % 2])
                yield found

    def _read(self, stretch: Stretch, buffer: NDArray[Any]) -> NDArray[Any]:
        first, last = stretch
        part = buffer[: last - first]
        view, place = part.data.cast("B") if part.size else memoryview(b""), first * self._size
        while len(view):
            found = os.preadv(self._file.fileno(), [view], place)
            if not found:
                raise InputError("the file of cells ended early; train again")
            view, place = view[found:], place + found
        return part


class HostNeed(NamedTuple):
    """The bytes that training takes on the CPU: what must lie in memory, and the cells, which may lie on disk."""

    kept: int
    cells: int


def cells_on_disk(
    memory: Memory, need: HostNeed, beside: str | Path | None, say: Callable[[str], None] | None = None
) -> Path | None:
    """The folder for the cells, where they do not fit into the memory that is allowed; None where they fit.

    Parameters
    ----------
    beside
        A file whose folder is to hold them; None: the folder for temporary files.
    say
        Called with a line that tells where they lie.
    """
    left = memory.room_for(need.kept + BESIDE, "training")
    if memory.limit is None or need.kept + need.cells + BESIDE <= left:
        return None
    folder = Path(beside).absolute().parent if beside else Path(tempfile.gettempdir())
    if say:
        say(f"{in_words(memory.limit)} of memory: the counts ({need.cells / 1e9:.1f} GB) are read from {folder}")
    return folder
