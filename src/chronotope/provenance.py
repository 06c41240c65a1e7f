"""The signature of a result: all that could change it, and nothing else (no time, host, path or thread count)."""

from __future__ import annotations

import hashlib
import io
import json
import os
import platform
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
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


def checksum(path: str | Path) -> str:
    """The checksum of a file's bytes."""
    digest = hashlib.blake2b(digest_size=16)
    with open(path, "rb") as file:
        while block := file.read(1 << 20):
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


@contextmanager
def written_whole(path: str | Path) -> Iterator[Path]:
    """A temporary path beside `path` that takes its place when the block ends well, and vanishes otherwise."""
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".partial", dir=path.parent)
    os.close(handle)
    temporary = Path(name)
    try:
        yield temporary
        with open(temporary, "rb+") as file:
            os.fsync(file.fileno())
        os.chmod(temporary, 0o666 & ~_umask())
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
