"""A word's similarity with itself over the conditions: as a series, and of every condition with every other."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from chronotope.analysis.answer import Answer
from chronotope.analysis.own_vectors import in_one_space, overall, own_cosines, own_vectors, timeline
from chronotope.embeddings import ConditionedEmbeddings
from chronotope.errors import SettingsError

FIRST, PREVIOUS, OVERALL = "first", "previous", "overall"


@dataclass(frozen=True)
class Series(Answer):
    """How similar a word is to itself, condition by condition.

    Attributes
    ----------
    word
        The word.
    axis
        What distinguishes the conditions.
    against
        What each condition is compared with: the label of a condition, 'previous' or 'overall'.
    conditions
        Their labels.
    support
        How often the word occurs in each.
    per_million
        The same among a million running words of the vocabulary there.
    values
        The cosine; None where the word is too rare, or where there is nothing before.
    low, high
        The ends of an interval around each value; None where there is none.
    min_support
        A value is given where the word occurs at least so often.
    signature
        How the embeddings were made.
    """

    word: str
    axis: str
    against: str
    conditions: tuple[str, ...]
    support: tuple[int, ...]
    per_million: tuple[float, ...]
    values: tuple[float | None, ...]
    low: tuple[float | None, ...]
    high: tuple[float | None, ...]
    min_support: int
    signature: str


@dataclass(frozen=True)
class SelfSimilarity(Answer):
    """How similar a word in each condition is to itself in each other.

    Attributes
    ----------
    word, axis, conditions, support, min_support, signature
        As in `Series`.
    similarity
        For each condition its cosines with all; None where the word is too rare in either.
    """

    word: str
    axis: str
    conditions: tuple[str, ...]
    support: tuple[int, ...]
    similarity: tuple[tuple[float | None, ...], ...]
    min_support: int
    signature: str


def series(
    embeddings: ConditionedEmbeddings,
    word: str,
    against: str = FIRST,
    *,
    place: str | None = None,
    min_support: int = 5,
) -> Series:
    """The similarity of a word with itself, condition by condition.

    Parameters
    ----------
    embeddings
        The embeddings.
    word
        The word.
    against
        What each condition is compared with: the 'first' in which the word has enough support, the 'previous' such
        one, what the word means in all the other conditions ('overall'), or the label of a condition.
    place
        Where conditions are times × places, the place whose time line is followed; by default all conditions.
    min_support
        The word is compared where it occurs at least so often.

    Examples
    --------
    >>> from chronotope.conditions import Conditions
    >>> from chronotope.vocabulary import Support
    >>> support = Support(np.array([0, 2, 4]), np.array([0, 1] * 2), np.array([9] * 4))
    >>> vectors = [[1, 0], [-1, 0], [0, 1], [0, -1]]
    >>> answer = series(ConditionedEmbeddings(
    ...     ["bank", "of"], Conditions.of_times(["1990", "2000"]), support, vectors), "bank")
    >>> answer.against, answer.values
    ('1990', (1.0, 0.0))
    """
    conditions = embeddings.conditions
    among = _among(embeddings, place, ordered=against == PREVIOUS)
    own = own_vectors(embeddings, word, min_support, among)
    if against == OVERALL:
        in_one_space(embeddings)
        cosines = np.multiply(own.unit, overall(own.unit)).sum(axis=1)
    elif against == PREVIOUS:
        cosines = np.append(np.nan, np.diagonal(own_cosines(embeddings, word, own), 1))
    else:
        base = own.conditions[0] if against == FIRST else conditions.index(against)
        if base not in own.conditions:
            raise SettingsError(f"'{word}' occurs fewer than {min_support} times in {conditions.labels[base]}")
        cosines = own_cosines(embeddings, word, own)[int(np.flatnonzero(own.conditions == base)[0])]
        against = conditions.labels[base]
    values: dict[int, float | None] = {
        int(condition): None if np.isnan(cosine) else float(cosine)
        for condition, cosine in zip(own.conditions, cosines, strict=True)
    }
    number, empty = embeddings.index(word), (None,) * len(among)
    support = tuple(embeddings.observed.of(number, condition) for condition in among)
    totals = [max(1, int(embeddings.observed.counts_in(condition).sum())) for condition in among]
    return Series(
        word,
        "time" if place else conditions.axis,
        against,
        tuple(conditions.labels[condition] for condition in among),
        support,
        tuple(1e6 * count / total for count, total in zip(support, totals, strict=True)),
        tuple(values.get(condition) for condition in among),
        empty,
        empty,
        min_support,
        embeddings.signature,
    )


def self_similarity(
    embeddings: ConditionedEmbeddings, word: str, *, place: str | None = None, min_support: int = 5
) -> SelfSimilarity:
    """The similarity of a word in every condition with itself in every other.

    Parameters
    ----------
    embeddings, word, place, min_support
        As for `series`.
    """
    among = _among(embeddings, place)
    own = own_vectors(embeddings, word, min_support, among)
    where = {int(condition): row for row, condition in enumerate(own.conditions)}
    cosines = own_cosines(embeddings, word, own)
    table = tuple(
        tuple(float(cosines[where[a], where[b]]) if a in where and b in where else None for b in among) for a in among
    )
    labels = embeddings.conditions.labels
    return SelfSimilarity(
        word,
        "time" if place else embeddings.conditions.axis,
        tuple(labels[condition] for condition in among),
        tuple(embeddings.observed.of(embeddings.index(word), condition) for condition in among),
        table,
        min_support,
        embeddings.signature,
    )


def _among(embeddings: ConditionedEmbeddings, place: str | None, ordered: bool = False) -> list[int]:
    """The conditions to look at: all, or the time line of a place; all in order of time where that is asked for."""
    if place is None and not ordered:
        return list(range(len(embeddings.conditions)))
    return timeline(embeddings.conditions, place)
