"""The tokens of a corpus between its two passes: in memory while they are few, then in a file."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from chronotope.corpus.scanning import Codes
from chronotope.corpus.tokens import TOKEN

# So many tokens are held in memory, if it is not limited: 512 MB at most.
MOST_HELD = 1 << 27
CHUNK_TOKENS = 4 << 20


class Chunk(NamedTuple):
    """The tokens of some documents that follow each other.

    Attributes
    ----------
    documents
        Which documents.
    code
        For each token the place of its word in `number`.
    number
        Numbers of words; None: the codes are the numbers.
    """

    documents: slice
    code: Codes
    number: NDArray[np.int32] | None

    @property
    def ids(self) -> NDArray[np.int32]:
        """The number of the word of each token."""
        return ids_of(self.code, self.number)


def ids_of(code: Codes, number: NDArray[np.int32] | None) -> NDArray[np.int32]:
    """The numbers that codes stand for; without any the codes are the numbers."""
    return code.astype(np.int32, copy=False) if number is None else number.take(code)


class TokenSpool:
    """Takes tokens in the order of the documents and gives them back in it.

    Parameters
    ----------
    path
        The file for what is not held.
    most_held
        So many tokens are held in memory.
    """

    def __init__(self, path: Path, most_held: int = MOST_HELD) -> None:
        self._path = path
        self._most_held = most_held
        self._held: list[tuple[Codes, NDArray[np.int32] | None]] = []
        self._size = 0
        self._is_on_disk = False

    def add(self, code: Codes, number: NDArray[np.int32] | None = None) -> None:
        """Append the tokens of whole documents: codes with the number that each stands for, or the numbers."""
        self._held.append((code, number))
        self._size += len(code)
        if self._size > self._most_held:
            self._is_on_disk = True
            with open(self._path, "ab") as file:
                for some, numbers in self._held:
                    file.write(ids_of(some, numbers).astype(TOKEN, copy=False).data)
            self._held.clear()

    def chunks(self, length: NDArray[np.int64]) -> Iterator[Chunk]:
        """All tokens, a chunk of whole documents at a time, of which `length` says how long each is."""
        if self._is_on_disk:
            for documents, tokens in read_chunks(self._path, length):
                yield Chunk(documents, tokens, None)
            return
        ends = np.cumsum(length)
        first = done = 0
        for code, number in self._held:
            done += len(code)
            last = int(np.searchsorted(ends, done, side="right"))
            yield Chunk(slice(first, last), code, number)
            first = last

    def another(self) -> TokenSpool:
        """An empty one, for the same tokens in another form."""
        return TokenSpool(self._path.with_suffix(".again"), self._most_held)

    def clear(self) -> None:
        """Let go of all tokens."""
        self._held.clear()
        self._path.unlink(missing_ok=True)


def read_chunks(
    path: Path, length: NDArray[np.int64], chunk_tokens: int = CHUNK_TOKENS
) -> Iterator[tuple[slice, NDArray[np.int32]]]:
    """The tokens of a file in chunks of whole documents, each with the documents that it holds."""
    ends = np.cumsum(length)
    first = 0
    with open(path, "rb") as file:
        while first < len(length):
            before = int(ends[first - 1]) if first else 0
            last = max(int(np.searchsorted(ends, before + chunk_tokens, side="right")), first + 1)
            yield slice(first, last), np.fromfile(file, TOKEN, int(ends[last - 1]) - before)
            first = last
