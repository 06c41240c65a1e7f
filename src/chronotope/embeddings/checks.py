"""What must be true of the parts of embeddings; a part that is wrong raises ValueError with one line."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from chronotope.vocabulary import Support


def float32(values: ArrayLike) -> NDArray[np.float32]:
    """The values as a float32 array that nobody can write to; not copied where they are float32 already."""
    array = np.asarray(values, dtype=np.float32).view()
    array.flags.writeable = False
    return array


def words(given: Sequence[str]) -> None:
    """Words are distinct, on one line, and can be written as UTF-8."""
    if not given:
        raise ValueError("there are no words")
    if len(set(given)) != len(given):
        raise ValueError("a word occurs twice in the list of words")
    try:
        joined = "\n".join(given)
        joined.encode("utf-8")
    except UnicodeEncodeError:
        raise ValueError("a word cannot be written as UTF-8") from None
    if joined.count("\n") != len(given) - 1:
        raise ValueError("a word has a line break in it")


def support(given: Support, word_count: int, labels: Sequence[str]) -> None:
    """Pairs are sorted by condition, then by word, each once, and within range."""
    start, word, count = given
    if len(set(labels)) != len(labels):
        raise ValueError("two conditions have the same label")
    if start.shape != (len(labels) + 1,):
        raise ValueError(f"the support is that of {len(start) - 1} conditions, not {len(labels)}")
    if word.ndim != 1 or word.shape != count.shape:
        raise ValueError("the support has not one word and one count a pair")
    if start[0] != 0 or start[-1] != len(word) or (np.diff(start) < 0).any():
        raise ValueError("the support does not divide its pairs among the conditions")
    if len(word) and (word.min() < 0 or word.max() >= word_count):
        raise ValueError("the support names a word that does not exist")
    rising = np.diff(word) > 0
    first = start[1:-1]
    rising[first[(first > 0) & (first < len(word))] - 1] = True
    if not rising.all():
        raise ValueError("the support is not sorted by condition, then by word")
    if (count < 1).any():
        raise ValueError("the support counts a pair less than once")


def shape(name: str, array: NDArray[np.float32], wanted: tuple[int, int | None]) -> None:
    """An array has as many rows and columns as the rest asks for; None: at least one."""
    rows, columns = wanted
    if array.ndim != 2 or array.shape[0] != rows or array.shape[1] != (columns or array.shape[1]) or not array.shape[1]:
        raise ValueError(f"{name} has the shape {array.shape}, not ({rows}, {columns or 'dimensions'})")


def finite(name: str, array: NDArray[np.float32]) -> None:
    """An array holds numbers only."""
    if not np.isfinite(array).all():
        raise ValueError(f"{name} holds values that are not numbers")
