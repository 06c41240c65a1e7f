"""Watches that nothing gets its final name before its bytes are on the disk, nor has it only in memory."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any


class Disk:
    """What a power cut would have cost in the folders below `root`.

    Attributes
    ----------
    renamed
        The names that were given.
    faults
        Names that were given to files whose bytes were not on the disk.
    only_in_memory
        Folders whose newest names are not on the disk.
    """

    def __init__(self, root: Path) -> None:
        self._root = root
        self._synced: dict[tuple[int, int], int] = {}
        self.renamed: list[str] = []
        self.faults: list[str] = []
        self.only_in_memory: set[Path] = set()

    @contextlib.contextmanager
    def watched(self) -> Iterator[None]:
        """Within the block renames to names that do not begin with a dot are checked."""
        fsync, replace = os.fsync, os.replace

        def synced(handle: int) -> None:
            fsync(handle)
            found = os.fstat(handle)
            self._synced[found.st_dev, found.st_ino] = found.st_size
            self.only_in_memory = {
                folder for folder in self.only_in_memory if not os.path.samestat(os.stat(folder), found)
            }

        def replaced(source: Any, target: Any, **named: Any) -> None:
            source, target = Path(source), Path(target)
            final = target.is_relative_to(self._root) and not target.name.startswith(".")
            final = final and not any(part.endswith(".partial") for part in target.parts)
            for path in [source, *source.rglob("*")] if final else []:
                found = path.stat()
                # A folder may be changed by what is renamed into it: that is forced to the disk in its own turn.
                if self._synced.get((found.st_dev, found.st_ino)) != found.st_size:
                    self.faults.append(f"{path.name} was not on the disk when it became {target}")
            replace(source, target, **named)
            if final:
                self.renamed.append(target.name)
                self.only_in_memory.add(target.parent.resolve())

        os.fsync, os.replace = synced, replaced  # type: ignore[assignment]
        try:
            yield
        finally:
            os.fsync, os.replace = fsync, replace
