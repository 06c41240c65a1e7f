"""What must be true of the parts of embeddings; a part that is wrong raises ValueError with one line."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from chronotope.cooccurrence.vocabulary import Support
from chronotope.errors import InputError


def float32(values: ArrayLike) -> NDArray[np.float32]:
    """The values as a float32 array that nobody can write to; not copied where they are float32 already."""
    array = np.asarray(values, dtype=np.float32).view()
    array.flags.writeable = False
    return array


def word(given: object) -> None:
    """A word that is asked for is text."""
    if not isinstance(given, str):
        raise InputError(f"a word must be text, not {type(given).__name__}")


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
    """Every condition has a label of its own, and the pairs are in order."""
    if len(set(labels)) != len(labels):
        raise ValueError("two conditions have the same label")
    given.check(word_count, len(labels))


def shape(name: str, array: NDArray[np.float32], wanted: tuple[int, int | None]) -> None:
    """An array has as many rows and columns as the rest asks for; None: at least one."""
    rows, columns = wanted
    if array.ndim != 2 or array.shape[0] != rows or array.shape[1] != (columns or array.shape[1]) or not array.shape[1]:
        raise ValueError(f"{name} has the shape {array.shape}, not ({rows}, {columns or 'dimensions'})")


def finite(name: str, array: NDArray[np.float32]) -> None:
    """An array holds numbers only."""
    if not np.isfinite(array).all():
        raise ValueError(f"{name} holds values that are not numbers")
