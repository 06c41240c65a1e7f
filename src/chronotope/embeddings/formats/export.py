"""Export embeddings to a folder that other programs read, complete or not at all."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from chronotope.config import one_of
from chronotope.embeddings.conditioned import ConditionedEmbeddings
from chronotope.embeddings.formats.hub import write_hub_folder
from chronotope.embeddings.formats.selection import Selection, file_names, select, words_without_blanks
from chronotope.embeddings.formats.tables import write_arrow, write_numpy, write_parquet, write_projector
from chronotope.embeddings.formats.word2vec import write_binary, write_counts, write_text
from chronotope.embeddings.word_vectors import WordVectors
from chronotope.errors import InputError
from chronotope.io.atomic import atomic_folder, recover_folder

MANIFEST = "chronotope.json"
# What each format is, and the ending of its files if it has one for each condition.
FORMATS = {
    "word2vec": ("word2vec's text, a file for each condition", ".txt"),
    "word2vec-binary": ("word2vec's binary form, a file for each condition", ".bin"),
    "glove": ("GloVe's text, a file for each condition", ".txt"),
    "keyedvectors": ("gensim's own files, one for each condition", ".kv"),
    "parquet": ("one table: condition, word, support, vector", None),
    "arrow": ("the same table as an Arrow file", None),
    "numpy": ("vectors.npy, and index.npz that says whose they are", None),
    "projector": ("the folder of TensorFlow's embedding projector", None),
    "huggingface": ("safetensors with a model card, as on Hugging Face", None),
}
WITHOUT_BLANKS = ("word2vec", "word2vec-binary", "glove")
TABLES = {"parquet": write_parquet, "arrow": write_arrow, "numpy": write_numpy, "projector": write_projector}


@dataclass(frozen=True)
class Exported:
    """What was written.

    Attributes
    ----------
    folder
        The folder.
    format
        The format.
    files
        The names of the files, sorted.
    conditions
        The number of words in each condition.
    renamed
        The words that the format cannot hold, with the names they have in the files.
    """

    folder: Path
    format: str
    files: tuple[str, ...]
    conditions: dict[str, int]
    renamed: dict[str, str]


def export(
    embeddings: ConditionedEmbeddings,
    folder: str | Path,
    format: str = "word2vec",
    *,
    at: Sequence[str] | str | None = None,
    min_support: int = 1,
    max_words: int | None = None,
    force: bool = False,
    about_run: dict[str, Any] | None = None,
    progress: Callable[[str, int, int | None], None] | None = None,
) -> Exported:
    """Write embeddings to a folder that other programs read.

    Vectors are centered, as for every answer: the cosine of two exported vectors is the similarity that `neighbors`
    gives. The words of each condition are sorted by count, most frequent first.

    Parameters
    ----------
    embeddings
        The embeddings.
    folder
        The folder; it is written under another name and renamed when it is complete.
    format
        'word2vec', 'word2vec-binary', 'glove', 'keyedvectors', 'parquet', 'arrow', 'numpy', 'projector' or
        'huggingface'.
    at
        The conditions; by default all.
    min_support
        Minimum count of a word in a condition; 0 includes absent words, with vectors from their other conditions.
    max_words
        Maximum number of words; the most frequent ones are kept.
    force
        Whether to replace the folder if it is an earlier export.
    about_run
        Content of `run.json`, for the model card.
    progress
        Called with 'writing', the number of finished conditions, and their total number.

    Examples
    --------
    >>> import tempfile
    >>> from chronotope.conditions import Conditions
    >>> from chronotope.cooccurrence.vocabulary import Support
    >>> support = Support(np.array([0, 2, 3]), np.array([0, 1, 0]), np.array([7, 9, 5]))
    >>> places = Conditions.of_places(["canada", "india"])
    >>> embeddings = ConditionedEmbeddings(["bank", "river"], places, support, [[1, 0], [0, 1], [1, 1]])
    >>> with tempfile.TemporaryDirectory() as home:
    ...     export(embeddings, f"{home}/vectors", "word2vec").files
    ('canada.txt', 'canada.vocab', 'chronotope.json', 'india.txt', 'india.vocab')
    """
    one_of("format", format, tuple(FORMATS))
    selection = select(embeddings, at, min_support, max_words)
    labels = selection.labels
    if format == "keyedvectors":
        WordVectors(["a"], [[0.0]]).to_gensim()  # fails early if gensim is missing
    folder = Path(folder)
    recover_folder(folder)
    check_folder(folder, force)
    with atomic_folder(folder, "export") as work:
        check_folder(folder, force)  # another process may have been faster
        sizes: dict[str, int] = {}
        names: dict[str, str] = {}
        renamed: dict[str, str] = {}
        parts = _parts(embeddings, selection, sizes, progress)
        if ending := FORMATS[format][1]:
            names = {label: name + ending for label, name in zip(labels, file_names(labels), strict=True)}
            renamed = words_without_blanks(embeddings.words) if format in WITHOUT_BLANKS else {}
            renamed = {word: name for word, name in renamed.items() if selection.words[embeddings.index(word)]}
            for part in parts:
                part.index_to_key = [renamed.get(word, word) for word in part.index_to_key]
                _write_condition(part, work / names[part.name], format)
        elif format == "huggingface":
            chosen = selection.embeddings(embeddings)
            sizes = dict(zip(labels, np.diff(chosen.observed.start).tolist(), strict=True))
            write_hub_folder(chosen, work, about_run or {})
        else:
            TABLES[format](parts, work, (selection.rows(embeddings), embeddings.dimensions))
        manifest = {
            "format": format,
            "axis": embeddings.conditions.axis,
            "conditions": [
                {"label": label, "words": words, **({"file": names[label]} if names else {})}
                for label, words in sizes.items()
            ],
            "dimensions": embeddings.dimensions,
            "min_support": selection.min_support,
            "renamed": renamed,
            "signature": embeddings.signature,
            "provenance": embeddings.provenance,
        }
        text = json.dumps(manifest, ensure_ascii=False, sort_keys=True, indent=1)
        (work / MANIFEST).write_text(text + "\n", encoding="utf-8")
        files = tuple(sorted(path.name for path in work.iterdir()))
    return Exported(folder, format, files, sizes, renamed)


def check_folder(folder: Path, force: bool) -> None:
    """Raise InputError if a folder is not empty, unless it is an earlier export and `force` is set."""
    if folder.exists() and not folder.is_dir():
        raise InputError(f"{folder} is a file; an export is a folder")
    if not folder.exists() or not any(folder.iterdir()):
        return
    if not (folder / MANIFEST).is_file():
        raise InputError(f"{folder} holds something that is not an export; choose another folder")
    if not force:
        raise InputError(f"{folder} holds an export; force=True (--force) replaces it, or choose another folder")


def _parts(
    embeddings: ConditionedEmbeddings,
    selection: Selection,
    sizes: dict[str, int],
    progress: Callable[[str, int, int | None], None] | None,
) -> Iterator[WordVectors]:
    """Yield the selected words of each condition, and note how many there are."""
    for done, label in enumerate(selection.labels, start=1):
        part = selection.vectors(embeddings, label)
        sizes[label] = len(part)
        yield part
        if progress:
            progress("writing", done, len(selection.labels))


def _write_condition(part: WordVectors, path: Path, format: str) -> None:
    if format == "keyedvectors":
        part.to_gensim().save(str(path))
        return
    if format == "word2vec-binary":
        write_binary(part, path)
    else:
        write_text(part, path, header=format == "word2vec")
    write_counts(part, path.with_suffix(".vocab"))
