"""Folders of vectors: what `export` wrote, or the decades of HistWords."""

from __future__ import annotations

from pathlib import Path

from chronotope.embeddings.formats.exporting import MANIFEST, WITHOUT_BLANKS
from chronotope.embeddings.formats.histwords import VECTORS, models_in
from chronotope.embeddings.formats.reading import name_of
from chronotope.errors import DamagedFile, InputError
from chronotope.io.untrusted import read_json


def files_and_names(path: Path) -> list[tuple[Path, str]]:
    """The files of vectors that a path stands for, each with the label of its condition.

    A file stands for itself, a folder for the files that `export` wrote there as word2vec or GloVe, or for the models
    of HistWords in it.
    """
    if not path.is_dir():
        return [(path, name_of(path))]
    if (path / MANIFEST).is_file():
        return _exported(path)
    found = models_in(path)
    if not found:
        raise InputError(
            f"the folder {path} holds neither an export of chronotope nor models of HistWords (*{VECTORS}); "
            "name the files"
        )
    return [(file, name_of(file)) for file in found]


def _exported(folder: Path) -> list[tuple[Path, str]]:
    try:
        about = read_json((folder / MANIFEST).read_bytes())
        kind, conditions = about["format"], about["conditions"]
        if kind not in WITHOUT_BLANKS:
            raise InputError(f"{folder} is an export as {kind}; align reads {', '.join(WITHOUT_BLANKS)}")
        # Of a name only its last part is used, so that nobody's manifest leads elsewhere.
        return [(folder / Path(str(entry["file"])).name, str(entry["label"])) for entry in conditions]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise DamagedFile(f"{folder / MANIFEST} is damaged: {error}") from None
