"""Where output goes: results to stdout, messages to stderr, progress only to a terminal."""

from __future__ import annotations

import inspect
import json
import sys
from collections.abc import Callable
from contextlib import suppress
from contextvars import ContextVar
from functools import wraps
from typing import IO, TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.markup import escape

from chronotope.errors import SettingsError
from chronotope.io.untrusted import printable, printable_json
from chronotope.runtime.progress import ShownProgress

if TYPE_CHECKING:
    from chronotope.views.tables import Table

# The form in which `show` prints: 'table', 'csv' or 'markdown'; see `with_formats`.
_form: ContextVar[str] = ContextVar("form", default="table")


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
    """Print a message on stderr; `values` fill the braces and are never read as markup."""
    stderr.print(message.format(*(escape(printable(str(value))) for value in values)))


def show(table: Table, data: Any, as_json: bool) -> None:
    """Print a table on stdout: as JSON (`data`), CSV, Markdown, or for a terminal."""
    form = "json" if as_json else _form.get()
    if form == "table":
        stdout.print(table)
    elif form == "json":
        sys.stdout.write(printable_json(json.dumps(data, ensure_ascii=False, allow_nan=False)) + "\n")
    else:
        sys.stdout.write(table.to_csv() if form == "csv" else table.to_markdown())


def with_formats(command: Callable[..., None]) -> Callable[..., None]:
    """Add --csv and --markdown to a command that has --json and prints with `show`."""

    @wraps(command)
    def formatted(*, csv: bool, markdown: bool, **given: Any) -> None:
        if csv + markdown + given["as_json"] > 1:
            raise SettingsError("choose one of --json, --csv and --markdown")
        token = _form.set("csv" if csv else "markdown" if markdown else "table")
        try:
            command(**given)
        finally:
            _form.reset(token)

    parameters = list(inspect.signature(command, eval_str=True).parameters.values())
    for form, help_text in (("csv", "Print CSV."), ("markdown", "Print a Markdown table.")):
        flag = Annotated[bool, typer.Option(f"--{form}", help=help_text)]
        parameters.append(inspect.Parameter(form, inspect.Parameter.KEYWORD_ONLY, default=False, annotation=flag))
    formatted.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    formatted.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return formatted


def progress_bars() -> ShownProgress:
    """Return bars on stderr with the time left; nothing where stderr is no terminal."""
    return ShownProgress(stderr if stderr.is_terminal else None)
