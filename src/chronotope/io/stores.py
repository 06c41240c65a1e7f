"""Open files by name: on this machine, or by an address that fsspec supports (s3://…, gs://…, memory://…)."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path, PurePosixPath
from types import SimpleNamespace
from typing import Any

from chronotope.errors import InputError, first_line
from chronotope.io.atomic import atomic_write


def is_remote(name: str) -> bool:
    """Return whether a name is an address such as s3://bucket/file."""
    return "://" in name and not name.startswith("file://")


def local_path(name: str) -> Path:
    """Return the path of a local file, which may be written with file://."""
    return Path(name.removeprefix("file://"))


def reading(name: str) -> Any:
    """Open a file for reading bytes, in a `with` statement."""
    with _file_system(name) as (system, path):
        return system.open(path, "rb")


@contextmanager
def writing(name: str) -> Iterator[Any]:
    """Open a file for writing bytes; a local file appears only when the block succeeds."""
    if not is_remote(name):
        with atomic_write(local_path(name)) as temporary, temporary.open("wb") as file:
            yield file
        return
    with _file_system(name) as (system, path):
        system.makedirs(path.rpartition("/")[0], exist_ok=True)
        opened = system.open(path, "wb")
    with opened as file:
        yield file


def exists(name: str) -> bool:
    """Return whether a file or folder exists."""
    with _file_system(name) as (system, path):
        return bool(system.exists(path))


def remove(name: str) -> None:
    """Remove a file, or a folder with everything in it, if it exists."""
    with _file_system(name) as (system, path):
        if system.exists(path):
            system.rm(path, recursive=True)


@dataclass(frozen=True)
class RemotePath:
    """A file in a store, with the part of the interface of `pathlib.Path` that the readers use."""

    url: str

    def __str__(self) -> str:
        return self.url

    @property
    def name(self) -> str:
        """The base name."""
        return PurePosixPath(self.url).name

    @cached_property
    def _size(self) -> int:
        with _file_system(self.url) as (system, path):
            return int(system.info(path)["size"])

    def stat(self) -> SimpleNamespace:
        """Return an object whose `st_size` is the size in bytes."""
        return SimpleNamespace(st_size=self._size)

    def open(self, mode: str = "rb") -> Any:
        """Open the file."""
        with _file_system(self.url) as (system, path):
            return system.open(path, mode)


def remote_files(url: str) -> list[RemotePath]:
    """Return the files of an address, a glob or a folder in a store, sorted."""
    with _file_system(url) as (system, path):
        if any(sign in path for sign in "*?["):
            files = [item for item in system.glob(path) if not system.isdir(item)]
        else:
            files = system.find(path)
    if not files:
        raise InputError(f"no file matches {url}")
    return [RemotePath(system.unstrip_protocol(item)) for item in sorted(files)]


@contextmanager
def _file_system(name: str) -> Iterator[tuple[Any, str]]:
    """Yield the fsspec file system of a file and the path in it; turn every error into an InputError of one line."""
    import fsspec  # slow to import, and most commands read no text

    try:
        if is_remote(name):
            yield fsspec.core.url_to_fs(name)
        else:
            yield fsspec.filesystem("file"), local_path(name).absolute().as_posix()
    except FileNotFoundError:
        raise InputError(f"there is no file or folder {name}") from None
    except Exception as error:  # each driver has its own exceptions
        raise InputError(f"cannot open {name}: {first_line(error)}") from None
