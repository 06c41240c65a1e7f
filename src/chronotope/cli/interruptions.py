"""What ends a command from outside: Ctrl-C, and a reader of its output that goes away."""

from __future__ import annotations

import sys
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
