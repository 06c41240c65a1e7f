"""word2vec's text format (a line `words dimensions`, then a word and its numbers a line) and GloVe's (no first line).

The numbers are written with as many digits as it takes to read the same float32 again. Beside a file `1990.txt` of ours
lies `1990.vocab` with a word and its count a line, as word2vec writes it; it is read again where it is there.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import numpy as np
import polars as pl

from chronotope.embeddings.formats.collecting import Collected
from chronotope.embeddings.nearest import Floats
from chronotope.embeddings.word_vectors import WordVectors
from chronotope.errors import DamagedFile
from chronotope.io.streaming import read_blocks

ROWS_AT_ONCE = 4096
SHOWN = 40


def write_text(given: WordVectors, path: Path, *, header: bool) -> None:
    """Write words that hold no blanks; with a header it is word2vec's format, without GloVe's."""
    with open(path, "wb") as file:
        if header:
            file.write(f"{len(given)} {given.vector_size}\n".encode())
        for first in range(0, len(given), ROWS_AT_ONCE):
            rows = pl.DataFrame(given.vectors[first : first + ROWS_AT_ONCE])
            words = pl.Series("word", given.index_to_key[first : first + ROWS_AT_ONCE])
            rows.insert_column(0, words).write_csv(file, separator=" ", include_header=False, quote_style="never")


def write_counts(given: WordVectors, path: Path) -> None:
    """Write a word and its count a line."""
    if given.counts is not None:
        lines = (f"{word} {count}\n" for word, count in zip(given.index_to_key, given.counts.tolist(), strict=True))
        path.write_text("".join(lines), encoding="utf-8", newline="\n")


def read_counts(path: Path) -> dict[str, int]:
    """The counts in a file with a word and its count a line."""
    counts: dict[str, int] = {}
    for number, line in _lines(path):
        word, _, count = line.rpartition(" ")
        if not count.strip().isdigit():
            raise DamagedFile(f"{path}:{number}: expected a word and its count, found '{_shown(line)}'")
        counts.setdefault(word, int(count))
    return counts


def read_text(path: Path, *, header: bool, limit: int | None = None) -> Collected:
    """The words and vectors in a file of word2vec or GloVe, also compressed; a broken line raises DamagedFile."""
    lines = _lines(path)
    said, dimensions = None, None
    if header:
        said, dimensions = read_header(path, next(lines, (1, ""))[1])
    found = Collected(path)
    while block := list(islice(lines, ROWS_AT_ONCE)):
        if dimensions is None:
            dimensions = len(block[0][1].split()) - 1
            if dimensions < 1:
                raise DamagedFile(
                    f"{path}:{block[0][0]}: expected a word and its numbers, found '{_shown(block[0][1])}'"
                )
        for number, word, vector in _parsed_block(path, block, dimensions):
            if limit is not None and len(found) >= limit:
                return found
            if said is not None and found.read == said:
                raise DamagedFile(f"{path}:{number}: the file says that it holds {said:,} words, and there are more")
            found.add(word, vector, f"{path}:{number}")
    if said is not None and found.read < said:
        raise DamagedFile(f"{path} is cut short: it says that it holds {said:,} words, and there are {found.read:,}")
    return found


def read_header(path: Path, line: str) -> tuple[int, int]:
    """The number of words and of dimensions in the first line of a file of word2vec."""
    parts = line.split()
    if len(parts) != 2 or not all(part.isascii() and part.isdigit() for part in parts):
        raise DamagedFile(f"{path}:1: expected the number of words and of dimensions, found '{_shown(line)}'")
    words, dimensions = int(parts[0]), int(parts[1])
    if not words or not dimensions:
        raise DamagedFile(f"{path}:1: the file says that it holds {words:,} words of {dimensions:,} dimensions")
    return words, dimensions


def _parsed_block(path: Path, block: list[tuple[int, str]], dimensions: int) -> Iterator[tuple[int, str, Floats]]:
    """The lines of a block with their words and numbers.

    Polars reads a line whose numbers follow one blank each several times as fast as Python; any other is left to
    `_parsed`, which takes more, or says what is wrong with it.
    """
    parts = [line.rstrip().partition(" ") for _, line in block]
    numbers = pl.Series([rest for *_, rest in parts], dtype=pl.String).str.split(" ")
    fits = (numbers.list.len() == dimensions).to_numpy()
    values = numbers.filter(pl.Series(fits)).explode().cast(pl.Float32, strict=False)
    vectors = values.to_numpy().reshape(-1, dimensions)
    known = np.asarray(values.is_not_null().to_numpy().reshape(-1, dimensions).all(axis=1))
    row = 0
    for (number, line), (word, *_), fit in zip(block, parts, fits.tolist(), strict=True):
        if fit and known[row]:
            yield number, word, vectors[row]
        else:
            yield number, *_parsed(path, number, line, dimensions)
        row += fit


def _parsed(path: Path, number: int, line: str, dimensions: int) -> tuple[str, Floats]:
    """The word and the numbers of a line. A word may hold blanks (in GloVe's files a few do): numbers come last."""
    parts = line.rstrip().rsplit(" ", dimensions)
    if len(parts) != dimensions + 1 or "" in parts:
        parts = line.split()  # tabs, or several blanks in a row
    try:
        with np.errstate(over="ignore"):  # what is too large becomes infinite, and is refused as such
            vector = np.array(list(map(float, parts[1:])), dtype=np.float32)
    except ValueError:
        vector = np.empty(0, dtype=np.float32)
    if len(vector) != dimensions:
        raise DamagedFile(f"{path}:{number}: expected a word and {dimensions:,} numbers, found '{_shown(line)}'")
    return parts[0], vector


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    """The lines that are not empty, with their numbers. Only a line feed ends one: words may hold other separators."""
    for block in read_blocks(path):
        for number, line in enumerate(block.data.split(b"\n"), start=block.line):
            if line.strip():
                yield number, line.decode("utf-8", "replace").rstrip("\r")


def _shown(line: str) -> str:
    return line if len(line) <= SHOWN else f"{line[:SHOWN]}…"
