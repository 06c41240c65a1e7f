"""Training that survives a kill: its whole state in one file, and Ctrl-C as a request to stop at a safe point."""

from __future__ import annotations

import json
import signal
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save_file

from chronotope.errors import DamagedFile, InputError
from chronotope.provenance import canonical_json, written_whole

SECONDS_BETWEEN = 30.0


class Checkpoint:
    """Saves the state now and then, and when asked to stop.

    Parameters
    ----------
    path
        The file; None keeps nothing.
    identity
        What the state belongs to (settings, input): a checkpoint of something else is refused.
    """

    def __init__(self, path: str | Path | None, identity: dict[str, Any]) -> None:
        self.path = Path(path) if path else None
        self.identity = identity
        self._saved = time.monotonic()

    def save(self, tensors: Mapping[str, NDArray[Any]], about: dict[str, Any]) -> None:
        """Write the state, whole or not at all."""
        if self.path is None:
            return
        with written_whole(self.path) as temporary:
            text = canonical_json({"identity": self.identity, "state": about})
            save_file(dict(tensors), temporary, {"chronotope": text})
        self._saved = time.monotonic()

    @property
    def due(self) -> bool:
        """Whether the last state that was written is old."""
        return self.path is not None and time.monotonic() - self._saved > SECONDS_BETWEEN

    def load(self) -> tuple[dict[str, NDArray[Any]], dict[str, Any]] | None:
        """What was saved, or None where there is nothing."""
        if self.path is None or not self.path.exists():
            return None
        try:
            with safe_open(self.path, "numpy") as file:
                saved = json.loads(file.metadata()["chronotope"])
                tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
            identity, about = saved["identity"], saved["state"]
        except (SafetensorError, OSError, KeyError, TypeError, ValueError) as error:
            raise DamagedFile(f"{self.path} cannot be read ({error}); train again without resuming") from None
        if identity != json.loads(canonical_json(self.identity)):
            raise InputError(f"{self.path} belongs to other settings or another run; train again without resuming")
        return tensors, about


@contextmanager
def stop_requests() -> Iterator[threading.Event]:
    """An event that Ctrl-C sets, once; a second Ctrl-C interrupts at once as usual."""
    asked = threading.Event()
    if threading.current_thread() is not threading.main_thread():
        yield asked
        return
    before = signal.getsignal(signal.SIGINT)

    def ask(*_: object) -> None:
        asked.set()
        signal.signal(signal.SIGINT, before)

    signal.signal(signal.SIGINT, ask)
    try:
        yield asked
    finally:
        signal.signal(signal.SIGINT, before)
