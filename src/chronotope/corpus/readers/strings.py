"""Polars strings and their UTF-8 bytes as NumPy arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
from numpy.typing import NDArray

Texts = tuple[NDArray[np.uint8], NDArray[np.int64], NDArray[np.int64]]


def strings(start: NDArray[np.int64], text: NDArray[np.uint8]) -> pl.Series:
    """Make a column of strings from UTF-8 bytes and (N + 1,) offsets.

    Examples
    --------
    >>> strings(np.array([0, 2, 3]), np.frombuffer(b"abc", np.uint8)).to_list()
    ['ab', 'c']
    """
    array = pa.LargeStringArray.from_buffers(len(start) - 1, pa.py_buffer(start.data), pa.py_buffer(text.data))
    return pl.Series(pl.from_arrow(array))


def bytes_of(texts: pl.Series) -> Texts:
    """Return the UTF-8 bytes of all texts, and (N,) where each of them begins and ends; all arrays are read-only."""
    array: Any = texts.rechunk().to_arrow()
    _, offsets, data = array.buffers()
    bounds = np.frombuffer(offsets, np.int64, count=len(array) + 1, offset=array.offset * 8)
    signs = np.frombuffer(data, np.uint8) if bounds[-1] else np.empty(0, np.uint8)
    return read_only((signs, bounds[:-1], bounds[1:]))


def read_only(arrays: Texts) -> Texts:
    """Make arrays read-only, so that kernels are compiled for one kind of array."""
    for array in arrays:
        array.flags.writeable = False
    return arrays
