"""Test pairs: a word in a condition, and the word that plays its part in another condition.

A file has one pair a line, `word-condition,word-condition[,category]`; blank lines and lines that start with # are
skipped. Words and labels may contain hyphens: the condition is the longest known label after a hyphen.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, TypeAlias

from chronotope.errors import InputError, some_of
from chronotope.io.untrusted import read_text


@dataclass(frozen=True, slots=True)
class TestPair:
    """A query word in its condition, the right answer in another, and a category ('' if the file has none)."""

    __test__: ClassVar = False  # not a test class for pytest

    query: str
    query_condition: str
    answer: str
    answer_condition: str
    category: str = ""


@dataclass(frozen=True)
class TestPairs:
    """The pairs of a file, in its order, and its name."""

    __test__: ClassVar = False

    name: str
    pairs: tuple[TestPair, ...]


PairSource: TypeAlias = str | os.PathLike[str] | TestPairs | Iterable[TestPair | str]


class Labels:
    """The known labels of conditions, compared without case.

    >>> labels = Labels(["1995-1999", "1999", "East_Africa"])
    >>> labels.known("east_africa"), labels.known("canada")
    ('East_Africa', None)
    >>> labels.split("t-shirt-1995-1999")
    ('t-shirt', '1995-1999')
    """

    def __init__(self, labels: Iterable[str]) -> None:
        self._known = {label.casefold(): label for label in labels}

    def known(self, label: str) -> str | None:
        """Return the label as the model writes it; None if it has no such condition."""
        return self._known.get(label.strip().casefold())

    def split(self, text: str) -> tuple[str, str]:
        """Return the word and the condition in `word-condition`; without a known label, split at the last hyphen."""
        hyphens = [place for place, letter in enumerate(text) if letter == "-" and text[:place].strip()]
        if not hyphens:
            raise ValueError(f"'{text}' is not of the form word-condition")
        place = next((place for place in hyphens if self.known(text[place + 1 :])), hyphens[-1])
        word, label = text[:place].strip(), text[place + 1 :].strip()
        if not label:
            raise ValueError(f"'{text}' has no condition after its hyphen")
        return word, self.known(label) or label


def numbered(lines: Iterable[Any]) -> Iterator[tuple[int, Any]]:
    """Yield lines with their numbers, without blank lines and comments."""
    for number, line in enumerate(lines, start=1):
        if not isinstance(line, str) or (line.strip() and not line.lstrip().startswith("#")):
            yield number, line


def read_pairs(source: PairSource, labels: Sequence[str]) -> TestPairs:
    """Return test pairs from a file, from its lines, or from pairs; raise InputError for a line that is no pair.

    A pair with a condition that is not among `labels` is kept and counts as wrong. If all pairs have such a condition,
    raise InputError, since they belong to another corpus.

    >>> read_pairs(["ottawa-canada,dublin-ireland,capital"], ["canada", "ireland"]).pairs[0]
    TestPair(query='ottawa', query_condition='canada', answer='dublin', answer_condition='ireland', category='capital')
    """
    known = Labels(labels)
    if not isinstance(source, TestPairs):
        lines, name = source, "pairs"
        if isinstance(lines, str | os.PathLike):
            lines, name = read_text(Path(lines)).split("\n"), str(lines)
        pairs = tuple(_parsed(line, known, f"{name}:{number}") for number, line in numbered(lines))
        if not pairs:
            raise InputError(f"{name} has no test pairs; each line is word-condition,word-condition[,category]")
        source = TestPairs(Path(name).name, pairs)
    pairs, find = source.pairs, known.known
    if any(find(pair.query_condition) and find(pair.answer_condition) for pair in pairs):
        return source
    asked = dict.fromkeys(label for pair in pairs for label in (pair.query_condition, pair.answer_condition))
    raise InputError(
        f"none of the {len(pairs):,} test pairs is about two conditions of this model: "
        f"they ask for {some_of([label for label in asked if find(label) is None])}; the model has {some_of(labels)}"
    )


def _parsed(line: str | TestPair, labels: Labels, where: str) -> TestPair:
    if isinstance(line, TestPair):
        return line
    if not isinstance(line, str):
        raise InputError(f"a test pair must be a TestPair, or a line of text, not {type(line).__name__}")
    fields = [field.strip() for field in line.split(",")]
    if len(fields) not in (2, 3):
        form = "expected word-condition,word-condition[,category]"
        raise InputError(f"{where}: {form}, found {len(fields)} fields: {line.strip()}")
    try:
        return TestPair(*labels.split(fields[0]), *labels.split(fields[1]), *fields[2:])
    except ValueError as error:
        raise InputError(f"{where}: {error}") from None
