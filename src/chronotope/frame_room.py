"""Room for the frames of Python's calls.

Python keeps the frames of a thread in pieces of memory of 16 kB, and gives a piece back as soon as its first frame is
done. Where a loop happens to run at the end of a piece, every call in it takes a new one from the system and gives it
back: 10 µs instead of 0.05. Deep in the imports of numba that is 0.3 s, in some runs and not in others.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import update_wrapper
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")

# A frame of so many words takes a piece of 1 MB and leaves nearly half of it to others; what is unused takes no memory
# (but half a MB where a traceback keeps the frame).
WORDS = 70_000


def with_room(function: Callable[P, R]) -> Callable[P, R]:
    """The function, with room for all that it calls.

    Examples
    --------
    >>> @with_room
    ... def three():
    ...     return 3
    >>> three()
    3
    """

    def roomy(*arguments: P.args, **named: P.kwargs) -> R:
        return function(*arguments, **named)

    roomy.__code__ = roomy.__code__.replace(co_stacksize=WORDS)
    return update_wrapper(roomy, function)
