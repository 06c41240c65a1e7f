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

from chronotope.config import CorpusSettings
from chronotope.corpus.lexicon import Unspaced, count_unspaced
from chronotope.corpus.problems import BadRow
from chronotope.corpus.readers import Piece
from chronotope.corpus.readers.pieces import text_hashes
from chronotope.corpus.selection import Documents, Selection
from chronotope.corpus.source import Corpus
from chronotope.corpus.tokenizer import join_own_tokens, split_texts
from chronotope.runtime.resources import Resources, in_order

# Memory for one piece of 4 MB while it is parsed and tokenized.
PIECE_BYTES = 40_000_000


class Facts(NamedTuple):
    """Facts about a batch.

    Attributes
    ----------
    tokenizer
        'words', 'whitespace' or 'tokens'.
    rows, left_out, outside
        The rows read, those that the user's filter dropped, and those outside the named bins.
    bad, more_bad
        The first bad rows of each kind, and the number of further ones.
    unspaced
        The tokens in scripts without blanks between words.
    """

    tokenizer: str
    rows: int
    left_out: int
    outside: int
    bad: list[BadRow]
    more_bad: dict[str, int]
    unspaced: Unspaced


class TokenizedBatch(NamedTuple):
    """Documents with their tokens, before their words are numbered.

    Attributes
    ----------
    documents
        source, line, length (in tokens), text_hash; with the axes time, date (as written) and place.
    fields
        The fields to keep, a row a document; without columns if there are none.
    text
        The texts to keep; empty if they are not kept.
    code
        (T,) the number of the form of each token.
    forms
        (F,) the distinct forms.
    facts
        Facts about the batch.
    """

    documents: pl.DataFrame
    fields: pl.DataFrame
    text: pl.Series
    code: NDArray[np.int32]
    forms: pl.Series
    facts: Facts


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
    batches = []
    for batch in piece.parse():
        documents = selection.documents(batch)
        text, tokenizer = documents.text, "tokens" if documents.tokenized else corpus.settings.tokenizer
        if corpus.tokenizer and not documents.tokenized:
            text, tokenizer = join_own_tokens(text, corpus.tokenizer), "tokens"
        tokens = split_texts(text, tokenizer)
        facts = Facts(
            tokenizer=tokenizer,
            rows=len(batch.line) + len(batch.bad),
            left_out=documents.left_out,
            outside=documents.outside,
            bad=documents.bad,
            more_bad=documents.more_bad,
            unspaced=count_unspaced(tokens) if tokenizer == "words" else Unspaced(),
        )
        table = _table(documents, tokens.length, corpus.settings)
        kept_text = text if corpus.settings.keep_text else text.clear()
        batches.append(TokenizedBatch(table, documents.kept, kept_text, tokens.code, tokens.forms, facts))
    return batches


def _table(documents: Documents, length: NDArray[np.int64], settings: CorpusSettings) -> pl.DataFrame:
    columns: dict[str, Any] = {
        "source": documents.source,
        "line": documents.line,
        "length": length,
        "text_hash": text_hashes(documents.text),
    }
    if settings.time:
        columns |= {"time": documents.time, "date": documents.date}
    if settings.place:
        columns["place"] = documents.place
    return pl.DataFrame(columns)


def write_batches(batches: list[TokenizedBatch], file: Any) -> None:
    """Write batches as a zip archive of Arrow files and one JSON file."""
    with zipfile.ZipFile(file, "w") as archive:
        for number, batch in enumerate(batches):
            frames = {
                "documents": batch.documents,
                "fields": batch.fields,
                "text": batch.text.to_frame("text"),
                "code": pl.DataFrame({"code": batch.code}),
                "forms": batch.forms.to_frame("form"),
            }
            for name, frame in frames.items():
                buffer = io.BytesIO()
                frame.write_ipc(buffer)
                archive.writestr(f"{number}/{name}.arrow", buffer.getvalue())
        archive.writestr("facts.json", json.dumps([batch.facts._asdict() for batch in batches]))


def read_batches(data: bytes) -> list[TokenizedBatch]:
    """Read what `write_batches` wrote."""
    batches = []
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        for number, fields in enumerate(json.loads(archive.read("facts.json"))):
            names = ("documents", "fields", "text", "code", "forms")
            documents, kept, text, code, forms = (
                pl.read_ipc(io.BytesIO(archive.read(f"{number}/{name}.arrow"))) for name in names
            )
            bad = [BadRow(*row) for row in fields.pop("bad")]
            facts = Facts(bad=bad, unspaced=Unspaced(*fields.pop("unspaced")), **fields)
            columns = text["text"], code["code"].to_numpy(), forms["form"]
            batches.append(TokenizedBatch(documents, kept, *columns, facts))
    return batches
