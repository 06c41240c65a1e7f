"""Files by name: on this machine, or in any store that fsspec opens by its address (s3://…, gs://…, memory://…)."""

from __future__ import annotations

import os
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path, PurePosixPath
from types import SimpleNamespace
from typing import Any

from chronotope.errors import InputError


def is_remote(name: str) -> bool:
    """Tell whether a name is an address such as s3://bucket/file.

    Examples
    --------
    >>> is_remote("s3://bucket/1998.jsonl"), is_remote("C:/texts"), is_remote("file:///texts"), is_remote("1998.jsonl")
    (True, False, False, False)
    """
    return "://" in name and not name.startswith("file://")


def local_path(name: str) -> Path:
    """Return the path of a local file, which may be written with file://."""
    return Path(name.removeprefix("file://"))


@contextmanager
def reading(name: str) -> Iterator[Any]:
    """Open a file for reading bytes."""
    with _store_errors(name):
        system, path = _locate(name)
        file = system.open(path, "rb")
    with file:
        yield file


@contextmanager
def writing(name: str) -> Iterator[Any]:
    """Open a file for writing bytes; a local file gets its name when the block ends without an error."""
    with _store_errors(name):
        system, path = _locate(name)
        parent, _, base = path.rpartition("/")
        system.makedirs(parent, exist_ok=True)
        partial = path if is_remote(name) else f"{parent}/.{base}.{uuid.uuid4().hex}.partial"
        file = system.open(partial, "wb")
    try:
        with file:
            yield file
        if partial != path:
            os.replace(partial, path)
    finally:
        if partial != path:
            Path(partial).unlink(missing_ok=True)


def exists(name: str) -> bool:
    """Tell whether there is a file or folder of this name."""
    with _store_errors(name):
        system, path = _locate(name)
        return bool(system.exists(path))


def remove(name: str) -> None:
    """Remove a file, or a folder with everything in it, if it exists."""
    with _store_errors(name):
        system, path = _locate(name)
        if system.exists(path):
            system.rm(path, recursive=True)


@dataclass(frozen=True)
class RemotePath:
    """A file in a store, with those parts of the interface of `pathlib.Path` that the readers use."""

    url: str

    def __str__(self) -> str:
        return self.url

    @property
    def _path(self) -> PurePosixPath:
        return PurePosixPath(self.url.split("://", 1)[1])

    @property
    def name(self) -> str:
        """The base name."""
        return self._path.name

    @property
    def suffix(self) -> str:
        """The last file extension."""
        return self._path.suffix

    @property
    def suffixes(self) -> list[str]:
        """All file extensions."""
        return self._path.suffixes

    @cached_property
    def _size(self) -> int:
        with _store_errors(self.url):
            system, path = _locate(self.url)
            return int(system.info(path)["size"])

    def stat(self) -> SimpleNamespace:
        """Return the size in bytes as `st_size`."""
        return SimpleNamespace(st_size=self._size)

    def open(self, mode: str = "rb") -> Any:
        """Open the file."""
        with _store_errors(self.url):
            system, path = _locate(self.url)
            return system.open(path, mode)


def remote_files(url: str) -> list[RemotePath]:
    """Return the files that an address, a glob or a folder in a store stands for, in order."""
    with _store_errors(url):
        system, path = _locate(url)
        if any(sign in path for sign in "*?["):
            files = [item for item in system.glob(path) if not system.isdir(item)]
        else:
            files = system.find(path) if system.isdir(path) else [path] if system.exists(path) else []
    if not files:
        raise InputError(f"no file matches {url}")
    return [RemotePath(system.unstrip_protocol(item)) for item in sorted(files)]


def _locate(name: str) -> tuple[Any, str]:
    """Return the file system of fsspec that holds a file, and the path in it."""
    import fsspec  # slow to import, and most commands read no text

    if is_remote(name):
        system, path = fsspec.core.url_to_fs(name)
        return system, str(path)
    return fsspec.filesystem("file"), local_path(name).absolute().as_posix()


@contextmanager
def _store_errors(name: str) -> Iterator[None]:
    """Turn any error of a store into an InputError of one line."""
    try:
        yield
    except FileNotFoundError:
        raise InputError(f"there is no file or folder {name}") from None
    except Exception as error:  # each driver has its own exceptions
        raise InputError(f"cannot open {name}: {next(iter(str(error).splitlines()), repr(error))}") from None
