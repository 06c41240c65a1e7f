"""The signature of a result: all that could change it, and nothing else (no time, host, path or thread count)."""

from __future__ import annotations

import hashlib
import json
import os
import platform
import threading
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

COMPUTING_PACKAGES = ("numpy", "numba", "polars", "scipy")
# So much of a file is read at a time, and so much is sent to the disk.
BLOCK, SENT_AT_ONCE = 1 << 20, 16 << 20
QUICK = "xxh3:"


def package_version() -> str:
    """The version of chronotope that runs."""
    return _version("chronotope") or "0"


def versions() -> dict[str, str]:
    """The versions of what computes: chronotope, Python and the numerical packages."""
    found = {"chronotope": package_version(), "python": platform.python_version()}
    return found | {name: there for name in COMPUTING_PACKAGES if (there := _version(name))}


def _version(package: str) -> str | None:
    """The version of a package; None where it is not installed."""
    from importlib.metadata import PackageNotFoundError, version  # 20 ms, for what few ask

    try:
        return version(package)
    except PackageNotFoundError:
        return None


class CheckedFile:
    """A file that is written from front to back, with its checksum.

    A thread sends it to the disk on the way, so that at the end there is little left to wait for.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder, CheckedFile(f"{folder}/own") as file:
    ...     _ = file.write(b"of one piece")
    ...     file.finish() == quick_checksum(f"{folder}/own")
    True
    """

    def __init__(self, path: str | Path) -> None:
        self._file = open(path, "wb")  # noqa: SIM115  # closed in __exit__
        self._digest = _quick_digest()
        self._size = self._sent = 0
        self._pool = ThreadPoolExecutor(1)
        self._syncs: list[Future[None]] = []

    def __enter__(self) -> CheckedFile:
        return self

    def __exit__(self, *reason: object) -> None:
        self._pool.shutdown(cancel_futures=True)
        self._file.close()

    def write(self, data: bytes) -> int:
        """Append to the file."""
        self._file.write(data)
        self._digest.update(data)
        self._size += len(data)
        if self._size - self._sent >= SENT_AT_ONCE:
            self._file.flush()
            self._sent = self._size
            self._syncs.append(self._pool.submit(os.fsync, self._file.fileno()))
        return len(data)

    def finish(self) -> str:
        """What `quick_checksum` says of the file; nothing is written to it any more."""
        self._file.flush()
        for sync in self._syncs:
            sync.result()  # a disk tells of an error once: it must not be lost here
        return f"{QUICK}{self._digest.hexdigest()}"


def checksum(path: str | Path) -> str:
    """The checksum of a file that others wrote: BLAKE2b, as `b2sum -l 128` says."""
    return str(_digest(path, hashlib.blake2b(digest_size=16)))


def quick_checksum(path: str | Path, stop: threading.Event | None = None) -> str:
    """The checksum of a file of a run (XXH3, ten times as fast); once `stop` is set, only that of a part of it."""
    return f"{QUICK}{_digest(path, _quick_digest(), stop)}"


def has_checksum(path: str | Path, told: object) -> bool:
    """Whether a file has the checksum that is told of it, of whichever kind."""
    return told == (quick_checksum(path) if str(told).startswith(QUICK) else checksum(path))


def _quick_digest() -> Any:
    import xxhash  # the GPU's kernels are used where it is not installed

    return xxhash.xxh3_128()


def _digest(path: str | Path, digest: Any, stop: threading.Event | None = None) -> Any:
    with open(path, "rb") as file:
        while (block := file.read(BLOCK)) and not (stop and stop.is_set()):
            digest.update(block)
    return digest.hexdigest()


def checksum_of(data: Any) -> str:
    """The checksum of plain data, whatever the order of its keys.

    Examples
    --------
    >>> checksum_of({"a": 1, "b": 2}) == checksum_of({"b": 2, "a": 1})
    True
    """
    return hashlib.blake2b(canonical_json(data).encode(), digest_size=16).hexdigest()


def canonical_json(data: Any) -> str:
    """Plain data as the one JSON text that stands for it."""
    return json.dumps(data, sort_keys=True, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
