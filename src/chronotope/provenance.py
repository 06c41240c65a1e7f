"""The signature of a result: all that could change it, and nothing else (no time, host, path or thread count)."""

from __future__ import annotations

import hashlib
import io
import json
import platform
import threading
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer as Buffer

COMPUTING_PACKAGES = ("numpy", "numba", "polars", "scipy")


def package_version() -> str:
    """The version of chronotope that runs."""
    try:
        return version("chronotope")
    except PackageNotFoundError:
        return "0"


def versions() -> dict[str, str]:
    """The versions of what computes: chronotope, Python and the numerical packages."""
    found = {"chronotope": package_version(), "python": platform.python_version()}
    for name in COMPUTING_PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


class HashedWriter(io.BufferedWriter):
    """A file that is written from front to back, with the checksum of its bytes so far."""

    def __init__(self, path: str | Path) -> None:
        super().__init__(io.FileIO(path, "w"))
        self._digest = hashlib.blake2b(digest_size=16)

    def write(self, data: Buffer, /) -> int:
        """Write, and take the bytes into the checksum."""
        self._digest.update(data)
        return super().write(data)

    @property
    def checksum(self) -> str:
        """What `checksum` says of the file once it is closed."""
        return self._digest.hexdigest()


def checksum(path: str | Path, stop: threading.Event | None = None) -> str:
    """The checksum of a file's bytes; once `stop` is set, only that of a part of them."""
    digest = hashlib.blake2b(digest_size=16)
    with open(path, "rb") as file:
        while (block := file.read(1 << 20)) and not (stop and stop.is_set()):
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
