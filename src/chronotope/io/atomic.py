"""Atomic writes: files and folders that are complete or absent after a kill, a full disk or a power failure.

A file is written under a temporary name, flushed to the disk, and renamed; then its folder is flushed, since the name
is stored in the folder. Temporary names contain the process id, so that the next writer can remove those of dead
processes.
"""

import contextlib
import errno
import os
import re
import secrets
import shutil
import socket
import sys
from collections.abc import Iterator
from pathlib import Path

from chronotope.errors import ChronotopeError, InputError
from chronotope.io.locks import locked

if sys.platform == "darwin":
    import fcntl

DISK_ERRORS = (errno.ENOSPC, errno.EFBIG, errno.EDQUOT, errno.EROFS, errno.EIO)


@contextlib.contextmanager
def atomic_write(path: str | Path) -> Iterator[Path]:
    """Yield a temporary path that replaces `path` when the block succeeds, and is removed otherwise.

    Symbolic links are followed. Anything but a regular file (a folder, a device) is refused.
    """
    target = check_regular(Path(path))
    with writable(target.parent):
        target.parent.mkdir(parents=True, exist_ok=True)
        temporary = temporary_path(target.parent, target.name)
        temporary.touch(exist_ok=False)
    try:
        with disk_errors(path):
            yield temporary
            sync(temporary)
            os.replace(temporary, target)
            sync(target.parent)
    finally:
        temporary.unlink(missing_ok=True)


@contextlib.contextmanager
def atomic_folder(folder: str | Path, purpose: str) -> Iterator[Path]:
    """Yield a temporary folder that replaces `folder` when the block succeeds, and is removed otherwise.

    The folder is locked meanwhile; other processes see `purpose` in their error. An older folder is deleted only after
    the new one has its name: see `recover_folder`.
    """
    shown, folder = folder, follow_links(folder)
    if os.path.ismount(folder):
        raise InputError(f"{shown} is a mount point, which cannot be replaced; choose a folder inside it")
    with writable(folder.parent):
        folder.parent.mkdir(parents=True, exist_ok=True)
    with temporary_folder(folder.parent, folder.name) as work, locked(folder, purpose), disk_errors(shown):
        _recover(folder)
        yield work
        sync_all(work)
        if folder.exists():
            os.replace(folder, _old(folder))
        os.replace(work, folder)
        sync(folder.parent)
        _recover(folder)


def recover_folder(folder: str | Path) -> None:
    """Restore the old folder if its replacement was interrupted."""
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
    """Yield a new temporary folder for `name`; remove it at the end if it was not renamed."""
    with writable(parent):
        work = temporary_path(parent, name)
        work.mkdir()
    try:
        yield work
    finally:
        shutil.rmtree(work, ignore_errors=True)


def temporary_path(parent: Path, name: str) -> Path:
    """Return an unused temporary name for `name`, and remove those of dead processes of this machine."""
    import psutil

    host = socket.gethostname()
    pattern = re.compile(rf"\.{re.escape(f'{name}.{host}')}-(\d+)-[0-9a-f]{{8}}\.partial")
    for entry in os.listdir(parent):
        match, path = pattern.fullmatch(entry), parent / entry
        if match and not psutil.pid_exists(int(match[1])):
            if path.is_dir():
                shutil.rmtree(path, ignore_errors=True)
            else:
                path.unlink(missing_ok=True)
    return parent / f".{name}.{host}-{os.getpid()}-{secrets.token_hex(4)}.partial"


def follow_links(path: str | Path) -> Path:
    """Resolve symbolic links; refuse a circle of links."""
    target = Path(os.path.realpath(path))
    if target.is_symlink():
        raise InputError(f"{path} is a symbolic link that leads in a circle; choose another path")
    return target


def check_regular(path: Path) -> Path:
    """Resolve symbolic links; refuse to replace anything but a regular file."""
    target = follow_links(path)
    if path.is_dir():
        raise InputError(f"{path} is a folder; choose a file name")
    if path.exists() and not path.is_file():
        raise InputError(f"{path} is not a regular file; choose another name")
    return target


@contextlib.contextmanager
def disk_errors(path: str | Path) -> Iterator[None]:
    """Turn the error of any library about a full or broken disk into an OSError that names `path`."""
    try:
        yield
    except ChronotopeError:
        raise
    except Exception as error:
        number = getattr(error, "errno", None)
        if number is None and re.search(r"requested and \d+ written", str(error)):  # NumPy
            number = errno.ENOSPC
        elif number is None and (match := re.search(r"\(os error (\d+)\)", str(error))):  # libraries in Rust
            number = int(match[1])
        if number not in DISK_ERRORS or getattr(error, "filename", None):
            raise
        raise OSError(number, os.strerror(number), str(path)) from None


@contextlib.contextmanager
def writable(folder: Path) -> Iterator[None]:
    """Turn an OSError into an InputError that names the folder."""
    try:
        yield
    except OSError as error:
        raise InputError(f"cannot write to {folder}: {error.strerror}; choose another folder") from None


def sync_all(folder: Path) -> None:
    """Flush a folder and everything below it to the disk."""
    for path in (*folder.rglob("*"), folder):
        sync(path)


def sync(path: Path) -> None:
    """Flush a file to the disk, or the names in a folder where the system supports it."""
    is_folder = path.is_dir()
    with contextlib.suppress(OSError) if is_folder else contextlib.nullcontext():
        handle = os.open(path, os.O_RDONLY if is_folder else os.O_RDWR)
        try:
            if sys.platform == "darwin":  # where fsync reaches only the cache of the disk
                with contextlib.suppress(OSError):
                    fcntl.fcntl(handle, fcntl.F_FULLFSYNC)
            os.fsync(handle)
        finally:
            os.close(handle)
