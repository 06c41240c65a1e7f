"""Usages: single occurrences of words, sampled from a run, with the sentences around them and their vectors on disk.

RUN/usages/KEY/usages.parquet   word, condition, position of each usage, sorted in this order
RUN/usages/KEY/vectors.npy      (N, D) their vectors, float16, in the same order; written when all are encoded
RUN/usages/KEY/0.npy …          finished parts, in the order of the text, from which an interrupted encoding resumes
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from chronotope.cooccurrence import Counts
from chronotope.corpus.readers.pieces import TOKEN_SEPARATOR
from chronotope.corpus.sentences import Span, normalizer_of, sentence_around, token_spans
from chronotope.corpus.text_store import TextStore
from chronotope.errors import DamagedFileError, InputError
from chronotope.io.atomic import atomic_write, writable
from chronotope.io.locks import locked
from chronotope.io.untrusted import read_table

FOLDER = "usages"
TABLE, VECTORS = "usages.parquet", "vectors.npy"
PART = 2048  # usages between two writes
COLUMNS: dict[str, Any] = {"word": pl.Int32, "condition": pl.Int32, "position": pl.Int64}

Floats = NDArray[np.floating]
Encoder = Callable[[list[str], list[Span]], Any]


class Usages(NamedTuple):
    """Occurrences of words, sorted by word, condition and position in the file of tokens."""

    word: NDArray[np.int32]  # (N,) ids of the run
    condition: NDArray[np.int32]
    position: NDArray[np.int64]

    def rows(self, word: int) -> slice:
        """Return the usages of a word."""
        return slice(*np.searchsorted(self.word, [word, word + 1]).tolist())

    def groups(self) -> NDArray[np.int64]:
        """Return the first usage of each (word, condition)."""
        new = (np.diff(self.word, prepend=-1) != 0) | (np.diff(self.condition, prepend=-1) != 0)
        return np.flatnonzero(new)


def sample_usages(counts: Counts, words: NDArray[np.int64], per_pair: int, seed: int) -> Usages:
    """Draw at most `per_pair` usages of each word in each condition, without held-out documents."""
    store, found = counts.store, []
    wanted = np.zeros(len(store.words), dtype=bool)
    wanted[words] = True
    for condition in range(len(counts.conditions)):
        documents = store.condition_slice(condition)
        starts = store.starts[documents.start : documents.stop + 1]
        ids = np.asarray(store.ids[starts[0] : starts[-1]])
        kept = np.repeat(~store.held_out[documents], np.diff(starts)) & wanted[ids]
        at = np.flatnonzero(kept)
        word = ids[at]
        key = np.random.Generator(np.random.PCG64([seed, condition])).random(len(at))
        order = np.lexsort((key, word))
        first = np.flatnonzero(np.diff(word[order], prepend=-1))
        size = np.diff(first, append=len(order))
        drawn = np.sort(order[np.arange(len(order)) - np.repeat(first, size) < per_pair])
        found.append((word[drawn], np.full(len(drawn), condition, np.int32), starts[0] + at[drawn]))
    every = [np.concatenate(part) for part in zip(*found, strict=True)]
    order = np.argsort(every[0], kind="stable")  # conditions and positions ascend already
    return Usages(*(part[order] for part in every))


def sentences(counts: Counts, positions: NDArray[np.int64]) -> Iterator[tuple[str, Span]]:
    """Yield the sentence around each position in the file of tokens, ascending, and the span of the word in it."""
    if not TextStore.is_in(counts.folder):
        raise InputError(f"{counts.folder} was prepared without its text (--no-text), so it has no sentences")
    store, texts = counts.store, TextStore(counts.folder)
    normalize = normalizer_of(counts.folder)
    documents = np.searchsorted(store.starts, positions, side="right") - 1
    for rows in np.split(np.arange(len(positions)), np.flatnonzero(np.diff(documents)) + 1) if len(positions) else []:
        document = int(documents[rows[0]])
        first, text = int(store.starts[document]), texts.document(document)
        words = store.words.gather(store.ids[first : int(positions[rows[-1]]) + 1]).to_list()
        spans = token_spans(text, texts.kind(document), words, normalize)
        for position in positions[rows].tolist():
            span = Span(*spans[position - first].tolist())
            bounds = sentence_around(text, span)
            sentence = text[bounds.start : bounds.end].replace(TOKEN_SEPARATOR, " ")
            yield sentence, Span(span.start - bounds.start, span.end - bounds.start)


def encode_usages(
    counts: Counts, usages: Usages, encoder: Encoder, folder: Path, on_step: Callable[[int, int], None]
) -> None:
    """Encode usages into `folder`, part by part; skip finished parts."""
    with writable(folder.parent):
        folder.mkdir(parents=True, exist_ok=True)
    with locked(folder, "train"):
        if (folder / VECTORS).exists():
            return
        with atomic_write(folder / TABLE) as path:
            pl.DataFrame(usages._asdict()).write_parquet(path)
        order = np.argsort(usages.position)  # in the order of the text, so that a document is tokenized once
        parts = [order[first : first + PART] for first in range(0, len(order), PART)]
        files = [folder / f"{number}.npy" for number in range(len(parts))]
        for number, (rows, file) in enumerate(zip(parts, files, strict=True)):
            if not file.exists():
                texts, spans = zip(*sentences(counts, usages.position[rows]), strict=True)
                vectors = np.asarray(encoder(list(texts), list(spans)))
                if vectors.ndim != 2 or len(vectors) != len(rows):
                    raise InputError(
                        f"an encoder must return one row per text; for {len(rows)} texts the shape is {vectors.shape}"
                    )
                with np.errstate(over="ignore"):
                    vectors = vectors.astype(np.float16)
                if not np.isfinite(vectors).all():
                    raise InputError("the encoder gave numbers that are not finite or too large for float16")
                with atomic_write(file) as path, open(path, "wb") as part:
                    np.save(part, vectors)
            on_step(min((number + 1) * PART, len(order)), len(order))
        size = np.load(files[0]).shape[1]
        with atomic_write(folder / VECTORS) as path:
            whole = np.lib.format.open_memmap(path, "w+", np.float16, (len(order), size))
            for rows, file in zip(parts, files, strict=True):
                whole[rows] = np.load(file)
            whole.flush()
            del whole
        for file in files:
            file.unlink()


def open_usages(folder: Path) -> tuple[Usages, NDArray[np.float16]]:
    """Return the usages in a folder and their (N, D) vectors, which are mapped and not read."""
    if not (folder / VECTORS).exists():
        raise InputError(f"the vectors of single usages are not in {folder}; train the model again")
    table = read_table(folder / TABLE, COLUMNS)
    try:
        vectors = np.load(folder / VECTORS, mmap_mode="r")
    except (OSError, ValueError) as error:
        raise DamagedFileError(f"cannot read {folder / VECTORS} ({error}); delete {folder} and train again") from None
    usages = Usages(*(table[name].to_numpy() for name in COLUMNS))
    if vectors.dtype != np.float16 or vectors.ndim != 2 or len(vectors) != len(table):
        raise DamagedFileError(f"{folder / VECTORS} does not fit its usages; delete {folder} and train again")
    return usages, vectors
