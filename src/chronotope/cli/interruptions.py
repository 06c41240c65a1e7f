"""What ends a command from outside: Ctrl-C, and a reader of its output that goes away."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from chronotope.cli.plain_values import PlainGroup


class Interrupted(Exception):
    """The user pressed Ctrl-C; the message says how to go on."""


class ReaderGone(Exception):
    """Nobody reads the output any more."""


class Commands(PlainGroup):
    """The commands; what ends one of them from outside comes out under names that typer leaves alone."""

    def invoke(self, ctx: Any) -> Any:
        """Run a command, and write out what it printed while its errors can still be told."""
        try:
            result = super().invoke(ctx)
            sys.stdout.flush()
        except KeyboardInterrupt as error:
            raise Interrupted(str(error) or "stopped") from None
        except BrokenPipeError:
            raise ReaderGone from None
        return result


@contextmanager
def held_back() -> Iterator[None]:
    """Let Ctrl-C wait until the block is done.

    For imports beside another thread's: one that breaks off may keep its lock, for which the other waits for ever.
    """
    before = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or before is None:
        yield
        return
    pressed: list[int] = []
    signal.signal(signal.SIGINT, lambda number, _: pressed.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
    if pressed:
        raise KeyboardInterrupt
