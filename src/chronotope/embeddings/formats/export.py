"""Export embeddings to a folder that other programs read; it appears complete or not at all."""

import json
import warnings
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from chronotope.config import one_of
from chronotope.embeddings.conditioned import ConditionedEmbeddings
from chronotope.embeddings.formats.hub import write_hub_folder
from chronotope.embeddings.formats.selection import file_names, select, words_without_blanks
from chronotope.embeddings.formats.tables import write_arrow, write_numpy, write_parquet, write_projector
from chronotope.embeddings.formats.word2vec import write_binary, write_counts, write_text
from chronotope.embeddings.storage import load
from chronotope.embeddings.word_vectors import WordVectors
from chronotope.errors import ChronotopeError, InputError
from chronotope.io.atomic import atomic_folder
from chronotope.io.run_folder import read_run
from chronotope.runtime.progress import Progress

MANIFEST = "chronotope.json"
# Description of each format, and the file extension if it has one file per condition.
FORMATS = {
    "word2vec": ("word2vec's text, a file for each condition", ".txt"),
    "word2vec-binary": ("word2vec's binary form, a file for each condition", ".bin"),
    "glove": ("GloVe's text, a file for each condition", ".txt"),
    "keyedvectors": ("gensim's own files, one for each condition", ".kv"),
    "parquet": ("one table: condition, word, count, vector", None),
    "arrow": ("the same table as an Arrow file", None),
    "numpy": ("vectors.npy, and index.npz with the word of each row", None),
    "projector": ("the folder of TensorFlow's embedding projector", None),
    "huggingface": ("safetensors with a model card, as on Hugging Face", None),
}
WITHOUT_BLANKS = ("word2vec", "word2vec-binary", "glove")
TABLES = {"parquet": write_parquet, "arrow": write_arrow, "numpy": write_numpy, "projector": write_projector}


@dataclass(frozen=True)
class Exported:
    """The files that an export wrote."""

    folder: Path
    format: str
    files: tuple[str, ...]  # names, sorted
    conditions: dict[str, int]  # the number of words in each
    renamed: dict[str, str]  # words that the format cannot hold, with their names in the files


def export(
    embeddings: ConditionedEmbeddings | str | Path,
    folder: str | Path,
    format: str = "word2vec",
    *,
    at: Sequence[str] | str | None = None,
    min_count: int = 1,
    max_words: int | None = None,
    force: bool = False,
    progress: Progress | None = None,
) -> Exported:
    """Write embeddings to a folder that other programs read.

    Vectors are centered, as for every answer: the cosine of two exported vectors is the similarity that `neighbors`
    gives. The words of each condition are sorted by count, most frequent first.

    Parameters
    ----------
    embeddings
        The embeddings, or the file or run that holds them.
    folder
        Written under a temporary name and renamed when complete.
    format
        'word2vec', 'word2vec-binary', 'glove', 'keyedvectors', 'parquet', 'arrow', 'numpy', 'projector' or
        'huggingface'.
    at
        The conditions; by default all.
    min_count
        Minimum count of a word in a condition; 0 includes absent words, with vectors from their other conditions.
    max_words
        Maximum number of words; the most frequent ones are kept.
    force
        Whether to replace the folder if it is an earlier export.
    progress
        Called with 'writing', the number of finished conditions, and their total number.
    """
    one_of("format", format, FORMATS)
    embeddings = load(embeddings) if isinstance(embeddings, str | Path) else embeddings
    selection = select(embeddings, at, min_count, max_words)
    labels = selection.conditions.labels
    if format == "keyedvectors":
        WordVectors(["a"], [[0.0]]).to_gensim()  # fails early if gensim is missing
    every_word = min_count == 0 and format != "huggingface"
    rows = [len(selection)] * len(labels) if every_word else np.diff(selection.observed.start).tolist()
    sizes = dict(zip(labels, rows, strict=True))
    names: dict[str, str] = {}
    renamed: dict[str, str] = {}
    folder = Path(folder)
    with atomic_folder(folder, "export") as work:
        _check_folder(folder, force)
        parts = _parts(selection, min(min_count, 1), progress)
        if ending := FORMATS[format][1]:
            names = {label: name + ending for label, name in zip(labels, file_names(labels), strict=True)}
            renamed = words_without_blanks(selection.words) if format in WITHOUT_BLANKS else {}
            for part in parts:
                path = work / names[part.name]
                part.index_to_key = [renamed.get(word, word) for word in part.index_to_key]
                if format == "keyedvectors":
                    part.to_gensim().save(str(path))
                    continue
                if format == "word2vec-binary":
                    write_binary(part, path)
                else:
                    write_text(part, path, header=format == "word2vec")
                write_counts(part, path.with_suffix(".vocab"))
        elif format == "huggingface":
            if len(embeddings.contexts) and not len(selection.contexts):
                warnings.warn(
                    f"the export has {len(selection):,} of {len(embeddings):,} words, so it leaves out the contexts of "
                    "the model: it cannot be extended or tested for significance",
                    stacklevel=2,
                )
            write_hub_folder(selection, work, _about_run(embeddings))
        else:
            TABLES[format](parts, work, (sum(rows), selection.dimensions))
        manifest = {
            "format": format,
            "axis": embeddings.conditions.axis,
            "conditions": [
                {"label": label, "words": words, **({"file": names[label]} if names else {})}
                for label, words in sizes.items()
            ],
            "dimensions": embeddings.dimensions,
            "min_count": min_count,
            "renamed": renamed,
            "signature": embeddings.signature,
            "provenance": embeddings.provenance,
        }
        text = json.dumps(manifest, ensure_ascii=False, sort_keys=True, indent=1)
        (work / MANIFEST).write_text(text + "\n", encoding="utf-8")
        files = tuple(sorted(path.name for path in work.iterdir()))
    return Exported(folder, format, files, sizes, renamed)


def _check_folder(folder: Path, force: bool) -> None:
    """Raise InputError if a folder is not empty, unless it is an earlier export and `force` is set."""
    if folder.exists() and not folder.is_dir():
        raise InputError(f"{folder} is a file; an export is a folder")
    if not folder.exists() or not any(folder.iterdir()):
        return
    if not (folder / MANIFEST).is_file():
        raise InputError(f"{folder} holds something that is not an export; choose another folder")
    if not force:
        raise InputError(f"{folder} holds an export; force=True (--force) replaces it, or choose another folder")


def _about_run(embeddings: ConditionedEmbeddings) -> dict[str, Any]:
    """Return the description of the run that the model was trained on, or {} if it is not available."""
    with suppress(ChronotopeError):
        counts = embeddings.counts
        return read_run(counts.folder) if counts.checksum == embeddings.provenance.get("run") else {}
    return {}


def _parts(embeddings: ConditionedEmbeddings, min_count: int, progress: Progress | None) -> Iterator[WordVectors]:
    labels = embeddings.conditions.labels
    for done, label in enumerate(labels, start=1):
        yield embeddings.at(label, min_count)
        if progress:
            progress("writing", done, len(labels))
