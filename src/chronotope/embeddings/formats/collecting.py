"""What is read of a file of vectors, word by word; nothing is believed that the file says of its size."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from chronotope.embeddings.nearest import Floats
from chronotope.errors import DamagedFile

ROWS_AT_FIRST = 1024


class Collected:
    """Words with their vectors, in order; memory grows with what is read.

    Attributes
    ----------
    words
        The words, each once.
    read
        How many words the file held, so far: of a word that stands there twice the first is kept.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._seen: set[str] = set()
        self._rows: Floats = np.empty((0, 0), dtype=np.float32)
        self.words: list[str] = []
        self.read = 0
        self._garbled = 0

    def __len__(self) -> int:
        return len(self.words)

    def add(self, word: str, vector: Floats, where: str) -> None:
        """Take a word; `where` names its place in the file for a message."""
        self.read += 1
        if not np.isfinite(vector).all():
            raise DamagedFile(f"{where}: the vector of '{word}' holds values that are not numbers")
        # A line break cannot be part of a word of ours.
        word = word.replace("\n", " ")
        self._garbled += "�" in word
        if word in self._seen:
            return
        if len(self.words) == len(self._rows):
            grown = np.empty((max(2 * len(self._rows), ROWS_AT_FIRST), len(vector)), dtype=np.float32)
            if self.words:
                grown[: len(self._rows)] = self._rows
            self._rows = grown
        self._rows[len(self.words)] = vector
        self._seen.add(word)
        self.words.append(word)

    @property
    def vectors(self) -> Floats:
        """(N, D) the vectors."""
        if not self.words:
            raise DamagedFile(f"{self._path} holds no words")
        return self._rows[: len(self.words)]

    @property
    def notes(self) -> list[str]:
        """What was mended or left out, a line each."""
        said = []
        if self.read > len(self.words):
            said.append(f"words that come again: {self.read - len(self.words):,}; the first vector of each is kept")
        if self._garbled:
            said.append(f"words that are not in UTF-8: {self._garbled:,}; what cannot be read in them is �")
        return said
