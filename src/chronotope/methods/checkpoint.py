"""Checkpoints: the state of training in one file, and signals as requests to stop at a safe point."""

import hashlib
import json
import signal
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open

from chronotope.embeddings.storage import header_of, write_tensors
from chronotope.errors import DamagedFileError, InputError
from chronotope.io.provenance import canonical_json
from chronotope.io.untrusted import read_json

SECONDS_BETWEEN = 30.0
# Writing takes at most this share of the time.
TIME_SHARE = 0.05

Shapes = Mapping[str, tuple[int | None, ...]]
State = tuple[dict[str, NDArray[np.float32]], dict[str, Any]]


class Checkpoint:
    """A file for the state of training; nothing is saved if `path` is None.

    A checkpoint of another `identity` (settings and input) is refused.
    """

    def __init__(self, path: str | Path | None, identity: dict[str, Any]) -> None:
        self.path = Path(path) if path else None
        self.identity = identity
        self._pause, self._saved = SECONDS_BETWEEN, time.monotonic()

    @property
    def due(self) -> bool:
        """Whether the last checkpoint is old."""
        return self.path is not None and time.monotonic() - self._saved > self._pause

    def save(self, tensors: Mapping[str, NDArray[Any]], about: dict[str, Any]) -> None:
        """Write the state atomically."""
        if self.path is None:
            return
        began = time.monotonic()
        own = {name: np.ascontiguousarray(tensor) for name, tensor in tensors.items()}
        saved = {"identity": self.identity, "state": about}
        # One metadata entry: the order of several would be arbitrary.
        text = canonical_json(saved | {"checksum": _checksum(saved, own)})
        write_tensors(self.path, header_of(own, text), own)
        self._saved = time.monotonic()
        self._pause = max(self._pause, (self._saved - began) / TIME_SHARE)

    def load(self, shapes: Shapes) -> State | None:
        """Return the tensors and the state, or None if there is no file.

        `shapes` are the expected shapes of the tensors, all float32; None allows any size. Raise DamagedFileError if
        the file is not a complete checkpoint of these shapes, InputError if it is of another training.
        """
        if self.path is None or not self.path.exists():
            return None
        try:
            with safe_open(self.path, "numpy") as file:
                saved = read_json(file.metadata()["chronotope"].encode())
                tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
            identity, about = saved["identity"], saved["state"]
            if saved["checksum"] != _checksum({"identity": identity, "state": about}, tensors):
                raise ValueError("its checksum does not match")
            for name, tensor in tensors.items():
                sizes = zip(tensor.shape, shapes[name], strict=True)
                if tensor.dtype != np.float32 or not all(expected in (size, None) for size, expected in sizes):
                    raise ValueError(f"'{name}' has the wrong shape")
        except (SafetensorError, OSError, KeyError, TypeError, ValueError, AttributeError) as error:
            raise DamagedFileError(f"{self.path} cannot be read ({error}); train again without resuming") from None
        if identity != json.loads(canonical_json(self.identity)):
            raise InputError(f"{self.path} belongs to other settings or another run; train again without resuming")
        return tensors, about


def _checksum(saved: dict[str, Any], tensors: Mapping[str, NDArray[Any]]) -> str:
    digest = hashlib.blake2b(canonical_json(saved).encode(), digest_size=16)
    for name in sorted(tensors):
        digest.update(name.encode())
        digest.update(tensors[name].reshape(-1).view(np.uint8).data)
    return digest.hexdigest()


@contextmanager
def stop_requests() -> Iterator[threading.Event]:
    """Yield an event that Ctrl-C, a termination signal or a closed terminal sets; a second signal acts as usual."""
    stop = threading.Event()
    if threading.current_thread() is not threading.main_thread():
        yield stop
        return
    signals = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]
    # An ignored signal stays ignored: `nohup` wants it.
    before = {number: old for number in signals if (old := signal.getsignal(number)) not in (signal.SIG_IGN, None)}

    def restore() -> None:
        for number, handler in before.items():
            signal.signal(number, handler)

    def request(*_: object) -> None:
        stop.set()
        restore()

    for number in before:
        signal.signal(number, request)
    try:
        yield stop
    finally:
        restore()
