"""The simplest contender: it answers every question with the query word itself.

What it gets right needs no model of meaning, only the knowledge that most words stay; so it stands in every table.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from chronotope.cooccurrence import Counts
from chronotope.evaluation.pairs import Labels, TestPair, TestPairs
from chronotope.evaluation.reproduce_results import WAYS, Answers, Fit, checksum_of_pairs

NAME = "copy the query word"


def copied(counts: Counts, pairs: Iterable[TestPairs], table: str) -> Fit:
    """The answers of whoever copies the query word, as those of a fit that took nothing."""
    answers = []
    for one in pairs:
        for way in WAYS:
            answerable = _answerable(counts, one.pairs, way.min_support)
            ranks = tuple(
                int(known and pair.query == pair.answer) for pair, known in zip(one.pairs, answerable, strict=True)
            )
            answers.append(Answers(one.name, checksum_of_pairs(one), way, sum(answerable), ranks, NAME))
    return Fit(NAME, table, NAME, "copy", {}, 0, counts.checksum, "", 0.0, None, answers=tuple(answers))


def _answerable(counts: Counts, pairs: Sequence[TestPair], min_support: int) -> list[bool]:
    """For each pair whether both words are known and the answer is a candidate: what `evaluate` asks of a model."""
    labels = Labels(counts.conditions.labels)
    number = {word: place for place, word in enumerate(counts.vocabulary.words)}
    support = counts.vocabulary.support
    found = []
    for pair in pairs:
        to = labels.known(pair.answer_condition)
        known = to is not None and labels.known(pair.query_condition) is not None
        known = known and pair.query in number and pair.answer in number
        found.append(known and support.of(number[pair.answer], counts.conditions.index(str(to))) >= min_support)
    return found
