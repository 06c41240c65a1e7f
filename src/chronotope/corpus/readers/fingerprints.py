"""What tells one input from another: the name, the size and a checksum of what is read."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from chronotope.corpus.readers.pieces import Batch, Fields, Piece
from chronotope.corpus.readers.remote import RemotePath
from chronotope.provenance import checksum, checksum_of

Fingerprint = dict[str, Any]

# A file that was changed less than so many seconds ago may be changed again without a trace in its time.
SETTLED = 2


def file_fingerprint(path: Path | RemotePath, name: str | None = None) -> Fingerprint:
    """The name (the base name unless told), bytes and checksum of a file."""
    about = path.stat()
    if isinstance(path, RemotePath):
        digest = path.checksum()
    elif time.time() - max(about.st_mtime, about.st_ctime) < SETTLED:
        digest = checksum(path)
    else:
        digest = _checksum_as_of(path, about.st_ino, about.st_size, about.st_mtime_ns, about.st_ctime_ns)
    return {"name": name or path.name, "bytes": about.st_size, "checksum": digest}


@lru_cache(maxsize=1 << 10)
def _checksum_as_of(path: Path, *_state: int) -> str:
    """The checksum of a file, taken once as long as its state is the same: before it is read, and after."""
    return checksum(path)


def content_fingerprint(name: str, pieces: Iterable[Piece] | None, fields: Fields) -> Fingerprint:
    """The same for what is no file: the checksum is over the fields that are read; None where it cannot be read twice.

    Examples
    --------
    >>> content_fingerprint("records", None, Fields("text", ("text",)))
    {'name': 'records', 'bytes': None, 'checksum': None}
    """
    return {"name": name, "bytes": None, "checksum": None if pieces is None else _checksum_of_rows(pieces, fields)}


def _checksum_of_rows(pieces: Iterable[Piece], fields: Fields) -> str:
    """A checksum of all values, however the rows are cut into pieces."""
    columns = {name: _ColumnDigest() for name in fields.names}
    tokenized = hashlib.blake2b(digest_size=16)
    for batch in (batch for piece in pieces for batch in piece.parse()):
        tokenized.update(_flags(batch))
        for name, digest in columns.items():
            digest.update(batch.frame[name])
    return checksum_of([tokenized.hexdigest(), {name: digest.digests() for name, digest in columns.items()}])


def _flags(batch: Batch) -> bytes:
    return np.full(len(batch.line), batch.tokenized).tobytes()


class _ColumnDigest:
    """The lengths and the bytes of strings, each as one stream, so that no two columns of strings look alike."""

    def __init__(self) -> None:
        self._lengths, self._bytes = hashlib.blake2b(digest_size=16), hashlib.blake2b(digest_size=16)

    def update(self, values: pl.Series) -> None:
        lengths = values.str.len_bytes().cast(pl.Int64).fill_null(-1)
        self._lengths.update(lengths.to_numpy().astype("<i8", copy=False).tobytes())
        self._bytes.update("".join(values.drop_nulls()).encode("utf-8"))

    def digests(self) -> tuple[str, str]:
        return self._lengths.hexdigest(), self._bytes.hexdigest()
