"""Models and runs as a stranger would make them: they lie, and every checksum fits."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from chronotope.embeddings import storage
from chronotope.io.provenance import checksum_of, quick_checksum


def forged_model(whole: bytes, lie: Callable[..., Any]) -> bytes:
    """A model with the entries, the description and the body that `lie` makes of its own."""
    size = 8 + int.from_bytes(whole[:8], "little")
    entries, body = json.loads(whole[8:size]), whole[size:]
    described = json.loads(entries["__metadata__"]["chronotope"])
    places = {name: slice(*entries[name]["data_offsets"]) for name in storage.TENSORS}
    entries, described, body = lie(entries, described, body)
    with contextlib.suppress(TypeError, KeyError):
        entries["__metadata__"]["chronotope"] = json.dumps(described)
    text = json.dumps(entries, ensure_ascii=False).encode("utf-8", "surrogatepass")
    header = len(text).to_bytes(8, "little") + text
    tensors = {name: np.frombuffer(body[place], np.uint8) for name, place in places.items()}
    return header + body[: -storage.CHECKSUM_BYTES] + storage.checksum(header, tensors)


def forge_run(run: Path, **changes: Any) -> None:
    """Let all checksums of a run fit what it holds now, and change what it says of itself."""
    about = json.loads((run / "run.json").read_text())
    for name, entry in about["files"].items():
        entry |= {"bytes": (run / name).stat().st_size, "checksum": quick_checksum(run / name)}
    about |= changes
    about["checksum"] = checksum_of({key: value for key, value in about.items() if key != "checksum"})
    (run / "run.json").write_text(json.dumps(about))
