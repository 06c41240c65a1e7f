"""Where output goes: results to stdout, messages to stderr, progress bars only to a terminal."""

from __future__ import annotations

import sys
from contextlib import suppress
from typing import IO, Any

from rich.console import Console
from rich.markup import escape

from chronotope.io.untrusted import printable
from chronotope.runtime.progress import ShownProgress


class _Lenient:
    """A stream of messages; a command does not fail if its terminal was closed."""

    def __init__(self, stream: IO[str]) -> None:
        self._stream = stream

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def write(self, text: str) -> int:
        with suppress(OSError):
            self._stream.write(text)
        return len(text)

    def flush(self) -> None:
        with suppress(OSError):
            self._stream.flush()


class _Messages(Console):
    @property  # type: ignore[misc]  # nobody sets it here
    def file(self) -> Any:
        return _Lenient(super().file)


class _Results(Console):
    def on_broken_pipe(self) -> None:
        raise BrokenPipeError


stderr = _Messages(stderr=True, soft_wrap=True, highlight=False, emoji=False)
# Tables in a pipe are not cut.
stdout = _Results(soft_wrap=True, highlight=False, emoji=False, width=None if sys.stdout.isatty() else 100_000)


def talk(message: str, *values: object) -> None:
    """Print a message on stderr; `values` fill the braces and are never read as markup."""
    stderr.print(message.format(*(escape(printable(str(value))) for value in values)))


def progress_bars(*, lines: bool = False) -> ShownProgress:
    """Return progress bars on stderr; if stderr is not a terminal, nothing, or with `lines` a few lines."""
    return ShownProgress(stderr if lines or stderr.is_terminal else None)
