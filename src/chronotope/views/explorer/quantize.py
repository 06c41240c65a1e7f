"""Vectors as small whole numbers, for the browser.

An answer rests on cosines, which do not depend on a vector's length: each row is scaled so that its largest number is
the largest that the bits allow, and rounded. No scale has to be kept.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from chronotope.embeddings.nearest import Floats

# One number more would keep the right order of nearest words a little more often; see docs/explorer.md.
VECTOR_BITS = 8
COMMON_BITS = 14


def rounded(rows: Floats, bits: int = VECTOR_BITS) -> NDArray[np.int64]:
    """The rows as whole numbers of so many bits, each row by a scale of its own; a row of zeros stays so.

    Examples
    --------
    >>> rounded(np.array([[0.6, 0.8], [0, 0]], np.float32), bits=4).tolist()
    [[5, 7], [0, 0]]
    """
    largest = np.abs(rows).max(axis=1, keepdims=True, initial=0).astype(np.float64)
    largest[largest == 0] = 1
    return np.asarray(np.rint(rows / largest * ((1 << (bits - 1)) - 1)), dtype=np.int64)


def scales(rows: Floats, bits: int) -> NDArray[np.float64]:
    """What one unit of each rounded row is worth, where the length of a vector matters."""
    return np.asarray(np.abs(rows).max(axis=1, initial=0) / ((1 << (bits - 1)) - 1), dtype=np.float64)
