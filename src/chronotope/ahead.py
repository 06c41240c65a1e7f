"""The start of a file, decompressed before anyone asks for it.

To import all that `prepare` needs takes half a second, in which one core would have nothing to do.
"""

from __future__ import annotations

import queue
import threading
from pathlib import Path
from typing import Literal

CODECS: dict[str, Literal["gzip", "zstd"]] = {".gz": "gzip", ".zst": "zstd"}
BLOCK_BYTES = 16 << 20
# So many blocks wait to be taken.
MOST_AHEAD = 10


class Ahead:
    """The blocks of a compressed file, read by a thread of its own.

    Whoever takes them gets them in order; what goes wrong is told in the place of the block that it befell.
    """

    def __init__(self, path: Path) -> None:
        self.done = 0
        self._blocks: queue.Queue[tuple[bytes | Exception, int]] = queue.Queue(MOST_AHEAD)
        threading.Thread(target=self._read, args=(path,), daemon=True).start()

    def _read(self, path: Path) -> None:
        try:
            import pyarrow as pa

            with pa.OSFile(str(path), "rb") as file, pa.CompressedInputStream(file, CODECS[path.suffix.lower()]) as stream:
                block = b"-"
                while block:
                    block = stream.read(BLOCK_BYTES)
                    self._blocks.put((block, file.tell()))
        except Exception as error:
            self._blocks.put((error, 0))

    def read(self) -> bytes:
        """The next block; nothing at the end."""
        block, self.done = self._blocks.get()
        if isinstance(block, Exception):
            raise block
        return block


_begun: dict[Path, Ahead] = {}


def begin(path: Path) -> None:
    """Begin to read a file, if it is a compressed one."""
    if path.suffix.lower() in CODECS and path.is_file():
        _begun[path] = Ahead(path)


def begun(path: Path) -> Ahead | None:
    """The file as it was begun, if it was; for the first who asks."""
    return _begun.pop(path, None)
