"""The corpora of Gong, Bhat and Viswanath (2020), for those who have them: neither may be given away with a program."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from chronotope.corpus.readers.ice import decoded, without_markup
from chronotope.corpus.readers.json_objects import json_objects
from chronotope.corpus.source import Corpus, read_corpus
from chronotope.errors import InputError

AnyPath = str | os.PathLike[str]

_KEYS = ("id", "url")
_TEXT_CODE = re.compile(r"(?P<kind>[SW])[12][A-F]", re.IGNORECASE)
_KINDS = {"S": "spoken", "W": "written"}


def nyt_corpus(
    articles: AnyPath | Sequence[AnyPath], paragraphs: AnyPath | Sequence[AnyPath], every: str = "1y", **settings: Any
) -> Corpus:
    """The news of the New York Times, 1990–2016, that Yao et al. (2018) collected.

    The fields are `text` (the paragraphs of an article), `time` (its date) and `section`. Paragraphs without an
    article have no time and articles without paragraphs no text: both are counted among the rows that are skipped.
    Of the articles only key, date and section are held in memory; the paragraphs are read as a stream.

    Parameters
    ----------
    articles
        `articles-search-1990-2016.json`: objects with `date`, `section`, and `id` or `url`, in one array or one a
        line; or a list of such files.
    paragraphs
        `paragraphs-1990-2016.json`: objects with `paragraphs` and the same `id` or `url`; or a list of such files.
    every
        The length of the time bins.
    settings
        Any other setting of `read_corpus`.
    """
    article_files, paragraph_files = _files(articles), _files(paragraphs)
    known = [_fields(path, need) for path, need in _needs(article_files, paragraph_files)]
    key = next((key for key in _KEYS if all(key in fields for fields in known)), None)
    if key is None:
        raise InputError(
            f"{article_files[0].name} and {paragraph_files[0].name} have neither 'id' nor 'url' in common; "
            f"their fields are: {'; '.join(', '.join(fields) for fields in known)}"
        )
    records = _News(article_files, paragraph_files, key)
    return read_corpus(records, time="time", every=every, **settings)


@dataclass(frozen=True)
class _News:
    """The articles with their paragraphs, as records; the files are read each time."""

    articles: tuple[Path, ...]
    paragraphs: tuple[Path, ...]
    key: str

    def __iter__(self) -> Iterator[dict[str, Any]]:
        about: dict[str, tuple[Any, Any]] = {}
        for article in _objects(self.articles):
            about.setdefault(str(article.get(self.key)), (article.get("date"), article.get("section")))
        seen = set()
        for item in _objects(self.paragraphs):
            key = str(item.get(self.key))
            seen.add(key)
            date, section = about.get(key, (None, None))
            yield {"text": _joined(item.get("paragraphs")), "time": date, "section": section}
        for key, (date, section) in about.items():
            if key not in seen:
                yield {"text": None, "time": date, "section": section}


def _joined(paragraphs: Any) -> str | None:
    if isinstance(paragraphs, list):
        return "\n".join(str(paragraph) for paragraph in paragraphs if paragraph)
    return None if paragraphs is None else str(paragraphs)


def _objects(paths: Iterable[Path]) -> Iterator[dict[str, Any]]:
    for path in paths:
        yield from json_objects(path)


def _files(paths: AnyPath | Sequence[AnyPath]) -> tuple[Path, ...]:
    """The files that were named; one that is not there is an error."""
    named = [paths] if isinstance(paths, str | os.PathLike) else paths
    found = tuple(Path(path).expanduser() for path in named)
    for path in found:
        if not path.is_file():
            raise InputError(f"there is no file {path}{_beside(path)}")
    if not found:
        raise InputError("no file was named")
    return found


def _beside(path: Path) -> str:
    """A clause that names the JSON files in the folder of a file that is not there."""
    names = sorted(other.name for other in path.parent.glob("*.json*")) if path.parent.is_dir() else []
    return f"; beside it are: {', '.join(names[:8])}" if names else ""


def _needs(articles: Sequence[Path], paragraphs: Sequence[Path]) -> Iterator[tuple[Path, str]]:
    yield from ((path, "date") for path in articles)
    yield from ((path, "paragraphs") for path in paragraphs)


def _fields(path: Path, need: str) -> list[str]:
    """The fields of the first object of a file; one without the field that is needed is an error."""
    first = next(json_objects(path), None)
    if first is None:
        raise InputError(f"{path.name} holds no articles")
    if need not in first:
        raise InputError(f"{path.name} has no field '{need}'; its fields are: {', '.join(list(first)[:20])}")
    return list(first)


def ice_corpus(folder: AnyPath, **settings: Any) -> Corpus:
    """The International Corpus of English: the texts of each region, without their markup.

    The fields are `text`, `place` (the name of the region's folder), `name` (of the file) and `kind`: 'written' or
    'spoken', by the text code that begins the name (W1A-001, S1A-001). The paper takes the written texts only:
    `where="kind = 'written'"`. What `chronotope.corpus.readers.ice` lists is left out. Texts that are not UTF-8 are
    read in the encoding of Windows.

    Parameters
    ----------
    folder
        A folder with a folder for each region, in which the texts lie at any depth. Where file names in a region
        begin with text codes, its other files are not read; nor are folders of headers, nor files outside a region.
    settings
        Any other setting of `read_corpus`.
    """
    folder = Path(folder).expanduser()
    if not folder.is_dir():
        raise InputError(f"there is no folder {folder}")
    regions = sorted(path for path in folder.iterdir() if path.is_dir() and not path.name.startswith("."))
    texts = tuple((region.name, path) for region in regions for path in _texts(region))
    if not texts:
        names = sorted(path.name + "/" * path.is_dir() for path in folder.iterdir())
        shown = ", ".join(names[:8]) + (", …" if len(names) > 8 else "") if names else "nothing"
        raise InputError(f"{folder} should hold a folder of .txt files for each region; it holds {shown}")
    return read_corpus(_IceTexts(texts), place="place", **settings)


@dataclass(frozen=True)
class _IceTexts:
    """The texts as records; the files are read each time."""

    texts: tuple[tuple[str, Path], ...]

    def __len__(self) -> int:
        return len(self.texts)

    def __iter__(self) -> Iterator[dict[str, str | None]]:
        for place, path in self.texts:
            code = _TEXT_CODE.match(path.stem)
            yield {
                "text": without_markup(decoded(path.read_bytes())),
                "place": place,
                "name": path.stem,
                "kind": _KINDS[code["kind"].upper()] if code else None,
            }


def _texts(region: Path) -> list[Path]:
    """The text files of a region."""
    texts = [
        path
        for path in sorted(region.rglob("*"))
        if path.is_file()
        and path.suffix.lower() == ".txt"
        and not any(part.startswith(".") or "header" in part.lower() for part in path.relative_to(region).parts)
    ]
    return [path for path in texts if _TEXT_CODE.match(path.stem)] or texts
