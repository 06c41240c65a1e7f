"""A callback that shows progress, in a notebook or in a terminal; the library itself never prints."""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass, field
from html import escape
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console

# Every update of a notebook goes to the browser.
SECONDS_BETWEEN = 0.1
TRAINING = "training"


@dataclass
class Stage:
    """How far one stage of the work is."""

    name: str
    done: float = 0
    total: float | None = None
    note: str = ""
    began: float = field(default_factory=time.monotonic)

    @property
    def finished(self) -> bool:
        """Whether nothing is left of it."""
        return self.total is not None and self.done >= self.total

    def html(self) -> str:
        """Return the stage as a bar.

        Examples
        --------
        >>> "50 %" in Stage("counting", 5, 10).html()
        True
        """
        share = None if self.total is None else min(self.done / self.total, 1) if self.total else 1.0
        value, percent = ("", "") if share is None else (f' value="{share:.3f}"', f"{100 * share:.0f} % · ")
        seconds = time.monotonic() - self.began
        bar = f'<progress max="1"{value} style="width:12em"></progress>'
        return f"<div>{bar} {escape(self.name)} {percent}{seconds:.0f} s {escape(self.note)}</div>"


class ShownProgress:
    """What `show_progress` returns: a callback for everything that reports progress; `display` None shows nothing."""

    def __init__(self, display: Any) -> None:
        self.visible = display is not None
        self._display = display
        self._stages: dict[str, Stage] = {}
        self._last = 0.0

    def __call__(self, *report: Any, note: str = "") -> None:
        """Take a report: (stage, done, total), (done, total), or an epoch with its loss."""
        if not self.visible:
            return
        if len(report) == 1:
            epoch = report[0]
            held_out = "" if epoch.held_out is None else f", held-out {epoch.held_out:.4f}"
            self._take(TRAINING, None, None, f"loss {epoch.loss:.4f}{held_out}")
        else:
            name, done, total, *rest = (*report, None) if isinstance(report[0], str) else (TRAINING, *report)
            self._take(name, done, total, note or rest[0] or "" if rest else note)

    def __enter__(self) -> ShownProgress:
        return self

    def __exit__(self, *reason: object) -> None:
        if self.visible:
            self._display.close()

    def _take(self, name: str, done: float | None, total: float | None, note: str) -> None:
        if self._display.moved():
            self._stages.clear()
        if name not in self._stages:
            # A stage without an end was only waited for: it is over when the next begins.
            self._stages = {known: stage for known, stage in self._stages.items() if stage.total is not None}
        stage = self._stages.setdefault(name, Stage(name))
        if stage.finished and done is not None and done < stage.done:
            stage.began = time.monotonic()  # the same stage of another piece of work
        if done is not None:
            stage.done, stage.total = done, total
        stage.note = note or stage.note
        now = time.monotonic()
        if stage.finished or now - self._last >= SECONDS_BETWEEN:
            self._last = now
            self._display.show(list(self._stages.values()))


class NotebookDisplay:
    """Bars below the cell that runs, in HTML; no widgets are needed."""

    def __init__(self) -> None:
        self._handle: Any = None
        self._cell: int | None = None

    def moved(self) -> bool:
        """Return whether another cell runs than before."""
        from IPython import get_ipython

        before, self._cell = self._cell, get_ipython().execution_count
        if before in (None, self._cell):
            return False
        self._handle = None
        return True

    def show(self, stages: list[Stage]) -> None:
        """Show how far the stages are."""
        from IPython.display import HTML, display

        shown = HTML("".join(stage.html() for stage in stages))  # type: ignore[no-untyped-call]
        if self._handle is None:
            self._handle = display(shown, display_id=True)  # type: ignore[no-untyped-call]
        else:
            self._handle.update(shown)

    def close(self) -> None:
        """Leave the bars where they are."""


class TerminalDisplay:
    """Bars with the time left, on stderr or another console; gone when the work is done."""

    def __init__(self, console: Console | None = None) -> None:
        self._console = console
        self._progress: Any = None
        self._tasks: dict[str, Any] = {}

    def moved(self) -> bool:
        """Return False: there is one terminal."""
        return False

    def show(self, stages: list[Stage]) -> None:
        """Show how far the stages are."""
        from rich.console import Console
        from rich.progress import Progress, TextColumn

        if self._progress is None:
            columns = (*Progress.get_default_columns(), TextColumn("{task.fields[note]}"))
            self._progress = Progress(*columns, console=self._console or Console(stderr=True), transient=True)
            self._progress.start()
        for gone in self._tasks.keys() - {stage.name for stage in stages}:
            self._progress.remove_task(self._tasks.pop(gone))
        for stage in stages:
            if stage.name not in self._tasks:
                self._tasks[stage.name] = self._progress.add_task(stage.name, note="")
            self._progress.update(self._tasks[stage.name], completed=stage.done, total=stage.total, note=stage.note)
        if all(stage.finished for stage in stages):
            self.close()

    def close(self) -> None:
        """End the display."""
        if self._progress is not None:
            self._progress.stop()
            self._progress, self._tasks = None, {}


def show_progress() -> ShownProgress:
    """Return a callback that shows progress: bars in a notebook, bars in a terminal, nothing in a log.

    Give it wherever progress is reported: as `progress` of `count`, as `on_step` and as `on_epoch` of `fit`.

    Examples
    --------
    >>> show = show_progress()
    >>> show("counting", 3, 10)
    >>> with show_progress() as show:
    ...     show(1, 40)
    """
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    if shell is not None and type(shell).__name__ in ("ZMQInteractiveShell", "Shell"):
        return ShownProgress(NotebookDisplay())
    return ShownProgress(TerminalDisplay() if sys.stderr.isatty() else None)
