"""Tokenized batches: parse and tokenize pieces of the input in threads or on a cluster, and deliver them in order.

On a cluster each file is a task, and the worker writes its batches as Arrow files to a shared folder. Frames, records
and folders of documents are read on this machine and sent to the workers in pieces. Dask pickles the arguments of
tasks, so use a trusted cluster.
"""

import io
import json
import socket
import zipfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from chronotope.corpus.lexicon import count_case, count_unspaced, lower_shouted
from chronotope.corpus.problems import BadRow
from chronotope.corpus.readers.pieces import Piece, Reader, text_hashes
from chronotope.corpus.selection import BatchCounts, Selection
from chronotope.corpus.source import Corpus
from chronotope.corpus.tokenizer import join_own_tokens, split_texts
from chronotope.corpus.tokens import CASE
from chronotope.errors import InputError
from chronotope.io.stores import reading, writing
from chronotope.runtime.cluster import Pool, once
from chronotope.runtime.resources import Resources, in_order

# Memory for one piece of 4 MB while it is parsed and tokenized.
PIECE_BYTES = 40_000_000


class TokenizedBatch(NamedTuple):
    """Documents with their tokens, before their words are numbered."""

    documents: pl.DataFrame  # the columns of `Selection.documents`, length in tokens and text_hash
    code: NDArray[np.int32]  # (T,) the number of the form of each token
    forms: pl.Series  # (F,) the distinct forms
    case: NDArray[np.int64]  # (3, F) from `count_case`
    tokenizer: str  # words, whitespace or tokens
    counts: BatchCounts
    bad: list[BadRow]
    matched: tuple[int, ...]  # the rows of the metadata that belong to these documents


def read_ahead(
    corpus: Corpus, selection: Selection, resources: Resources
) -> Iterator[tuple[list[TokenizedBatch], int]]:
    """Yield the batches of each piece in order, with the bytes read so far; threads work ahead."""
    workers = resources.threads
    room = resources.memory.room_for(2 * PIECE_BYTES, "reading")
    if resources.memory.limit is not None:
        # One piece is waiting, one is being numbered.
        workers = max(1, min(workers, room // PIECE_BYTES - 2))
    if corpus.tokenizer:
        workers = 1  # a user's tokenizer need not be thread-safe

    def tokenize(piece: Piece) -> tuple[list[TokenizedBatch], int]:
        return tokenize_piece(piece, corpus, selection), piece.done

    pieces = (
        piece._replace(done=before + piece.done)
        for _, reader, first, before in _inputs(corpus)
        for piece in reader.pieces(selection.fields, first)
    )
    with ThreadPoolExecutor(workers) as pool:
        yield from in_order(pool, tokenize, pieces, ahead=workers)


def _inputs(corpus: Corpus) -> Iterator[tuple[int, Reader, int, int]]:
    """Yield (number, reader, number of its first file, bytes before it) for each input that has rows."""
    first = before = 0
    for number, reader in enumerate(corpus.readers):
        if number not in corpus.empty:
            yield number, reader, first, before
        first += len(reader.names)
        before += reader.size


def tokenize_piece(piece: Piece, corpus: Corpus, selection: Selection) -> list[TokenizedBatch]:
    """Parse a piece, select its documents and tokenize them."""
    settings, batches = corpus.settings, []
    for batch in piece.parse():
        documents, counts, bad = selection.documents(batch)
        text, tokenizer = documents["text"], "tokens" if batch.tokenized else settings.tokenizer
        documents = documents.with_columns(text_hash=text_hashes(text))
        if corpus.tokenizer and not batch.tokenized:
            text, tokenizer = join_own_tokens(text, corpus.tokenizer), "tokens"
        tokens = split_texts(text, "emoji" if settings.emoji and tokenizer == "words" else tokenizer)
        documents = documents.with_columns(length=tokens.length, text=text if settings.keep_text else pl.lit(""))
        if tokenizer == "words":
            counts = BatchCounts(*counts[:3], *count_unspaced(tokens))
        case = count_case(tokens)
        if settings.lowercase == "smart":
            tokens, case = lower_shouted(tokens), np.concatenate([case, np.zeros_like(case)], axis=1)
        facts = tokenizer, counts, bad, batch.matched
        batches.append(TokenizedBatch(documents, tokens.code, tokens.forms, case, *facts))
    return batches


def write_batches(batches: list[TokenizedBatch], file: Any) -> None:
    """Write batches as a zip archive of Arrow files and one JSON file."""
    with zipfile.ZipFile(file, "w") as archive:
        for number, batch in enumerate(batches):
            frames = {
                "documents": batch.documents,
                "code": pl.DataFrame({"code": batch.code}),
                "forms": pl.DataFrame([batch.forms.alias("form"), *map(pl.Series, CASE, batch.case)]),
            }
            for name, frame in frames.items():
                with archive.open(f"{number}/{name}.arrow", "w") as part:
                    frame.write_ipc(part)
        archive.writestr("facts.json", json.dumps([batch[4:] for batch in batches]))


def read_batches(data: bytes) -> list[TokenizedBatch]:
    """Read what `write_batches` wrote."""
    batches = []
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        for number, (tokenizer, counts, bad, matched) in enumerate(json.loads(archive.read("facts.json"))):
            documents, code, forms = (
                pl.read_ipc(archive.read(f"{number}/{name}.arrow")) for name in ("documents", "code", "forms")
            )
            rows, case = [BadRow(*row) for row in bad], forms.select(CASE).to_numpy().T
            text = code["code"].to_numpy(), forms["form"], case
            batches.append(TokenizedBatch(documents, *text, tokenizer, BatchCounts(*counts), rows, tuple(matched)))
    return batches


def tokenize_on_workers(
    corpus: Corpus, selection: Selection, resources: Resources
) -> Iterator[tuple[list[TokenizedBatch], int]]:
    """Yield the batches of each piece in order, with the bytes read so far; the workers tokenize them."""
    assert resources.pool is not None
    folder = resources.spill
    light = replace(corpus, readers=(), empty=(), metadata=None, lemmatizer=None)

    def calls() -> Iterator[tuple[Any, ...]]:
        for number, reader, first, before in _inputs(corpus):
            if _is_file(reader):
                yield folder, f"text-{number}", reader, None, first, before, light
            else:
                for place, piece in enumerate(reader.pieces(selection.fields, first)):
                    yield folder, f"text-{number}-{place}", None, piece, first, before, light

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
    metadata = corpus.metadata.fingerprint if corpus.metadata else []
    return [entry for part in entries for entry in part] + metadata


def _is_file(reader: Reader) -> bool:
    return hasattr(reader, "path")


def _fingerprint_task(reader: Any, fields: Any) -> list[dict[str, Any]]:
    _check(reader)
    return list(reader.fingerprint(fields))


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

    return list(once(folder, name, tokenize))


def _check(reader: Any) -> None:
    if isinstance(reader.path, Path) and not reader.path.exists():
        raise InputError(
            f"{reader.path} is not on {socket.gethostname()}, where a worker runs; give an address or a folder that "
            "all machines can read (s3://…)"
        )
