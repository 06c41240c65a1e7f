"""Files in blocks of whole lines, never held whole."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from chronotope.corpus.readers.remote import RemotePath
from chronotope.errors import InputError
from chronotope.io.streaming import BLOCK_BYTES, Chunk, Stream, begun
from chronotope.runtime.bits import among, leading_zeros, ones
from chronotope.runtime.kernels import kernel

LONGEST_LINE = 512 << 20
LINE_END = ord("\n")
_MARKS_OF_UTF16 = (b"\xff\xfe", b"\xfe\xff")
_MARK_OF_UTF8 = b"\xef\xbb\xbf"


class Block(NamedTuple):
    """Whole lines of a file.

    Attributes
    ----------
    signs
        The bytes, with the last line end if there is one.
    line, lines
        The number of the first line, from 1, and how many there are.
    done
        How many bytes of the file, as it lies on disk, were read by now.
    """

    signs: NDArray[np.uint8]
    line: int
    lines: int
    done: int

    @property
    def data(self) -> bytes:
        """A copy of the bytes."""
        return self.signs.tobytes()


@contextmanager
def opened(path: Path | RemotePath, whole: bool = False) -> Iterator[Stream]:
    """A file as a stream of bytes, closed at the end of the block; `whole` says that it will be read to its end."""
    stream = (begun(path) if whole else None) or Stream(path)
    try:
        yield stream
    finally:
        stream.close()


def read_blocks(path: Path | RemotePath, block_bytes: int = BLOCK_BYTES) -> Iterator[Block]:
    """A file in blocks of whole lines; a mark of UTF-8 at its start is left out, UTF-16 is an error."""
    with opened(path, whole=True) as stream:
        chunk, line = stream.chunk(block_bytes), 1
        begin: list[NDArray[np.uint8]] = []
        head = chunk.memory[chunk.first : chunk.end][: len(_MARK_OF_UTF8)].tobytes()
        chunk = chunk._replace(first=chunk.first + len(head) - len(without_mark(path, head)))
        while chunk.first < chunk.end:
            following = stream.chunk(block_bytes)
            signs = chunk.memory[chunk.first : chunk.end]
            lines, end = _line_ends(signs)
            if following.first == following.end:
                end = len(signs)
            if end:
                whole = lines + int(signs[end - 1] != LINE_END)
                yield Block(_behind(begin, chunk, chunk.first + end), line, whole, stream.done)
                begin = [signs[end:].copy()]
                line += lines
            else:
                begin.append(signs.copy())
                if sum(map(len, begin)) > LONGEST_LINE:
                    raise InputError(f"{path.name} has a line of more than 512 MB; it cannot be read as a stream")
            chunk = following


def _behind(begin: list[NDArray[np.uint8]], chunk: Chunk, end: int) -> NDArray[np.uint8]:
    """The bytes of a chunk up to `end` behind others: where they are, if there is room before them."""
    memory, first, _ = chunk
    size = sum(map(len, begin))
    if size > first:
        return np.concatenate([*begin, memory[first:end]])
    if size:
        memory[first - size : first] = np.concatenate(begin)
    return memory[first - size : end]


@kernel()
def _line_ends(signs):  # type: ignore[no-untyped-def]
    """How many lines end in some bytes, and where the last does."""
    lines, end, blocks = np.uint64(0), np.int64(0), len(signs) // 64
    for block in range(blocks):
        found = among(signs, 64 * block, LINE_END, LINE_END)
        lines += ones(found)
        if found:
            end = 64 * (block + 1) - np.int64(leading_zeros(found))
    for place in range(64 * blocks, len(signs)):
        if signs[place] == LINE_END:
            lines += np.uint64(1)
            end = np.int64(place + 1)
    return np.int64(lines), end


def read_head(path: Path | RemotePath, count: int = 1 << 20, line_ends: tuple[bytes, ...] = (b"\n",)) -> bytes:
    """The first lines of a file, decompressed: at least one of them, if it has any, and about `count` bytes."""
    with opened(path) as stream:
        head = stream.read(count)
        more = head
        while more and not any(end in more for end in line_ends) and len(head) < LONGEST_LINE:
            more = stream.read(count)
            head += more
    return without_mark(path, head)


def without_mark(path: Path | RemotePath, data: bytes) -> bytes:
    """The start of a file without its mark of UTF-8; UTF-16 is an error."""
    if data.startswith(_MARKS_OF_UTF16):
        raise InputError(f"{path.name} is UTF-16; save it as UTF-8")
    return data.removeprefix(_MARK_OF_UTF8)
