"""Several words side by side: each compared with itself, and every two with each other, over the conditions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from chronotope.analysis.answer import Answer
from chronotope.analysis.own_vectors import timeline
from chronotope.analysis.series import Series, series
from chronotope.embeddings import ConditionedEmbeddings
from chronotope.errors import SettingsError


@dataclass(frozen=True)
class WordPair(Answer):
    """Two words, and in each condition the cosine of the two; None where either has too little support."""

    words: tuple[str, str]
    similarity: tuple[float | None, ...]


@dataclass(frozen=True)
class Comparison(Answer):
    """Several words side by side.

    Attributes
    ----------
    words
        The words, each once.
    axis
        What distinguishes the conditions.
    conditions
        Their labels.
    series
        How similar each word is to itself.
    pairs
        How similar every two of them are.
    min_count, signature
        How the answer was made.
    """

    words: tuple[str, ...]
    axis: str
    conditions: tuple[str, ...]
    series: tuple[Series, ...]
    pairs: tuple[WordPair, ...]
    min_count: int
    signature: str


def compare_words(
    embeddings: ConditionedEmbeddings,
    words: Sequence[str],
    against: str = "first",
    *,
    place: str | None = None,
    min_count: int = 5,
) -> Comparison:
    """Words compared with themselves and with each other, condition by condition.

    Parameters
    ----------
    embeddings
        The embeddings.
    words
        Two words or more.
    against, place, min_count
        As for `series`.

    Examples
    --------
    >>> from chronotope.conditions import Conditions
    >>> from chronotope.cooccurrence.vocabulary import Support
    >>> support = Support(np.array([0, 2, 4]), np.array([0, 1] * 2), np.array([9] * 4))
    >>> vectors = [[1, 0], [-1, 0], [0, 1], [0, -1]]
    >>> embeddings = ConditionedEmbeddings(["bank", "of"], Conditions.of_times(["1990", "2000"]), support, vectors)
    >>> compare_words(embeddings, ["bank", "of"]).pairs[0].similarity
    (-1.0, -1.0)
    """
    names = list(dict.fromkeys(words))
    if len(names) < 2:
        raise SettingsError("name two words or more to compare")
    for name in names:
        embeddings.index(name)
    labels = embeddings.conditions.labels
    among = range(len(labels)) if place is None else timeline(embeddings.conditions, place)
    found: dict[tuple[str, str], list[float | None]] = {pair: [] for pair in combinations(names, 2)}
    for condition in among:
        here = [name for name in names if embeddings.count(name, labels[condition]) >= min_count]
        rows = embeddings.project(here, labels[condition], labels[condition]).astype(np.float64)
        where = {name: row for row, name in enumerate(here)}
        for (first, second), values in found.items():
            both = first in where and second in where
            values.append(float((rows[where[first]] * rows[where[second]]).sum()) if both else None)
    return Comparison(
        tuple(names),
        "time" if place else embeddings.conditions.axis,
        tuple(labels[condition] for condition in among),
        tuple(series(embeddings, name, against, place=place, min_count=min_count) for name in names),
        tuple(WordPair(pair, tuple(values)) for pair, values in found.items()),
        min_count,
        embeddings.signature,
    )
