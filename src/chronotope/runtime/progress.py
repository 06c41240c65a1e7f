"""A ready-made callback that shows progress, in a notebook or in a terminal; the library itself never prints."""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass, field
from html import escape
from types import TracebackType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

# A notebook sends every update to the browser: more than this nobody sees.
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
    seconds: float = 0

    @property
    def finished(self) -> bool:
        """Whether nothing is left of it."""
        return self.total is not None and self.done >= self.total


class ShownProgress:
    """What `show_progress` gives: a callback for everything that reports progress."""

    def __init__(self, display: Display) -> None:
        self._display = display
        self._stages: dict[str, Stage] = {}
        self._last = 0.0

    def __call__(self, *report: Any, note: str = "") -> None:
        """Take a report: (stage, done, total), (done, total), or an epoch with its loss."""
        if len(report) == 1:
            epoch = report[0]
            held_out = "" if epoch.held_out is None else f", held-out {epoch.held_out:.4f}"
            note = f"loss {epoch.loss:.4f}{held_out}"
            self._take(TRAINING, None, None, note)
        elif isinstance(report[0], str):
            self._take(report[0], report[1], report[2] if len(report) > 2 else None, note)
        else:
            self._take(TRAINING, report[0], report[1], note)

    def __enter__(self) -> ShownProgress:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._display.close()

    def _take(self, name: str, done: float | None, total: float | None, note: str) -> None:
        if self._display.moved():
            self._stages.clear()
        stage = self._stages.setdefault(name, Stage(name))
        if stage.finished and done is not None and done < stage.done:
            stage.began = time.monotonic()  # the same stage again, of another piece of work
        if done is not None:
            stage.done, stage.total = done, total
        stage.note = note or stage.note
        now = time.monotonic()
        stage.seconds = now - stage.began
        if stage.finished or now - self._last >= SECONDS_BETWEEN:
            self._last = now
            self._display.show(list(self._stages.values()))


class Display:
    """Shows nothing: where nobody looks, as in a log."""

    def moved(self) -> bool:
        """Whether what follows is to be shown at another place, anew."""
        return False

    def show(self, stages: list[Stage]) -> None:
        """Show how far the stages are."""

    def close(self) -> None:
        """End the display."""


class NotebookDisplay(Display):
    """Bars below the cell that runs, in HTML; no widgets are needed."""

    def __init__(self) -> None:
        self._handle: Any = None
        self._cell: int | None = None

    def moved(self) -> bool:
        """Whether another cell runs than before."""
        from IPython import get_ipython

        before, self._cell = self._cell, get_ipython().execution_count
        if before in (None, self._cell):
            return False
        self._handle = None
        return True

    def show(self, stages: list[Stage]) -> None:
        """Show how far the stages are."""
        from IPython.display import HTML, display

        shown = HTML(stages_html(stages))  # type: ignore[no-untyped-call]
        if self._handle is None:
            self._handle = display(shown, display_id=True)  # type: ignore[no-untyped-call]
        else:
            self._handle.update(shown)


class TerminalDisplay(Display):
    """Bars on stderr, gone when the work is done."""

    def __init__(self) -> None:
        self._progress: Progress | None = None
        self._tasks: dict[str, TaskID] = {}

    def show(self, stages: list[Stage]) -> None:
        """Show how far the stages are."""
        if self._progress is None:
            from rich.console import Console
            from rich.progress import Progress

            self._progress = Progress(console=Console(stderr=True), transient=True)
            self._progress.start()
        for stage in stages:
            if stage.name not in self._tasks:
                self._tasks[stage.name] = self._progress.add_task(stage.name)
            described = f"{stage.name}  {stage.note}".rstrip()
            task = self._tasks[stage.name]
            self._progress.update(task, completed=stage.done, total=stage.total, description=described)
        if all(stage.finished for stage in stages):
            self.close()

    def close(self) -> None:
        """End the display."""
        if self._progress is not None:
            self._progress.stop()
            self._progress, self._tasks = None, {}


def show_progress() -> ShownProgress:
    """A callback that shows progress: bars in a notebook, bars in a terminal, nothing in a log.

    It can be given wherever progress is reported: as `progress` of `count`, as `on_step` and as `on_epoch` of `fit`.

    Examples
    --------
    >>> show = show_progress()
    >>> show("counting", 3, 10)
    >>> with show_progress() as show:
    ...     show(1, 40)
    """
    if _in_notebook():
        return ShownProgress(NotebookDisplay())
    return ShownProgress(TerminalDisplay() if sys.stderr.isatty() else Display())


def stages_html(stages: list[Stage]) -> str:
    """The stages as bars.

    Examples
    --------
    >>> "50 %" in stages_html([Stage("counting", 5, 10)])
    True
    """
    lines = []
    for stage in stages:
        share = min(stage.done / stage.total, 1) if stage.total else 1.0 if stage.finished else None
        value = "" if share is None else f' value="{share:.3f}"'
        percent = "" if share is None else f"{share:.0%} · ".replace("%", " %")
        lines.append(
            f'<div><progress max="1"{value} style="width:12em"></progress> {escape(stage.name)} '
            f"{percent}{stage.seconds:.0f} s {escape(stage.note)}</div>"
        )
    return "".join(lines)


def _in_notebook() -> bool:
    """Whether the code runs in a notebook; IPython is there already if it does."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return shell is not None and type(shell).__name__ in ("ZMQInteractiveShell", "Shell")
