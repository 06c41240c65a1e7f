"""One writer at a time: locks on a run or a model, which the system itself releases when their holder dies.

The lock of `speeches` is a lock of the operating system on the file `.speeches.lock` beside it. The file names the
holders, for the one who is refused; that it exists means nothing. Reading needs no lock. Where there are no such locks
(Windows, some network file systems) nothing is locked.
"""

from __future__ import annotations

import contextlib
import errno
import os
import socket
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

from chronotope.errors import InUse

fcntl: ModuleType | None
try:
    import fcntl
except ImportError:
    fcntl = None


@contextlib.contextmanager
def locked(target: str | Path, purpose: str, *, shared: bool = False) -> Iterator[None]:
    """Within the block nobody else holds a lock on `target`, which need not exist; refused at once, it raises InUse.

    Parameters
    ----------
    target
        The folder or file that is written, or with `shared` the one that must not change meanwhile.
    purpose
        What the holder does, for the message to others: 'train'.
    shared
        Whether others may hold it, too, as long as all of them share it.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder, locked(Path(folder, "run"), "prepare"):
    ...     with locked(Path(folder, "run"), "train", shared=True):
    ...         pass
    Traceback (most recent call last):
    chronotope.errors.InUse: ... is in use by process ... (prepare); wait until it has ended
    """
    target = Path(target).resolve()
    path = target.with_name(f".{target.name}.lock")
    handle = _taken(path, target, shared)
    if handle is None:
        yield
        return
    try:
        with contextlib.suppress(OSError):
            if not shared:
                os.ftruncate(handle, 0)
            os.write(handle, f"{os.getpid()}\t{socket.gethostname()}\t{purpose}\n".encode())
        yield
    finally:
        # Whoever waits for this very file finds it gone, and takes a new one; see `_taken`.
        with contextlib.suppress(OSError):
            if try_lock(handle):
                path.unlink()
        os.close(handle)


def try_lock(handle: int, shared: bool = False) -> bool:
    """Whether an open file could be locked, without waiting; it stays so until it is closed or its process dies."""
    if fcntl is None:
        raise OSError(errno.ENOLCK, "there are no locks on this system")
    try:
        fcntl.flock(handle, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _taken(path: Path, target: Path, shared: bool) -> int | None:
    """The lock file, open and locked; None where nothing can be locked, so that the write itself says why not."""
    while True:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | getattr(os, "O_CLOEXEC", 0), 0o666)
        except OSError:
            return None
        try:
            if not try_lock(handle, shared):
                raise InUse(f"{target} is in use by {_holders(path)}; wait until it has ended")
            if os.path.samestat(os.fstat(handle), os.stat(path)):
                return handle
        except FileNotFoundError:
            pass  # its holder removed it before the lock was ours
        except OSError:
            os.close(handle)
            return None
        except InUse:
            os.close(handle)
            raise
        os.close(handle)


def _holders(path: Path) -> str:
    """Who holds a lock, as they wrote themselves; those that are dead by now are left out."""
    found = []
    with contextlib.suppress(OSError, ValueError):
        for line in path.read_text(encoding="utf-8").splitlines():
            process, host, purpose = line.split("\t")
            if host != socket.gethostname():
                found.append(f"process {process} on {host} ({purpose})")
            elif _alive(int(process)):
                found.append(f"process {process} ({purpose})")
    return ", ".join(found) or "another process"


def _alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True
