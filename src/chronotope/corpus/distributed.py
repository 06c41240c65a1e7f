"""Tokenize on a Dask cluster: workers parse and tokenize files, and leave batches as Arrow files in a shared folder.

A file is a task. Frames, records and folders of plain text are read here and sent out in pieces. Dask pickles the
arguments of tasks, so use a trusted cluster; files on disk are read as data only.
"""

from __future__ import annotations

import socket
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from chronotope.corpus.batches import TokenizedBatch, read_batches, tokenize_piece, write_batches
from chronotope.corpus.readers import Piece, Reader
from chronotope.corpus.selection import Selection
from chronotope.corpus.source import Corpus
from chronotope.errors import InputError
from chronotope.io.stores import reading, writing
from chronotope.runtime.cluster import Pool, once
from chronotope.runtime.resources import Resources


def tokenize_elsewhere(
    corpus: Corpus, selection: Selection, resources: Resources
) -> Iterator[tuple[list[TokenizedBatch], int]]:
    """Yield the batches of each piece in order, tokenized by workers, with the bytes read so far."""
    if resources.pool is None:
        raise ValueError("there are no workers")
    folder = resources.spill
    light = replace(corpus, readers=(), empty=(), metadata=None, lemmatizer=None)

    def calls() -> Iterator[tuple[Any, ...]]:
        first = before = 0
        for number, reader in enumerate(corpus.readers):
            if number not in corpus.empty:
                if _is_file(reader):
                    yield folder, f"text-{number}", reader, None, first, before, light
                else:
                    for place, piece in enumerate(reader.pieces(selection.fields, first)):
                        yield folder, f"text-{number}-{place}", None, piece, first, before, light
            first += len(reader.names)
            before += reader.size

    for parts in resources.pool.in_order(_tokenize_task, calls()):
        for name, done in parts:
            with reading(name) as file:
                yield read_batches(file.read()), done


def fingerprints(corpus: Corpus, pool: Pool | None) -> list[dict[str, Any]]:
    """Return `Corpus.fingerprint`, computed by the workers if there are any."""
    if pool is None:
        return corpus.fingerprint()
    fields = Selection(corpus.settings).fields
    files = pool.in_order(_fingerprint_task, ((reader, fields) for reader in corpus.readers if _is_file(reader)))
    entries = (next(files) if _is_file(reader) else reader.fingerprint(fields) for reader in corpus.readers)
    return [entry for part in entries for entry in part] + corpus.metadata_fingerprint


def _is_file(reader: Reader) -> bool:
    return hasattr(reader, "path")


def _fingerprint_task(reader: Any, fields: Any) -> list[dict[str, Any]]:
    _check(reader)
    found: list[dict[str, Any]] = reader.fingerprint(fields)
    return found


def _tokenize_task(
    folder: str, name: str, reader: Any, piece: Piece | None, first: int, before: int, corpus: Corpus
) -> list[tuple[str, int]]:
    """Tokenize a file or a piece on a worker; return the names of its files with the bytes read after each."""
    selection = Selection(corpus.settings)
    if reader is not None:
        _check(reader)

    def tokenize() -> list[tuple[str, int]]:
        parts = []
        pieces = [piece] if piece is not None else reader.pieces(selection.fields, first)
        for number, each in enumerate(pieces):
            path = f"{folder}/{name}-{number}.zip"
            with writing(path) as file:
                write_batches(tokenize_piece(each, corpus, selection), file)
            parts.append((path, before + each.done))
        return parts

    parts: list[tuple[str, int]] = once(folder, name, tokenize)
    return parts


def _check(reader: Any) -> None:
    if isinstance(reader.path, Path) and not reader.path.exists():
        raise InputError(
            f"{reader.path} is not on {socket.gethostname()}, where a worker runs; give an address or a folder that "
            "all machines can read (s3://…)"
        )
