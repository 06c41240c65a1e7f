"""Plain text files: each file is a document; its name and folder may hold its date and place.

The fields of a document are its `text`, the `name` of the file without extension, the name of its `folder`, its `path`
below the user's folder, and the first `date` (1998-03-12, 1998-03, 19980312 or 1998) in the name of the file,
or else of the folder. A file of more than 16 MB is cut at line ends into documents of at most that size.
"""

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from chronotope.corpus.problems import EMPTY_FILE, ENCODING, NO_DATE, BadRow
from chronotope.corpus.readers.pieces import Batch, Fields, Fingerprint, Piece, file_fingerprint, remarks
from chronotope.io.streaming import Block, read_blocks

FIELDS = ("text", "name", "folder", "date", "path")

# A year with optional month and day; not a number beside an x, as in 1024x768.
_MONTH, _DAY = "(0[1-9]|1[0-2])", "(0[1-9]|[12][0-9]|3[01])"
_DATE = re.compile(rf"(?<!\d)(?<!\d[xX×])(\d{{4}})(?:([-_.]?){_MONTH}(?:\2{_DAY})?)?(?!\d)(?![xX×]\d)")


@dataclass(frozen=True)
class TextFiles:
    """Plain text files below the folder `root`; a file of more than `document_bytes` makes several documents."""

    paths: tuple[Path, ...]
    root: Path
    document_bytes: int = 16 << 20

    @property
    def undated(self) -> str:
        """The problem of a document without a date."""
        return NO_DATE

    @property
    def names(self) -> list[str]:
        """The name of each file."""
        return [path.name for path in self.paths]

    @property
    def size(self) -> int:
        """The size on disk, in bytes."""
        return sum(path.stat().st_size for path in self.paths)

    def columns(self) -> list[str] | None:
        """Return the fields that every text file has."""
        return list(FIELDS)

    def fingerprint(self, fields: Fields) -> list[Fingerprint]:  # noqa: ARG002
        """Return the path of each file (including folders, which are data), its bytes and its checksum."""
        root = _base_name(self.root)
        return [file_fingerprint(path, f"{root}/{self._relative(path)}") for path in self.paths]

    def pieces(self, fields: Fields, first: int) -> Iterator[Piece]:
        """Group documents up to about the size of the largest."""
        group: list[tuple[int, Path, Block]] = []
        size, done = 0, 0
        for source, path in enumerate(self.paths, first):
            is_empty = True
            for block in read_blocks(path, self.document_bytes):
                is_empty = False
                group.append((source, path, block))
                size += len(block.data)
                if size >= self.document_bytes:
                    yield Piece(partial(self._parse, group, fields), done + block.done)
                    group, size = [], 0
            if is_empty:
                group.append((source, path, Block(b"", 1, 0, 0)))
            done += path.stat().st_size
        if group:
            yield Piece(partial(self._parse, group, fields), done)

    def _parse(self, group: list[tuple[int, Path, Block]], fields: Fields) -> list[Batch]:
        rows, bad = [], []
        for source, path, block in group:
            bad += remarks(block, source)
            if not block.data.strip():
                bad.append(BadRow(EMPTY_FILE, source, 0))
                continue
            try:
                text = block.data.decode("utf-8")
            except UnicodeDecodeError as error:
                bad.append(BadRow(ENCODING, source, block.line + block.data.count(b"\n", 0, error.start)))
                continue
            rows.append((source, block.line, {"text": text, **self._file_fields(path)}))
        return self._batches(rows, bad, fields)

    def _batches(self, rows: list[tuple[int, int, dict[str, Any]]], bad: list[BadRow], fields: Fields) -> list[Batch]:
        """Make batches of (source, line, record)."""
        sources = np.array([source for source, _, _ in rows], np.int32)
        batches = Batch.of_rows([(line, record) for _, line, record in rows], fields, 0, bad)
        return [batch._replace(source=sources[: len(batch.line)], undated=self.undated) for batch in batches]

    def _file_fields(self, path: Path) -> dict[str, str | None]:
        """Return all fields of a file except its text."""
        name = re.sub(r"\.[A-Za-z]+(\.gz|\.zst)?$", "", path.name, flags=re.IGNORECASE)
        folder = _base_name(path.parent)
        date = date_in(name) or date_in(folder)
        return {"name": name, "folder": folder, "date": date, "path": self._relative(path)}

    def _relative(self, path: Path) -> str:
        """Return the path of a file relative to the user's folder."""
        return path.relative_to(self.root).as_posix() if path.is_relative_to(self.root) else path.name


def _base_name(folder: Path) -> str:
    """Return the name of a folder, also for `.` and `..`."""
    return os.path.basename(os.path.abspath(folder))


def date_in(name: str) -> str | None:
    """Return the first date in a name, in ISO form."""
    match = _DATE.search(name)
    if not match or (match[2] == "" and match[3] and not match[4]):  # six digits are not a year and month
        return None
    return "-".join(part for part in (match[1], match[3], match[4]) if part)
