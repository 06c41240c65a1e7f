"""`export`: embeddings as a folder that other programs read, whole or absent."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from chronotope.config import one_of
from chronotope.embeddings.conditioned import ConditionedEmbeddings
from chronotope.embeddings.formats import tables
from chronotope.embeddings.formats.binary import write_binary
from chronotope.embeddings.formats.choosing import Choice, choose, chosen_words, cut_down, vectors_at
from chronotope.embeddings.formats.huggingface import write_huggingface
from chronotope.embeddings.formats.names import file_names, words_without_blanks
from chronotope.embeddings.formats.projector import write_projector
from chronotope.embeddings.formats.text import write_counts, write_text
from chronotope.embeddings.word_vectors import WordVectors
from chronotope.errors import InputError
from chronotope.io.atomic import atomic_folder, recover_folder

MANIFEST = "chronotope.json"
# What each format is, and the ending of its files where it has one for each condition.
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


@dataclass(frozen=True)
class Exported:
    """What was written.

    Attributes
    ----------
    folder
        Where.
    format
        In which format.
    files
        The names of the files, sorted.
    conditions
        The conditions, with the number of words of each.
    renamed
        The words that the format cannot hold as they are, and how they are written instead.
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
    """Write embeddings as a folder that other programs read.

    The vectors are centered, as for every answer, so that a cosine of what is written is the similarity that
    `neighbors` gives. In each condition the most frequent word comes first.

    Parameters
    ----------
    embeddings
        The embeddings.
    folder
        The folder to write; it is made under another name and renamed when it is complete.
    format
        'word2vec', 'word2vec-binary', 'glove', 'keyedvectors', 'parquet', 'arrow', 'numpy', 'projector' or
        'huggingface'.
    at
        The conditions; by default all.
    min_support
        A word is written where it occurs at least so often; 0: also where it is absent, with the vector that it has
        from its other conditions.
    max_words
        Only so many of the most frequent words.
    force
        Replace the folder, if it is an earlier export.
    about_run
        What `run.json` says of the text, for the model card.
    progress
        Called with 'writing', how many conditions are done, and of how many.

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
    choice = choose(embeddings, at, min_support, max_words)
    if format == "keyedvectors":
        WordVectors(["a"], [[0.0]]).to_gensim()  # says so at once where gensim is missing
    folder = Path(folder)
    recover_folder(folder)
    check_folder(folder, force)
    with atomic_folder(folder, "export") as work:
        check_folder(folder, force)  # another process may have been faster
        conditions, renamed, names = _written(embeddings, choice, format, work, about_run, progress)
        manifest = {
            "format": format,
            "axis": embeddings.conditions.axis,
            "conditions": [
                {"label": label, "words": words, **({"file": names[label]} if names else {})}
                for label, words in conditions.items()
            ],
            "dimensions": embeddings.dimensions,
            "min_support": choice.min_support,
            "renamed": renamed,
            "signature": embeddings.signature,
            "provenance": embeddings.provenance,
        }
        text = json.dumps(manifest, ensure_ascii=False, sort_keys=True, indent=1)
        (work / MANIFEST).write_text(text + "\n", encoding="utf-8")
        files = tuple(sorted(path.name for path in work.iterdir()))
    return Exported(folder, format, files, conditions, renamed)


def _written(
    embeddings: ConditionedEmbeddings,
    choice: Choice,
    format: str,
    work: Path,
    about_run: dict[str, Any] | None,
    progress: Callable[[str, int, int | None], None] | None,
) -> tuple[dict[str, int], dict[str, str], dict[str, str]]:
    """Write all but the manifest; return the sizes of the conditions, the words that are renamed, and the files."""
    chosen = chosen_words(embeddings, choice)
    conditions: dict[str, int] = {}

    def parts() -> Iterator[WordVectors]:
        for done, label in enumerate(choice.labels):
            if progress:
                progress("writing", done, len(choice.labels))
            part = vectors_at(embeddings, label, choice, chosen)
            conditions[label] = len(part)
            yield part
        if progress:
            progress("writing", len(choice.labels), len(choice.labels))

    ending = FORMATS[format][1]
    if ending:
        files = dict(zip(choice.labels, (name + ending for name in file_names(choice.labels)), strict=True))
        renamed = words_without_blanks(embeddings.words)[1] if format in WITHOUT_BLANKS else {}
        for part in parts():
            _write_condition(_renamed(part, renamed), work / files[part.name], format)
        own = {word: other for word, other in renamed.items() if chosen[embeddings.index(word)]}
        return conditions, own, files
    rows = sum(_size(embeddings, label, choice.min_support, chosen) for label in choice.labels)
    if format == "parquet":
        tables.write_parquet(parts(), work / "vectors.parquet", embeddings.dimensions)
    elif format == "arrow":
        tables.write_arrow(parts(), work / "vectors.arrow", embeddings.dimensions)
    elif format == "numpy":
        tables.write_numpy(parts(), work, choice.labels, embeddings.dimensions, rows)
    elif format == "projector":
        write_projector(parts(), work, embeddings.dimensions, rows)
    else:
        cut = cut_down(embeddings, choice)
        conditions |= dict(zip(cut.conditions.labels, np.diff(cut.observed.start).tolist(), strict=True))
        write_huggingface(cut, work, about_run or {})
    return conditions, {}, {}


def _write_condition(part: WordVectors, path: Path, format: str) -> None:
    if format == "keyedvectors":
        part.to_gensim().save(str(path))
        return
    if format == "word2vec-binary":
        write_binary(part, path)
    else:
        write_text(part, path, header=format == "word2vec")
    write_counts(part, path.with_suffix(".vocab"))


def _size(embeddings: ConditionedEmbeddings, label: str, min_support: int, chosen: Any) -> int:
    """How many words a condition has to be written."""
    if min_support == 0:
        return int(chosen.sum())
    condition = embeddings.conditions.index(label)
    enough = embeddings.observed.counts_in(condition) >= min_support
    return int((chosen[embeddings.observed.words_in(condition)] & enough).sum())


def _renamed(part: WordVectors, renamed: dict[str, str]) -> WordVectors:
    words = [renamed.get(word, word) for word in part.index_to_key]
    return WordVectors(words, part.vectors, part.counts, name=part.name)


def check_folder(folder: Path, force: bool) -> None:
    """Refuse a place that holds something; with `force` an earlier export may be replaced, and nothing else."""
    if folder.exists() and not folder.is_dir():
        raise InputError(f"{folder} is a file; an export is a folder")
    if not folder.exists() or not any(folder.iterdir()):
        return
    if not (folder / MANIFEST).is_file():
        raise InputError(f"{folder} holds something that is not an export; choose another folder")
    if not force:
        raise InputError(f"{folder} holds an export; force=True (--force) replaces it, or choose another folder")
