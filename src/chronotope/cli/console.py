"""Where output goes: data to stdout, talk to stderr; progress that leaves nothing behind in a log."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from contextvars import ContextVar
from functools import cached_property
from typing import TYPE_CHECKING, Any

from chronotope.io.untrusted import printable, printable_json

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

    from chronotope.views.tables import Table

# What tells rich that stderr is a terminal although it is none.
TERMINAL_ANYWAY = ("FORCE_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE")
# What a command's answer is printed as; the commands themselves need not know.
_form: ContextVar[str] = ContextVar("form", default="table")
# Whether the model that the command answers from knows how often its words occur.
_counted: ContextVar[bool] = ContextVar("counted", default=True)


def talk(message: str, *values: object) -> None:
    """Say something on stderr; `values` fill the braces and are never read as markup."""
    from rich.markup import escape

    from chronotope.cli.terminal import stderr

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
        from chronotope.cli.terminal import stdout

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


class Bars:
    """A progress bar for each stage that is reported; the library calls it with (stage, done, total)."""

    def __init__(self, ending: ExitStack) -> None:
        self._ending = ending
        self._tasks: dict[str, TaskID] = {}

    @cached_property
    def _progress(self) -> Progress:
        """Shown from the first report on, up to the end."""
        from chronotope.cli.terminal import progress

        return self._ending.enter_context(progress())

    @cached_property
    def visible(self) -> bool:
        """Whether anyone sees them; from then on they are there. In a pipe, what shows them need not be loaded."""
        seen = sys.stderr is not None and sys.stderr.isatty()
        if not seen and not any(name in os.environ for name in TERMINAL_ANYWAY):
            return False
        return not self._progress.disable

    def __call__(self, stage: str, done: int, total: int | None = None, note: str = "") -> None:
        """Show how far a stage is."""
        if not self.visible:
            return
        if stage not in self._tasks:
            # A stage without an end was only waited for: it is over when the next begins.
            for task in self._progress.tasks:
                if task.total is None:
                    self._progress.remove_task(task.id)
                    self._tasks = {name: number for name, number in self._tasks.items() if number != task.id}
            self._tasks[stage] = self._progress.add_task(stage, total=total, note=note)
        self._progress.update(self._tasks[stage], completed=done, total=total, note=note)


@contextmanager
def progress_bars() -> Iterator[Bars]:
    """Progress bars on stderr with the time left; nothing where stderr is no terminal."""
    with ExitStack() as ending:
        yield Bars(ending)
