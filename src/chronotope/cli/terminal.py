"""The terminal, as rich knows it. It takes 0.03 s to load: it is left until there is something to show or to tell."""

from __future__ import annotations

import sys
from contextlib import suppress
from typing import IO, TYPE_CHECKING, Any

from rich.console import Console

if TYPE_CHECKING:
    from rich.progress import Progress


class _Heard:
    """A stream of talk; a command does not fail because nobody hears it any more (a terminal that was closed)."""

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


class _Talk(Console):
    @property  # type: ignore[misc]  # nobody sets it here
    def file(self) -> Any:
        return _Heard(super().file)


class _Data(Console):
    def on_broken_pipe(self) -> None:
        raise BrokenPipeError


stderr = _Talk(stderr=True, soft_wrap=True, highlight=False, emoji=False)
# A table in a pipe is read by a program or a file: there no width is too wide.
stdout = _Data(soft_wrap=True, highlight=False, emoji=False, width=None if sys.stdout.isatty() else 100_000)


def progress() -> Progress:
    """Bars on stderr with the time left; nothing where stderr is no terminal."""
    from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn

    return Progress(
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(bar_width=20),
        TextColumn("{task.percentage:>3.0f} %"),
        TimeElapsedColumn(),
        TextColumn("·"),
        TimeRemainingColumn(),
        TextColumn("left  {task.fields[note]}"),
        console=stderr,
        disable=not stderr.is_terminal,
    )
