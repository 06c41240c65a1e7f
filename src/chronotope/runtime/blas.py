"""Run BLAS on one thread for reproducible results: rounding depends on the number of threads."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from threadpoolctl import threadpool_limits

_lock = threading.Lock()
_users = 0
_limits: list[threadpool_limits] = []


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Limit BLAS to one thread; the first of several concurrent users sets the limit, the last one restores it."""
    global _users
    with _lock:
        if _users == 0:
            _in_new_thread(lambda: _limits.append(threadpool_limits(1, user_api="blas")))
        _users += 1
    try:
        yield
    finally:
        with _lock:
            _users -= 1
            if _users == 0:
                _in_new_thread(lambda: _limits.pop().restore_original_limits())


def _in_new_thread(action: Callable[[], None]) -> None:
    """Run in a new thread: if the main thread set a limit, OpenBLAS ignores changes by other threads."""
    thread = threading.Thread(target=action)
    thread.start()
    thread.join()
