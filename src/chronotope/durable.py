"""Files that are whole or absent, whatever happens: a kill, a full disk, a power cut.

A file is written under a temporary name, forced to the disk, and renamed; then the folder is forced to the disk, too,
since a name is part of its folder. What a killed process left behind is removed by the next one that writes the same
file: a temporary file that nobody has locked has no owner any more.
"""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

from chronotope.locking import try_lock

SUFFIX = ".partial"


@contextlib.contextmanager
def written_whole(path: str | Path) -> Iterator[Path]:
    """A temporary path beside `path` that takes its place when the block ends well, and vanishes otherwise.

    Examples
    --------
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with written_whole(Path(folder, "answer")) as temporary:
    ...         _ = temporary.write_text("42")
    ...     [(path.name, path.read_text()) for path in Path(folder).iterdir()]
    [('answer', '42')]
    """
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    remove_leftovers(path)
    handle, temporary = _new_partial(path)
    try:
        yield temporary
        sync_file(temporary)
        os.chmod(temporary, 0o666 & ~_umask())
        os.replace(temporary, path)
        sync_folder(path.parent)
    except OSError as error:
        # A full disk is told by a write, which knows no names.
        if error.filename is None or error.filename == str(temporary):
            error.filename = str(path)
        raise
    finally:
        temporary.unlink(missing_ok=True)
        os.close(handle)


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
    """Force all files of a folder to the disk, and their names."""
    for path in folder.iterdir():
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


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
