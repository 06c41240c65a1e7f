"""Files and folders that are whole or absent, whatever happens: a kill, a full disk, a power cut.

A file is written under a temporary name, flushed to the disk, and renamed; then its folder is flushed, too, since a
name is part of its folder. Temporary names hold the process that made them, so that the next writer can remove what a
killed one left behind.
"""

from __future__ import annotations

import contextlib
import errno
import os
import re
import secrets
import shutil
import socket
from collections.abc import Iterator
from pathlib import Path

from chronotope.errors import ChronotopeError, InputError
from chronotope.io.locks import locked

DISK_ERRORS = (errno.ENOSPC, errno.EFBIG, errno.EDQUOT, errno.EROFS, errno.EIO)


@contextlib.contextmanager
def atomic_write(path: str | Path) -> Iterator[Path]:
    """Yield a temporary path that replaces `path` when the block ends well, and is removed otherwise.

    A symbolic link is written through. What is no regular file (a folder, a device) is refused.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with atomic_write(Path(folder, "answer")) as temporary:
    ...         _ = temporary.write_text("42")
    ...     [(path.name, path.read_text()) for path in Path(folder).iterdir()]
    [('answer', '42')]
    """
    check_regular(Path(path))
    target = Path(os.path.realpath(path))
    with writable(target.parent):
        target.parent.mkdir(parents=True, exist_ok=True)
        remove_leftovers(target.parent, target.name)
        temporary = temporary_path(target.parent, target.name)
        temporary.touch(exist_ok=False)
    try:
        with disk_errors(path):
            yield temporary
            sync_file(temporary)
            os.replace(temporary, target)
            sync_folder(target.parent)
    finally:
        temporary.unlink(missing_ok=True)


@contextlib.contextmanager
def atomic_folder(folder: str | Path, purpose: str) -> Iterator[Path]:
    """Yield a temporary folder that replaces `folder` when the block ends well, and is removed otherwise.

    Nobody else may write it meanwhile; `purpose` tells them why. An older folder there is lost only when the new one
    has its place: see `recover_folder`.
    """
    shown, folder = folder, Path(os.path.realpath(folder))
    if os.path.ismount(folder):
        raise InputError(f"{shown} is a mount point, which cannot be replaced; name a folder inside it")
    with writable(folder.parent):
        folder.parent.mkdir(parents=True, exist_ok=True)
    with temporary_folder(folder.parent, folder.name) as work, locked(folder, purpose), disk_errors(shown):
        _recover(folder)
        yield work
        sync_all(work)
        if folder.exists():
            os.replace(folder, _old(folder))
        os.replace(work, folder)
        sync_folder(folder.parent)
        _recover(folder)


def recover_folder(folder: str | Path) -> None:
    """Put back a folder whose replacement was cut off before the new one was there."""
    folder = Path(os.path.realpath(folder))
    if _old(folder).exists():
        with locked(folder, "recovery"):
            _recover(folder)


def _recover(folder: Path) -> None:
    old = _old(folder)
    if old.exists() and folder.exists():
        shutil.rmtree(old)
    elif old.exists():
        os.replace(old, folder)


def _old(folder: Path) -> Path:
    return folder.with_name(f".{folder.name}.old")


@contextlib.contextmanager
def temporary_folder(parent: Path, name: str) -> Iterator[Path]:
    """Yield a new folder for what becomes `name`; remove it at the end if it is still there."""
    with writable(parent):
        remove_leftovers(parent, name)
        work = temporary_path(parent, name)
        work.mkdir()
    try:
        yield work
    finally:
        shutil.rmtree(work, ignore_errors=True)


def temporary_path(parent: Path, name: str) -> Path:
    """Return an unused name for what becomes `name`; it tells which process uses it."""
    return parent / f".{name}.{socket.gethostname()}-{os.getpid()}-{secrets.token_hex(4)}.partial"


def leftovers(parent: Path, name: str) -> list[Path]:
    """List the temporary files and folders of `name` whose processes on this machine are dead."""
    import psutil

    pattern = re.compile(rf"\.{re.escape(f'{name}.{socket.gethostname()}')}-(\d+)-[0-9a-f]{{8}}\.partial")
    found = [match for entry in os.listdir(parent) if (match := pattern.fullmatch(entry))]
    return [parent / match[0] for match in found if not psutil.pid_exists(int(match[1]))]


def remove_leftovers(parent: Path, name: str) -> None:
    """Remove what killed processes left of `name`."""
    for path in leftovers(parent, name):
        if path.is_dir():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)


def check_regular(path: Path) -> None:
    """Refuse to replace anything but a regular file."""
    if path.is_dir():
        raise InputError(f"{path} is a folder; name a file")
    if path.exists() and not path.is_file():
        raise InputError(f"{path} is no regular file; name another one")


@contextlib.contextmanager
def disk_errors(path: str | Path) -> Iterator[None]:
    """Turn what any library says of a full or broken disk into an OSError that names `path`."""
    try:
        yield
    except OSError as error:
        if error.errno is None and re.search(r"requested and \d+ written", str(error)):  # NumPy's words for a full disk
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path)) from None
        if error.errno is not None and error.filename is None:
            error.filename = str(path)
        raise
    except ChronotopeError:
        raise
    except Exception as error:
        found = re.search(r"\(os error (\d+)\)", str(error))  # libraries written in Rust
        if found is None or int(found[1]) not in DISK_ERRORS:
            raise
        raise OSError(int(found[1]), os.strerror(int(found[1])), str(path)) from None


@contextlib.contextmanager
def writable(folder: Path) -> Iterator[None]:
    """Turn the error of a folder that cannot be written to into one that names it."""
    try:
        yield
    except OSError as error:
        raise InputError(f"cannot write to {folder}: {error.strerror}; choose another folder") from None


def sync_file(path: Path) -> None:
    """Flush a file to the disk."""
    with open(path, "rb+") as file:
        _sync(file.fileno())


def sync_folder(folder: Path) -> None:
    """Flush the names in a folder to the disk, where the system can."""
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            _sync(handle)
        finally:
            os.close(handle)


def sync_all(folder: Path) -> None:
    """Flush all files below a folder, and their names."""
    for path in folder.iterdir():
        if path.is_dir():
            sync_all(path)
        else:
            sync_file(path)
    sync_folder(folder)


def _sync(handle: int) -> None:
    """Flush to the disk itself: on macOS `fsync` only reaches the disk's cache."""
    with contextlib.suppress(ImportError, AttributeError, OSError):
        import fcntl

        fcntl.fcntl(handle, fcntl.F_FULLFSYNC)  # type: ignore[attr-defined,unused-ignore]
        return
    os.fsync(handle)
