"""BLAS on one thread where its result must be repeatable: the last bits of a product differ with its threads."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from threadpoolctl import threadpool_limits

_lock = threading.Lock()
_users = 0
_limits: list[threadpool_limits] = []


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Hold BLAS to one thread; the first of several concurrent users sets the limit and the last one restores it.

    Examples
    --------
    >>> with one_blas_thread(), one_blas_thread():
    ...     pass
    """
    global _users
    with _lock:
        if _users == 0:
            _elsewhere(lambda: _limits.append(threadpool_limits(1, user_api="blas")))
        _users += 1
    try:
        yield
    finally:
        with _lock:
            _users -= 1
            if _users == 0:
                _elsewhere(lambda: _limits.pop().restore_original_limits())


def _elsewhere(action: Callable[[], None]) -> None:
    """Run in a thread of its own: OpenBLAS lets no other thread change what the main thread has set."""
    thread = threading.Thread(target=action)
    thread.start()
    thread.join()
