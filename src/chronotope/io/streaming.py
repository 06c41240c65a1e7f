"""Read files as streams of decompressed bytes or as blocks of whole lines, without holding them in memory."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

from chronotope.errors import InputError
from chronotope.io.stores import RemotePath

if TYPE_CHECKING:
    import pyarrow as pa

CODECS: dict[str, Literal["gzip", "zstd"]] = {".gz": "gzip", ".zst": "zstd"}
BLOCK_BYTES = 4 << 20
LONGEST_LINE_BYTES = 128 << 20
_UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")
_UTF8_MARK = b"\xef\xbb\xbf"


class Stream:
    """A file as a stream of decompressed bytes, for use in a `with` statement."""

    def __init__(self, path: Path | RemotePath) -> None:
        import pyarrow as pa  # slow to import, and not every command reads text

        self._path = path
        codec = CODECS.get(path.suffix.lower())
        try:
            self._file = pa.OSFile(str(path), "rb") if isinstance(path, Path) else pa.PythonFile(path.open(), "r")
            self._stream: pa.NativeFile = pa.CompressedInputStream(self._file, codec) if codec else self._file
        except OSError as error:
            raise InputError(f"cannot read {path}: {error}") from None

    def read(self, count: int) -> bytes:
        """Return up to `count` more bytes, none at the end of the file."""
        try:
            return bytes(self._stream.read(count))
        except OSError as error:
            reason = error if self._stream is self._file else "its compressed data is damaged or cut short"
            raise InputError(f"cannot read {self._path}: {reason}") from None

    @property
    def done(self) -> int:
        """Number of bytes read from the file on disk so far."""
        return int(self._file.tell())

    def __enter__(self) -> Stream:
        return self

    def __exit__(self, *_: object) -> None:
        self._stream.close()
        self._file.close()


class Block(NamedTuple):
    """Whole lines of a file: their bytes, the number of the first line, how many, and the bytes read on disk so far."""

    data: bytes
    line: int
    lines: int
    done: int


def read_blocks(
    path: Path | RemotePath, block_bytes: int = BLOCK_BYTES, longest_line: int = LONGEST_LINE_BYTES
) -> Iterator[Block]:
    """Read a file in blocks of whole lines of about `block_bytes`, without a UTF-8 byte order mark.

    UTF-16 and a line of more than `longest_line` bytes raise InputError.
    """
    line = 1
    parts: list[bytes] = []
    with Stream(path) as stream:
        chunk = strip_mark(path, stream.read(block_bytes))
        while chunk:
            following = stream.read(block_bytes)
            end = chunk.rfind(b"\n") + 1 if following else len(chunk)
            if end:
                data = b"".join([*parts, chunk[:end]])
                lines = data.count(b"\n") + (not data.endswith(b"\n"))
                yield Block(data, line, lines, stream.done)
                line, parts = line + lines, []
            parts.append(chunk[end:])
            check_line(path, line, sum(map(len, parts)), longest_line)
            chunk = following


def read_head(
    path: Path | RemotePath,
    count: int = 1 << 20,
    line_ends: tuple[bytes, ...] = (b"\n",),
    longest_line: int = LONGEST_LINE_BYTES,
) -> bytes:
    """Return about the first `count` decompressed bytes of a file, and at least its first line."""
    with Stream(path) as stream:
        parts = [stream.read(count)]
        while parts[-1] and not any(end in parts[-1] for end in line_ends):
            check_line(path, 1, sum(map(len, parts)), longest_line)
            parts.append(stream.read(count))
    return strip_mark(path, b"".join(parts))


def check_line(path: Path | RemotePath, line: int, size: int, longest_line: int = LONGEST_LINE_BYTES) -> None:
    """Raise InputError if a line has more than `longest_line` bytes."""
    if size > longest_line:
        raise InputError(f"{path.name}:{line} is longer than {longest_line:,} bytes; split it into shorter lines")


def strip_mark(path: Path | RemotePath, data: bytes) -> bytes:
    """Return the start of a file without its UTF-8 byte order mark; UTF-16 raises InputError."""
    if data.startswith(_UTF16_MARKS):
        raise InputError(f"{path.name} is UTF-16; save it as UTF-8")
    return data.removeprefix(_UTF8_MARK)
