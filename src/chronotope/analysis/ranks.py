"""Who the nearest words are in each condition, as ranks that can be followed from one to the next."""

from __future__ import annotations

from dataclasses import dataclass

from chronotope.analysis.old_answer import Answer
from chronotope.analysis.own_vectors import own_vectors, timeline
from chronotope.config import at_least
from chronotope.embeddings import ConditionedEmbeddings


@dataclass(frozen=True)
class RankedWord(Answer):
    """A neighbor and its rank in each condition, 1 the nearest; None where it is not among the nearest."""

    word: str
    ranks: tuple[int | None, ...]


@dataclass(frozen=True)
class Ranks(Answer):
    """The nearest words of a word, condition by condition.

    Attributes
    ----------
    word
        The word.
    axis
        What distinguishes the conditions.
    conditions
        Those in which the word has enough support.
    top
        How many neighbors each has.
    neighbors
        The words that are among them somewhere, in the order in which they come.
    min_count, signature
        How the answer was made.
    """

    word: str
    axis: str
    conditions: tuple[str, ...]
    top: int
    neighbors: tuple[RankedWord, ...]
    min_count: int
    signature: str


def ranks(
    embeddings: ConditionedEmbeddings, word: str, *, place: str | None = None, top: int = 5, min_count: int = 5
) -> Ranks:
    """The ranks of a word's nearest words in every condition.

    Parameters
    ----------
    embeddings
        The embeddings.
    word
        The word.
    place
        Where conditions are times × places, the place whose time line is followed; by default all conditions.
    top
        How many neighbors of each condition are followed.
    min_count
        A condition counts where the word occurs at least so often; so does a neighbor.
    """
    at_least("top", top, 1)
    among = None if place is None else timeline(embeddings.conditions, place)
    own = own_vectors(embeddings, word, min_count, among)
    labels = [embeddings.conditions.labels[condition] for condition in own.conditions]
    found: dict[str, list[int | None]] = {}
    for at, label in enumerate(labels):
        for rank, match in enumerate(embeddings.neighbors(word, label, top, min_count=min_count), 1):
            found.setdefault(match.word, [None] * len(labels))[at] = rank
    return Ranks(
        word,
        "time" if place else embeddings.conditions.axis,
        tuple(labels),
        top,
        tuple(RankedWord(name, tuple(places)) for name, places in found.items()),
        min_count,
        embeddings.signature,
    )
