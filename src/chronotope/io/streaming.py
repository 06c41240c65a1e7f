"""Read files as streams of decompressed bytes or as blocks of whole lines, without holding them in memory."""

from __future__ import annotations

import codecs
import re
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
UTF_16, WINDOWS_1252 = "UTF-16", "Windows-1252 (Latin-1)"
_HEAD_BYTES = 64
_UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")
_UTF8_MARK = b"\xef\xbb\xbf"
_MULTIBYTE = re.compile(rb"[\xc2-\xf4][\x80-\xbf]")  # in UTF-8; hardly ever in Windows-1252
_NO_TEXT = re.compile(rb"[\x00-\x08\x0e-\x1f\x81\x8d\x8f\x90\x9d]")
# Characters of Windows-1252 that follow a letter, or stand between letters, only in text of another encoding.
_STRANGE = re.compile(
    rb"[a-z\xc0-\xff](?:[\x80\x82-\x84\x86-\x89\x8b\x98\x9b\xa1-\xa8\xac\xaf\xbf]"
    rb"|[\x99\xa9-\xab\xae\xb0-\xb3\xb5\xb6\xb8-\xbe][a-z])"
)
_MOST_ACCENTS, _MOST_STRANGE = 0.3, 0.1  # shares of the bytes, and of the accented letters


class Stream:
    """A file as a stream of decompressed bytes, for use in a `with` statement; `text` converts UTF-16 to UTF-8."""

    def __init__(self, path: Path | RemotePath, *, text: bool = False) -> None:
        import pyarrow as pa  # slow to import, and not every command reads text

        self._path = path
        codec = CODECS.get(Path(path.name).suffix.lower())
        try:
            self._file = pa.OSFile(str(path), "rb") if isinstance(path, Path) else pa.PythonFile(path.open(), "r")
            self._stream: pa.NativeFile = pa.CompressedInputStream(self._file, codec) if codec else self._file
        except OSError as error:
            raise InputError(f"cannot read {path}: {error}") from None
        self._ready = self._read(_HEAD_BYTES)
        encoding = _utf16(self._ready) if text else None
        self._decoder = codecs.getincrementaldecoder(encoding)("replace") if encoding else None
        self.read_as = UTF_16 if encoding else ""
        self._ready = self._to_utf8(self._ready)

    def read(self, count: int) -> bytes:
        """Return up to `count` more bytes, none at the end of the file."""
        while len(self._ready) < count and (data := self._read(count - len(self._ready))):
            self._ready += self._to_utf8(data)
        data, self._ready = self._ready[:count], self._ready[count:]
        return data

    def _to_utf8(self, data: bytes) -> bytes:
        return self._decoder.decode(data).encode("utf-8") if self._decoder else data

    def _read(self, count: int) -> bytes:
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
    """Whole lines of a file."""

    data: bytes
    line: int  # number of the first line
    lines: int  # number of lines
    done: int  # bytes read from disk so far
    read_as: str = ""  # an encoding other than UTF-8, in the first block that has it


def read_blocks(
    path: Path | RemotePath,
    block_bytes: int = BLOCK_BYTES,
    longest_line: int = LONGEST_LINE_BYTES,
    line_end: bytes = b"\n",
) -> Iterator[Block]:
    """Read a file in blocks of whole lines of about `block_bytes`, as UTF-8 without a byte order mark.

    `line_end` becomes a line feed. Raise InputError for a line of more than `longest_line` bytes.
    """
    line = 1
    parts: list[bytes] = []
    with Stream(path, text=True) as stream:
        read_as, named = stream.read_as, False
        chunk = stream.read(block_bytes).removeprefix(_UTF8_MARK)
        while chunk:
            following = stream.read(block_bytes)
            if line_end == b"\r":
                chunk = chunk.replace(b"\r", b"\n")
            end = chunk.rfind(b"\n") + 1 if following else len(chunk)
            if end:
                data = b"".join([*parts, chunk[:end]])
                converted = to_utf8(data)
                if converted is not data:
                    read_as, data = WINDOWS_1252, converted
                lines = data.count(b"\n") + (not data.endswith(b"\n"))
                yield Block(data, line, lines, stream.done, "" if named else read_as)
                line, parts, named = line + lines, [], named or bool(read_as)
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
    with Stream(path, text=True) as stream:
        parts = [stream.read(count)]
        while parts[-1] and not any(end in parts[-1] for end in line_ends):
            check_line(path, 1, sum(map(len, parts)), longest_line)
            parts.append(stream.read(count))
    head, line_end, rest = b"".join(parts).removeprefix(_UTF8_MARK).rpartition(b"\n")
    return to_utf8(head + line_end) + rest


def to_utf8(data: bytes) -> bytes:
    r"""Convert lines in Windows-1252 (which includes Latin-1) to UTF-8; `data` are whole lines.

    Lines in damaged UTF-8 or another encoding stay unchanged. Unchanged data is the same object.

    >>> to_utf8("Zoë in a café\n".encode("latin-1")).decode()
    'Zoë in a café\n'
    >>> russian = "вечер\n".encode("cp1251")
    >>> to_utf8(russian) is russian
    True
    """
    if _is_utf8(data):
        return data
    lines = data.split(b"\n")
    wrong = [number for number, line in enumerate(lines) if not _is_utf8(line) and not _MULTIBYTE.search(line)]
    sample = b"\n".join(lines[number] for number in wrong)
    accents = len(sample) - len(sample.translate(None, bytes(range(128, 256))))
    strange = len(_STRANGE.findall(sample.lower()))
    if (
        not wrong
        or _NO_TEXT.search(sample)
        or accents > _MOST_ACCENTS * len(sample)
        or strange > _MOST_STRANGE * accents
    ):
        return data
    for number in wrong:
        lines[number] = lines[number].decode("cp1252").encode()
    return b"\n".join(lines)


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _utf16(head: bytes) -> str | None:
    """Return the name of the UTF-16 encoding that a file begins with; None for any other."""
    if head.startswith(_UTF16_MARKS):
        return "utf-16"
    low, high = head[::2].count(0), head[1::2].count(0)
    if not low and high > 0.3 * len(head):
        return "utf-16-le"
    return "utf-16-be" if not high and low > 0.3 * len(head) else None


def check_line(path: Path | RemotePath, line: int, size: int, longest_line: int = LONGEST_LINE_BYTES) -> None:
    """Raise InputError if a line has more than `longest_line` bytes."""
    if size > longest_line:
        raise InputError(f"{path.name}:{line} is longer than {longest_line:,} bytes; split it into shorter lines")
