"""Locks on a run or a model; the system releases them when their process ends. Reading needs no lock.

The exclusive lock of `speeches` is the file `.speeches.lock` beside it, a shared lock `.speeches.<random>.shared`. Each
file names its holder. Locks are skipped where the system cannot lock (a read-only folder, some network file systems).
"""

import contextlib
import glob
import os
import secrets
import socket
from collections.abc import Iterator
from pathlib import Path

from filelock import FileLock, Timeout

from chronotope.errors import InUseError


@contextlib.contextmanager
def locked(target: str | Path, purpose: str, *, shared: bool = False) -> Iterator[None]:
    """Hold a lock on `target`, which need not exist, for the length of the block.

    Other processes see `purpose` ('train') in their error. With `shared`, any number of holders may use a target that
    must not change meanwhile. Raise InUseError at once if another process holds a conflicting lock.
    """
    target = Path(os.path.realpath(target))
    alone = target.with_name(f".{target.name}.lock")
    path = target.with_name(f".{target.name}.{secrets.token_hex(8)}.shared") if shared else alone
    lock = FileLock(path, timeout=0)
    try:
        lock.acquire()
    except Timeout:
        raise _in_use(target, path) from None
    except OSError:
        pass  # the write itself reports the error
    try:
        with contextlib.suppress(OSError):
            path.write_text(f"{os.getpid()}\t{socket.gethostname()}\t{purpose}", encoding="utf-8")
        for other in [alone] if shared else target.parent.glob(f".{glob.escape(target.name)}.{'?' * 16}.shared"):
            if _is_held(other):
                raise _in_use(target, other)
        yield
    finally:
        # A process that waits for this file notices that it is gone, and creates a new one.
        with contextlib.suppress(OSError):
            path.unlink()
        lock.release()


def _is_held(path: Path) -> bool:
    """Return whether a process holds a lock file; remove the file if its holder is dead."""
    if path.exists():
        try:
            with FileLock(path, timeout=0):
                path.unlink(missing_ok=True)
        except Timeout:
            return True
        except OSError:
            pass
    return False


def _in_use(target: Path, lock: Path) -> InUseError:
    """Return the error that names the holder of a lock, as recorded in its file."""
    holder = "another process"
    with contextlib.suppress(OSError, ValueError):
        process, host, purpose = lock.read_text(encoding="utf-8").split("\t")
        where = "" if host == socket.gethostname() else f" on {host}"
        holder = f"process {process}{where} ({purpose})"
    return InUseError(f"{target} is in use by {holder}; wait until it has ended")
