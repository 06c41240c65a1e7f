"""The paper's examples in kind: the company of single words over time and places, and two of its failures."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from chronotope.embeddings import ConditionedEmbeddings, Matches

# Words whose neighbors the paper shows, and queries that it answers otherwise than its test pairs want.
OVER_TIME = ("apple", "windows", "policies")
OVER_PLACES = ("president", "program")
FAILURES = (("website", "2014", "1990", "address"), ("bitcoin", "2015", "1992", "investment"))

MOST_CONDITIONS = 9


@dataclass(frozen=True)
class Example:
    """What a model says of a word.

    Attributes
    ----------
    word, at
        The word, and the condition in which it stands.
    to
        The condition in which words like it are sought: the same for its neighbors.
    support
        How often it occurs in `at`; 0: the answer rests on other conditions alone.
    found
        The words found, best first; empty where the model does not know the word.
    expected
        What the test pairs want; empty for neighbors.
    """

    word: str
    at: str
    to: str
    support: int
    found: tuple[str, ...]
    expected: str = ""

    def to_dict(self) -> dict[str, Any]:
        """As plain data for JSON."""
        return vars(self) | {"found": list(self.found)}


def neighbors_over_conditions(
    embeddings: ConditionedEmbeddings, word: str, *, top: int = 8, min_support: int = 5
) -> list[Example]:
    """The nearest words in the conditions where the word occurs often enough, from the first to the last.

    Of many conditions some are taken, evenly spaced, always with the first and the last.

    Parameters
    ----------
    embeddings
        The model.
    word
        The word; one that the model does not know has no examples.
    top
        How many neighbors.
    min_support
        How often the word, and a neighbor, must occur in the condition.
    """
    if word not in embeddings:
        return []
    support = embeddings.support(word)
    labels = [label for label, times in support.items() if times >= min_support]
    if len(labels) > MOST_CONDITIONS:
        last = len(labels) - 1
        labels = [labels[round(step * last / (MOST_CONDITIONS - 1))] for step in range(MOST_CONDITIONS)]
    found = {label: embeddings.neighbors(word, label, top, min_support=min_support) for label in labels}
    return [
        Example(word, label, label, support[label], tuple(match.word for match in matches))
        for label, matches in found.items()
    ]


def failures(embeddings: ConditionedEmbeddings, *, top: int = 8, min_support: int = 5) -> list[Example]:
    """The paper's two failures, asked again; conditions that the model does not have are passed over."""
    labels = embeddings.conditions.labels
    examples = []
    for word, at, to, expected in FAILURES:
        if at in labels and to in labels:
            support, found = 0, Matches()
            if word in embeddings:
                support = embeddings.support(word, at)
                found = embeddings.equivalents(word, at, to, top, min_support=min_support)
            examples.append(Example(word, at, to, support, tuple(match.word for match in found), expected))
    return examples
