"""Where output goes: results to stdout, messages to stderr, progress only to a terminal."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from typing import IO, TYPE_CHECKING, Any

from rich.console import Console
from rich.markup import escape

from chronotope.io.untrusted import printable, printable_json
from chronotope.runtime.progress import ShownProgress

if TYPE_CHECKING:
    from chronotope.views.tables import Table

# What a command's answer is printed as; the commands themselves need not know.
_form: ContextVar[str] = ContextVar("form", default="table")
# Whether the model that the command answers from knows how often its words occur.
_counted: ContextVar[bool] = ContextVar("counted", default=True)


class _Lenient:
    """A stream of messages; a command does not fail because its terminal was closed."""

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
# A table in a pipe is never too wide.
stdout = _Results(soft_wrap=True, highlight=False, emoji=False, width=None if sys.stdout.isatty() else 100_000)


def talk(message: str, *values: object) -> None:
    """Say something on stderr; `values` fill the braces and are never read as markup."""
    stderr.print(message.format(*(escape(printable(str(value))) for value in values)))


def tell_no_counts(path: object) -> None:
    """Say that a model came without counts; tables of this command then show none."""
    talk("[yellow]{} came without counts: every word weighs the same, and tables show no counts[/]", path)
    _counted.set(False)


def show(table: Table, data: Any, as_json: bool) -> None:
    """Print an answer on stdout: as JSON, or as a table in the form that `answers_as` says."""
    form = "json" if as_json else _form.get()
    table = table if _counted.get() else table.without_counts()
    if form == "json":
        sys.stdout.write(printable_json(json.dumps(data, ensure_ascii=False, allow_nan=False)) + "\n")
    elif form == "csv":
        # A file gets the words as they are, a terminal only what does not command it.
        sys.stdout.write(printable(table.to_csv(), lines=True) if sys.stdout.isatty() else table.to_csv())
    elif form == "markdown":
        sys.stdout.write(table.to_markdown())
    else:
        stdout.print(table)


def talk_beside(line: str) -> None:
    """Say on stderr what else only the note of a table says, where the answer is printed without notes."""
    if _form.get() in ("csv", "markdown"):
        talk("{}", line)


@contextmanager
def answers_as(form: str) -> Iterator[None]:
    """Within the block answers are shown as 'table' (for a terminal), 'csv' or 'markdown'."""
    before, counted = _form.set(form), _counted.set(True)
    try:
        yield
    finally:
        _form.reset(before)
        _counted.reset(counted)


def progress_bars() -> ShownProgress:
    """Return bars on stderr with the time left; nothing where stderr is no terminal."""
    return ShownProgress(stderr if stderr.is_terminal else None)
