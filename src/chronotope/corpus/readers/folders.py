"""Plain text files: each file is a document, and its name and folder say when and where it was written.

The fields of a document are

- `text`: what the file holds;
- `name`: the name of the file without its endings;
- `folder`: the name of the folder that it lies in;
- `date`: the first date (1998-03-12, 1998-03, 19980312 or 1998) in the name, or else in the folder's name;
- `path`: its path below the folder that was given.

So `time="date"`, `place="folder"` or `place="name"` name them like the columns of a table. A file of more than
16 MB is cut at line ends into documents of that size.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from chronotope.corpus.problems import ENCODING, BadRow
from chronotope.corpus.readers.fingerprints import Fingerprint, file_fingerprint
from chronotope.corpus.readers.pieces import Batch, Fields, Piece, batches_of_rows
from chronotope.corpus.readers.streams import Block, read_blocks

FIELDS = ("text", "name", "folder", "date", "path")
EMPTY = "empty file"
# A document of more bytes is cut: at the end of a block, so that it is a multiple of what these hold.
MOST_BYTES = 16 << 20

_DATE = re.compile(r"(?<!\d)(\d{4})(?:([-_.]?)(\d{2})(?:\2(\d{2}))?)?(?!\d)")


@dataclass(frozen=True)
class TextFiles:
    """Plain text files, each a document.

    Attributes
    ----------
    paths
        The files.
    root
        The folder that was given.
    """

    paths: tuple[Path, ...]
    root: Path

    @property
    def names(self) -> list[str]:
        """The name of each file."""
        return [path.name for path in self.paths]

    @property
    def size(self) -> int:
        """The bytes on disk."""
        return sum(path.stat().st_size for path in self.paths)

    def columns(self) -> list[str] | None:
        """The fields that every text file has."""
        return list(FIELDS)

    def fingerprint(self, fields: Fields) -> list[Fingerprint]:  # noqa: ARG002
        """The path of each file from the folder that was given on, which is data here, with its bytes and checksum."""
        root = name_of(self.root)
        return [file_fingerprint(path, f"{root}/{self._below(path)}") for path in self.paths]

    def pieces(self, fields: Fields, first: int) -> Iterator[Piece]:
        """Groups of files, of about the same size."""
        group: list[tuple[int, Path, Block]] = []
        size, done = 0, 0
        for source, path in enumerate(self.paths, first):
            blocks = 0
            for block in _documents(path):
                group.append((source, path, block))
                size += len(block.signs)
                blocks += 1
                if size >= MOST_BYTES:
                    yield Piece(partial(self._parse, group, fields), done + block.done)
                    group, size = [], 0
            if not blocks:
                group.append((source, path, Block(np.empty(0, np.uint8), 1, 0, 0)))
            done += path.stat().st_size
        if group:
            yield Piece(partial(self._parse, group, fields), done)

    def _parse(self, group: list[tuple[int, Path, Block]], fields: Fields) -> list[Batch]:
        rows, sources, bad = [], [], []
        for source, path, block in group:
            data = block.data
            if not data.strip():
                bad.append(BadRow(EMPTY, source, 0))
                continue
            try:
                text = data.decode("utf-8")
            except UnicodeDecodeError as error:
                bad.append(BadRow(ENCODING, source, block.line + data.count(b"\n", 0, error.start)))
                continue
            rows.append((block.line, {"text": text, **self._about(path)}))
            sources.append(source)
        batches = batches_of_rows(rows, fields, 0, bad)
        return [batch._replace(source=np.array(sources, np.int32)) for batch in batches]

    def _about(self, path: Path) -> dict[str, str | None]:
        """All the fields of a file but its text."""
        name = stem(path)
        folder = name_of(path.parent)
        return {
            "name": name,
            "folder": folder,
            "date": date_in(name) or date_in(folder),
            "path": self._below(path),
        }

    def _below(self, path: Path) -> str:
        """The path of a file below the folder that was given."""
        return path.relative_to(self.root).as_posix() if path.is_relative_to(self.root) else path.name


def _documents(path: Path) -> Iterator[Block]:
    """A file as one document, or cut at the last line ends before every so many bytes."""
    held: list[Block] = []
    size = 0
    for block in read_blocks(path):
        # Up to the last of its bytes it belongs to the same document.
        if held and (size + len(block.signs) - 1) // MOST_BYTES > (size - 1) // MOST_BYTES:
            yield _joined(held)
            held = []
        held.append(block)
        size += len(block.signs)
    if held:
        yield _joined(held)


def _joined(blocks: list[Block]) -> Block:
    """Blocks that follow each other as one."""
    if len(blocks) == 1:
        return blocks[0]
    signs = np.concatenate([block.signs for block in blocks])
    return Block(signs, blocks[0].line, sum(block.lines for block in blocks), blocks[-1].done)


def name_of(folder: Path) -> str:
    """The name of a folder, also where it was given as `.` or `..`."""
    return Path(os.path.abspath(folder)).name


def stem(path: Path) -> str:
    """The name of a text file without `.txt`, `.txt.gz` and the like."""
    return re.sub(r"\.txt(\.gz|\.zst)?$", "", path.name, flags=re.IGNORECASE)


def date_in(name: str) -> str | None:
    """The first date in a name, in ISO form.

    Examples
    --------
    >>> date_in("speech_1998-03-12_final"), date_in("19980312"), date_in("v2-1998_03"), date_in("no date 12")
    ('1998-03-12', '1998-03-12', '1998-03', None)
    """
    match = _DATE.search(name)
    if not match:
        return None
    if match[2] == "" and match[3] and not match[4]:  # six digits in a row are no year and month
        return None
    return "-".join(part for part in (match[1], match[3], match[4]) if part)
