"""Reading ahead: pieces of the input are parsed and tokenized in threads, and delivered in their order."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from chronotope.corpus.lexicon import Scripts, Unspaced
from chronotope.corpus.readers import Piece
from chronotope.corpus.readers.pieces import text_hashes
from chronotope.corpus.scanning import Seen
from chronotope.corpus.selection import Documents, Selection
from chronotope.corpus.source import Corpus
from chronotope.corpus.text_store import Packed, pack
from chronotope.corpus.tokenizer import Tokens, own_tokens, split_texts
from chronotope.runtime.resources import Resources

# What is done in order cannot keep up with more.
MOST_WORKERS = 4
# So many pieces more than there are workers wait for one.
MOST_WAITING = 2
# With more forms than these a thread begins anew, so that the table stays in the caches, and numbers short.
MOST_SEEN = 40_000
# What a piece of 4 MB takes while it is parsed and tokenized.
BYTES_OF_A_PIECE = 40_000_000


class Prepared(NamedTuple):
    """Documents with their tokens, before their words are numbered.

    Attributes
    ----------
    documents, tokens
        The documents, without their texts, and their tokens; where text is kept, the lengths are those of its parts.
    packed
        The texts to be kept, or None.
    as_it_is
        Whether the text was cut into tokens by others.
    text_hash
        (N,) a hash of each text, which tells duplicates.
    unspaced
        How much of the text is in scripts without blanks between words.
    rows
        How many rows were read.
    """

    documents: Documents
    tokens: Tokens
    packed: Packed | None
    as_it_is: bool
    text_hash: NDArray[np.uint64]
    unspaced: Unspaced
    rows: int


def prepare_ahead(corpus: Corpus, selection: Selection, resources: Resources) -> Iterator[tuple[list[Prepared], int]]:
    """The documents of each piece in order, prepared ahead in threads, with the bytes that are done."""
    memory = resources.memory
    pieces = memory.room_for(2 * BYTES_OF_A_PIECE, "reading") // BYTES_OF_A_PIECE
    workers = min(max(2, resources.threads), MOST_WORKERS)
    ahead = workers + MOST_WAITING
    if memory.limit is not None:
        # One piece waits, one is taken.
        ahead = workers = int(np.clip(pieces - 2, 1, workers))
    if corpus.tokenizer:
        workers = 1  # a user's own tokenizer need not be safe to call from several threads at once
    waiting: deque[tuple[Future[list[Prepared]], int]] = deque()
    experience = Experience()
    with ThreadPoolExecutor(workers) as pool:
        # To load the compiled code takes as long as to decompress many pieces: both at once.
        pool.submit(split_texts, pl.Series(["some words to begin with"]), corpus.settings.tokenizer)
        try:
            for piece, done in _pieces(corpus, selection):
                waiting.append((pool.submit(prepare, piece, corpus, selection, experience), done))
                while len(waiting) > ahead or (waiting and waiting[0][0].done()):
                    future, reached = waiting.popleft()
                    yield future.result(), reached
            while waiting:
                future, reached = waiting.popleft()
                yield future.result(), reached
        finally:
            pool.shutdown(cancel_futures=True)


def _pieces(corpus: Corpus, selection: Selection) -> Iterator[tuple[Piece, int]]:
    """All pieces of all inputs, with the bytes that are done after each."""
    first, before = 0, 0
    for number, reader in enumerate(corpus.readers):
        if number not in corpus.empty:
            for piece in reader.pieces(selection.fields, first):
                yield piece, before + piece.done
        first += len(reader.names)
        before += reader.size


class Experience(threading.local):
    """The forms that a thread has seen in its pieces, if these are taken in their order; each thread has its own."""

    def __init__(self) -> None:
        self._of: dict[str, tuple[Seen, Scripts]] = {}

    def of(self, tokenizer: str) -> tuple[Seen, Scripts]:
        """What was seen with a tokenizer."""
        if tokenizer not in self._of or self._of[tokenizer][0].count > MOST_SEEN:
            self._of[tokenizer] = Seen(), Scripts()
        return self._of[tokenizer]


def prepare(piece: Piece, corpus: Corpus, selection: Selection, experience: Experience | None = None) -> list[Prepared]:
    """The documents of a piece, tokenized."""
    prepared = []
    settings = corpus.settings
    for batch in piece.parse():
        documents = selection.documents(batch)
        texts, tokenizer = documents.text, "tokens" if documents.tokenized else settings.tokenizer
        if corpus.tokenizer and not documents.tokenized:
            texts, tokenizer = own_tokens(texts, corpus.tokenizer), "tokens"
        packed = pack(texts, tokenizer) if settings.keep_text else None
        seen, scripts = experience.of(tokenizer) if experience else (None, Scripts())
        tokens = split_texts(packed.texts if packed else texts, tokenizer, seen)
        foreign = scripts.unspaced(tokens) if tokenizer == "words" else Unspaced()
        text_hash = text_hashes(documents.text)
        documents = documents._replace(text=documents.text.clear())  # its memory is wanted again
        rows = len(batch.line) + len(batch.bad)
        prepared.append(Prepared(documents, tokens, packed, tokenizer != "words", text_hash, foreign, rows))
    return prepared
