"""Files that are whole or absent, whatever happens: a kill, a full disk, a power cut.

A file is written under a temporary name, forced to the disk, and renamed; then the folder is forced to the disk, too,
since a name is part of its folder. What a killed process left behind is removed by the next one that writes the same
file: a temporary file that nobody has locked has no owner any more.
"""

from __future__ import annotations

import contextlib
import errno
import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from chronotope.errors import ChronotopeError, InputError
from chronotope.io.locks import locked, try_lock

SUFFIX = ".partial"
DISK_ERRORS = (errno.ENOSPC, errno.EFBIG, errno.EDQUOT, errno.EROFS, errno.EIO)


@contextlib.contextmanager
def atomic_write(path: str | Path) -> Iterator[Path]:
    """A temporary path beside `path` that takes its place when the block ends well, and vanishes otherwise.

    Examples
    --------
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with atomic_write(Path(folder, "answer")) as temporary:
    ...         _ = temporary.write_text("42")
    ...     [(path.name, path.read_text()) for path in Path(folder).iterdir()]
    [('answer', '42')]
    """
    path = Path(path)
    with writable(path.parent):
        path.parent.mkdir(parents=True, exist_ok=True)
        remove_leftovers(path)
        handle, temporary = _new_partial(path)
    try:
        with disk_errors(path):
            yield temporary
            sync_file(temporary)
            os.chmod(temporary, 0o666 & ~_umask())
            os.replace(temporary, path)
            sync_folder(path.parent)
    finally:
        temporary.unlink(missing_ok=True)
        os.close(handle)


@contextlib.contextmanager
def disk_errors(path: str | Path) -> Iterator[None]:
    """Within the block a disk that is full or broken is an OSError that names `path`, whatever library found it."""
    try:
        yield
    except OSError as error:
        if error.errno is None:
            # NumPy knows only that it could not write all.
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path)) from None
        if error.filename is None:
            error.filename = str(path)
        raise
    except ChronotopeError:
        raise
    except Exception as error:
        found = re.search(r"\(os error (\d+)\)", str(error))  # as the libraries in Rust write it
        if found is None or int(found[1]) not in DISK_ERRORS:
            raise
        raise OSError(int(found[1]), os.strerror(int(found[1])), str(path)) from None


@contextlib.contextmanager
def atomic_folder(folder: str | Path, purpose: str) -> Iterator[Path]:
    """A temporary folder that takes the place of `folder` when the block ends well, and vanishes otherwise.

    Nobody else may write it meanwhile; `purpose` tells them why. An older folder there is replaced, and is lost only
    when the new one has its place: see `recover_folder`.
    """
    folder = Path(folder)
    with writable(folder.parent):
        folder.parent.mkdir(parents=True, exist_ok=True)
    with locked(folder, purpose):
        _recover(folder)
        for left in partials(folder):
            if left.is_dir():
                shutil.rmtree(left, ignore_errors=True)
        with writable(folder.parent):
            work = Path(tempfile.mkdtemp(prefix=f".{folder.name}.", suffix=SUFFIX, dir=folder.parent))
        try:
            with disk_errors(folder):
                yield work
                os.chmod(work, 0o777 & ~_umask())
                sync_all(work)
                if folder.exists():
                    os.replace(folder, _old(folder))
                os.replace(work, folder)
                sync_folder(folder.parent)
                _recover(folder)
        finally:
            shutil.rmtree(work, ignore_errors=True)


def recover_folder(folder: Path) -> None:
    """Put a folder back in its place whose replacement was cut off before the new one was there."""
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


def remove_leftovers(path: Path) -> None:
    """Remove the temporary files of `path` whose writers are dead."""
    for found in partials(path):
        if found.is_file():
            with contextlib.suppress(OSError):
                handle = os.open(found, os.O_RDWR)
                try:
                    if try_lock(handle):
                        found.unlink()
                finally:
                    os.close(handle)


def partials(path: Path, suffix: str = SUFFIX) -> list[Path]:
    """The temporary files and folders that belong to `path`."""
    try:
        names = os.listdir(path.parent)
    except OSError:
        return []
    return [path.parent / name for name in names if name.startswith(f".{path.name}.") and name.endswith(suffix)]


def sync_file(path: Path) -> None:
    """Force what was written to a file to the disk."""
    with open(path, "rb+") as file:
        os.fsync(file.fileno())


def sync_folder(folder: Path) -> None:
    """Force the names in a folder to the disk, where the system knows how."""
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def sync_all(folder: Path) -> None:
    """Force all files below a folder to the disk, and their names."""
    for path in folder.iterdir():
        if path.is_dir():
            sync_all(path)
        else:
            sync_file(path)
    sync_folder(folder)


def _new_partial(path: Path) -> tuple[int, Path]:
    """A new temporary file, locked for as long as it is open, so that others can tell that it has an owner."""
    while True:
        handle, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=SUFFIX, dir=path.parent)
        with contextlib.suppress(OSError):
            try_lock(handle)
        if os.path.exists(name):
            return handle, Path(name)
        os.close(handle)  # taken for a leftover in the moment before it was locked


@contextlib.contextmanager
def writable(folder: Path) -> Iterator[None]:
    """Within the block a folder where nobody may write is an error that names it, not the temporary file."""
    try:
        yield
    except OSError as error:
        raise InputError(f"cannot write to {folder}: {error.strerror}; choose another folder") from None


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
