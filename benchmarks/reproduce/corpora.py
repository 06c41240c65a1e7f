"""Readers of the two corpora of Gong, Bhat and Viswanath (2020), for those who have a license.

Markup of the International Corpus of English that is removed with its content (markup manual, Nelson 2002):

- extra-corpus text `<X>…</X>`, editorial comments `<&>…</&>`, untranscribed text `<O>…</O>`;
- deletions `<del>…</del>`, unclear words `<unclear>…</unclear>`, footnote marks `<fnr>…</fnr>`;
- the original form where the text was normalized, `<->…</->`; the normal form `<+>…</+>` stays.

Other symbols are removed and their content stays. Some regions write `<X_>…<X/>` for `<X>…</X>`; both are read. A
symbol that is never closed removes nothing. Character names such as `&eacute;` become letters.
"""

from __future__ import annotations

import gzip
import html
import json
import os
import re
from pathlib import Path
from typing import Any

from chronotope import read_corpus
from chronotope.corpus.source import Corpus
from chronotope.errors import InputError

REMOVED = ("X", "O", "&", "del", "unclear", "fnr", "-")
# These occur inside words, as in H<sb>2</sb>O; every other symbol separates two words.
INSIDE_WORDS = ("b", "bold", "it", "ul", "smallcaps", "sb", "sp", "roman", "typeface", "w", "l", "?")


def _any_of(names: tuple[str, ...]) -> str:
    return "(?:" + "|".join(map(re.escape, names)) + ")"


_BLOCK = re.compile(
    rf"<(?P<name>{_any_of(REMOVED)})_?>(?:(?!<(?P=name)_?>).)*?(?:</(?P=name)>|<(?P=name)/>)",
    re.DOTALL | re.IGNORECASE,
)
_TYPOGRAPHY = re.compile(rf"</?{_any_of(INSIDE_WORDS)}[_/]?>", re.IGNORECASE)
_MARKUP = re.compile(r"<(?=[^\s<>])[^<>\n]{1,80}>")
_CHARACTER_NAME = re.compile(r"&[A-Za-z][A-Za-z0-9-]*;")
_BLANKS = re.compile(r"[ \t]+")
_TEXT_CODE = re.compile(r"([SW])[12][A-F]", re.IGNORECASE)


def nyt_corpus(articles: str | Path, paragraphs: str | Path, every: str = "1y", **settings: Any) -> Corpus:
    """Read the New York Times, 1990–2016, that Yao et al. (2018) collected: fields `text`, `time`, `section`.

    Parameters
    ----------
    articles
        `articles-search-1990-2016.json`: objects with `date`, `section`, and `id` or `url`.
    paragraphs
        `paragraphs-1990-2016.json`: objects with `paragraphs` and the same `id` or `url`. Both files hold an array,
        or one object a line, and may be compressed (.gz).
    every
        The length of the time bins.
    settings
        Any other setting of `read_corpus`.
    """
    about, texts = _objects(articles, "date"), _objects(paragraphs, "paragraphs")
    key = next((key for key in ("id", "url") if key in about[0] and key in texts[0]), None)
    if key is None:
        fields = "; ".join(", ".join(objects[0]) for objects in (about, texts))
        raise InputError(f"articles and paragraphs have neither 'id' nor 'url' in common; their fields: {fields}")
    text_of = {str(one[key]): "\n".join(filter(None, one["paragraphs"] or ())) for one in texts}
    records = [
        {"text": text_of.pop(str(one[key]), None), "time": one.get("date"), "section": one.get("section")}
        for one in about
    ]
    records += [{"text": text, "time": None, "section": None} for text in text_of.values()]
    return read_corpus(records, time="time", every=every, **settings)


def _objects(path: str | Path, need: str) -> list[dict[str, Any]]:
    """Return the objects of a JSON file that all have the field `need`."""
    path = Path(path).expanduser()
    if not path.is_file():
        raise InputError(f"there is no file {path}")
    data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    text = data.decode("utf-8-sig")
    try:
        found = (
            json.loads(text) if text.lstrip()[:1] == "[" else [json.loads(line) for line in text.splitlines() if line]
        )
    except ValueError as error:
        raise InputError(f"{path.name} is not JSON: {error}") from None
    if not found:
        raise InputError(f"{path.name} holds no articles")
    if need not in found[0]:
        raise InputError(f"{path.name} has no field '{need}'; its fields are: {', '.join(found[0])}")
    return list(found)


def ice_corpus(folder: str | os.PathLike[str], **settings: Any) -> Corpus:
    """Read the International Corpus of English: fields `text`, `place`, `name`, and `kind` ('written' or 'spoken').

    The paper takes the written texts: `where="kind = 'written'"`. Files that are not UTF-8 are read as Windows-1252.

    Parameters
    ----------
    folder
        A folder with one folder per region, its `.txt` files at any depth. Where file names in a region begin with
        text codes (W1A-001), its other files are not read; nor are folders of headers.
    settings
        Any other setting of `read_corpus`.
    """
    folder = Path(folder).expanduser()
    if not folder.is_dir():
        raise InputError(f"there is no folder {folder}")
    records = [_record(region.name, path) for region in sorted(folder.iterdir()) for path in _texts(region)]
    if not records:
        names = ", ".join(sorted(path.name for path in folder.iterdir())[:8]) or "nothing"
        raise InputError(f"{folder} should hold a folder of .txt files for each region; it holds {names}")
    return read_corpus(records, place="place", **settings)


def _record(place: str, path: Path) -> dict[str, str | None]:
    data = path.read_bytes()
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = data.decode("cp1252", errors="replace")
    code = _TEXT_CODE.match(path.stem)
    kind = ("spoken" if code[1] in "sS" else "written") if code else None
    return {"text": remove_markup(text), "place": place, "name": path.stem, "kind": kind}


def _texts(region: Path) -> list[Path]:
    """Return the text files of a region."""
    texts = [
        path
        for path in sorted(region.rglob("*.txt"))
        if not any(part.startswith(".") or "header" in part.lower() for part in path.relative_to(region.parent).parts)
    ]
    return [path for path in texts if _TEXT_CODE.match(path.stem)] or texts


def remove_markup(text: str) -> str:
    """Return a text of the International Corpus of English as its readers saw it."""
    found = 1
    while found:  # from the inside out
        text, found = _BLOCK.subn(" ", text)
    text = _TYPOGRAPHY.sub("", text)
    text = _MARKUP.sub(" ", text)
    text = _CHARACTER_NAME.sub(" ", html.unescape(text))
    return "\n".join(line for line in (_BLANKS.sub(" ", line).strip() for line in text.split("\n")) if line)
