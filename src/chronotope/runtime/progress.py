"""A callback that shows progress in a notebook or in a terminal; the library itself never prints."""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass, field
from html import escape
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console

SECONDS_BETWEEN = 0.1  # since every update of a notebook goes to the browser
TRAINING = "training"


@dataclass
class Stage:
    """The state of one stage of the work; `total` None: unknown."""

    name: str
    done: float = 0
    total: float | None = None
    note: str = ""
    began: float = field(default_factory=time.monotonic)

    @property
    def finished(self) -> bool:
        """Whether the stage is complete."""
        return self.total is not None and self.done >= self.total

    def html(self) -> str:
        """Return the stage as a progress bar."""
        value = percent = ""
        if self.total is not None:
            share = 1.0 if self.finished else self.done / self.total
            value, percent = f' value="{share:.3f}"', f"{100 * share:.0f} % · "
        bar = f'<progress max="1"{value} style="width:12em"></progress>'
        seconds = time.monotonic() - self.began
        return f"<div>{bar} {escape(self.name)} {percent}{seconds:.0f} s {escape(self.note)}</div>"


class ShownProgress:
    """The callback that `show_progress` returns; with `display` None it shows nothing."""

    def __init__(self, display: Any) -> None:
        self.visible = display is not None
        self._display = display
        self._stages: dict[str, Stage] = {}
        self._last = 0.0

    def __call__(self, *report: Any) -> None:
        """Take a report: (stage, done, total, note), (done, total), or an epoch with its loss."""
        if not self.visible:
            return
        if isinstance(report[0], str):
            self._update(*report)
        elif len(report) > 1:
            self._update(TRAINING, *report)
        else:
            epoch = report[0]
            held_out = "" if epoch.held_out is None else f", held-out {epoch.held_out:.4f}"
            self._update(TRAINING, note=f"loss {epoch.loss:.4f}{held_out}")

    def __enter__(self) -> ShownProgress:
        return self

    def __exit__(self, *_: object) -> None:
        if self.visible:
            self._display.close()

    def _update(self, name: str, done: float | None = None, total: float | None = None, note: str = "") -> None:
        if self._display.is_new_cell():
            self._stages.clear()
        if name not in self._stages:
            # A stage of unknown length is over when the next one begins.
            self._stages = {known: stage for known, stage in self._stages.items() if stage.total is not None}
        stage = self._stages.setdefault(name, Stage(name))
        if done is not None:
            if stage.finished and done < stage.done:
                stage.began = time.monotonic()  # the stage begins again
            stage.done, stage.total = done, total
        stage.note = note or stage.note
        now = time.monotonic()
        if stage.finished or now - self._last >= SECONDS_BETWEEN:
            self._last = now
            self._display.show(list(self._stages.values()))


class NotebookDisplay:
    """Bars in HTML below the running cell; they stay there."""

    def __init__(self) -> None:
        self._handle: Any = None
        self._cell: int | None = None

    def is_new_cell(self) -> bool:
        """Return whether another cell runs than at the last call."""
        from IPython import get_ipython

        before, self._cell = self._cell, get_ipython().execution_count
        if before != self._cell:
            self._handle = None
        return before != self._cell

    def show(self, stages: list[Stage]) -> None:
        """Update the bars."""
        from IPython.display import HTML, display

        bars = HTML("".join(stage.html() for stage in stages))  # type: ignore[no-untyped-call]
        if self._handle is None:
            self._handle = display(bars, display_id=True)  # type: ignore[no-untyped-call]
        else:
            self._handle.update(bars)

    def close(self) -> None:
        """Do nothing."""


class TerminalDisplay:
    """Bars with the time left, on stderr or another console; removed when the work is done."""

    def __init__(self, console: Console | None = None) -> None:
        self._console = console
        self._progress: Any = None
        self._tasks: dict[str, Any] = {}

    def is_new_cell(self) -> bool:
        """Return False."""
        return False

    def show(self, stages: list[Stage]) -> None:
        """Update the bars."""
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
        """Remove the bars."""
        if self._progress is not None:
            self._progress.stop()
            self._progress, self._tasks = None, {}


def show_progress() -> ShownProgress:
    """Return a callback that shows progress bars in a notebook or in a terminal, and nothing in a log.

    Pass it as `progress` of `count`, and as `on_step` and `on_epoch` of `fit`.

    Examples
    --------
    >>> with show_progress() as show:
    ...     show("counting", 3, 10)
    """
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    if shell is not None and type(shell).__name__ in ("ZMQInteractiveShell", "Shell"):
        return ShownProgress(NotebookDisplay())
    return ShownProgress(TerminalDisplay() if sys.stderr.isatty() else None)
