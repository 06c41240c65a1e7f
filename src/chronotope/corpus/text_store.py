"""The text of a corpus on disk, so that an answer can show its sentences: read in parts, never as a whole.

- `text.bin`: the texts in the order of the input, in blocks of some 64 KB that are compressed (zstd) each by itself;
- `text_parts.npy`: one record a part, a part being a document or, of a long one, a stretch of a few pages that ends at
  a blank; the parts of a document stand together, documents are in the order of the store;
- `text_starts.npy`: (N + 1,) the parts of document n are starts[n] … starts[n + 1].

A part knows the number of its first token, so that the text of any token is found by reading one block. Both tables are
memory-mapped. The bytes depend on the input alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import numpy as np
import polars as pl
import pyarrow as pa
from numpy.typing import NDArray

from chronotope.corpus.readers import TOKEN_SEPARATOR
from chronotope.errors import DamagedFile
from chronotope.io.untrusted import map_array

TEXT = "text.bin"
PARTS = "text_parts.npy"
STARTS = "text_starts.npy"
FILES = (TEXT, PARTS, STARTS)
# How the tokens of a part are told apart.
KINDS = ("words", "whitespace", "tokens")
PART = np.dtype(
    [
        ("block", "<i8"),  # where the block begins in the file
        ("packed", "<i4"),  # its bytes as they lie there
        ("unpacked", "<i4"),  # and as text
        ("at", "<i4"),  # where the part begins in the text of the block
        ("bytes", "<i4"),
        ("first", "<i8"),  # the number of its first token in the document
        ("skip", "<i4"),  # so many of its tokens come before that: they belong to a phrase that began before
        ("kind", "<i4"),
    ]
)
BLOCK_BYTES = 64 << 10
# The less is read for a sentence, the faster; the more stands together, the smaller.
PART_BYTES = 8 << 10
LEVEL = 1
BLOCKS_KEPT = 32
# No text of ours unpacks to more; a bomb would.
MOST_UNPACKED, MOST_TIMES = 64 << 20, 1_000


class Packed(NamedTuple):
    """Texts that are cut and compressed, but not written yet.

    Attributes
    ----------
    texts
        (P,) the parts of all texts, one after the other.
    starts
        (N + 1,) the parts of text n are starts[n] … starts[n + 1].
    blocks
        The compressed blocks.
    parts
        (P,) the records; blocks are counted from the first of these, and first tokens are not known yet.
    """

    texts: pl.Series
    starts: NDArray[np.int64]
    blocks: list[bytes]
    parts: NDArray[Any]

    def of_documents(self, length: NDArray[np.int64]) -> NDArray[np.int64]:
        """(N,) a number for each text from one (P,) for each part: their sum."""
        return np.add.reduceat(length, self.starts[:-1]) if len(length) else length


def pack(texts: pl.Series, tokenizer: str) -> Packed:
    """Cut long texts at blanks, which changes no token, and compress what stands together.

    Parameters
    ----------
    texts
        Strings without nulls.
    tokenizer
        'words', 'whitespace' or 'tokens', as in `tokenizer.split_texts`.

    Examples
    --------
    >>> packed = pack(pl.Series(["A sunny day. " * 1000, "Rain."]), "words")
    >>> packed.starts.tolist(), "".join(packed.texts[:2]) == "A sunny day. " * 1000
    ([0, 2, 3], True)
    """
    array: Any = texts.rechunk().to_arrow()
    if not len(texts):
        return Packed(texts, np.zeros(1, np.int64), [], np.zeros(0, PART))
    _, offsets, data = array.buffers()
    start = np.frombuffer(offsets, np.int64, count=len(array) + 1, offset=array.offset * 8)
    raw = data.to_pybytes() if data is not None else b""
    starts, bounds = _bounds(raw, start, tokenizer)
    if len(bounds) > len(start):
        texts = pl.Series(
            pa.LargeStringArray.from_buffers(len(bounds) - 1, pa.py_buffer(bounds.tobytes()), data), dtype=pl.String
        )
    blocks, parts = _compressed(raw, bounds)
    parts["kind"] = KINDS.index(tokenizer)
    return Packed(texts, starts, blocks, parts)


class TextWriter:
    """Writes packed texts one after the other, and remembers where the parts of each document are."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._written = 0
        self._parts: list[NDArray[Any]] = []
        self._counts: list[NDArray[np.int64]] = []

    def add(self, packed: Packed, length: NDArray[np.int64], kept: NDArray[np.bool_]) -> None:
        """Write texts, of which those count that are kept; `length` is the number of tokens of each part."""
        of_text = np.diff(packed.starts)
        before = np.cumsum(length) - length
        parts = packed.parts.copy()
        parts["block"] += self._written
        parts["first"] = before - np.repeat(before[packed.starts[:-1]], of_text)
        self._parts.append(parts[np.repeat(kept, of_text)])
        self._counts.append(of_text[kept])
        for block in packed.blocks:
            self._file.write(block)
            self._written += len(block)

    def joined(
        self, documents: slice, before: NDArray[np.int64], after: NDArray[np.int64], width: NDArray[np.int32]
    ) -> None:
        """Count the first tokens of parts anew when words were joined to phrases.

        Parameters
        ----------
        documents
            Which documents, in the order in which they were added.
        before, after
            (N,) how many tokens each of them had, and has.
        width
            (T,) how many tokens each of those that they have now stands for.
        """
        parts, count = self._all()
        old = np.concatenate([[0], np.cumsum(count)])
        here = parts[old[documents.start] : old[documents.stop]]
        document = np.repeat(np.arange(len(before)), count[documents])
        begins = np.cumsum(width) - width
        place = here["first"] + (np.cumsum(before) - before)[document]
        # A phrase may lie across a cut; the part after it begins with what is left of the phrase.
        token = np.searchsorted(begins, place)
        here["skip"] = np.append(begins, before.sum())[token] - place
        here["first"] = token - (np.cumsum(after) - after)[document]

    def _all(self) -> tuple[NDArray[Any], NDArray[np.int64]]:
        """The parts of all documents, and how many each has."""
        if len(self._parts) != 1:
            self._parts = [np.concatenate([np.zeros(0, PART), *self._parts])]
            self._counts = [np.concatenate([np.zeros(0, np.int64), *self._counts])]
        return self._parts[0], self._counts[0]

    def write_tables(self, folder: Path, order: NDArray[np.int64]) -> None:
        """Write the tables for the documents in their final order."""
        parts, count = self._all()
        old = np.cumsum(count) - count
        starts = np.concatenate([[0], np.cumsum(count[order])]).astype("<i8")
        places = np.repeat(old[order] - starts[:-1], count[order]) + np.arange(starts[-1])
        np.save(folder / PARTS, parts[places], allow_pickle=False)
        np.save(folder / STARTS, starts, allow_pickle=False)


class TextStore:
    """The text of each document, of which no more is read than what is asked for."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / TEXT
        self._parts, self._starts = map_array(folder / PARTS, PART), map_array(folder / STARTS, np.dtype("<i8"))
        try:
            self._data = np.memmap(self._path, np.uint8, mode="r")
        except (OSError, ValueError) as error:
            raise DamagedFile(f"the text in {folder} cannot be read ({error}); prepare the run again") from None
        if not len(self._starts) or self._starts[-1] != len(self._parts):
            raise DamagedFile(f"{folder / PARTS} does not hold what it should; prepare the run again")
        self._block = lru_cache(BLOCKS_KEPT)(self._unpacked)

    @staticmethod
    def is_in(folder: Path) -> bool:
        """Whether a folder holds the text of its documents."""
        return (folder / STARTS).exists()

    def __len__(self) -> int:
        return len(self._starts) - 1

    def parts(self, document: int) -> range:
        """The numbers of the parts of a document."""
        bounds = self._starts[document : document + 2].tolist()
        if len(bounds) < 2 or not 0 <= bounds[0] < bounds[1] <= len(self._parts):
            raise DamagedFile(f"{self._path.with_name(STARTS)} is damaged; prepare the run again")
        return range(*bounds)

    def part_of(self, document: int, token: int) -> int:
        """The number of the part that holds a token of a document."""
        parts = self.parts(document)
        first = self._parts["first"][parts.start : parts.stop]
        return parts.start + int(np.searchsorted(first, token, side="right")) - 1

    def first_token(self, part: int) -> int:
        """The number, in its document, of the first token of a part."""
        return int(self._parts[part]["first"])

    def skipped(self, part: int) -> int:
        """How many tokens of a part come before its first: they belong to a phrase that began in the part before."""
        return int(self._parts[part]["skip"])

    def kind(self, part: int) -> str:
        """How the tokens of a part are told apart."""
        number = int(self._parts[part]["kind"])
        if not 0 <= number < len(KINDS):
            raise DamagedFile(f"{self._path.with_name(PARTS)} is damaged; prepare the run again")
        return KINDS[number]

    def text(self, part: int) -> str:
        """The text of a part."""
        record = self._parts[part]
        block = self._block(int(record["block"]), int(record["packed"]), int(record["unpacked"]))
        first = int(record["at"])
        try:
            return block[first : first + int(record["bytes"])].decode("utf-8")
        except UnicodeDecodeError:
            raise DamagedFile(f"{self._path} is damaged; prepare the run again") from None

    def document(self, document: int) -> str:
        """The whole text of a document."""
        return "".join(self.text(part) for part in self.parts(document))

    def _unpacked(self, at: int, packed: int, unpacked: int) -> bytes:
        if not 0 <= unpacked <= MOST_UNPACKED + MOST_TIMES * packed:
            raise DamagedFile(f"{self._path} claims more text than it can hold; it is not read")
        try:
            # A bare ArrowException is an OSError or a ValueError, too.
            return bytes(pa.Codec("zstd").decompress(self._data[at : at + packed].tobytes(), unpacked, asbytes=True))
        except (OSError, ValueError) as error:
            raise DamagedFile(f"{self._path} is damaged ({error}); prepare the run again") from None


def _bounds(raw: bytes, start: NDArray[np.int64], tokenizer: str) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """(N + 1,) the first part of each text, and (P + 1,) where each part begins."""
    cuts: list[int] = []
    counts = np.ones(len(start) - 1, np.int64)
    for text in np.flatnonzero(np.diff(start) > PART_BYTES + PART_BYTES // 2).tolist():
        found = list(_cuts(raw, int(start[text]), int(start[text + 1]), tokenizer))
        counts[text] += len(found)
        cuts += found
    return np.concatenate([[0], np.cumsum(counts)]), np.sort(np.concatenate([start, np.array(cuts, np.int64)]))


def _cuts(raw: bytes, first: int, last: int, tokenizer: str) -> Iterator[int]:
    """Where a text is cut: after the end of a paragraph, of a sentence, of a line or of a word."""
    ends = (TOKEN_SEPARATOR.encode(),) if tokenizer == "tokens" else (b"\n\n", b". ", b"\n", b" ")
    while last - first > PART_BYTES + PART_BYTES // 2:
        window = first + PART_BYTES // 2, first + PART_BYTES
        found = (place + len(end) for end in ends if (place := raw.rfind(end, *window)) >= 0)
        cut = next(found, raw.find(ends[-1], window[1], last) + 1)
        if cut and tokenizer == "words":
            cut = _outside_tags(raw, first, cut, last)
        if not 0 < cut < last:
            return
        yield cut
        first = cut


def _outside_tags(raw: bytes, first: int, cut: int, last: int) -> int:
    """The cut, or the first one after it that lies in no markup tag; 0 if there is none.

    A tag is left out by the tokenizer, blanks and all, so that a cut within one would change the tokens.
    """
    while (opened := raw.rfind(b"<", first, cut)) >= 0 and raw.find(b">", opened, cut) < 0:
        closed = raw.find(b">", cut, last)
        cut = raw.find(b" ", closed, last) + 1 if closed >= 0 else 0
    return cut


def _compressed(raw: bytes, bounds: NDArray[np.int64]) -> tuple[list[bytes], NDArray[Any]]:
    """Blocks of whole parts, and the records of the parts in them."""
    codec = pa.Codec("zstd", compression_level=LEVEL)
    view = memoryview(raw)
    parts = np.zeros(len(bounds) - 1, PART)
    blocks: list[bytes] = []
    part, written = 0, 0
    while part < len(parts):
        after = int(np.searchsorted(bounds, bounds[part] + BLOCK_BYTES, side="left"))
        after = min(max(after, part + 1), len(parts))
        begin, end = int(bounds[part]), int(bounds[after])
        block = bytes(codec.compress(view[begin:end], asbytes=True))
        here = parts[part:after]
        here["block"], here["packed"], here["unpacked"] = written, len(block), end - begin
        here["at"], here["bytes"] = bounds[part:after] - begin, np.diff(bounds[part : after + 1])
        blocks.append(block)
        written += len(block)
        part = after
    return blocks, parts
