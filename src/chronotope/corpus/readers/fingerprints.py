"""What tells one input from another: the name, the size and a checksum of what is read."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from chronotope.corpus.readers.pieces import Batch, Fields, Piece
from chronotope.corpus.readers.remote import RemotePath
from chronotope.io.provenance import checksum_of
from chronotope.io.streaming import checksum_of_file

Fingerprint = dict[str, Any]


def file_fingerprint(path: Path | RemotePath, name: str | None = None) -> Fingerprint:
    """The name (the base name unless told), bytes and checksum of a file."""
    digest = path.checksum() if isinstance(path, RemotePath) else checksum_of_file(path)
    return {"name": name or path.name, "bytes": path.stat().st_size, "checksum": digest}


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
