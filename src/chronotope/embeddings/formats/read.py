"""Read vectors that other programs wrote (word2vec, GloVe, fastText's text, HistWords)."""

from pathlib import Path

from chronotope.config import at_least, one_of
from chronotope.embeddings.conditioned import ConditionedEmbeddings
from chronotope.embeddings.formats.export import MANIFEST, WITHOUT_BLANKS
from chronotope.embeddings.formats.histwords import VECTORS, WORDS, read_histwords
from chronotope.embeddings.formats.word2vec import read_binary, read_counts, read_text
from chronotope.embeddings.storage import ENTRY, load
from chronotope.embeddings.word_vectors import WordVectors
from chronotope.errors import DamagedFileError, InputError
from chronotope.io.streaming import CODECS, read_head
from chronotope.io.untrusted import read_json

READABLE = ("word2vec", "word2vec-binary", "glove", "histwords")
OWN = "chronotope"
HEAD_BYTES = 1 << 16
PICKLE, ZIP = b"\x80", b"PK\x03\x04"


def read_vectors(path: str | Path, *, format: str | None = None, limit: int | None = None) -> WordVectors:
    """Read the words and vectors in a file that another program wrote.

    Parameters
    ----------
    path
        A file in the text or binary format of word2vec (fastText's `.vec` is such a text) or in GloVe's text format,
        also compressed (.gz, .zst), one of the two files of a HistWords model (`1990-w.npy`, `1990-vocab.pkl`), or a
        chronotope model with one condition. Counts are read from a file `.vocab` beside it.
    format
        'word2vec', 'word2vec-binary', 'glove' or 'histwords'; by default detected from the content.
    limit
        Read only the first `limit` words, the most frequent ones in most files.

    Raises
    ------
    DamagedFileError
        If the file is damaged or does not hold what its header announces; the message names the line.
    """
    path = Path(path)
    if limit is not None:
        at_least("limit", limit, 1)
    if not path.is_file():
        raise InputError(f"there is no file {path}")
    kind = _detect(path) if format is None else format
    one_of("format", kind, (*READABLE, OWN))
    if kind == OWN:
        own = only_condition(load(path), path)
        own_counts = None if own.counts is None else own.counts[:limit]
        return WordVectors(own.index_to_key[:limit], own.vectors[:limit], own_counts, name=name_of(path))
    if kind == "histwords":
        table = read_histwords(path, limit)
    elif kind == "word2vec-binary":
        table = read_binary(path, limit)
    else:
        table = read_text(path, header=kind == "word2vec", limit=limit)
    counts, notes = None, table.notes
    beside = path.with_name(f"{name_of(path)}.vocab")
    if beside.is_file():
        known = read_counts(beside)
        if all(known.get(word) for word in table.words):
            counts = [known[word] for word in table.words]
        else:
            notes.append(f"{beside.name} is ignored: it lacks some of the words")
    return WordVectors(table.words, table.vectors, counts, name=name_of(path), notes=notes)


def files_and_names(path: Path) -> list[tuple[Path, str]]:
    """Return the files of vectors at a path, each with the label of its condition.

    In a folder these are the files that `export` wrote as word2vec or GloVe, or HistWords models.
    """
    if not path.is_dir():
        return [(path, name_of(path))]
    if (path / MANIFEST).is_file():
        return _exported_files(path)
    files = sorted(path.glob(f"*{VECTORS}"))
    if not files:
        raise InputError(f"{path} holds neither an export of chronotope nor HistWords models; name the files")
    return [(file, name_of(file)) for file in files]


def name_of(path: Path) -> str:
    """Return the name of a file without its endings: '1990' for 1990.txt.gz and for 1990-w.npy."""
    if path.name.endswith((VECTORS, WORDS)):
        return path.name.removesuffix(VECTORS).removesuffix(WORDS)
    return path.with_suffix("").stem if path.suffix.lower() in CODECS else path.stem


def only_condition(embeddings: ConditionedEmbeddings, name: object = "this") -> WordVectors:
    """Return the words of a model with one condition."""
    labels = embeddings.conditions.labels
    if len(labels) > 1:
        one = f"embeddings.at('{labels[0]}')"
        raise InputError(f"{name} is a model of {len(labels):,} conditions, which are in one space already; give {one}")
    vectors = embeddings.at(labels[0])
    if not embeddings.counted:
        vectors.counts = None
    return vectors


def _exported_files(folder: Path) -> list[tuple[Path, str]]:
    try:
        about = read_json((folder / MANIFEST).read_bytes())
        kind, conditions = about["format"], about["conditions"]
        if kind not in WITHOUT_BLANKS:
            raise InputError(f"{folder} is an export as {kind}; align reads {', '.join(WITHOUT_BLANKS)}")
        # Only the last part of a name is used, so that a manifest cannot point to another folder.
        return [(folder / Path(str(entry["file"])).name, str(entry["label"])) for entry in conditions]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise DamagedFileError(f"{folder / MANIFEST} is damaged: {error}") from None


def _detect(path: Path) -> str:
    """Return the format of a file, by its name or its first lines."""
    if path.name.endswith((VECTORS, WORDS)):
        return "histwords"
    head = read_head(path, HEAD_BYTES)
    if not head:
        raise InputError(f"{path} is empty")
    if head.startswith(PICKLE):
        raise InputError(
            f"{path} is a pickle, which could run a program when it is opened; if it is a gensim model, open it there "
            "and write it with save_word2vec_format, or pass the object to chronotope.align"
        )
    if head.startswith(ZIP):
        raise InputError(f"{path} is a ZIP archive; unpack it first")
    if head[8:9] == b"{" and f'"{ENTRY}"'.encode() in head:
        return OWN
    first, _, rest = head.partition(b"\n")
    parts = first.split()
    if len(parts) != 2 or not all(part.isdigit() for part in parts):
        return "glove"
    line = rest.partition(b"\n")[0].split(b" ")
    try:
        values = [float(part) for part in line[1:] if part.strip()]
    except ValueError:
        return "word2vec-binary"
    return "word2vec" if values else "word2vec-binary"
