"""Test pairs: a word in a condition, and the word that plays its part in another condition.

A file has one pair a line, `word-condition,word-condition[,category]`; blank lines and lines that start with # are
skipped. Words and labels may have hyphens of their own: the condition is the longest known label after a hyphen.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from chronotope.errors import InputError


@dataclass(frozen=True, slots=True)
class TestPair:
    """A question and its right answer.

    Attributes
    ----------
    query, query_condition
        The word that is asked about, and where it stands.
    answer, answer_condition
        The word that should be found, and where.
    category
        What kind of pair it is; empty where the file does not say.
    """

    __test__: ClassVar = False  # no test class, whatever pytest makes of the name

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


class Labels:
    """The known labels of conditions, found in any case.

    Examples
    --------
    >>> labels = Labels(["1995-1999", "1999", "East_Africa"])
    >>> labels.known("east_africa")
    'East_Africa'
    >>> labels.known("canada")
    >>> labels.split("t-shirt-1995-1999")
    ('t-shirt', '1995-1999')
    """

    def __init__(self, labels: Iterable[str]) -> None:
        self._known = {label.casefold(): label for label in labels}

    def known(self, label: str) -> str | None:
        """The label as the model writes it; None where it has no such condition."""
        return self._known.get(label.strip().casefold())

    def split(self, text: str) -> tuple[str, str]:
        """The word and the condition in `word-condition`; where no label is known, the last hyphen divides them."""
        hyphens = [place for place, letter in enumerate(text) if letter == "-" and text[:place].strip()]
        for place in hyphens:
            label = self.known(text[place + 1 :])
            if label is not None:
                return text[:place].strip(), label
        if not hyphens:
            raise ValueError(f"'{text}' is not of the form word-condition")
        word, label = text[: hyphens[-1]].strip(), text[hyphens[-1] + 1 :].strip()
        if not label:
            raise ValueError(f"'{text}' has no condition after its hyphen")
        return word, label


def read_pairs(path: str | os.PathLike[str], labels: Iterable[str]) -> TestPairs:
    """The test pairs in a file, for a model whose conditions are written `labels`.

    A pair with a condition that is not among them is kept: nothing can answer it, so it counts as wrong. A line that
    is no pair is an error.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp(), "tests.csv")
    >>> _ = path.write_text("ottawa-canada,dublin-ireland,capital\\n")
    >>> read_pairs(path, ["canada", "ireland"]).pairs[0]
    TestPair(query='ottawa', query_condition='canada', answer='dublin', answer_condition='ireland', category='capital')
    """
    path = Path(path)
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"{path} is not UTF-8 text: {error.reason} at byte {error.start:,}") from None
    except OSError as error:
        raise InputError(f"cannot read the test pairs in {path}: {error.strerror or error}") from None
    pairs = pairs_in(text.split("\n"), labels, str(path))
    if not pairs:
        raise InputError(f"{path} has no test pairs; each line is word-condition,word-condition[,category]")
    return TestPairs(path.name, pairs)


def pairs_in(lines: Iterable[str | TestPair], labels: Iterable[str], name: str) -> tuple[TestPair, ...]:
    """The pairs in the lines of a test-pair file; a line that is a pair already stays as it is."""
    known = Labels(labels)
    pairs = []
    for number, line in enumerate(lines, start=1):
        if isinstance(line, TestPair):
            pairs.append(line)
        elif not isinstance(line, str):
            raise InputError(f"a test pair must be a TestPair, or a line of text, not {type(line).__name__}")
        elif line.strip() and not line.lstrip().startswith("#"):
            try:
                pairs.append(_parsed(line, known))
            except ValueError as error:
                raise InputError(f"{name}:{number}: {error}") from None
    return tuple(pairs)


def _parsed(line: str, labels: Labels) -> TestPair:
    """The pair on a line; what is wrong with the line is a ValueError."""
    fields = [field.strip() for field in line.split(",")]
    if len(fields) not in (2, 3):
        raise ValueError(
            f"expected word-condition,word-condition[,category], found {len(fields)} fields: {line.strip()}"
        )
    query, answer = labels.split(fields[0]), labels.split(fields[1])
    return TestPair(*query, *answer, fields[2] if len(fields) == 3 else "")


def refuse_unknown(pairs: Sequence[TestPair], labels: Sequence[str]) -> None:
    """Raise where no pair at all has two conditions that the model has: the file is for another corpus."""
    known = Labels(labels)
    if any(known.known(pair.query_condition) and known.known(pair.answer_condition) for pair in pairs):
        return
    asked = dict.fromkeys(label for pair in pairs for label in (pair.query_condition, pair.answer_condition))
    missing = [label for label in asked if known.known(label) is None]
    raise InputError(
        f"none of the {len(pairs):,} test pairs is about two conditions of this model: "
        f"they ask for {_few(missing)}; the model has {_few(labels)}"
    )


def _few(labels: Sequence[str]) -> str:
    return ", ".join(labels) if len(labels) <= 5 else f"{', '.join(labels[:3])} … {labels[-1]} ({len(labels):,})"
