"""A word's similarity with itself over the conditions: as a series, and of every condition with every other."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from chronotope.analysis.answer import Answer
from chronotope.analysis.own_vectors import (
    in_one_space,
    overall,
    own_cosines,
    own_vectors,
    timeline,
    unit_vectors,
    what_helps,
)
from chronotope.config import at_least
from chronotope.embeddings import ConditionedEmbeddings
from chronotope.errors import SettingsError, fewer_than

if TYPE_CHECKING:
    from chronotope.analysis.significance.few_words import FewWords
    from chronotope.analysis.significance.noiseless import Noiseless
    from chronotope.cooccurrence import Counts

FIRST, PREVIOUS, OVERALL = "first", "previous", "overall"

Progress = Callable[[str, int, int | None], None]


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
        The ends of a 95 % interval of the corrected value; None where documents were not drawn again, or are too few.
    min_count
        A value is given where the word occurs at least so often.
    signature
        How the embeddings were made.
    corrected
        The cosine less the noise, which makes a word that is rare look more different than it is; None where documents
        were not drawn again, or are too few.
    bootstrap
        How often documents were drawn again.
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
    min_count: int
    signature: str
    corrected: tuple[float | None, ...] = ()
    bootstrap: int = 0

    @property
    def best(self) -> tuple[float | None, ...]:
        """What is known best of each value: the corrected one where documents were drawn again."""
        return self.corrected if self.bootstrap else self.values


@dataclass(frozen=True)
class SelfSimilarity(Answer):
    """How similar a word in each condition is to itself in each other.

    Attributes
    ----------
    word, axis, conditions, support, min_count, signature
        As in `Series`.
    similarity
        For each condition its cosines with all; None where the word is too rare in either.
    """

    word: str
    axis: str
    conditions: tuple[str, ...]
    support: tuple[int, ...]
    similarity: tuple[tuple[float | None, ...], ...]
    min_count: int
    signature: str


def series(
    embeddings: ConditionedEmbeddings,
    word: str,
    against: str = FIRST,
    *,
    place: str | None = None,
    min_count: int = 5,
    counts: Counts | None = None,
    bootstrap: int = 0,
    seed: int = 1,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Series:
    """The similarity of a word with itself, condition by condition.

    Parameters
    ----------
    embeddings
        The embeddings.
    word
        The word.
    against
        What each condition is compared with: the 'first' in which the word has enough support (with `bootstrap`,
        enough documents too), the 'previous' such one, what the word means in all the other conditions ('overall'), or
        the label of a condition.
    place
        Where conditions are times × places, the place whose time line is followed; by default all conditions.
    min_count
        The word is compared where it occurs at least so often.
    counts
        The run that the model was trained on; needed for `bootstrap`.
    bootstrap
        How often the documents of each condition are drawn again, for intervals; 0: not at all. Needs a model of method
        graph or shared-context.
    seed
        Of these draws.
    threads
        How many cores to use; the result does not depend on it.
    progress
        Called with the stage, how much is done, and of how much.

    Examples
    --------
    >>> from chronotope.conditions import Conditions
    >>> from chronotope.cooccurrence.vocabulary import Support
    >>> support = Support(np.array([0, 2, 4]), np.array([0, 1] * 2), np.array([9] * 4))
    >>> vectors = [[1, 0], [-1, 0], [0, 1], [0, -1]]
    >>> answer = series(ConditionedEmbeddings(
    ...     ["bank", "of"], Conditions.of_times(["1990", "2000"]), support, vectors), "bank")
    >>> answer.against, answer.values
    ('1990', (1.0, 0.0))
    """
    at_least("bootstrap", bootstrap, 0)
    conditions = embeddings.conditions
    among = _among(embeddings, place, ordered=against == PREVIOUS)
    own = own_vectors(embeddings, word, min_count, among)
    few: FewWords | None = None
    first = 0
    if bootstrap:
        from chronotope.analysis.significance.few_words import FewWords
        from chronotope.analysis.significance.noiseless import FEWEST_DOCUMENTS

        few = FewWords(embeddings, counts, [word])
        # What is compared with too few documents has no interval: the first to compare with has enough of them.
        first = int(np.argmax(few.documents[0, own.conditions] >= FEWEST_DOCUMENTS))
    base: int | None = None
    if against == OVERALL:
        in_one_space(embeddings)
        cosines = np.multiply(own.unit, overall(own.unit)).sum(axis=1)
    elif against == PREVIOUS:
        cosines = np.append(np.nan, np.diagonal(own_cosines(embeddings, word, own), 1))
    else:
        number = own.conditions[first] if against == FIRST else conditions.index(against)
        if number not in own.conditions:
            helps = what_helps(conditions, min_count)
            raise SettingsError(f"'{word}' occurs {fewer_than(min_count)} in {conditions.labels[number]}{helps}")
        base = int(np.flatnonzero(own.conditions == number)[0])
        cosines = own_cosines(embeddings, word, own)[base]
        against = conditions.labels[number]
    figures = [cosines] + [np.full(len(cosines), np.nan)] * 3
    if few is not None:
        drawn = few.drawn(bootstrap, seed, threads=threads, progress=progress)[:, 0, own.conditions]
        figures[1:] = _noiseless(few, own.conditions, drawn, against, base)
    values, corrected, low, high = (_told(among, own.conditions, figure) for figure in figures)
    support = tuple(embeddings.observed.of(embeddings.index(word), condition) for condition in among)
    totals = [max(1, int(embeddings.observed.counts_in(condition).sum())) for condition in among]
    return Series(
        word,
        "time" if place else conditions.axis,
        against,
        tuple(conditions.labels[condition] for condition in among),
        support,
        tuple(1e6 * count / total for count, total in zip(support, totals, strict=True)),
        values,
        low,
        high,
        min_count,
        embeddings.signature,
        corrected,
        bootstrap,
    )


def _noiseless(
    few: FewWords, conditions: NDArray[np.int64], drawn: NDArray[np.float32], against: str, base: int | None
) -> Noiseless:
    """The cosines less the noise, each with what it is compared with."""
    from chronotope.analysis.significance.noiseless import Noiseless

    own, documents = few.observed()[0, conditions], few.documents[0, conditions]

    def partner(vectors: NDArray[np.floating]) -> NDArray[np.float64]:
        if against == OVERALL:
            return overall(unit_vectors(vectors))
        if against == PREVIOUS:
            return np.concatenate([np.full_like(vectors[..., :1, :], np.nan), vectors[..., :-1, :]], axis=-2)
        assert base is not None
        return np.broadcast_to(np.asarray(vectors[..., base : base + 1, :], np.float64), vectors.shape)

    fewest = documents
    if against == PREVIOUS:
        fewest = np.minimum(documents, np.append(0, documents[:-1]))
    elif base is not None:
        fewest = np.minimum(documents, documents[base])
    found = Noiseless.cosines(own, partner(own), drawn, partner(drawn), fewest)
    if base is not None:
        for part in found:
            part[base] = 1.0  # a word is like itself, whatever the text
    return found


def _told(among: list[int], known: NDArray[np.int64], values: NDArray[np.float64]) -> tuple[float | None, ...]:
    """The values in the order of the conditions that are looked at; None where there is none."""
    found = {int(at): float(value) for at, value in zip(known, values, strict=True) if np.isfinite(value)}
    return tuple(found.get(condition) for condition in among)


def self_similarity(
    embeddings: ConditionedEmbeddings, word: str, *, place: str | None = None, min_count: int = 5
) -> SelfSimilarity:
    """The similarity of a word in every condition with itself in every other.

    Parameters
    ----------
    embeddings, word, place, min_count
        As for `series`.
    """
    among = _among(embeddings, place)
    own = own_vectors(embeddings, word, min_count, among)
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
        min_count,
        embeddings.signature,
    )


def _among(embeddings: ConditionedEmbeddings, place: str | None, ordered: bool = False) -> list[int]:
    """The conditions to look at: all, or the time line of a place; all in order of time where that is asked for."""
    if place is None and not ordered:
        return list(range(len(embeddings.conditions)))
    return timeline(embeddings.conditions, place)
