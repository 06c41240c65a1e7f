"""An invented world: small random text with known answers, the example for places and for time × place.

A sentence consists of random words of one topic and of function words; places, people, cities and currencies do not
exist. The answers are planted: the words that change their contexts, when and where, and the names that hold the same
office in different years and places.
"""

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from chronotope.conditions import SEPARATOR
from chronotope.datasets.invented_words import DETERMINERS, LINKERS, OFFICES, TOPICS
from chronotope.errors import SettingsError

# The themes of sentences: topics, then offices.
_THEMES = (*TOPICS, *OFFICES)

WORD_EXPONENT = 1.0  # Zipf's, within a topic and among the function words
OFFICE_SHARE = 0.026  # of the sentences, for each office; the topics share the rest
TOUCHING = 0.4  # of the content words around a name, from the topics related to the office
STRAY = 0.1  # of the content words, from any topic
SENTENCES = (5, 9)  # in a document, from and to
CONTENT_WORDS = (4, 7)  # in a sentence, from and to
FUNCTION_CHANCES = (0.6, 0.5)  # that a linker, and a determiner, stand before a content word
HABIT = 0.6  # that a determiner is the usual one after its linker


@dataclass(frozen=True)
class Change:
    """A word whose contexts change from one topic to another: from a year on, in one place, or both."""

    word: str  # not a word of any topic
    before: tuple[str, ...]  # the usual context words, one of the `TOPICS`
    after: tuple[str, ...]  # the new context words
    time: str | None = None  # the first year of the new contexts; None: all years
    place: str | None = None  # the only place with the new contexts; None: all places
    share: float = 0.01  # share of the sentences with the word; at most that of a topic, 1/40


class Equivalent(NamedTuple):
    """Two names for the same office; a condition is (time, place), None on an axis along which the name is constant."""

    word: str
    at: tuple[str | None, str | None]
    answer: str
    to: tuple[str | None, str | None]
    office: str


@dataclass(frozen=True)
class World:
    """Invented records and their planted answers."""

    records: list[dict[str, str]]  # text, time (a year), place, source ('invented'); by time, then by place
    changes: tuple[Change, ...]
    equivalents: tuple[Equivalent, ...]  # the names of one office in two conditions, different names only

    def pairs(self, axis: str) -> list[str]:
        """Return the equivalents along 'time', 'place' or 'time × place' as lines of a test-pair file.

        >>> invented_world(documents=60).pairs("place")[0]
        'gadoburg-arlen,kavuburg-borva,capital'
        """
        shape = {"time": (True, False), "place": (False, True), "time × place": (True, True)}.get(axis)
        if shape is None:
            raise SettingsError(f"axis must be time, place or time × place, not '{axis}'")
        return [
            f"{pair.word}-{_label(pair.at)},{pair.answer}-{_label(pair.to)},{pair.office}"
            for pair in self.equivalents
            if tuple(part is not None for part in pair.at) == shape
        ]

    def write_pairs(self, path: str | os.PathLike[str], axis: str) -> None:
        """Write the pairs along an axis to a test-pair file."""
        with open(path, "w", encoding="utf-8", newline="\n") as file:
            file.writelines(f"{line}\n" for line in self.pairs(axis))

    def write_records(self, path: str | os.PathLike[str]) -> None:
        """Write the records to a file, one JSON object a line."""
        with open(path, "w", encoding="utf-8", newline="\n") as file:
            file.writelines(f"{json.dumps(record, ensure_ascii=False)}\n" for record in self.records)


def invented_world(
    *,
    years: Sequence[int] = range(1990, 2000),
    places: Sequence[str] = ("arlen", "borva", "celdon", "dorria", "eskar", "fenmark"),
    documents: int = 5400,
    seed: int = 1,
    changes: bool | Sequence[Change] = True,
) -> World:
    """Make a world of invented text, about 80 words a document; the same seed gives the same text.

    Parameters
    ----------
    years, places
        The conditions; documents are spread evenly over all of years × places.
    documents
        Number of documents; with 100 per condition, a name occurs about twenty times in each.
    seed
        The seed of the sentences; names and planted changes do not depend on it.
    changes
        True: words that change their contexts, and names that differ between places and years. False: nothing is
        planted, and all conditions have the same distribution. A sequence: only these changes.

    Examples
    --------
    >>> world = invented_world(documents=120)
    >>> sorted(world.records[0])
    ['place', 'source', 'text', 'time']
    >>> bank = world.changes[0]
    >>> bank.word, bank.time, bank.before[0], bank.after[0]
    ('bank', '1995', 'river', 'money')
    """
    times = [str(year) for year in years]
    if not times or not places or documents < 1:
        raise SettingsError("an invented world needs at least one year, one place and one document")
    planted = _default_changes(times, places) if isinstance(changes, bool) else tuple(changes)
    holders = {office: _holders(office, times, places) for office in OFFICES}

    lexicon = _lexicon([change.word for change in planted], holders)
    number = {word: index for index, word in enumerate(lexicon)}

    rng = np.random.default_rng(seed)
    condition = np.sort(np.arange(documents) % (len(times) * len(places)))
    length = rng.integers(SENTENCES[0], SENTENCES[1] + 1, documents)
    time, place = np.divmod(np.repeat(condition, length), len(places))
    topic = (1 - OFFICE_SHARE * len(OFFICES)) / len(TOPICS)
    shares = np.array([topic] * len(TOPICS) + [OFFICE_SHARE] * len(OFFICES))  # of the sentences, for each theme
    if any(change.share > shares[0] for change in planted):
        raise SettingsError(f"the share of a word that changes is at most that of a topic, {shares[0]:.3f}")
    theme = rng.choice(len(_THEMES), len(time), p=shares)
    words = _content_words(rng, theme, number)
    for change in planted:
        new = np.zeros(len(time), dtype=bool)
        if changes is not False:
            new = np.array([change.time is None or int(t) >= int(change.time) for t in times])[time]
            new &= np.array([change.place in (None, p) for p in places])[place]
        context = np.where(new, _theme_of(change.after), _theme_of(change.before))
        chosen = (theme == context) & (rng.random(len(time)) < change.share / shares[context])
        _insert(rng, words, chosen, np.full(len(time), number[change.word]))
    for office, names in holders.items():
        table = np.vectorize(number.__getitem__)(names)  # (times, places)
        holder = table[time, place] if changes is True else rng.choice(np.unique(table), len(time))
        _insert(rng, words, theme == _THEMES.index(office), holder)

    texts = _texts(_with_function_words(rng, words), length, lexicon)
    records = [
        {"text": text, "time": times[c // len(places)], "place": places[c % len(places)], "source": "invented"}
        for text, c in zip(texts, condition.tolist(), strict=True)
    ]
    equivalents = tuple(_equivalents(holders, times, places)) if changes is True else ()
    return World(records, planted if changes is not False else (), equivalents)


def _default_changes(times: Sequence[str], places: Sequence[str]) -> tuple[Change, ...]:
    """Return words of several frequencies that change, as far as there are enough years and places."""
    planted = (
        ("bank", "river", "money", 0.5, None, 0.02),
        ("apple", "harvest", "technology", 0.4, None, 0.014),
        ("cell", "law", "telephone", 0.6, None, 0.01),
        ("stream", "mountain", "music", 0.3, None, 0.007),
        ("pilot", "sea", "science", 0.7, None, 0.005),
        ("tweet", "birds", "press", 0.5, None, 0.004),
        ("chips", "kitchen", "technology", None, 1, 0.012),
        ("boot", "clothes", "motoring", None, 0, 0.012),
        ("pitch", "games", "music", None, 2, 0.008),
        ("subway", "railway", "house", None, 1, 0.008),
        ("gas", "energy", "motoring", 0.5, 3, 0.015),
        ("lift", "mountain", "house", 0.4, 0, 0.015),
    )
    changes = []
    for word, before, after, when, where, share in planted:
        if (when is None or len(times) > 1) and (where is None or len(places) > 1):
            time = None if when is None else times[max(1, int(when * len(times)))]
            place = None if where is None else places[where % len(places)]
            changes.append(Change(word, TOPICS[before], TOPICS[after], time, place, share))
    return tuple(changes)


def _holders(office: str, times: Sequence[str], places: Sequence[str]) -> NDArray[np.object_]:
    """(times, places) the name in an office; terms last four tenths of the years and end in different years."""
    kind, number = OFFICES[office], list(OFFICES).index(office)
    term = max(1, -(-4 * len(times) // 10))
    names = np.empty((len(times), len(places)), dtype=object)
    for t, p in np.ndindex(names.shape):
        place = p if kind.by_place else 0
        turn = (t + (place + number) % term) // term if kind.by_time else 0
        names[t, p] = _name(4 * place + turn, number) + kind.ending
    return names


def _name(serial: int, office: int) -> str:
    """Return an invented stem, a different one for each serial number."""
    first = ("ga", "mi", "to", "ve", "sa", "ru", "ka", "le", "po", "ni", "du", "fa", "ze", "bo", "hi", "ty")
    second = ("do", "la", "ri", "na", "vu", "me", "ko", "ta", "shi", "pe", "lo", "ju")
    more, serial = divmod(serial, len(first) * len(second))
    one, two = divmod((67 * serial + 29 * office) % (len(first) * len(second)), len(second))
    return (_name(more - 1, office) if more else "") + first[one] + second[two]


def _equivalents(
    holders: Mapping[str, NDArray[np.object_]], times: Sequence[str], places: Sequence[str]
) -> Iterator[Equivalent]:
    """Yield all ordered pairs of conditions in which an office has different names."""
    for office, names in holders.items():
        kind = OFFICES[office]
        names_by_condition = {
            (time if kind.by_time else None, place if kind.by_place else None): names[t, p]
            for t, time in enumerate(times)
            for p, place in enumerate(places)
        }
        for at, word in names_by_condition.items():
            for to, answer in names_by_condition.items():
                if word != answer:
                    yield Equivalent(word, at, answer, to, office)


def _label(condition: tuple[str | None, str | None]) -> str:
    return SEPARATOR.join(part for part in condition if part is not None)


def _lexicon(changing: Sequence[str], holders: Mapping[str, NDArray[np.object_]]) -> list[str]:
    """Return every word of the world once: linkers, determiners, then the others."""
    topics = [word for words in TOPICS.values() for word in words]
    offices = [word for office in OFFICES.values() for word in office.words]
    names = [name for table in holders.values() for row in table.tolist() for name in row]
    clash = set(changing) & {*LINKERS, *DETERMINERS, *topics, *offices, *names}
    if clash:
        raise SettingsError(f"a word that changes must be new to the invented world, and {min(clash)} is not")
    return list(dict.fromkeys([*LINKERS, *DETERMINERS, *topics, *offices, *changing, *names]))


def _theme_of(words: tuple[str, ...]) -> int:
    for number, topic in enumerate(TOPICS.values()):
        if topic == words:
            return number
    raise SettingsError("before and after must each be one of TOPICS, the lists of words of the invented world")


def _zipf(size: int) -> NDArray[np.float64]:
    chances = np.arange(1, size + 1, dtype=np.float64) ** -WORD_EXPONENT
    return np.asarray(chances / chances.sum())


def _content_words(rng: np.random.Generator, theme: NDArray[np.int64], number: Mapping[str, int]) -> NDArray[np.int64]:
    """(sentences, slots) distinct words of the theme with some strays; -1 after the last."""
    topics = np.array([number[word] for words in TOPICS.values() for word in words])
    most = CONTENT_WORDS[1]
    words = np.empty((len(theme), most), dtype=np.int64)
    for index, name in enumerate(_THEMES):
        sentences = np.flatnonzero(theme == index)
        ids, chances = _distribution(name)
        # The largest of log chance + Gumbel noise are a weighted draw without replacement.
        keys = np.log(chances) + rng.gumbel(size=(len(sentences), len(chances)))
        words[sentences] = np.array([number[word] for word in ids])[np.argsort(-keys, axis=1)[:, :most]]
    words = rng.permuted(words, axis=1)
    stray = rng.random(words.shape) < STRAY
    words[stray] = rng.choice(topics, int(stray.sum()))
    length = rng.integers(CONTENT_WORDS[0], most + 1, len(theme))
    words[np.arange(most) >= length[:, None]] = -1
    return words


def _distribution(theme: str) -> tuple[list[str], NDArray[np.float64]]:
    """Return the words of a theme and their probabilities; an office also uses its related topics."""
    if theme in TOPICS:
        return list(TOPICS[theme]), _zipf(len(TOPICS[theme]))
    office = OFFICES[theme]
    parts = [(office.words, 1 - TOUCHING)] + [(TOPICS[topic], TOUCHING / 2) for topic in office.topics]
    return [w for words, _ in parts for w in words], np.concatenate([_zipf(len(words)) * part for words, part in parts])


def _insert(
    rng: np.random.Generator, words: NDArray[np.int64], chosen: NDArray[np.bool_], word: NDArray[np.int64]
) -> None:
    """Replace one content word of each chosen sentence by its planted word."""
    sentences = np.flatnonzero(chosen)
    words[sentences, rng.integers(0, (words[sentences] >= 0).sum(axis=1))] = word[sentences]


def _with_function_words(rng: np.random.Generator, words: NDArray[np.int64]) -> NDArray[np.int64]:
    """(sentences, 3 × content words) up to two function words before each content word; -1 is no word."""
    slots = np.full((*words.shape, 3), -1)
    slots[..., 2] = words
    for slot, (first, size) in enumerate(((0, len(LINKERS)), (len(LINKERS), len(DETERMINERS)))):
        present = (words >= 0) & (rng.random(words.shape) < FUNCTION_CHANCES[slot])
        slots[present, slot] = first + rng.choice(size, int(present.sum()), p=_zipf(size))
    both = (slots[..., 0] >= 0) & (slots[..., 1] >= 0) & (rng.random(words.shape) < HABIT)
    slots[both, 1] = len(LINKERS) + slots[both, 0] % len(DETERMINERS)
    return slots.reshape(len(words), -1)


def _texts(sentences: NDArray[np.int64], length: NDArray[np.int64], lexicon: Sequence[str]) -> Iterator[str]:
    """Yield the text of each document, `length` sentences with a capital first and a full stop last."""
    rows = iter(sentences.tolist())
    for count in length.tolist():
        text = (" ".join([lexicon[word] for word in next(rows) if word >= 0]) for _ in range(count))
        yield " ".join(f"{sentence[0].upper()}{sentence[1:]}." for sentence in text)
