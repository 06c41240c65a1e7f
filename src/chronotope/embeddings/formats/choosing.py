"""Which words of which conditions are written, and the embeddings cut down to them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from chronotope.conditions import Conditions
from chronotope.config import at_least
from chronotope.cooccurrence.vocabulary import Support
from chronotope.embeddings.conditioned import ConditionedEmbeddings
from chronotope.embeddings.word_vectors import WordVectors
from chronotope.errors import InputError
from chronotope.wording import number_of


@dataclass(frozen=True)
class Choice:
    """What is to be written.

    Attributes
    ----------
    labels
        The conditions.
    min_support
        A word is written where it occurs at least so often; 0: also where it is absent, from its other conditions.
    max_words
        Only so many of the most frequent words of all conditions; None: all.
    """

    labels: tuple[str, ...]
    min_support: int = 1
    max_words: int | None = None


def choose(
    embeddings: ConditionedEmbeddings, at: Sequence[str] | str | None, min_support: int, max_words: int | None
) -> Choice:
    """A choice, checked: conditions that exist, each once, in the order of the model."""
    at_least("min_support", min_support, 0)
    if max_words is not None:
        at_least("max_words", max_words, 1)
    labels = embeddings.conditions.labels
    if at is not None:
        asked = [at] if isinstance(at, str) else at
        labels = tuple(labels[number] for number in sorted({embeddings.conditions.index(label) for label in asked}))
        if not labels:
            raise InputError("no condition was chosen")
    return Choice(labels, min_support, max_words)


def chosen_words(embeddings: ConditionedEmbeddings, choice: Choice) -> NDArray[np.bool_]:
    """(W,) whether a word is among the most frequent."""
    if choice.max_words is None or choice.max_words >= len(embeddings):
        return np.ones(len(embeddings), dtype=bool)
    counts = np.bincount(embeddings.observed.word, embeddings.observed.count, len(embeddings))
    chosen = np.zeros(len(embeddings), dtype=bool)
    chosen[np.argsort(-counts, kind="stable")[: choice.max_words]] = True
    return chosen


def vectors_at(embeddings: ConditionedEmbeddings, label: str, choice: Choice, chosen: NDArray[np.bool_]) -> WordVectors:
    """The chosen words of a condition."""
    found = embeddings.at(label, choice.min_support)
    if chosen.all():
        return found
    kept = [number for number, word in enumerate(found.index_to_key) if chosen[embeddings.index(word)]]
    words = [found.index_to_key[number] for number in kept]
    counts = None if found.counts is None else found.counts[kept]
    return WordVectors(words, found.vectors[kept], counts, name=found.name)


def cut_down(embeddings: ConditionedEmbeddings, choice: Choice) -> ConditionedEmbeddings:
    """The embeddings with the chosen conditions and words alone; no vector of theirs changes."""
    chosen = chosen_words(embeddings, choice)
    if chosen.all() and choice.labels == embeddings.conditions.labels and choice.min_support <= 1:
        return embeddings
    kept = [embeddings.conditions.index(label) for label in choice.labels]
    support = embeddings.observed
    pairs, start = [], [0]
    for condition in kept:
        own = np.arange(support.start[condition], support.start[condition + 1])
        own = own[chosen[support.word[own]] & (support.count[own] >= max(choice.min_support, 1))]
        pairs.append(own)
        start.append(start[-1] + len(own))
    taken = np.concatenate(pairs)
    words = np.unique(support.word[taken])
    if not len(words):
        raise InputError(
            f"no word occurs {number_of(choice.min_support, 'times')} or more in the conditions that were chosen"
        )
    number = np.cumsum(np.bincount(words, minlength=len(embeddings))) - 1
    return ConditionedEmbeddings(
        [embeddings.words[word] for word in words.tolist()],
        _conditions(embeddings.conditions, kept),
        Support(np.array(start), number[support.word[taken]].astype(np.int32), support.count[taken]),
        embeddings.vectors[taken],
        common=embeddings.common[words],
        condition_factors=embeddings.condition_factors[kept],
        center=embeddings.center[kept],
        query_mapping=embeddings.query_mapping,
        provenance=embeddings.provenance | {"cut_down": {"conditions": list(choice.labels), "words": len(words)}},
    )


def _conditions(conditions: Conditions, kept: Sequence[int]) -> Conditions:
    times = sorted({conditions.time_of[number] for number in kept}) if conditions.times else []
    places = sorted({conditions.place_of[number] for number in kept}) if conditions.places else []
    return Conditions(
        tuple(conditions.times[time] for time in times),
        tuple(conditions.places[place] for place in places),
        tuple(times.index(conditions.time_of[number]) for number in kept) if times else (),
        tuple(places.index(conditions.place_of[number]) for number in kept) if places else (),
    )
