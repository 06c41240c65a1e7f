"""Select the words and conditions to export, and give them names that every format can hold."""

import re
import unicodedata
from collections.abc import Callable, Sequence

import numpy as np

from chronotope.conditions import Conditions
from chronotope.config import at_least
from chronotope.cooccurrence.vocabulary import Support
from chronotope.embeddings.conditioned import ConditionedEmbeddings
from chronotope.errors import InputError, number_of

MAX_NAME_BYTES = 80
# Windows reserves these names for devices, with any ending.
RESERVED = {"con", "prn", "aux", "nul", *(f"{port}{number}" for port in ("com", "lpt") for number in range(1, 10))}


def select(
    embeddings: ConditionedEmbeddings, at: Sequence[str] | str | None, min_count: int, max_words: int | None
) -> ConditionedEmbeddings:
    """Return embeddings with the conditions `at` and the `max_words` most frequent words; no vector changes.

    A word stays in a condition if it occurs there at least `min_count` times; with 0, words that occur in none of the
    conditions stay in the model. Contexts belong to all words: with fewer words they are left out.
    """
    at_least("min_count", min_count, 0)
    conditions, support = embeddings.conditions, embeddings.observed
    numbers = list(range(len(conditions)))
    if at is not None:
        numbers = sorted({conditions.index(label) for label in ([at] if isinstance(at, str) else at)})
        if not numbers:
            raise InputError("no condition is selected")
    frequent = np.ones(len(embeddings), dtype=bool)
    if max_words is not None:
        at_least("max_words", max_words, 1)
        counts = np.bincount(support.word, support.count, len(embeddings))
        frequent[np.argsort(-counts, kind="stable")[max_words:]] = False
    if frequent.all() and len(numbers) == len(conditions) and min_count <= 1:
        return embeddings
    condition = support.condition
    pairs = np.flatnonzero(frequent[support.word] & (support.count >= min_count) & np.isin(condition, numbers))
    words = np.flatnonzero(frequent) if min_count == 0 else np.unique(support.word[pairs])
    if not len(words):
        raise InputError(f"no word occurs {number_of(min_count, 'times')} or more in the selected conditions")
    labels = [conditions.labels[number] for number in numbers]
    return ConditionedEmbeddings(
        [embeddings.words[word] for word in words.tolist()],
        _select_conditions(conditions, numbers),
        Support(
            np.append(np.searchsorted(condition[pairs], numbers), len(pairs)),
            np.searchsorted(words, support.word[pairs]).astype(np.int32),
            support.count[pairs],
        ),
        embeddings.vectors[pairs],
        common=embeddings.common[words],
        condition_factors=embeddings.condition_factors[numbers],
        center=embeddings.center[numbers],
        contexts=embeddings.contexts if len(words) == len(embeddings) else None,
        # The posterior of a condition depends on all others.
        variances=embeddings.variances[pairs] if embeddings.variances is not None and at is None else None,
        query_mapping=embeddings.query_mapping,
        provenance=embeddings.provenance | {"cut_down": {"conditions": labels, "words": len(words)}},
    )


def file_names(labels: Sequence[str]) -> list[str]:
    """Return a file name without ending for each label: distinct in any case, without blanks and slashes.

    >>> file_names(["1998/canada", "1998-canada", "São Tomé", "../con", "con"])
    ['1998-canada', '1998-canada-2', 'São-Tomé', 'con_', 'con_-2']
    """
    used_names: set[str] = set()
    names = []
    for label in labels:
        name = re.sub(r"[^\w.+]+", "-", unicodedata.normalize("NFC", label)).strip("-.") or "_"
        name = name.encode()[:MAX_NAME_BYTES].decode("utf-8", "ignore")
        if name.split(".")[0].casefold() in RESERVED:
            name += "_"
        names.append(_unused(name, "-{}", used_names, str.casefold))
    return names


def words_without_blanks(words: Sequence[str]) -> dict[str, str]:
    """Return new names for the words that a format with fields separated by blanks cannot hold.

    A blank or control character becomes an underscore; a number follows if that word exists already.
    """
    changed = [word for word in words if not word or any(map(_separates, word))]
    taken = set(words).difference(changed)
    plain = {word: "".join("_" if _separates(letter) else letter for letter in word) or "_" for word in changed}
    return {word: _unused(name, "_{}", taken) for word, name in plain.items()}


def _select_conditions(conditions: Conditions, numbers: Sequence[int]) -> Conditions:
    """Return some conditions, with as many levels as places that lie in each other."""
    times = sorted({conditions.time_of[number] for number in numbers}) if conditions.times else []
    places = sorted({conditions.place_of[number] for number in numbers}) if conditions.places else []

    def level(place: int) -> int:
        above = conditions.parents.get(place)
        return (place in places) + (0 if above is None else level(above))

    return Conditions(
        tuple(conditions.times[time] for time in times),
        tuple(conditions.places[place] for place in places),
        tuple(times.index(conditions.time_of[number]) for number in numbers) if times else (),
        tuple(places.index(conditions.place_of[number]) for number in numbers) if places else (),
        max(map(level, places), default=1),
    )


def _separates(letter: str) -> bool:
    """Return whether a character could end a word or a line for a reader."""
    return letter.isspace() or unicodedata.category(letter) in ("Cc", "Zl", "Zp", "Zs")


def _unused(name: str, suffix: str, taken: set[str], key: Callable[[str], str] = str) -> str:
    """Return the name, with a number if its key is taken, and mark the key as taken."""
    unused, number = name, 2
    while key(unused) in taken:
        unused, number = name + suffix.format(number), number + 1
    taken.add(key(unused))
    return unused
