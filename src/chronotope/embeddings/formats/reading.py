"""Vectors that users have already (word2vec, GloVe, fastText's text, HistWords), in a format told by the content."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from chronotope.config import at_least, one_of
from chronotope.embeddings.formats.binary import read_binary
from chronotope.embeddings.formats.histwords import VECTORS, WORDS, is_histwords, read_histwords
from chronotope.embeddings.formats.text import read_counts, read_text
from chronotope.embeddings.storage import ENTRY, load
from chronotope.embeddings.word_vectors import WordVectors
from chronotope.errors import InputError
from chronotope.io.streaming import CODECS, read_head

READABLE = ("word2vec", "word2vec-binary", "glove", "histwords")
OWN = "chronotope"
_HEAD = 1 << 16
_PICKLE = b"\x80"
_ZIP = b"PK\x03\x04"


def read_vectors(path: str | Path, *, format: str | None = None, limit: int | None = None) -> WordVectors:
    """The words and vectors in a file that another program wrote.

    A file that says something else of its size than it holds, or is damaged, raises DamagedFile with its line.

    Parameters
    ----------
    path
        A file in the text or binary format of word2vec (fastText's `.vec` is such a text), in GloVe's text format, all
        three also compressed (.gz, .zst), one of the two files of a HistWords model (`1990-w.npy`, `1990-vocab.pkl`),
        or a model of ours with one condition. Counts are read from a file with the ending `.vocab` beside it.
    format
        'word2vec', 'word2vec-binary', 'glove' or 'histwords'; by default told by the content.
    limit
        Only the first so many words, which are the most frequent in most files.
    """
    path = Path(path)
    if limit is not None:
        at_least("limit", limit, 1)
    if not path.is_file():
        raise InputError(f"there is no file {path}")
    kind = _told(path) if format is None else format
    one_of("format", kind, (*READABLE, OWN))
    if kind == OWN:
        return _own(path)
    if kind == "histwords":
        found = read_histwords(path, limit)
    elif kind == "word2vec-binary":
        found = read_binary(path, limit)
    else:
        found = read_text(path, header=kind == "word2vec", limit=limit)
    vectors, notes = found.vectors, found.notes
    counts = None
    beside = path.with_name(f"{name_of(path)}.vocab")
    if beside.is_file():
        known = read_counts(beside)
        counts = np.array([known.get(word, 0) for word in found.words], dtype=np.int64)
        if not counts.all():
            counts = None
            notes.append(f"{beside.name} is left aside: it lacks some of the words")
    return WordVectors(found.words, vectors, counts, name=name_of(path), notes=notes)


def _own(path: Path) -> WordVectors:
    """The words of a model of ours that has one condition."""
    embeddings = load(path)
    labels = embeddings.conditions.labels
    if len(labels) > 1:
        raise InputError(f"{path} is a model of {len(labels):,} conditions, which are in one space already")
    found = embeddings.at(labels[0])
    return WordVectors(found.index_to_key, found.vectors, found.counts, name=name_of(path))


def name_of(path: Path) -> str:
    """What a file is called without its endings: `1990` for 1990.txt.gz, 1990.bin and 1990-w.npy.

    Examples
    --------
    >>> [name_of(Path(name)) for name in ("1990.txt.gz", "canada.bin", "1990-w.npy", "1990-vocab.pkl")]
    ['1990', 'canada', '1990', '1990']
    """
    for ending in (VECTORS, WORDS):
        if path.name.endswith(ending):
            return path.name.removesuffix(ending)
    plain = path.with_suffix("") if path.suffix.lower() in CODECS else path
    return plain.stem


def _told(path: Path) -> str:
    """The format of a file, by its first lines."""
    if is_histwords(path):
        return "histwords"
    head = read_head(path, _HEAD)
    if not head:
        raise InputError(f"{path} is empty")
    if head.startswith(_PICKLE):
        raise InputError(
            f"{path} is a pickle, which could run a program when it is opened; if it is a model of gensim, open it "
            "there and write it with save_word2vec_format, or give the object itself to chronotope.align"
        )
    if head.startswith(_ZIP):
        raise InputError(f"{path} is a ZIP archive; unpack it first")
    if head[8:9] == b"{" and f'"{ENTRY}"'.encode() in head:
        return OWN
    first, _, rest = head.partition(b"\n")
    parts = first.split()
    if len(parts) != 2 or not all(part.isdigit() for part in parts):
        return "glove"
    line = rest.partition(b"\n")[0].split(b" ")
    numbers = [part for part in line[1:] if part.strip()]
    try:
        values = list(map(float, numbers))
    except ValueError:
        return "word2vec-binary"
    # A text whose first line is longer than the head is a text all the same; in a binary file no number is readable.
    return "word2vec" if values else "word2vec-binary"
