"""Training that survives a kill: its whole state in one file, and signals as requests to stop at a safe point."""

from __future__ import annotations

import hashlib
import json
import signal
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open

from chronotope.embeddings.storage import header_of, write_tensors
from chronotope.errors import DamagedFile, InputError
from chronotope.io.provenance import canonical_json
from chronotope.io.untrusted import read_json

SECONDS_BETWEEN = 30.0
# A large state is written less often: at most a twentieth of the time goes into it.
SHARE_OF_THE_TIME = 0.05


class Checkpoint:
    """Saves the state now and then, and when asked to stop.

    Parameters
    ----------
    path
        The file; None keeps nothing.
    identity
        What the state belongs to (settings, input): a checkpoint of something else is refused.
    clock
        Returns the time in seconds.
    """

    def __init__(
        self, path: str | Path | None, identity: dict[str, Any], clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.path = Path(path) if path else None
        self.identity = identity
        self._clock = clock
        self._saved = clock()
        self._cost = 0.0

    def save(self, tensors: Mapping[str, NDArray[Any]], about: dict[str, Any]) -> None:
        """Write the state, whole or not at all."""
        if self.path is None:
            return
        began = self._clock()
        own = {name: np.ascontiguousarray(tensor) for name, tensor in tensors.items()}
        saved = {"identity": self.identity, "state": about}
        # One entry: of several, the order in the file would be left to chance.
        text = canonical_json(saved | {"checksum": _checksum(saved, own)})
        write_tensors(self.path, header_of(own, text), own)
        self._saved = self._clock()
        self._cost = self._saved - began

    @property
    def due(self) -> bool:
        """Whether the last state that was written is old."""
        passed = self._clock() - self._saved
        return self.path is not None and passed > SECONDS_BETWEEN and passed > self._cost / SHARE_OF_THE_TIME

    def load(
        self, shapes: Mapping[str, tuple[int | None, ...]]
    ) -> tuple[dict[str, NDArray[np.float32]], dict[str, Any]] | None:
        """What was saved, or None where there is nothing; DamagedFile where it is not what was saved.

        Parameters
        ----------
        shapes
            The tensors that may be there, all float32, and their shapes; None stands for any size.
        """
        if self.path is None or not self.path.exists():
            return None
        try:
            with safe_open(self.path, "numpy") as file:
                saved = read_json(file.metadata()["chronotope"].encode())
                tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
            identity, about = saved["identity"], saved["state"]
            if saved["checksum"] != _checksum({"identity": identity, "state": about}, tensors):
                raise ValueError("its checksum does not fit what it holds")
            for name, tensor in tensors.items():
                if tensor.dtype != np.float32 or not _fits(tensor.shape, shapes[name]):
                    raise ValueError(f"'{name}' has not the shape that it should have")
        except (SafetensorError, OSError, KeyError, TypeError, ValueError, AttributeError) as error:
            raise DamagedFile(f"{self.path} cannot be read ({error}); train again without resuming") from None
        if identity != json.loads(canonical_json(self.identity)):
            raise InputError(f"{self.path} belongs to other settings or another run; train again without resuming")
        return tensors, about


def _checksum(saved: dict[str, Any], tensors: Mapping[str, NDArray[Any]]) -> str:
    """The checksum of all that a checkpoint holds."""
    digest = hashlib.blake2b(canonical_json(saved).encode(), digest_size=16)
    for name in sorted(tensors):
        digest.update(name.encode())
        digest.update(tensors[name].reshape(-1).view(np.uint8).data)
    return digest.hexdigest()


def _fits(shape: tuple[int, ...], wanted: tuple[int | None, ...]) -> bool:
    return len(shape) == len(wanted) and all(size in (found, None) for found, size in zip(shape, wanted, strict=True))


@contextmanager
def stop_requests() -> Iterator[threading.Event]:
    """An event that Ctrl-C sets, or a request to end, or a terminal that is closed; a second one acts as usual."""
    asked = threading.Event()
    if threading.current_thread() is not threading.main_thread():
        yield asked
        return
    signals = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]
    before = {number: signal.getsignal(number) for number in signals}
    # One that is ignored stays so: `nohup` wants it.
    before = {number: handler for number, handler in before.items() if handler not in (signal.SIG_IGN, None)}

    def restore() -> None:
        for number, handler in before.items():
            signal.signal(number, handler)

    def ask(*_: object) -> None:
        asked.set()
        restore()

    for number in before:
        signal.signal(number, ask)
    try:
        yield asked
    finally:
        restore()
