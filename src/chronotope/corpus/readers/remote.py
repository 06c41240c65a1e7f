"""Input that is not on this machine: files in any store that fsspec can open, by their address (s3://…, memory://…)."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property
from pathlib import PurePosixPath
from types import SimpleNamespace
from typing import Any

from chronotope.errors import InputError
from chronotope.io.stores import asked, store_of


@dataclass(frozen=True)
class RemotePath:
    """A file in a store; what the readers ask of a path it can answer."""

    url: str

    def __str__(self) -> str:
        return self.url

    @property
    def _inner(self) -> PurePosixPath:
        return PurePosixPath(self.url.split("://", 1)[1])

    @property
    def name(self) -> str:
        """The base name."""
        return self._inner.name

    @property
    def suffix(self) -> str:
        """The last ending."""
        return self._inner.suffix

    @property
    def suffixes(self) -> list[str]:
        """All endings."""
        return self._inner.suffixes

    @cached_property
    def _size(self) -> int:
        system, path = store_of(self.url)
        return int(asked(self.url, lambda: system.info(path)["size"]))

    def stat(self) -> Any:
        """Its size, as `st_size`."""
        return SimpleNamespace(st_size=self._size)

    def open(self) -> Any:
        """The file, opened to read bytes."""
        system, path = store_of(self.url)
        return asked(self.url, lambda: system.open(path, "rb"))

    def checksum(self) -> str:
        """The checksum of its bytes, as that of a file here."""
        digest = hashlib.blake2b(digest_size=16)
        with self.open() as file:
            while block := file.read(1 << 22):
                digest.update(block)
        return digest.hexdigest()


def remote_files(url: str) -> list[RemotePath]:
    """The files that an address, an address with signs of a pattern, or a folder in a store stands for, in order."""
    system, path = store_of(url)

    def found() -> list[str]:
        if any(sign in path for sign in "*?["):
            return [item for item in system.glob(path) if not system.isdir(item)]
        return system.find(path) if system.isdir(path) else [path] if system.exists(path) else []

    files = sorted(asked(url, found))
    if not files:
        raise InputError(f"no file matches {url}")
    return [RemotePath(system.unstrip_protocol(item)) for item in files]
