"""The objects of a JSON file one after the other, whether they stand in one array or one a line."""

from __future__ import annotations

import codecs
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from chronotope.errors import InputError
from chronotope.io.streaming import Stream, strip_mark

CHUNK = 1 << 20
LONGEST_OBJECT = 64 << 20
_BETWEEN = " \t\r\n,"


def json_objects(path: Path) -> Iterator[dict[str, Any]]:
    """The objects in a file that holds a JSON array of them, or one after the other; no more than one is held.

    The file may be compressed (.gz, .zst). What is not an object, or is cut short, is an error that says where.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp(), "articles.json")
    >>> _ = path.write_text('[{"id": 1}, {"id": 2}]')
    >>> list(json_objects(path))
    [{'id': 1}, {'id': 2}]
    """
    decode = json.JSONDecoder().raw_decode
    number = 1
    in_array = False
    text, place = "", 0
    for chunk in _text(path):
        text, place = text[place:] + chunk, 0
        while True:
            place = _skipped(text, place)
            if place < len(text) and text[place] == "[" and number == 1 and not in_array:
                in_array = True
                place = _skipped(text, place + 1)
            if place == len(text) or (in_array and text[place] == "]"):
                break
            if text[place] != "{":
                raise InputError(f"{path.name}: item {number:,} is not a JSON object but {text[place : place + 30]!r}")
            try:
                found, place = decode(text, place)
            except json.JSONDecodeError:
                # It may go on in the next chunk.
                if len(text) - place > LONGEST_OBJECT:
                    raise InputError(f"{path.name}: item {number:,} is broken JSON, or longer than 64 MB") from None
                break
            number += 1
            yield found
    left = text[_skipped(text, place) :].rstrip()
    if left != ("]" if in_array else ""):
        raise InputError(f"{path.name}: item {number:,} is broken JSON, or the file is cut short")


def _text(path: Path) -> Iterator[str]:
    """The text of a file in pieces."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    with Stream(path) as stream:
        data = strip_mark(path, stream.read(CHUNK))
        try:
            while data:
                yield decoder.decode(data)
                data = stream.read(CHUNK)
            decoder.decode(b"", final=True)
        except UnicodeDecodeError as error:
            raise InputError(f"{path.name} is not UTF-8 text: {error.reason}") from None


def _skipped(text: str, place: int) -> int:
    """Where the next item begins."""
    while place < len(text) and text[place] in _BETWEEN:
        place += 1
    return place
