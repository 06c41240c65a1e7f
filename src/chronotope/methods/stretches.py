"""Long arrays of cells in memory or in a file, and the choice between the two.

A file has no name, so nothing is left of it if the process dies. Both kinds hold the same numbers.
"""

from __future__ import annotations

import errno
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import DTypeLike, NDArray

from chronotope.errors import InputError
from chronotope.runtime.memory import Memory, in_words

# Bytes that compiled code, libraries and buffers take beside the arrays.
BESIDE = 150 << 20


class MemoryArray:
    """An array in memory that is filled from the front; memory that is never filled is never used.

    Examples
    --------
    >>> numbers = MemoryArray(10, np.int16)
    >>> numbers.append(np.arange(3))
    >>> numbers.append(np.arange(2))
    >>> numbers.whole().tolist()
    [0, 1, 2, 0, 1]
    """

    def __init__(self, room: int, dtype: DTypeLike) -> None:
        self._array, self._size = np.empty(room, dtype=dtype), 0

    def append(self, part: NDArray[Any]) -> None:
        """Add numbers at the end."""
        self._array[self._size : self._size + len(part)] = part
        self._size += len(part)

    def whole(self) -> NDArray[Any]:
        """Return all numbers so far."""
        return self._array[: self._size]


class DiskArray:
    """An array in a nameless file in `folder`; a slice is mapped into memory for as long as it is used."""

    def __init__(self, dtype: DTypeLike, folder: Path) -> None:
        self._dtype, self._folder, self._size = np.dtype(dtype), folder, 0
        self._file = tempfile.TemporaryFile(dir=folder, prefix="chronotope-")  # noqa: SIM115

    def append(self, part: NDArray[Any]) -> None:
        """Add numbers at the end; InputError if the disk is full."""
        try:
            self._file.write(np.ascontiguousarray(part, self._dtype).data)
            self._file.flush()
        except OSError as error:
            if error.errno != errno.ENOSPC:
                raise
            raise InputError(f"the disk of {self._folder} is full; make room, or allow more memory") from None
        self._size += len(part)

    def whole(self) -> DiskArray:
        """Return the array itself: it is read slice by slice."""
        return self

    def __len__(self) -> int:
        return self._size

    def __getitem__(self, part: slice) -> NDArray[Any]:
        first, last, _ = part.indices(self._size)
        if first >= last:
            return np.empty(0, dtype=self._dtype)
        offset = first * self._dtype.itemsize
        mapped = np.memmap(self._file, self._dtype, mode="r", offset=offset, shape=(last - first,))
        return mapped.view(np.ndarray)


class HostNeed(NamedTuple):
    """Bytes that training takes on the CPU: in memory at all times, and for the cells, which may lie on disk."""

    kept: int
    cells: int


def cells_on_disk(
    memory: Memory, need: HostNeed, beside: str | Path | None, say: Callable[[str], None] | None = None
) -> Path | None:
    """Return the folder for the cells if they exceed the memory limit, else None.

    Parameters
    ----------
    beside
        A file whose folder holds the cells; None: the folder for temporary files.
    say
        Called with one line that names the folder.
    """
    left = memory.room_for(need.kept + BESIDE, "training")
    if memory.limit is None or need.kept + need.cells + BESIDE <= left:
        return None
    folder = Path(beside).absolute().parent if beside else Path(tempfile.gettempdir())
    if say:
        say(f"{in_words(memory.limit)} of memory: the counts ({need.cells / 1e9:.1f} GB) are read from {folder}")
    return folder
