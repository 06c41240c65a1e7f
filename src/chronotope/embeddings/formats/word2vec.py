"""The text and binary formats of word2vec, and GloVe's text format.

Text: a line `words dimensions`, which GloVe leaves out, then a word and its numbers on each line, with enough digits to
read the same float32 again. Binary: the same first line, then each word, a blank, and its numbers as float32; the
original program adds a line feed after each vector, gensim does not, and both can be read. `1990.vocab` beside
`1990.txt` holds a word and its count on each line, as word2vec writes it.
"""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import polars as pl

from chronotope.embeddings.nearest import Floats
from chronotope.embeddings.word_vectors import WordVectors
from chronotope.errors import DamagedFileError
from chronotope.io.streaming import Stream, read_blocks

BLOCK_ROWS = 4096
BLOCK_BYTES = 4 << 20
MAX_WORD_BYTES = 4096
QUOTED_CHARACTERS = 40


class VectorTable:
    """Words and vectors read from a file; memory grows with the rows read, not with the size in the header."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._seen: set[str] = set()
        self._vectors: list[Floats] = []
        self._garbled = 0
        self.words: list[str] = []  # each once: the first vector of a repeated word is kept
        self.rows_read = 0  # repeated words included

    def add(self, word: str, vector: Floats, where: str) -> None:
        """Add a word; `where` is its place in the file, for messages."""
        self.rows_read += 1
        if not np.isfinite(vector).all():
            raise DamagedFileError(f"{where}: the vector of '{word}' holds values that are not numbers")
        word = word.replace("\n", " ")
        self._garbled += "�" in word
        if word not in self._seen:
            self._seen.add(word)
            self.words.append(word)
            self._vectors.append(vector)

    @property
    def vectors(self) -> Floats:
        """(N, D) the vectors."""
        if not self.words:
            raise DamagedFileError(f"{self._path} holds no words")
        return np.stack(self._vectors)

    @property
    def notes(self) -> list[str]:
        """Messages about repaired or skipped words."""
        notes = []
        if self.rows_read > len(self.words):
            notes.append(f"repeated words: {self.rows_read - len(self.words):,}; the first vector of each is kept")
        if self._garbled:
            notes.append(f"words that are not UTF-8: {self._garbled:,}; unreadable characters became �")
        return notes


def write_text(vectors: WordVectors, path: Path, *, header: bool) -> None:
    """Write words without blanks as text, with the header of word2vec or, for GloVe, without."""
    with open(path, "wb") as file:
        if header:
            file.write(f"{len(vectors)} {vectors.vector_size}\n".encode())
        for first in range(0, len(vectors), BLOCK_ROWS):
            rows = pl.DataFrame(vectors.vectors[first : first + BLOCK_ROWS])
            words = pl.Series("word", vectors.index_to_key[first : first + BLOCK_ROWS])
            rows.insert_column(0, words).write_csv(file, separator=" ", include_header=False, quote_style="never")


def write_binary(vectors: WordVectors, path: Path) -> None:
    """Write words without blanks in word2vec's binary format."""
    with open(path, "wb") as file:
        file.write(f"{len(vectors)} {vectors.vector_size}\n".encode())
        for word, vector in zip(vectors.index_to_key, vectors.vectors.astype("<f4", copy=False), strict=True):
            file.write(word.encode() + b" " + vector.tobytes())


def write_counts(vectors: WordVectors, path: Path) -> None:
    """Write a word and its count on each line, if counts are known."""
    if vectors.counts is not None:
        lines = (f"{word} {count}\n" for word, count in zip(vectors.index_to_key, vectors.counts.tolist(), strict=True))
        path.write_text("".join(lines), encoding="utf-8", newline="\n")


def read_counts(path: Path) -> dict[str, int]:
    """Read a file with a word and its count on each line; DamagedFileError names a bad line."""
    counts: dict[str, int] = {}
    for number, line in _lines(path):
        word, _, count = line.rpartition(" ")
        if not count.strip().isdigit():
            raise DamagedFileError(f"{path}:{number}: expected a word and its count, found '{_quote(line)}'")
        counts.setdefault(word, int(count))
    return counts


def read_text(path: Path, *, header: bool, limit: int | None = None) -> VectorTable:
    """Read a text file of word2vec or GloVe, also compressed; DamagedFileError names a bad line."""
    lines = _lines(path)
    announced, dimensions = _read_header(path, next(lines, (1, ""))[1]) if header else (None, None)
    table = VectorTable(path)
    for number, line in lines:
        if limit is not None and len(table.words) >= limit:
            return table
        if table.rows_read == announced:
            raise DamagedFileError(f"{path}:{number}: the header announces {announced:,} words, and there are more")
        dimensions = dimensions or len(line.split()) - 1
        table.add(*_parse(path, number, line, dimensions), f"{path}:{number}")
    if announced is not None and table.rows_read < announced:
        raise DamagedFileError(f"{path} is cut short: {table.rows_read:,} of the {announced:,} words in its header")
    return table


def read_binary(path: Path, limit: int | None = None) -> VectorTable:
    """Read a binary word2vec file, also compressed; if it is cut short, raise DamagedFileError with the last word."""
    with Stream(path) as stream:
        data = bytearray(stream.read(BLOCK_BYTES))
        line, _, rest = data.partition(b"\n")
        announced, dimensions = _read_header(path, line[:MAX_WORD_BYTES].decode("utf-8", "replace"))
        table, data = VectorTable(path), bytearray(rest)
        while table.rows_read < (announced if limit is None else min(announced, limit)):
            where = f"{path}, word {table.rows_read + 1:,} of {announced:,}"
            blank = data.find(b" ", 0, MAX_WORD_BYTES)
            end = blank + 1 + 4 * dimensions
            if blank < 0 and len(data) >= MAX_WORD_BYTES:
                raise DamagedFileError(f"{where}: no blank after the word; it is not in word2vec's binary format")
            if blank < 0 or len(data) < end:
                more = stream.read(BLOCK_BYTES)
                if not more:
                    raise DamagedFileError(f"{where}: the file is cut short, or not in word2vec's binary format")
                data += more
                continue
            word, vector = data[:blank].lstrip(b"\n"), np.frombuffer(bytes(data[blank + 1 : end]), dtype="<f4")
            table.add(word.decode("utf-8", "replace"), vector, where)
            del data[:end]
        if limit is None and (data + stream.read(1)).strip(b"\n"):
            raise DamagedFileError(f"{path}: the header announces {announced:,} words, and there is more after them")
        return table


def _read_header(path: Path, line: str) -> tuple[int, int]:
    """Return the number of words and of dimensions in the first line of a file of word2vec."""
    parts = line.split()
    if len(parts) != 2 or not all(part.isascii() and part.isdigit() for part in parts):
        raise DamagedFileError(f"{path}:1: expected the number of words and of dimensions, found '{_quote(line)}'")
    words, dimensions = int(parts[0]), int(parts[1])
    if not words or not dimensions:
        raise DamagedFileError(f"{path}:1: the header announces {words:,} words of {dimensions:,} dimensions")
    return words, dimensions


def _parse(path: Path, number: int, line: str, dimensions: int) -> tuple[str, Floats]:
    """Return the word and the vector of a line. The numbers come last: words of GloVe may hold blanks."""
    parts = line.rstrip().rsplit(" ", dimensions)
    if len(parts) != dimensions + 1 or "" in parts:
        parts = line.split()  # tabs, or several blanks in a row
    try:
        with np.errstate(over="ignore"):  # infinity is refused later
            vector = np.array(list(map(float, parts[1:])), dtype=np.float32)
    except ValueError:
        vector = np.empty(0, dtype=np.float32)
    if len(vector) != dimensions or not dimensions:
        numbers = f"{dimensions:,} numbers" if dimensions else "its numbers"
        raise DamagedFileError(f"{path}:{number}: expected a word and {numbers}, found '{_quote(line)}'")
    return parts[0], vector


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    """Yield lines that are not blank, with their numbers. Only a line feed ends a line: words may hold other breaks."""
    for block in read_blocks(path):
        for number, line in enumerate(block.data.split(b"\n"), start=block.line):
            if line.strip():
                yield number, line.decode("utf-8", "replace").rstrip("\r")


def _quote(line: str) -> str:
    return line if len(line) <= QUOTED_CHARACTERS else f"{line[:QUOTED_CHARACTERS]}…"
