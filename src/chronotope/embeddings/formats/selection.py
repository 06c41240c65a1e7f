"""Select the words and conditions to export, and give them names that every format can hold."""

from __future__ import annotations

import re
import unicodedata
import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from chronotope.conditions import Conditions
from chronotope.config import at_least
from chronotope.cooccurrence.vocabulary import Support
from chronotope.embeddings.conditioned import ConditionedEmbeddings
from chronotope.embeddings.word_vectors import WordVectors
from chronotope.errors import InputError, number_of

MAX_NAME_BYTES = 80
# Windows reserves these names for devices, with any ending.
RESERVED = {"con", "prn", "aux", "nul", *(f"{port}{number}" for port in ("com", "lpt") for number in range(1, 10))}


@dataclass(frozen=True)
class Selection:
    """The words and conditions to export.

    Attributes
    ----------
    labels
        The conditions.
    words
        (W,) whether a word is selected.
    min_support
        Minimum count of a word in a condition; 0 includes absent words.
    """

    labels: tuple[str, ...]
    words: NDArray[np.bool_]
    min_support: int = 1

    def vectors(self, embeddings: ConditionedEmbeddings, label: str) -> WordVectors:
        """Return the selected words of a condition."""
        found = embeddings.at(label, self.min_support)
        kept = [number for number, word in enumerate(found.index_to_key) if self.words[embeddings.index(word)]]
        counts = None if found.counts is None else found.counts[kept]
        return WordVectors([found.index_to_key[number] for number in kept], found.vectors[kept], counts, name=label)

    def rows(self, embeddings: ConditionedEmbeddings) -> int:
        """Return the total number of vectors."""
        if self.min_support == 0:
            return len(self.labels) * int(self.words.sum())
        conditions = [embeddings.conditions.index(label) for label in self.labels]
        return sum(len(self._pairs(embeddings, condition)) for condition in conditions)

    def embeddings(self, embeddings: ConditionedEmbeddings) -> ConditionedEmbeddings:
        """Return embeddings with the selected conditions and words; no vector changes.

        Contexts belong to all words: with fewer words they are left out, with a warning.
        """
        if self.words.all() and self.labels == embeddings.conditions.labels and self.min_support <= 1:
            return embeddings
        kept = [embeddings.conditions.index(label) for label in self.labels]
        pairs = [self._pairs(embeddings, condition) for condition in kept]
        taken = np.concatenate(pairs)
        start = np.cumsum([0, *map(len, pairs)])
        support = embeddings.observed
        words = np.unique(support.word[taken])
        if not len(words):
            raise InputError(
                f"no word occurs {number_of(self.min_support, 'times')} or more in the selected conditions"
            )
        contexts = embeddings.contexts
        if len(contexts) and len(words) < len(embeddings):
            contexts = contexts[:0]
            warnings.warn(
                f"the export has {len(words):,} of {len(embeddings):,} words, so it leaves out the contexts of the "
                "model: it cannot be extended or tested for significance",
                stacklevel=3,
            )
        return ConditionedEmbeddings(
            [embeddings.words[word] for word in words.tolist()],
            _select_conditions(embeddings.conditions, kept),
            Support(start, np.searchsorted(words, support.word[taken]).astype(np.int32), support.count[taken]),
            embeddings.vectors[taken],
            common=embeddings.common[words],
            condition_factors=embeddings.condition_factors[kept],
            center=embeddings.center[kept],
            contexts=contexts,
            query_mapping=embeddings.query_mapping,
            provenance=embeddings.provenance | {"cut_down": {"conditions": list(self.labels), "words": len(words)}},
        )

    def _pairs(self, embeddings: ConditionedEmbeddings, condition: int) -> NDArray[np.int64]:
        """Return the rows of `vectors` that are selected in a condition."""
        support = embeddings.observed
        enough = support.counts_in(condition) >= max(self.min_support, 1)
        found = np.flatnonzero(self.words[support.words_in(condition)] & enough)
        return np.asarray(found + support.start[condition])


def select(
    embeddings: ConditionedEmbeddings, at: Sequence[str] | str | None, min_support: int, max_words: int | None
) -> Selection:
    """Select the conditions `at`, in the order of the model, and the `max_words` most frequent words."""
    at_least("min_support", min_support, 0)
    labels = embeddings.conditions.labels
    if at is not None:
        asked = {embeddings.conditions.index(label) for label in ([at] if isinstance(at, str) else at)}
        labels = tuple(labels[number] for number in sorted(asked))
        if not labels:
            raise InputError("no condition is selected")
    words = np.ones(len(embeddings), dtype=bool)
    if max_words is not None:
        at_least("max_words", max_words, 1)
        counts = np.bincount(embeddings.observed.word, embeddings.observed.count, len(embeddings))
        words[np.argsort(-counts, kind="stable")[max_words:]] = False
    return Selection(labels, words, min_support)


def file_names(labels: Sequence[str]) -> list[str]:
    """Return a file name without ending for each label: distinct also without case, without blanks and slashes.

    Examples
    --------
    >>> file_names(["1998/canada", "1998-canada", "São Tomé", "../con", "con"])
    ['1998-canada', '1998-canada-2', 'São-Tomé', 'con_', 'con_-2']
    """
    taken: set[str] = set()
    names = []
    for label in labels:
        name = re.sub(r"[^\w.+]+", "-", unicodedata.normalize("NFC", label)).strip("-.") or "_"
        name = name.encode()[:MAX_NAME_BYTES].decode("utf-8", "ignore")
        if name.split(".")[0].casefold() in RESERVED:
            name += "_"
        names.append(_unused(name, "-{}", taken, str.casefold))
    return names


def words_without_blanks(words: Iterable[str]) -> dict[str, str]:
    """Return new names for the words that a format with fields separated by blanks cannot hold.

    A blank or control character becomes an underscore; a number follows if that word exists already.

    Examples
    --------
    >>> words_without_blanks(["new york", "new_york", "bank"])
    {'new york': 'new_york_2'}
    """
    words = list(words)
    changed = [word for word in words if not word or any(map(_separates, word))]
    taken = set(words).difference(changed)
    plain = {word: "".join("_" if _separates(letter) else letter for letter in word) or "_" for word in changed}
    return {word: _unused(name, "_{}", taken) for word, name in plain.items()}


def _select_conditions(conditions: Conditions, kept: Sequence[int]) -> Conditions:
    times = sorted({conditions.time_of[number] for number in kept}) if conditions.times else []
    places = sorted({conditions.place_of[number] for number in kept}) if conditions.places else []
    return Conditions(
        tuple(conditions.times[time] for time in times),
        tuple(conditions.places[place] for place in places),
        tuple(times.index(conditions.time_of[number]) for number in kept) if times else (),
        tuple(places.index(conditions.place_of[number]) for number in kept) if places else (),
    )


def _separates(letter: str) -> bool:
    """Return whether a reader may take a character for the end of a word or of a line."""
    return letter.isspace() or unicodedata.category(letter) in ("Cc", "Zl", "Zp", "Zs")


def _unused(name: str, suffix: str, taken: set[str], key: Callable[[str], str] = str) -> str:
    """Return the name, with a number if another one has the same key, and mark it as taken."""
    unused, number = name, 2
    while key(unused) in taken:
        unused, number = name + suffix.format(number), number + 1
    taken.add(key(unused))
    return unused
