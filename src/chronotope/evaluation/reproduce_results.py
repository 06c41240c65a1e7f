"""What has been done so far: one row for each fit, in a file that is replaced as a whole with each new one.

The ranks of all pairs are kept, so that intervals, differences and other cuts of the pairs need no model.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, astuple, dataclass, field
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

from chronotope.errors import DamagedFile
from chronotope.evaluation.pairs import TestPairs
from chronotope.io.atomic import atomic_write
from chronotope.io.provenance import checksum_of


class Way(NamedTuple):
    """How the candidates are chosen and ranked.

    Attributes
    ----------
    retrieval
        'csls' or 'cosine'.
    min_support
        Candidates occur at least so often in the condition of the answer; 0: all words.
    """

    retrieval: str
    min_support: int


# The first is the one that the main figures stand for; the last is the paper's.
WAYS = (Way("csls", 5), Way("csls", 0), Way("cosine", 5), Way("cosine", 0))


@dataclass(frozen=True)
class Answers:
    """The ranks that a model gave the right answers of a file of pairs, in one way.

    Attributes
    ----------
    pairs, checksum
        The name of the file, and the checksum of its pairs.
    way
        How candidates were chosen and ranked.
    answerable
        How many pairs could be answered.
    ranks
        (N,) the rank of each right answer, from 1; 0: not among the first ten.
    signature
        All that could change them.
    """

    pairs: str
    checksum: str
    way: Way
    answerable: int
    ranks: tuple[int, ...]
    signature: str


@dataclass(frozen=True)
class Fit:
    """A fit that is done.

    Attributes
    ----------
    key
        What was asked for, as a checksum.
    table, contender, method, settings, seed, run
        What was trained on what.
    model
        The name of the model's file.
    seconds, peak_bytes
        What it took.
    held_out
        How well it predicts held-out text; None where there is none, or it gives no probability.
    answers
        What it answered; empty until it has been asked.
    """

    key: str
    table: str
    contender: str
    method: str
    settings: Mapping[str, Any]
    seed: int
    run: str
    model: str
    seconds: float
    peak_bytes: int | None
    held_out: float | None = None
    answers: tuple[Answers, ...] = field(default=(), repr=False)

    def has_answered(self, pairs: Iterable[TestPairs], ways: Iterable[Way] = WAYS) -> bool:
        """Whether it was asked all these pairs in all these ways."""
        known = {(answers.checksum, answers.way) for answers in self.answers}
        return known >= set(product(map(checksum_of_pairs, pairs), ways))

    def answers_to(self, pairs: TestPairs, way: Way) -> Answers:
        """What it answered to some pairs."""
        wanted = checksum_of_pairs(pairs), way
        return next(answers for answers in self.answers if (answers.checksum, answers.way) == wanted)


def checksum_of_pairs(pairs: TestPairs) -> str:
    """The checksum of test pairs."""
    return checksum_of([astuple(pair) for pair in pairs.pairs])


class Results:
    """The file with the fits that are done."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)

    def read(self) -> dict[str, Fit]:
        """The fits by key, in the order in which they were done; none where there is no file yet."""
        if not self.path.exists():
            return {}
        found = {}
        for number, line in enumerate(self.path.read_text(encoding="utf-8").splitlines(), start=1):
            try:
                fit = _fit_of(json.loads(line))
            except (ValueError, TypeError, KeyError) as error:
                raise DamagedFile(f"{self.path}:{number} is not a result ({error}); delete that line") from None
            found[fit.key] = fit
        return found

    def put(self, fit: Fit) -> None:
        """Add a fit, or replace the one with its key."""
        fits = self.read() | {fit.key: fit}
        with atomic_write(self.path) as temporary:
            lines = (json.dumps(asdict(one), ensure_ascii=False) for one in fits.values())
            temporary.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def _fit_of(row: dict[str, Any]) -> Fit:
    answers = tuple(
        Answers(**(one | {"way": Way(*one["way"]), "ranks": tuple(one["ranks"])})) for one in row["answers"]
    )
    return Fit(**(row | {"answers": answers}))
