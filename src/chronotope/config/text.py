"""The settings of the stages that read and count text."""

import dataclasses
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Annotated, Any, Literal

from annotated_types import Ge, Le, Lt

from chronotope.config.checks import Count, Settings
from chronotope.errors import SettingsError

WIDEST_WINDOW = 31


@dataclass(frozen=True)
class NamedBin:
    """A time bin with a name, from `start` to `end`, both included."""

    name: str
    start: str
    end: str


@dataclass(frozen=True)
class CorpusSettings(Settings):
    """How to read text and split it into tokens and conditions.

    Attributes
    ----------
    text, time, place
        The names of the fields. `text` may hold a string or a list of tokens. The time is a year, a year and month, an
        ISO date or timestamp; a place is any label. Places that differ only in case are the same. "country/region/city"
        nests places: each text counts for its city, its region and its country.
    every
        The length of a time bin: 1y, 10y, 5y, 1q, 1mo, 6mo, 1w, 1d.
    bins
        Named bins instead of `every`: ("cold war", 1947, 1991), or a mapping with name, start and end. They may differ
        in length and leave gaps, but must not overlap.
    time_unit
        The unit of numeric times: days as in 'excel', or 'days', 'seconds' or 'milliseconds' since 1970.
    since, until
        The first and the last date of the rows to read, such as 1860 or 1860-05-31; other rows are left out.
    where
        A condition on the fields of a row, as in SQL: "date >= 1860 and country = canada"; other rows are left out. A
        field compared with a number is read as a number, or as the year of a date; one compared with a date as a date.
    key
        The column of the metadata that holds the names of the files, or the field that records share with them.
    xpath
        The XPaths of fields in XML files: {"date": ".//sourceDesc//date/@when"}.
    tei_notes
        Whether notes and headings of TEI files are read.
    tokenizer
        'words' (Unicode words, without links and markup) or 'whitespace' (for tokenized text).
    lowercase, strip_accents
        Whether case and accents are folded. 'smart' keeps upper-case words of two letters or more (US, SALT), except in
        sentences that are all in upper case.
    emoji
        Whether emoji are words; otherwise they are left out.
    lemmas
        The language, as a code of simplemma ('en'), whose inflected forms are counted as one word.
    phrases
        Sequences of words that count as one word, written with blanks: 'prime minister' becomes prime_minister.
    find_phrases
        Whether to join also pairs of words that occur together far more often than by chance.
    variants
        Words to replace: each key by its value ('colour' by 'color').
    holdout
        Share of documents to hold out, to measure how well a model predicts their contexts.
    strict
        Whether to stop at the first bad row instead of counting and skipping it.
    keep_text
        Whether the run keeps the text, compressed, so that `evidence` can show its sentences.
    keep
        More fields whose values the run keeps for each document: 'source,genre', or a list.
    """

    text: str = "text"
    time: str | None = None
    every: str | None = None
    bins: tuple[NamedBin, ...] = ()
    place: str | None = None
    time_unit: Literal["excel", "days", "seconds", "milliseconds"] | None = None
    since: str | None = None
    until: str | None = None
    where: str | None = None
    key: str | None = None
    xpath: Mapping[str, str] = field(default_factory=dict)
    tei_notes: bool = False
    tokenizer: Literal["words", "whitespace"] = "words"
    lowercase: bool | Literal["smart"] = True
    strip_accents: bool = False
    emoji: bool = False
    lemmas: str | None = None
    phrases: tuple[str, ...] = ()
    find_phrases: bool = False
    variants: Mapping[str, str] = field(default_factory=dict)
    holdout: Annotated[float, Ge(0), Lt(1)] = 0.0
    strict: bool = False
    keep_text: bool = True
    keep: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for names, kinds, convert in _CONVERSIONS:
            for name in names:
                if isinstance(value := getattr(self, name), kinds):
                    object.__setattr__(self, name, convert(value))
        super().__post_init__()
        if (self.every or self.bins) and not self.time:
            raise SettingsError("time bins were asked for, but no time field was named; add time= (or --time)")
        if (self.since or self.until or self.time_unit) and not self.time:
            raise SettingsError("since, until and time_unit need the time field; add time= (or --time)")
        if self.place and not all(map(str.strip, self.place.split("/"))):
            raise SettingsError(f"place '{self.place}' has an empty name of a field; write for instance country/city")
        if self.every and self.bins:
            raise SettingsError("give either a length of the time bins (every) or named bins, not both")


def _named_bin(item: Any) -> NamedBin:
    """Make a named bin from a bin, a mapping or three values; a year may be a number, a day a date."""
    try:
        values = dataclasses.astuple(item) if isinstance(item, NamedBin) else item
        values = dataclasses.astuple(NamedBin(**values)) if isinstance(values, Mapping) else values
        name, start, end = values if isinstance(values, list | tuple) else ()
    except (TypeError, ValueError):
        raise SettingsError(f"a named bin needs a name, a start and an end, not {item!r:.60}") from None
    return NamedBin(str(name), str(start), str(end))


# Fields of `CorpusSettings` that accept other types, and their conversion.
_CONVERSIONS: list[tuple[tuple[str, ...], Any, Callable[[Any], Any]]] = [
    (("bins",), list | tuple, lambda bins: tuple(map(_named_bin, bins))),
    (("since", "until"), int | date, str),
    (("phrases",), str, lambda phrase: (phrase,)),
    (("keep",), str, lambda names: tuple(name.strip() for name in names.split(","))),
]


@dataclass(frozen=True)
class CountSettings(Settings):
    """Which words are counted, and how.

    Attributes
    ----------
    min_count
        Minimum count of a word in the whole corpus; None: a threshold that depends on the size of the corpus.
    max_words
        Maximum number of words; the most frequent are kept.
    window
        Number of context words on each side.
    weighting
        'harmonic': a context at distance d counts 1/d; 'flat': every context counts 1.
    """

    min_count: Count | None = None
    max_words: Count | None = None
    # Wider windows have no use, and an untrusted run must not exhaust the memory.
    window: Annotated[int, Ge(1), Le(WIDEST_WINDOW)] = 5
    weighting: Literal["harmonic", "flat"] = "harmonic"
