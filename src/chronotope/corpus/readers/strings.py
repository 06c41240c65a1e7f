"""Strings that lie one after the other in memory, as polars has them."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
from numpy.typing import NDArray


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
