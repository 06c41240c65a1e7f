"""From a path, a glob, a folder, a data frame or records to the readers that read it."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterable, Mapping
from itertools import groupby
from pathlib import Path
from typing import Any

import polars as pl

from chronotope.corpus.readers.delimited import Delimited
from chronotope.corpus.readers.folders import FIELDS, TextFiles
from chronotope.corpus.readers.jsonl import JsonLines
from chronotope.corpus.readers.pieces import Reader
from chronotope.corpus.readers.tables import Frame, Parquet, Records
from chronotope.errors import InputError
from chronotope.io.stores import RemotePath, is_remote, local_path, remote_files
from chronotope.io.streaming import CODECS

FORMATS = {
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".csv": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".txt": "text",
}
KNOWN = "JSONL, CSV, TSV, Parquet or text (.jsonl, .ndjson, .csv, .tsv, .parquet, .txt; also .gz and .zst)"


def open_readers(source: Any, fields: Iterable[str] = ()) -> list[Reader]:
    """Return the readers of a source; a missing file and an unknown format raise InputError.

    In a folder with both text files and tables, the fields to read decide which of the two are read.
    """
    if isinstance(source, pl.Series) or (hasattr(source, "iloc") and not hasattr(source, "columns")):
        raise InputError(
            f"cannot read a {type(source).__name__} as a corpus; give a frame with a column of text, "
            "for instance series.to_frame('text')"
        )
    if isinstance(source, pl.DataFrame | pl.LazyFrame) or hasattr(source, "iloc"):
        return [Frame(source)]
    if isinstance(source, str | os.PathLike):
        source = [source]
    if isinstance(source, Mapping) or not isinstance(source, Iterable):
        raise InputError(f"cannot read {type(source).__name__} as a corpus; give a path, a frame or records")
    if isinstance(source, list | tuple) and source and all(isinstance(item, str | os.PathLike) for item in source):
        return _readers_of_files([found for item in source for found in _files(os.fspath(item), tuple(fields))])
    return [Records(source)]


def _files(name: str, fields: tuple[str, ...]) -> list[tuple[Path | RemotePath, Path]]:
    """Resolve a path, an address, a glob or a folder to files, each with its root folder."""
    if is_remote(name):
        files = remote_files(name)
        return [(file, Path()) for file in list(filter(format_of, files)) or files]
    path = local_path(name).expanduser()
    if path.is_dir():
        return [(file, path) for file in _files_in_folder(path, fields)]
    if path.exists():
        return [(path, path.parent)]
    if not glob.has_magic(name):
        raise InputError(f"there is no file or folder {path}")
    found = sorted(Path(item) for item in glob.glob(str(path), recursive=True) if Path(item).is_file())
    if not found:
        raise InputError(f"no file matches {path}")
    root = Path(os.path.commonpath([file.parent for file in found]))
    return [(file, root) for file in found]


def _files_in_folder(folder: Path, fields: tuple[str, ...]) -> list[Path]:
    """Return the text files of a folder and its subfolders, or its tables, without hidden files."""
    paths = [path for path in sorted(folder.rglob("*")) if path.is_file() and format_of(path)]
    paths = [path for path in paths if not any(part.startswith(".") for part in path.relative_to(folder).parts)]
    if not paths:
        raise InputError(f"the folder {folder} holds no text that can be read: {KNOWN}")
    texts = [path for path in paths if format_of(path) == "text"]
    tables = [path for path in paths if format_of(path) != "text"]
    if texts and tables:
        return texts if set(fields) <= set(FIELDS) else tables
    return paths


def format_of(path: Path | RemotePath) -> str | None:
    """Return the format of a file by its extension; None if unknown."""
    suffixes = [suffix.lower() for suffix in path.suffixes]
    compressed = bool(suffixes) and suffixes[-1] in CODECS
    kind = FORMATS.get("".join(suffixes[-2:-1] if compressed else suffixes[-1:]))
    return None if compressed and kind == "parquet" else kind


def _readers_of_files(files: list[tuple[Path | RemotePath, Path]]) -> list[Reader]:
    """Make one reader per file, but one for all text files of a folder."""
    readers: list[Reader] = []
    for (kind, root), group in groupby(files, key=lambda file: (_known_format(file[0]), file[1])):
        paths = tuple(path for path, _ in group)
        if kind == "text":
            readers.append(TextFiles(tuple(path for path in paths if isinstance(path, Path)), root))
        elif kind == "jsonl":
            readers += [JsonLines(path) for path in paths]
        elif kind == "parquet":
            readers += [Parquet(path) for path in paths]
        else:
            readers += [Delimited(path, separator="," if kind == "csv" else "\t") for path in paths]
    return readers


def _known_format(path: Path | RemotePath) -> str:
    """Return the format of a readable file; anything else raises InputError."""
    kind = format_of(path)
    if kind is None:
        raise InputError(f"cannot tell the format of {path.name}; chronotope reads {KNOWN}")
    if isinstance(path, RemotePath):
        if kind == "text":
            raise InputError(f"{path} is a plain text file; of those only files of this machine can be read")
    elif not os.access(path, os.R_OK):
        raise InputError(f"cannot read {path}: permission denied")
    return kind
