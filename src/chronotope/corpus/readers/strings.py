"""Strings as polars has them, and the bytes that they are."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
from numpy.typing import NDArray

# A string of up to so many bytes is kept where others have only their place.
LONGEST_INLINE = 12

Texts = tuple[NDArray[np.uint8], NDArray[np.int64], NDArray[np.int64]]


def strings(start: NDArray[np.int64], text: NDArray[np.uint8], there: NDArray[np.bool_] | None = None) -> pl.Series:
    """Strings in UTF-8 as a column, without a copy; null where they are not there.

    Parameters
    ----------
    start
        (N + 1,) where each begins, and where the last ends.
    text
        The bytes.
    there
        (N,) whether each is there.

    Examples
    --------
    >>> strings(np.array([0, 2, 3]), np.frombuffer(b"abc", np.uint8)).to_list()
    ['ab', 'c']
    """
    return pl.Series(_Handed(large_strings(start, text, there)))


def large_strings(start: NDArray[np.int64], text: NDArray[np.uint8], there: NDArray[np.bool_] | None = None) -> Any:
    """The same as an array of pyarrow."""
    bits: Any = None if there is None or there.all() else pa.py_buffer(np.packbits(there, bitorder="little").data)
    return pa.LargeStringArray.from_buffers(len(start) - 1, pa.py_buffer(start.data), pa.py_buffer(text.data), bits)


class _Handed:
    """An array of pyarrow for polars, which would else import all that pyarrow can compute with: 40 ms."""

    def __init__(self, array: Any) -> None:
        self._array = array

    def __arrow_c_array__(self, requested_schema: Any = None) -> Any:
        return self._array.__arrow_c_array__(requested_schema)


def bytes_of(texts: pl.Series) -> Texts:
    """Bytes that hold texts, and (N,) where each of them begins and ends; a copy only if they do not lie together."""
    array: Any = texts.rechunk().to_arrow(compat_level=pl.CompatLevel.newest())
    buffers = array.buffers()
    if len(array) and len(buffers) == 3:
        # The length of a text, its first bytes, the buffer in which it lies, and where; if it is short, all is here.
        views = np.frombuffer(buffers[1], np.uint32).reshape(-1, 4)[array.offset : array.offset + len(array)]
        length, start = views[:, 0].astype(np.int64), views[:, 3].astype(np.int64)
        if length.min() > LONGEST_INLINE and 2 * length.sum() >= buffers[2].size:
            return read_only((np.frombuffer(buffers[2], np.uint8), start, start + length))
    array = texts.rechunk().to_arrow()
    buffers = array.buffers()
    bounds = np.frombuffer(buffers[1], np.int64, count=len(array) + 1, offset=array.offset * 8)
    data = np.frombuffer(buffers[2], np.uint8) if bounds[-1] else np.empty(0, np.uint8)
    return read_only((data, bounds[:-1], bounds[1:]))


def read_only(arrays: Texts) -> Texts:
    """Arrays that cannot be written to, whatever they were: the scan is compiled anew for those of another kind."""
    for array in arrays:
        array.flags.writeable = False
    return arrays
