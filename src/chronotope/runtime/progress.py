"""A callback that shows progress in a notebook or in a terminal; the library itself never prints."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from html import escape
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console

Progress = Callable[[str, int, int | None], None]  # stage, done, total

SECONDS_BETWEEN = 0.1  # since every update of a notebook goes to the browser
SECONDS_BETWEEN_LINES = 10.0
TRAINING = "training"


class ShownProgress:
    """Progress bars on a terminal, or with `notebook` below the running cell; nothing without a console.

    A console that is no terminal gets a line per tenth of a stage, at most one in `seconds`.
    """

    def __init__(
        self, console: Console | None = None, *, notebook: bool = False, seconds: float = SECONDS_BETWEEN_LINES
    ) -> None:
        self.visible = notebook or console is not None
        self._console, self._notebook = console, notebook
        self._bars: Any = None
        self._tasks: dict[str, Any] = {}
        self._cell: int | None = None
        self._handle: Any = None
        self._lines = console is not None and not console.is_terminal
        self._seconds, self._printed, self._began = seconds, ("", 0.0), time.monotonic()
        self._last = self._began if self._lines else 0.0

    def __call__(self, *report: Any) -> None:
        """Take a report: (stage, done, total, note), (done, total), or an epoch with its loss."""
        if not self.visible:
            return
        if isinstance(report[0], str):
            self._update(*report)
        elif len(report) > 1:
            self._update(TRAINING, *report)
        elif TRAINING in self._tasks:
            epoch = report[0]
            held_out = "" if epoch.held_out is None else f", held-out {epoch.held_out:.4f}"
            self._update(TRAINING, note=f"loss {epoch.loss:.4f}{held_out}")

    def __enter__(self) -> ShownProgress:
        return self

    def __exit__(self, *_: object) -> None:
        self._close()

    def _update(self, name: str, done: float | None = None, total: float | None = None, note: str = "") -> None:
        if self._notebook:
            self._follow_cell()
        if self._bars is None:
            self._open()
        if name not in self._tasks:
            # A stage of unknown length ends when the next one begins.
            for task in self._bars.tasks:
                if task.total is None:
                    self._bars.remove_task(self._tasks.pop(task.description))
            self._tasks[name] = self._bars.add_task(name, total=None, note="")
        task = next(task for task in self._bars.tasks if task.id == self._tasks[name])
        if task.finished and done is not None and done < task.completed:
            self._bars.reset(task.id)  # the stage begins again
        self._bars.update(task.id, completed=done, total=total, note=note or task.fields["note"])
        if self._lines:
            self._print_line(task)
        if self._notebook:
            self._show_below_cell(task.finished)
        elif self._bars.finished:
            self._close()

    def _open(self) -> None:
        from rich import progress

        note = progress.TextColumn("{task.fields[note]}", markup=False)
        columns = (*progress.Progress.get_default_columns(), note)
        # In a notebook rich would need widgets: there it only keeps the state.
        hidden = self._notebook or self._lines
        self._bars = progress.Progress(*columns, console=self._console, transient=True, disable=hidden)
        self._bars.start()

    def _close(self) -> None:
        if self._bars is not None:
            self._bars.stop()
            self._bars, self._tasks = None, {}

    def _print_line(self, task: Any) -> None:
        now, (name, done) = time.monotonic(), self._printed
        further = name != task.description or task.total is None or task.completed - done >= task.total / 10
        if self._console and further and not task.finished and now - self._last >= self._seconds:
            self._last, self._printed = now, (task.description, task.completed)
            share = "" if task.total is None else f" {task.percentage:.0f} %"
            self._console.print(f"{task.description}{share}, {now - self._began:.0f} s {task.fields['note']}".rstrip())

    def _follow_cell(self) -> None:
        """Start new bars if another cell is running than at the last report."""
        from IPython import get_ipython

        cell = get_ipython().execution_count
        if cell != self._cell:
            self._close()
            self._cell, self._handle = cell, None

    def _show_below_cell(self, at_once: bool) -> None:
        from IPython.display import HTML, display

        now = time.monotonic()
        if not at_once and now - self._last < SECONDS_BETWEEN:
            return
        self._last = now
        bars = HTML("".join(map(_html, self._bars.tasks)))  # type: ignore[no-untyped-call]
        if self._handle is None:
            self._handle = display(bars, display_id=True)  # type: ignore[no-untyped-call]
        else:
            self._handle.update(bars)


def _html(task: Any) -> str:
    """Return a task of rich as a progress bar."""
    value = percent = ""
    if task.total is not None:
        share = 1.0 if task.finished else task.percentage / 100
        value, percent = f' value="{share:.3f}"', f"{100 * share:.0f} % · "
    bar = f'<progress max="1"{value} style="width:12em"></progress>'
    return f"<div>{bar} {escape(task.description)} {percent}{task.elapsed:.0f} s {escape(task.fields['note'])}</div>"


def show_progress() -> ShownProgress:
    """Return a callback that shows progress bars in a notebook or in a terminal, and nothing elsewhere.

    Pass it as `progress` of `count`, and as `on_step` and `on_epoch` of `fit`.

    Examples
    --------
    >>> with show_progress() as show:
    ...     show("counting", 3, 10)
    """
    from rich.console import Console

    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    if shell is not None and type(shell).__name__ in ("ZMQInteractiveShell", "Shell"):
        return ShownProgress(notebook=True)
    return ShownProgress(Console(stderr=True) if sys.stderr.isatty() else None)
