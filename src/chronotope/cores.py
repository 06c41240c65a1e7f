"""How many processors there are for us."""

from __future__ import annotations

import os


def cores() -> int:
    """The processors that this process may use: on a shared machine often fewer than it has.

    Examples
    --------
    >>> 1 <= cores() <= os.cpu_count()
    True
    """
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
