"""Open a path, a glob, a folder, a data frame or records as readers."""

import glob
import os
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

import polars as pl

from chronotope.config import CorpusSettings
from chronotope.corpus.readers.delimited import Delimited
from chronotope.corpus.readers.documents import DocumentFiles
from chronotope.corpus.readers.folders import TextFiles
from chronotope.corpus.readers.jsonl import JsonLines, json_reader
from chronotope.corpus.readers.pieces import Reader
from chronotope.corpus.readers.tables import Frame, Parquet, Records, Spreadsheet, records_of
from chronotope.errors import ChronotopeError, InputError, number_of, some_of
from chronotope.io.stores import RemotePath, is_remote, local_path, remote_files
from chronotope.io.streaming import CODECS

FORMATS = {
    ".jsonl": "jsonl", ".ndjson": "jsonl", ".json": "json", ".csv": "csv", ".tsv": "tsv", ".tab": "tsv",
    ".parquet": "parquet", ".pq": "parquet", ".xlsx": "sheet", ".xls": "sheet", ".ods": "sheet",
    ".txt": "text", ".xml": "document", ".tei": "document", ".docx": "document", ".pdf": "document",
}  # fmt: skip
DOCUMENTS = ("text", "document")  # formats with one document a file
READ_WHOLE = ("parquet", "sheet")  # formats that are compressed already
KNOWN = (
    "JSONL, JSON, CSV, TSV, Parquet, XLSX, text, TEI, DOCX or PDF (.jsonl, .json, .csv, .tsv, .parquet, .xlsx, .txt, "
    ".xml, .docx, .pdf; also .jsonl.gz, .txt.zst, …)"
)

# The readers of a source, and notes on files that are not read.
Opened = tuple[list[Reader], list[str]]


def open_readers(source: Any, settings: CorpusSettings, fields: Sequence[str], skip: Any = None) -> Opened:
    """Return the readers of a source; a missing file and an unknown format raise InputError.

    From a folder only the files with the requested `fields` are read; `skip` is a file to leave out.
    """
    if isinstance(source, pl.Series) or (hasattr(source, "iloc") and not hasattr(source, "columns")):
        raise InputError(
            f"cannot read a {type(source).__name__} as a corpus; give a frame with a column of text, "
            "for instance series.to_frame('text')"
        )
    if hasattr(source, "__arrow_c_stream__") and not hasattr(source, "iloc") and not isinstance(source, pl.DataFrame):
        source = pl.DataFrame(source)
    if isinstance(source, pl.DataFrame | pl.LazyFrame) or hasattr(source, "iloc"):
        return [Frame(source)], []
    if isinstance(source, str | os.PathLike):
        source = [source]
    if isinstance(source, Mapping):
        source = records_of(source)
    if isinstance(source, bytes | bytearray) or not isinstance(source, Iterable):
        raise InputError(f"cannot read {type(source).__name__} as a corpus; give a path, a frame or records")
    if isinstance(source, list | tuple) and source and all(isinstance(item, str | os.PathLike) for item in source):
        skipped = Path(skip).absolute() if isinstance(skip, str | os.PathLike) else None
        parts = [_open_files(os.fspath(item), settings, fields, skipped) for item in source]
        readers = [reader for part, _ in parts for reader in part]
        notes = [note for _, part in parts for note in part]
        return readers, notes + [note for reader in readers for note in getattr(reader, "notes", ())]
    return [Records(source)], []


def _open_files(name: str, settings: CorpusSettings, fields: Sequence[str], skip: Path | None) -> Opened:
    """Open a path, an address, a glob or a folder."""
    if is_remote(name):
        files = remote_files(name)
        readable = list(filter(format_of, files)) or files
        return _readers_of_files(readable, Path(), settings), _unread_note(name, set(files) - set(readable))
    path = local_path(name).expanduser()
    try:
        if path.is_dir():
            return _open_folder(path, settings, fields, skip)
        if path.exists():
            return _readers_of_files([path], path.parent, settings), []
    except (OSError, ValueError):  # not a valid file name
        raise InputError(f"there is no file or folder {name:.60}") from None
    if not glob.has_magic(name):
        raise InputError(f"there is no file or folder {path}")
    found = sorted(Path(item) for item in glob.glob(str(path), recursive=True) if Path(item).is_file())
    found = [file for file in found if file.absolute() != skip]
    if not found:
        raise InputError(f"no file matches {path}")
    root = Path(os.path.commonpath([file.parent for file in found]))
    return _readers_of_files(found, root, settings), []


def _open_folder(folder: Path, settings: CorpusSettings, fields: Sequence[str], skip: Path | None) -> Opened:
    """Open the documents of a folder and its subfolders, or its tables, without hidden files.

    If both documents and tables have the fields, raise InputError.
    """
    paths = [path for path in sorted(folder.rglob("*")) if not path.is_dir() and path.absolute() != skip]
    paths = [path for path in paths if not any(part.startswith(".") for part in path.relative_to(folder).parts)]
    texts = [path for path in paths if format_of(path) in DOCUMENTS and path.is_file()]
    tables = [path for path in paths if format_of(path) not in (*DOCUMENTS, None) and path.is_file()]
    documents = _readers_of_files(texts, folder, settings)
    usable = bool(texts) and all(set(fields) <= set(reader.columns() or ()) for reader in documents)
    # A JSON file may hold settings of a program, so it must have the requested fields.
    fitting = [path for path in tables if not (usable or format_of(path) == "json") or _fits(path, fields, settings)]
    if usable and fitting:
        raise InputError(
            f"{folder} holds documents ({_names(texts)}) and tables of documents ({_names(fitting)}); name the "
            f"files to read, such as '{folder}/**/*{texts[0].suffix}' or '{folder}/**/*{fitting[0].suffix}'"
        )
    read = texts if usable or not fitting else fitting
    if not read:
        holds = f"; it holds {_names(paths)}" if paths else ""
        raise InputError(f"the folder {folder} holds no text that can be read{holds}; chronotope reads {KNOWN}")
    readers = documents if read is texts else _readers_of_files(read, folder, settings)
    return readers, _unread_note(str(folder), set(paths) - set(read))


def _fits(path: Path, fields: Sequence[str], settings: CorpusSettings) -> bool:
    """Return whether a table has all fields."""
    try:
        (reader,) = _readers_of_files([path], path.parent, settings)
        return set(fields) <= set(reader.columns() or ())
    except ChronotopeError:
        return False


def _unread_note(where: str, files: Collection[Path | RemotePath]) -> list[str]:
    return [f"{number_of(len(files), 'files')} in {where} not read: {_names(files)}"] if files else []


def _names(files: Iterable[Path | RemotePath]) -> str:
    return some_of(sorted(file.name for file in files))


def format_of(path: Path | RemotePath) -> str | None:
    """Return the format of a file by its extension; None if unknown."""
    suffixes = [suffix.lower() for suffix in Path(path.name).suffixes]
    compressed = bool(suffixes) and suffixes[-1] in CODECS
    kind = FORMATS.get("".join(suffixes[-2:-1] if compressed else suffixes[-1:]))
    return None if compressed and kind in READ_WHOLE else kind


def _readers_of_files(files: Iterable[Path | RemotePath], root: Path, settings: CorpusSettings) -> list[Reader]:
    """Make one reader per table, and one for each group of consecutive documents below the folder `root`."""
    readers: list[Reader] = []
    for kind, group in groupby(files, key=_readable_format):
        paths = tuple(group)
        local = tuple(path for path in paths if isinstance(path, Path))
        if kind == "text":
            readers.append(TextFiles(local, root))
        elif kind == "document":
            readers.append(DocumentFiles(local, root, xpath=settings.xpath, tei_notes=settings.tei_notes))
        elif kind == "json":
            readers += map(json_reader, paths)
        elif kind in ("csv", "tsv"):
            readers += [Delimited(path, separator="," if kind == "csv" else "\t") for path in paths]
        elif kind == "sheet":
            readers += map(Spreadsheet, paths)
        else:
            readers += [JsonLines(path) if kind == "jsonl" else Parquet(path) for path in paths]
    return readers


def _readable_format(path: Path | RemotePath) -> str:
    """Return the format of a readable file; anything else raises InputError."""
    kind = format_of(path)
    if kind is None:
        raise InputError(f"cannot tell the format of {path.name}; chronotope reads {KNOWN}")
    if isinstance(path, RemotePath):
        if kind in DOCUMENTS:
            raise InputError(f"{path} is a document; documents are read only from this machine")
    elif not os.access(path, os.R_OK):
        raise InputError(f"cannot read {path}: permission denied")
    return kind
