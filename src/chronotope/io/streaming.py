"""Files as streams of bytes, decompressed as they are read; and before anyone asks, if it is said in time.

To import all that `prepare` needs takes half a second, in which one core has nothing to do but to decompress.
"""

from __future__ import annotations

import os
import queue
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol

from chronotope.errors import InputError
from chronotope.io.provenance import checksum

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

CODECS: dict[str, Literal["gzip", "zstd"]] = {".gz": "gzip", ".zst": "zstd"}
# Of what is read before anyone asks, so much makes a block, and so many blocks wait: as many as are decompressed while
# the program is imported. With more, there would be more new memory.
BLOCK_BYTES = 4 << 20
MOST_AHEAD = 20
# A file that nobody wrote to for so long (in ns) shows it when someone does, unless through a mapping of it: disks tell
# the time in steps of up to 2 s.
SETTLED_AFTER = 2_500_000_000
# Before such a block so much room is left for the start of its first line, which stands in the block before.
ROOM = 1 << 20


class Readable(Protocol):
    """A path, or a file in a store that answers like one."""

    @property
    def suffix(self) -> str:
        """The end of its name."""

    def open(self) -> Any:
        """The file, to be read."""


class Chunk(NamedTuple):
    """Some bytes of a file: those of `memory` from `first` to `end`; what is before may be written to."""

    memory: NDArray[np.uint8]
    first: int
    end: int


class Stream:
    """The bytes of a file, decompressed, with the place reached in the file."""

    def __init__(self, path: Readable) -> None:
        import pyarrow as pa  # it takes a while, which must not keep others from importing other things

        self._path = path
        try:
            self._file = pa.OSFile(str(path), "rb") if isinstance(path, Path) else pa.PythonFile(path.open(), "r")
            codec = CODECS.get(path.suffix.lower())
            self._stream: pa.NativeFile = pa.CompressedInputStream(self._file, codec) if codec else self._file
        except OSError as error:
            raise InputError(f"cannot read {path}: {error}") from None

    def read(self, count: int) -> bytes:
        """Up to `count` more bytes; nothing at the end."""
        try:
            return bytes(self._stream.read(count))
        except OSError as error:
            raise self._unreadable(error) from None

    def fill(self, room: NDArray[np.uint8]) -> int:
        """Put more bytes where there is room for them; return how many they are, 0 at the end."""
        try:
            return int(self._stream.readinto(room.data))
        except OSError as error:
            raise self._unreadable(error) from None

    def chunk(self, count: int) -> Chunk:
        """Up to `count` more bytes; nothing at the end."""
        import numpy as np

        data = self.read(count)
        return Chunk(np.frombuffer(data, np.uint8), 0, len(data))

    def _unreadable(self, error: OSError) -> InputError:
        reason = "its compressed data is damaged or cut short" if self._stream is not self._file else error
        return InputError(f"cannot read {self._path}: {reason}")

    @property
    def done(self) -> int:
        """How many bytes of the file, as it lies on disk, were read."""
        return int(self._file.tell())

    def close(self) -> None:
        """Close the file."""
        self._stream.close()
        self._file.close()


class StreamAhead(Stream):
    """The same, read by a thread of its own; what befalls it is told where it is met.

    Examples
    --------
    >>> import gzip, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "letters.gz")
    ...     _ = path.write_bytes(gzip.compress(b"abc"))
    ...     begin(path)
    ...     stream = begun(path)
    ...     [stream.read(2) for _ in range(3)]
    [b'ab', b'c', b'']
    """

    def __init__(self, path: Path) -> None:
        self._rest, self._done = b"", 0
        self._is_over = self._is_closed = False
        self._failed: Exception | None = None
        self._chunks: queue.Queue[tuple[Chunk, int] | Exception] = queue.Queue(MOST_AHEAD)
        threading.Thread(target=self._read_all, args=(path,), daemon=True).start()

    def _read_all(self, path: Path) -> None:
        from chronotope.io.recycling import Room

        try:
            stream, room, size = Stream(path), Room(), 1
            while size and not self._is_closed:
                memory = room.array(ROOM + BLOCK_BYTES)
                size = stream.fill(memory[ROOM:])
                self._chunks.put((Chunk(memory, ROOM, ROOM + size), stream.done))
            stream.close()
        except Exception as error:
            self._chunks.put(error)

    def read(self, count: int) -> bytes:
        """Up to `count` more bytes; nothing at the end."""
        if not self._rest:
            memory, first, end = self.chunk(count)
            self._rest = memory[first:end].tobytes()
        block, self._rest = self._rest[:count], self._rest[count:]
        return block

    def chunk(self, count: int) -> Chunk:  # noqa: ARG002  # it was read before
        """More bytes, as many as were read at once; nothing at the end."""
        import numpy as np

        if self._failed:
            raise self._failed
        if self._is_over:
            return Chunk(np.empty(0, np.uint8), 0, 0)
        found = self._chunks.get()
        if isinstance(found, Exception):
            self._failed = found
            raise found
        chunk, self._done = found
        self._is_over = chunk.first == chunk.end
        return chunk

    @property
    def done(self) -> int:
        """How many bytes of the file, as it lies on disk, were read."""
        return self._done

    def close(self) -> None:
        """Let go of what was read."""
        self._is_closed = True
        while not self._chunks.empty():
            self._chunks.get()


class ChecksumAhead:
    """The checksum of a file, found by a thread of its own."""

    def __init__(self, path: Path) -> None:
        self.state = State.of(path)
        self._found: queue.Queue[str | Exception] = queue.Queue(1)
        threading.Thread(target=self._find, args=(path,), daemon=True).start()

    def _find(self, path: Path) -> None:
        try:
            self._found.put(checksum(path))
        except Exception as error:
            self._found.put(error)

    def wait(self) -> str:
        """The checksum, once it is known."""
        found = self._found.get()
        if isinstance(found, Exception):
            raise found
        return found


class State(NamedTuple):
    """What the system knows of a file: another one, or one that was written to since, differs in it."""

    size: int
    modified: int
    changed: int
    number: tuple[int, int]
    is_settled: bool

    @classmethod
    def of(cls, path: Path) -> State:
        """The state of a file now. One that was written to just now may be again, without a sign of it."""
        now, about = time.time_ns(), path.stat()
        is_settled = max(about.st_mtime_ns, about.st_ctime_ns) < now - SETTLED_AFTER
        return cls(about.st_size, about.st_mtime_ns, about.st_ctime_ns, (about.st_dev, about.st_ino), is_settled)


_begun: dict[str, StreamAhead] = {}
_begun_checksums: dict[str, ChecksumAhead] = {}
_known_checksums: dict[str, tuple[State, str]] = {}


def begin(path: Path) -> None:
    """Begin to read a file that someone will ask for, if it is a compressed one, and to find its checksum."""
    if path.suffix.lower() in CODECS and path.is_file():
        _begun[os.path.realpath(path)] = StreamAhead(path)
        _begun_checksums[os.path.realpath(path)] = ChecksumAhead(path)


def begun(path: Readable) -> StreamAhead | None:
    """The file as it was begun, for the first who asks; None where it was not."""
    return _begun.pop(os.path.realpath(path), None) if isinstance(path, Path) else None


def checksum_of_file(path: Path) -> str:
    """The checksum of a file: the one that was begun, or is known, unless the file has changed since."""
    place = os.path.realpath(path)
    ahead = _begun_checksums.pop(place, None)
    state = ahead.state if ahead else State.of(path)
    known, found = _known_checksums.get(place, (None, ""))
    if known != state or not state.is_settled:
        found = ahead.wait() if ahead else checksum(path)
        _known_checksums[place] = state, found
    return found


def forget() -> None:
    """Let go of what was begun and nobody asked for, and of what is known."""
    _known_checksums.clear()
    _begun_checksums.clear()
    while _begun:
        _begun.popitem()[1].close()
