"""Names that every system and every format can hold: files for conditions, words without blanks."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence

LONGEST_NAME = 80
# Windows keeps these for devices, whatever their ending.
RESERVED = {"con", "prn", "aux", "nul", *(f"{port}{number}" for port in ("com", "lpt") for number in range(1, 10))}


def file_names(labels: Sequence[str]) -> list[str]:
    """A file name, without its ending, for each label: distinct in any case, without blanks and slashes.

    Examples
    --------
    >>> file_names(["1998/canada", "1998-canada", "São Tomé", "../con", "con"])
    ['1998-canada', '1998-canada-2', 'São-Tomé', 'con_', 'con_-2']
    """
    taken: set[str] = set()
    names = []
    for label in labels:
        name = re.sub(r"[^\w.+]+", "-", unicodedata.normalize("NFC", label)).strip("-.") or "_"
        if len(name.encode()) > LONGEST_NAME:
            digest = hashlib.blake2b(label.encode("utf-8", "surrogatepass"), digest_size=4).hexdigest()
            name = f"{name.encode()[: LONGEST_NAME - 9].decode('utf-8', 'ignore')}-{digest}"
        if name.split(".")[0].casefold() in RESERVED:
            name += "_"
        names.append(_free(name, "-{}", taken, str.casefold))
    return names


def words_without_blanks(words: Iterable[str]) -> tuple[list[str], dict[str, str]]:
    """The words as formats that part fields by blanks can hold them, and which were changed.

    A blank or control character becomes an underscore; where that makes a word that exists already, a number follows.

    Examples
    --------
    >>> words_without_blanks(["new york", "new_york", "bank"])
    (['new_york_2', 'new_york', 'bank'], {'new york': 'new_york_2'})
    """
    words = list(words)
    changed = [number for number, word in enumerate(words) if not word or any(map(_parts_fields, word))]
    if not changed:
        return words, {}
    written = list(words)
    taken = set(words) - {words[number] for number in changed}
    renamed = {}
    for number in changed:
        plain = "".join("_" if _parts_fields(letter) else letter for letter in words[number]) or "_"
        written[number] = renamed[words[number]] = _free(plain, "_{}", taken)
    return written, renamed


def _parts_fields(letter: str) -> bool:
    """Whether a reader may take a character for the end of a word or of a line."""
    return letter.isspace() or unicodedata.category(letter) in ("Cc", "Zl", "Zp", "Zs")


def _free(name: str, suffix: str, taken: set[str], key: Callable[[str], str] = str) -> str:
    """The name, with a number where one with the same key is taken already."""
    found, number = name, 2
    while key(found) in taken:
        found, number = name + suffix.format(number), number + 1
    taken.add(key(found))
    return found
