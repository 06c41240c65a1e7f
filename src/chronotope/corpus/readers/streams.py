"""Files in blocks of whole lines, never held whole."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import numpy as np

from chronotope.corpus.readers.remote import RemotePath
from chronotope.errors import InputError
from chronotope.streaming import BLOCK_BYTES, Stream, begun

LONGEST_LINE = 512 << 20
COUNTED_AT_ONCE = 1 << 18
_MARKS_OF_UTF16 = (b"\xff\xfe", b"\xfe\xff")
_MARK_OF_UTF8 = b"\xef\xbb\xbf"


class Block(NamedTuple):
    """Whole lines of a file, joined only by who uses them: the one thread that reads has enough to do.

    Attributes
    ----------
    begin, rest, end
        The start of the first line, which was read before; and what follows, up to `end`.
    line, lines
        The number of the first line, from 1, and how many there are.
    done
        How many bytes of the file, as it lies on disk, were read by now.
    """

    begin: bytes
    rest: bytes
    end: int
    line: int
    lines: int
    done: int

    @property
    def data(self) -> bytes:
        """The bytes, with the last line end if there is one; joined each time."""
        if not self.begin and self.end == len(self.rest):
            return self.rest
        return b"".join((self.begin, memoryview(self.rest)[: self.end]))


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
        begin, line = b"", 1
        data = without_mark(path, stream.read(block_bytes))
        while data:
            following = stream.read(block_bytes)
            end = data.rfind(b"\n") + 1 if following else len(data)
            if end:
                lines = _line_ends(data, end)
                yield Block(begin, data, end, line, lines + (data[end - 1] != ord("\n")), stream.done)
                begin = data[end:]
                line += lines
            else:
                begin += data
                if len(begin) > LONGEST_LINE:
                    raise InputError(f"{path.name} has a line of more than 512 MB; it cannot be read as a stream")
            data = following


def _line_ends(data: bytes, end: int) -> int:
    """How many lines end before `end`: three times as fast as bytes.count, and beside other threads."""
    signs = np.frombuffer(data, np.uint8, end)
    # In small pieces: memory for all would be new each time.
    pieces = (signs[first : first + COUNTED_AT_ONCE] for first in range(0, end, COUNTED_AT_ONCE))
    return int(sum(np.count_nonzero(piece == ord("\n")) for piece in pieces))


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
