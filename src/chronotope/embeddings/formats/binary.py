"""word2vec's binary format: a line `words dimensions`, then each word, a blank and its numbers as float32.

The program of Mikolov et al. ends each word with a line feed, gensim does not; both are read, and ours are gensim's.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from chronotope.embeddings.formats.collecting import Collected
from chronotope.embeddings.formats.text import read_header
from chronotope.embeddings.word_vectors import WordVectors
from chronotope.errors import DamagedFile
from chronotope.io.streaming import Stream

BLOCK_BYTES = 4 << 20
LONGEST_WORD = 4096


def write_binary(given: WordVectors, path: Path) -> None:
    """Write words that hold no blanks."""
    with open(path, "wb") as file:
        file.write(f"{len(given)} {given.vector_size}\n".encode())
        for word, vector in zip(given.index_to_key, given.vectors.astype("<f4", copy=False), strict=True):
            file.write(word.encode() + b" " + vector.tobytes())


def read_binary(path: Path, limit: int | None = None) -> Collected:
    """The words and vectors in a binary file of word2vec, also compressed; a damaged one raises DamagedFile."""
    with Stream(path) as stream:
        buffer = _Buffer(stream)
        line = buffer.until(b"\n", LONGEST_WORD)
        if line is None:
            raise DamagedFile(f"{path}:1: expected the number of words and of dimensions")
        said, dimensions = read_header(path, line.decode("utf-8", "replace"))
        found = Collected(path)
        for number in range(1, min(said, limit if limit is not None else said) + 1):
            where = f"{path}, word {number:,} of {said:,}"
            word = buffer.until(b" ", LONGEST_WORD)
            values = None if word is None else buffer.take(4 * dimensions)
            if word is None or values is None:
                reason = "the file is cut short" if buffer.at_end else "no blank ends the word"
                raise DamagedFile(f"{where}: {reason}, or it is not in word2vec's binary format")
            vector = np.frombuffer(values, dtype="<f4").astype(np.float32)
            found.add(word.lstrip(b"\n").decode("utf-8", "replace"), vector, where)
        if limit is None and buffer.rest().strip(b"\n"):
            raise DamagedFile(f"{path}: the file says that it holds {said:,} words, and there is more after them")
        return found


class _Buffer:
    """A stream that is read up to a mark, or by the number of bytes."""

    def __init__(self, stream: Stream) -> None:
        self._stream = stream
        self._data = b""
        self._at = 0
        self.at_end = False

    def until(self, mark: bytes, most: int) -> bytes | None:
        """The bytes before a mark, which is passed; None where it does not come within so many bytes."""
        place = self._data.find(mark, self._at, self._at + most)
        if place < 0:
            self._fill(most)
            place = self._data.find(mark, self._at, self._at + most)
            if place < 0:
                return None
        found = self._data[self._at : place]
        self._at = place + len(mark)
        return found

    def take(self, count: int) -> bytes | None:
        """The next bytes; None where there are fewer."""
        if not self._fill(count):
            return None
        self._at += count
        return self._data[self._at - count : self._at]

    def rest(self) -> bytes:
        """What follows, of the next few bytes."""
        self._fill(64)
        return self._data[self._at : self._at + 64]

    def _fill(self, count: int) -> bool:
        """Whether so many bytes are there; read as far as it takes."""
        if len(self._data) - self._at >= count:
            return True
        parts = [self._data[self._at :]]
        size = len(parts[0])
        while size < count and not self.at_end:
            more = self._stream.read(BLOCK_BYTES)
            self.at_end = not more
            parts.append(more)
            size += len(more)
        self._data, self._at = b"".join(parts), 0
        return size >= count
