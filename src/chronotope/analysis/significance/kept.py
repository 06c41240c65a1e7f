"""Scores that took long, in a file beside the run: whoever asks again goes on from them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chronotope.errors import DamagedFile
from chronotope.io.provenance import checksum_of
from chronotope.methods.checkpoint import Checkpoint

Scores = NDArray[np.float32]

# The scores of so many questions stay in a run.
MOST_FILES = 8


class Kept:
    """The finished scores of one question about one model.

    Parameters
    ----------
    identity
        All that the scores depend on, as plain data.
    kinds
        Of what there are scores, such as 'permutations'.
    words
        How many words are scored.
    folder
        Where they are kept; None: nowhere.
    """

    def __init__(self, identity: Mapping[str, Any], kinds: Sequence[str], words: int, folder: Path | None) -> None:
        path = folder / f"drift-{checksum_of(identity)[:16]}.resamples" if folder else None
        self._file = Checkpoint(path, dict(identity))
        self._done = self._loaded(dict.fromkeys(kinds, (None, words)))

    @property
    def due(self) -> bool:
        """Whether it is a while since something was saved."""
        return self._file.due

    def of(self, kind: str, many: int) -> list[Scores]:
        """The first of the finished scores of a kind, `many` at most."""
        return list(self._done.get(kind, ())[:many])

    def save(self, kind: str, done: list[Scores]) -> None:
        """Keep the scores of a kind, where they are more than before."""
        if len(done) <= len(self._done.get(kind, ())):
            return
        self._done[kind] = np.array(done, dtype=np.float32)
        # In one order, whichever kind was finished first: the same answer has the same bytes.
        self._file.save(dict(sorted(self._done.items())), {})
        if self._file.path:
            _thin_out(self._file.path.parent)

    def _loaded(self, shapes: Mapping[str, tuple[int | None, ...]]) -> dict[str, Scores]:
        try:
            found = self._file.load(shapes)
        except DamagedFile:
            raise DamagedFile(f"{self._file.path} cannot be read; delete it, and ask again") from None
        return dict(found[0]) if found else {}


def _thin_out(folder: Path) -> None:
    """Of all questions that were ever asked of a run, keep the scores of the last few."""
    found = sorted(folder.glob("drift-*.resamples"), key=lambda path: path.stat().st_mtime_ns, reverse=True)
    for path in found[MOST_FILES:]:
        path.unlink(missing_ok=True)
