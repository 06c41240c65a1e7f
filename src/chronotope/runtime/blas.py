"""BLAS on one thread where its result must be repeatable: the last bits of a product differ with its threads."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from threadpoolctl import threadpool_limits

_lock = threading.Lock()
_users = 0
_limits: threadpool_limits | None = None


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Hold BLAS to one thread; the first of several concurrent users sets the limit and the last one restores it.

    Examples
    --------
    >>> with one_blas_thread(), one_blas_thread():
    ...     pass
    """
    global _users, _limits
    with _lock:
        if _users == 0:
            _limits = threadpool_limits(1, user_api="blas")
        _users += 1
    try:
        yield
    finally:
        with _lock:
            _users -= 1
            if _users == 0 and _limits is not None:
                _limits.restore_original_limits()
                _limits = None
