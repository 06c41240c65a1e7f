"""How the company that a word keeps changes: its similarity with its neighbors in every condition."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from chronotope.analysis.old_answer import Answer
from chronotope.analysis.own_vectors import what_helps
from chronotope.config import at_least, one_of
from chronotope.embeddings import ConditionedEmbeddings
from chronotope.errors import InputError, number_of


@dataclass(frozen=True, slots=True)
class Companion:
    """A word and its similarity with the word it keeps company with.

    Attributes
    ----------
    word
        The companion.
    similarity
        In each condition the cosine of the two; None where either has too little support.
    near_in
        The conditions, of those that were looked at, in which it is among the nearest.
    """

    word: str
    similarity: tuple[float | None, ...]
    near_in: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """As plain data for JSON."""
        return {"word": self.word, "similarity": list(self.similarity), "near_in": list(self.near_in)}


@dataclass(frozen=True)
class Company(Answer):
    """The company that a word keeps in every condition.

    Attributes
    ----------
    word
        The word.
    axis
        What distinguishes the conditions.
    conditions
        Their labels.
    support
        How often the word occurs in each.
    companions
        The words that are near it somewhere.
    looked_at
        The conditions whose nearest words became companions.
    min_count
        A similarity is given where both words occur at least so often.
    signature
        How the embeddings were made.
    """

    word: str
    axis: str
    conditions: tuple[str, ...]
    support: tuple[int, ...]
    companions: tuple[Companion, ...]
    looked_at: tuple[str, ...]
    min_count: int
    signature: str

    def to_dict(self) -> dict[str, Any]:
        """As plain data for JSON."""
        return {
            "word": self.word,
            "axis": self.axis,
            "conditions": list(self.conditions),
            "support": list(self.support),
            "companions": [companion.to_dict() for companion in self.companions],
            "looked_at": list(self.looked_at),
            "min_count": self.min_count,
            "signature": self.signature,
        }


def company(
    embeddings: ConditionedEmbeddings,
    word: str,
    *,
    top: int = 4,
    among: str | None = None,
    limit: int = 12,
    min_count: int = 5,
) -> Company:
    """The similarity of a word with those that are nearest to it somewhere, in every condition.

    Parameters
    ----------
    embeddings
        The embeddings.
    word
        The word.
    top
        How many neighbors each chosen condition contributes.
    among
        Which conditions contribute: the first and the last in which the word has enough support ('ends', the default
        over time), or all of them ('each', the default otherwise).
    limit
        The most companions; those are kept that are near in most conditions, of equals the first.
    min_count
        What is enough, for the word and for its companions.

    Examples
    --------
    >>> import numpy as np
    >>> from chronotope.conditions import Conditions
    >>> from chronotope.cooccurrence.vocabulary import Support
    >>> support = Support(np.array([0, 3, 6]), np.array([0, 1, 2] * 2), np.array([9] * 6))
    >>> vectors = [[1, 0], [0.9, 0], [-1, 0], [1, 0], [-1, 0], [0.9, 0]]
    >>> answer = company(ConditionedEmbeddings(
    ...     ["bank", "river", "money"], Conditions.of_times(["1990", "2000"]), support, vectors), "bank", top=1)
    >>> [companion.word for companion in answer.companions]
    ['river', 'money']
    """
    among = among or ("ends" if embeddings.conditions.axis == "time" else "each")
    one_of("among", among, ("ends", "each"))
    at_least("limit", limit, 1)
    at_least("top", top, 1)
    at_least("min_count", min_count, 1)
    counts = embeddings.count(word)
    present = [label for label, count in counts.items() if count >= min_count]
    if not present:
        helps = what_helps(embeddings.conditions, min_count)
        enough = number_of(min_count, "times")
        raise InputError(f"'{word}' occurs {enough} or more in no condition; its company cannot be told{helps}")
    chosen = present if among == "each" else list(dict.fromkeys([present[0], present[-1]]))
    near_in: dict[str, list[str]] = {}
    for label in chosen:
        for match in embeddings.neighbors(word, label, top, min_count=min_count):
            near_in.setdefault(match.word, []).append(label)
    kept = sorted(near_in, key=lambda name: -len(near_in[name]))[:limit]
    companions = tuple(
        Companion(name, tuple(_similarity(embeddings, word, name, label, min_count) for label in counts), tuple(near))
        for name, near in near_in.items()
        if name in kept
    )
    return Company(
        word,
        embeddings.conditions.axis,
        tuple(counts),
        tuple(counts.values()),
        companions,
        tuple(chosen),
        min_count,
        embeddings.signature,
    )


def _similarity(embeddings: ConditionedEmbeddings, word: str, other: str, label: str, min_count: int) -> float | None:
    """The similarity of two words in a condition, where both have enough support."""
    if min(embeddings.count(word, label), embeddings.count(other, label)) < min_count:
        return None
    return embeddings.similarity(word, other, at=label)
