"""Tokenized batches: pieces of the input are parsed and tokenized in threads and delivered in order."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from chronotope.corpus.lexicon import Unspaced, count_case, count_unspaced, lower_shouted
from chronotope.corpus.problems import BadRow
from chronotope.corpus.readers import Piece
from chronotope.corpus.readers.pieces import text_hashes
from chronotope.corpus.selection import RowCounts, Selection
from chronotope.corpus.source import Corpus
from chronotope.corpus.tokenizer import join_own_tokens, split_texts
from chronotope.corpus.tokens import CASE
from chronotope.runtime.resources import Resources, in_order

# Memory for one piece of 4 MB while it is parsed and tokenized.
PIECE_BYTES = 40_000_000


class TokenizedBatch(NamedTuple):
    """Documents with their tokens, before their words are numbered."""

    documents: pl.DataFrame  # source, line, length in tokens, text_hash; with the axes time, date and place
    fields: pl.DataFrame  # the fields to keep; without columns if there are none
    text: pl.Series  # empty if the text is not kept
    code: NDArray[np.int32]  # (T,) the number of the form of each token
    forms: pl.Series  # (F,) the distinct forms
    case: NDArray[np.int64]  # (3, F) from `count_case`
    tokenizer: str  # words, whitespace or tokens
    rows: RowCounts
    unspaced: Unspaced


def read_ahead(
    corpus: Corpus, selection: Selection, resources: Resources
) -> Iterator[tuple[list[TokenizedBatch], int]]:
    """Yield the batches of each piece in order, with the bytes read so far; threads work ahead."""
    workers = resources.threads
    pieces = resources.memory.room_for(2 * PIECE_BYTES, "reading") // PIECE_BYTES
    if resources.memory.limit is not None:
        # One piece is waiting, one is being numbered.
        workers = max(1, min(workers, pieces - 2))
    if corpus.tokenizer:
        workers = 1  # a user's tokenizer need not be thread-safe

    def tokenize(item: tuple[Piece, int]) -> tuple[list[TokenizedBatch], int]:
        piece, done = item
        return tokenize_piece(piece, corpus, selection), done

    with ThreadPoolExecutor(workers) as pool:
        yield from in_order(pool, tokenize, _pieces(corpus, selection), ahead=workers)


def _pieces(corpus: Corpus, selection: Selection) -> Iterator[tuple[Piece, int]]:
    """Yield all pieces of all inputs, with the bytes read after each."""
    first, before = 0, 0
    for number, reader in enumerate(corpus.readers):
        if number not in corpus.empty:
            for piece in reader.pieces(selection.fields, first):
                yield piece, before + piece.done
        first += len(reader.names)
        before += reader.size


def tokenize_piece(piece: Piece, corpus: Corpus, selection: Selection) -> list[TokenizedBatch]:
    """Parse a piece, select its documents and tokenize them."""
    settings, batches = corpus.settings, []
    for batch in piece.parse():
        table, text, fields, rows = selection.documents(batch)
        hashes, tokenizer = text_hashes(text), "tokens" if batch.tokenized else settings.tokenizer
        if corpus.tokenizer and not batch.tokenized:
            text, tokenizer = join_own_tokens(text, corpus.tokenizer), "tokens"
        tokens = split_texts(text, "emoji" if settings.emoji and tokenizer == "words" else tokenizer)
        table = table.with_columns(length=tokens.length, text_hash=hashes)
        unspaced = count_unspaced(tokens) if tokenizer == "words" else Unspaced()
        text = text if settings.keep_text else text.clear()
        case = count_case(tokens)
        if settings.lowercase == "smart":
            tokens, case = lower_shouted(tokens), np.concatenate([case, np.zeros_like(case)], axis=1)
        found = tokens.code, tokens.forms, case
        batches.append(TokenizedBatch(table, fields, text, *found, tokenizer, rows, unspaced))
    return batches


def write_batches(batches: list[TokenizedBatch], file: Any) -> None:
    """Write batches as a zip archive of Arrow files and one JSON file."""
    with zipfile.ZipFile(file, "w") as archive:
        for number, batch in enumerate(batches):
            frames = {
                "documents": batch.documents,
                "fields": batch.fields,
                "text": batch.text.to_frame("text"),
                "code": pl.DataFrame({"code": batch.code}),
                "forms": pl.DataFrame([batch.forms.alias("form"), *map(pl.Series, CASE, batch.case)]),
            }
            for name, frame in frames.items():
                buffer = io.BytesIO()
                frame.write_ipc(buffer)
                archive.writestr(f"{number}/{name}.arrow", buffer.getvalue())
        facts = [(batch.tokenizer, batch.rows, batch.unspaced) for batch in batches]
        archive.writestr("facts.json", json.dumps(facts))


def read_batches(data: bytes) -> list[TokenizedBatch]:
    """Read what `write_batches` wrote."""
    batches = []
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        for number, (tokenizer, counts, unspaced) in enumerate(json.loads(archive.read("facts.json"))):
            read, left_out, outside, bad, matched = counts
            documents, fields, text, code, forms = (
                pl.read_ipc(io.BytesIO(archive.read(f"{number}/{name}.arrow")))
                for name in ("documents", "fields", "text", "code", "forms")
            )
            case = forms.select(CASE).to_numpy().T
            columns = text["text"], code["code"].to_numpy(), forms["form"], case
            rows = RowCounts(read, left_out, outside, [BadRow(*row) for row in bad], tuple(matched))
            batches.append(TokenizedBatch(documents, fields, *columns, tokenizer, rows, Unspaced(*unspaced)))
    return batches
