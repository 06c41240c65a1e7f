"""Reading on a cluster: workers parse and tokenize, and leave what they make in a store, to be taken in order.

A file is a task; a frame, records and plain text files are read here and handed out in pieces. What is handed to and
fro is pickled, as everything is on a Dask cluster: use one that you trust.
"""

from __future__ import annotations

import pickle
import socket
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl

from chronotope.corpus.preparing import Prepared, prepare
from chronotope.corpus.readers import Piece, Reader
from chronotope.corpus.selection import Selection
from chronotope.corpus.source import Corpus
from chronotope.errors import InputError
from chronotope.io.stores import reading, writing
from chronotope.runtime.cluster import Pool, once


def prepare_elsewhere(
    corpus: Corpus, selection: Selection, pool: Pool, folder: str
) -> Iterator[tuple[list[Prepared], int]]:
    """The documents of each piece in order, prepared by workers, with the bytes that are done.

    Parameters
    ----------
    folder
        Where the workers leave what they make: a folder or an address that all machines can use.
    """
    light = replace(corpus, readers=(), empty=())

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

    for parts in pool.in_order(_prepare_task, calls()):
        for name, done in parts:
            with reading(name) as file:
                yield pickle.loads(file.read()), done


def fingerprints(corpus: Corpus, pool: Pool | None) -> list[dict[str, Any]]:
    """What `Corpus.fingerprint` says, found out by the workers where there are any."""
    if pool is None:
        return corpus.fingerprint()
    fields = Selection(corpus.settings).fields
    files = pool.in_order(_fingerprint_task, ((reader, fields) for reader in corpus.readers if _is_file(reader)))
    return [
        entry
        for reader in corpus.readers
        for entry in (next(files) if _is_file(reader) else reader.fingerprint(fields))
    ]


def _is_file(reader: Reader) -> bool:
    return hasattr(reader, "path")


def _fingerprint_task(reader: Any, fields: Any) -> list[dict[str, Any]]:
    _check(reader)
    found: list[dict[str, Any]] = reader.fingerprint(fields)
    return found


def _prepare_task(
    folder: str, name: str, reader: Any, piece: Piece | None, first: int, before: int, corpus: Corpus
) -> list[tuple[str, int]]:
    """Prepare a file or a piece on a worker; the names of what is left in the folder, with the bytes that are done."""
    selection = Selection(corpus.settings)
    if reader is not None:
        _check(reader)

    def made() -> list[tuple[str, int]]:
        parts = []
        pieces = [piece] if piece is not None else reader.pieces(selection.fields, first)
        for number, each in enumerate(pieces):
            path = f"{folder}/{name}-{number}.part"
            with writing(path) as file:
                pickle.dump([_lighter(found) for found in prepare(each, corpus, selection)], file, protocol=5)
            parts.append((path, before + each.done))
        return parts

    found: list[tuple[str, int]] = once(folder, name, made)
    return found


def _check(reader: Any) -> None:
    if isinstance(reader.path, Path) and not reader.path.exists():
        raise InputError(
            f"{reader.path} is not on {socket.gethostname()}, where a worker runs; give an address or a folder that "
            "all machines can read (s3://…)"
        )


def _lighter(prepared: Prepared) -> Prepared:
    """Without the text itself: what is kept of it is packed already."""
    none = pl.Series([], dtype=pl.String)
    packed = prepared.packed._replace(texts=none) if prepared.packed else None
    return prepared._replace(documents=prepared.documents._replace(text=none), packed=packed)
