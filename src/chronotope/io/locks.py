"""One writer at a time: locks on a run or a model, which the system releases when their holder dies.

The lock of `speeches` is the file `.speeches.lock` beside it; whoever only needs `speeches` unchanged holds a file
`.speeches.<number>.shared`. Each file names its holder. Reading needs no lock. Where nothing can be locked (a folder
that cannot be written to, some network file systems), nothing is: the write itself then says what is wrong.
"""

from __future__ import annotations

import contextlib
import os
import re
import secrets
import socket
from collections.abc import Iterator
from pathlib import Path

from filelock import FileLock, Timeout

from chronotope.errors import InUseError


@contextlib.contextmanager
def locked(target: str | Path, purpose: str, *, shared: bool = False) -> Iterator[None]:
    """Hold a lock on `target`, which need not exist, for the length of the block.

    Parameters
    ----------
    target
        The folder or file to write, or with `shared` the one that must not change meanwhile.
    purpose
        What the holder does, for the message to others: 'train'.
    shared
        Whether others may hold it, too, as long as all of them share it.

    Raises
    ------
    InUseError
        At once, if somebody else holds the lock.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder, locked(Path(folder, "run"), "prepare"):
    ...     with locked(Path(folder, "run"), "train", shared=True):
    ...         pass
    Traceback (most recent call last):
    chronotope.errors.InUseError: ... is in use by process ... (prepare); wait until it has ended
    """
    target = Path(target).resolve()
    alone = target.with_name(f".{target.name}.lock")
    path = target.with_name(f".{target.name}.{secrets.randbits(64)}.shared") if shared else alone
    lock = FileLock(path, timeout=0)
    try:
        lock.acquire()
    except Timeout:
        raise InUseError(f"{target} is in use by {_holder(path)}; wait until it has ended") from None
    except OSError:
        pass  # the write itself will say what is wrong
    try:
        with contextlib.suppress(OSError):
            path.write_text(f"{os.getpid()}\t{socket.gethostname()}\t{purpose}", encoding="utf-8")
        for other in [alone] if shared else _shared_locks(target):
            if _is_held(other):
                raise InUseError(f"{target} is in use by {_holder(other)}; wait until it has ended")
        yield
    finally:
        # Whoever waits for this very file sees that it is gone, and makes a new one.
        with contextlib.suppress(OSError):
            path.unlink()
        lock.release()


def _shared_locks(target: Path) -> list[Path]:
    pattern = re.compile(rf"\.{re.escape(target.name)}\.\d+\.shared")
    return [path for path in target.parent.glob(".*.shared") if pattern.fullmatch(path.name)]


def _is_held(path: Path) -> bool:
    """Return whether somebody holds a lock file; remove it if its holder is dead."""
    if path.exists():
        try:
            with FileLock(path, timeout=0):
                path.unlink(missing_ok=True)
        except Timeout:
            return True
        except OSError:
            pass
    return False


def _holder(path: Path) -> str:
    """Return who holds a lock, as the holder wrote it down."""
    with contextlib.suppress(OSError, ValueError):
        process, host, purpose = path.read_text(encoding="utf-8").split("\t")
        where = "" if host == socket.gethostname() else f" on {host}"
        return f"process {process}{where} ({purpose})"
    return "another process"
