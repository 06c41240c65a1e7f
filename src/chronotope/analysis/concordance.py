"""A run as a book with an index: which words it holds, in which documents, and what stands there."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from chronotope.conditions import Conditions
from chronotope.config import CorpusSettings, from_dict
from chronotope.cooccurrence import Counts
from chronotope.corpus.lexicon import Normalizer
from chronotope.corpus.text_store import TextStore
from chronotope.corpus.tokenizer import PATTERNS
from chronotope.corpus.tokens import DOCUMENTS, Occurrences
from chronotope.embeddings.storage import run_folder
from chronotope.errors import (
    ChronotopeError,
    DamagedFileError,
    InputError,
    SettingsError,
    UnknownConditionError,
    UnknownWordError,
)
from chronotope.io.run_folder import read_run
from chronotope.io.untrusted import read_table

# Among so many words, the most frequent first, those are sought that the user may have meant.
MOST_ALIKE = 100_000


class Term(NamedTuple):
    """What is looked for: a word of the lexicon, or several in a row.

    Attributes
    ----------
    text
        As it is written in answers.
    numbers
        The numbers of its words in the lexicon.
    """

    text: str
    numbers: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Concordance:
    """A run and the settings its text was read with; `open_concordance` makes it.

    Attributes
    ----------
    counts
        The run.
    settings
        How its text was read.
    """

    counts: Counts
    settings: CorpusSettings

    @property
    def conditions(self) -> Conditions:
        """The conditions of the run."""
        return self.counts.conditions

    @cached_property
    def text(self) -> TextStore:
        """The text of the documents."""
        folder = self.counts.folder
        if not TextStore.is_in(folder):
            raise InputError(f"{folder} was prepared without its text (--no-text), so it has no sentences to show")
        return TextStore(folder)

    @cached_property
    def normalize(self) -> Normalizer:
        """How a form becomes a word."""
        return Normalizer(self.settings)

    @cached_property
    def counted_documents(self) -> NDArray[np.bool_]:
        """(N,) whether a document was counted: it is not set aside."""
        return ~self.counts.store.held_out

    @cached_property
    def lengths(self) -> NDArray[np.int64]:
        """(N,) the running words of each document."""
        return np.diff(self.counts.store.starts)

    def term(self, words: str) -> Term:
        """What the user looks for: a word in any case that the corpus folds, a phrase, or several words in a row."""
        exact = self._number(words.strip())
        if exact is not None:
            return Term(words.strip(), (exact,))
        as_it_is = self.settings.tokenizer != "words"
        pattern = PATTERNS["whitespace" if as_it_is else "words"]
        forms = pl.Series([words]).str.extract_all(pattern)[0].to_list()
        parts = [word for form in forms if (word := self.normalize(form, as_it_is))]
        found: list[tuple[str, int]] = []
        while parts:
            # The longest phrase first, as when the corpus was read.
            for size in range(len(parts), 0, -1):
                phrase = "_".join(parts[:size])
                number = self._number(phrase)
                if number is not None:
                    found.append((phrase, number))
                    parts = parts[size:]
                    break
            else:
                raise UnknownWordError(parts[0], self._alike(parts[0]), len(self.counts.store.words), "this run")
        if not found:
            raise InputError(f"'{words}' holds no word")
        return Term(" ".join(word for word, _ in found), tuple(number for _, number in found))

    def _alike(self, word: str) -> list[str]:
        """The more frequent words that may be meant: of about the same length, and the same first or last letter."""
        words = self.counts.store.words.head(MOST_ALIKE)
        close = words.str.starts_with(word[:1]) | words.str.ends_with(word[-1:])
        return words.filter(close & words.str.len_chars().is_between(max(len(word) - 2, 0), len(word) + 2)).to_list()

    def _number(self, word: str) -> int | None:
        places = (self.counts.store.words == word).arg_true()
        return int(places[0]) if len(places) else None

    def candidates(self, term: Term, among: NDArray[np.int64] | None = None) -> NDArray[np.int64]:
        """The counted documents, in some conditions (all), that hold every word of a term, be it in a row or not."""
        shared, *others = (self._of_word(number, among).document for number in dict.fromkeys(term.numbers))
        for other in others:
            shared = np.intersect1d(shared, other, assume_unique=True)
        return shared

    def occurrences(self, term: Term, among: NDArray[np.int64] | None = None) -> Occurrences:
        """The counted documents of a term in some conditions (all), and how often it occurs in each."""
        if len(term.numbers) == 1:
            return self._of_word(term.numbers[0], among)
        shared = self.candidates(term, among)
        count = np.zeros(len(shared), np.int64)
        for first, last in self.chunks(shared):
            where = self.positions(term, shared[first:last])
            documents = np.searchsorted(self.counts.store.starts, where, side="right") - 1
            count[first:last] = np.bincount(np.searchsorted(shared[first:last], documents), minlength=last - first)
        return Occurrences(shared[count > 0], count[count > 0])

    def _of_word(self, number: int, among: NDArray[np.int64] | None) -> Occurrences:
        found = self.counts.store.occurrences(number)
        kept = self.counted_documents[found.document]
        if among is not None:
            kept &= np.isin(self.counts.store.document_condition[found.document], among)
        return found if kept.all() else Occurrences(found.document[kept], found.count[kept])

    def chunks(self, documents: NDArray[np.int64], tokens: int = 4 << 20) -> list[tuple[int, int]]:
        """Ranges of some documents, each of a bounded number of tokens (or of one document)."""
        ends = np.cumsum(self.lengths[documents])
        ranges, first = [], 0
        while first < len(documents):
            before = int(ends[first - 1]) if first else 0
            last = max(int(np.searchsorted(ends, before + tokens, side="right")), first + 1)
            ranges.append((first, last))
            first = last
        return ranges

    def places(self, documents: NDArray[np.int64]) -> NDArray[np.int64]:
        """The places of all tokens of some documents in the file of tokens."""
        starts, length = self.counts.store.starts[documents], self.lengths[documents]
        return np.repeat(starts - (np.cumsum(length) - length), length) + np.arange(length.sum())

    def positions(self, term: Term, documents: NDArray[np.int64]) -> NDArray[np.int64]:
        """The places, in the file of tokens, where a term begins in some documents."""
        return self.beginnings(term, places := self.places(documents), self.counts.store.ids[places])

    def beginnings(self, term: Term, places: NDArray[np.int64], words: NDArray[np.int32]) -> NDArray[np.int64]:
        """Of some places in the file of tokens, and the words there, those where a term begins."""
        ids = self.counts.store.ids
        here: NDArray[np.int64] = places[words == term.numbers[0]]
        if len(term.numbers) == 1:
            return here
        ends = self.counts.store.starts[np.searchsorted(self.counts.store.starts, here, side="right")]
        here = here[here + len(term.numbers) <= ends]
        for step, number in enumerate(term.numbers[1:], 1):
            here = here[ids[here + step] == number]
        return here

    def sources(self, documents: NDArray[np.int64]) -> list[tuple[str, str | None]]:
        """The file and line of documents, and their time as the input has it."""
        columns = {"source": pl.Int32, "line": pl.Int64} | ({"time": pl.String} if self.conditions.times else {})
        path = self.counts.folder / DOCUMENTS
        table = read_table(path, columns)[documents]
        dates = table["time"].to_list() if self.conditions.times else [None] * len(table)
        names = [str(source["name"]) for source in self.counts.store.sources]
        if len(table) and not 0 <= int(table["source"].min()) <= int(table["source"].max()) < len(names):  # type: ignore[arg-type]
            raise DamagedFileError(f"{path} names a file that does not exist; prepare the run again")
        places = zip(table["source"].to_list(), table["line"].to_list(), dates, strict=True)
        return [(f"{names[source]}:{line}" if line else names[source], date) for source, line, date in places]


def open_concordance(run: Counts | str | Path) -> Concordance:
    """The concordance of a run: of its counts, its folder, or of a model that was trained on it and lies beside it."""
    counts = run if isinstance(run, Counts) else Counts.open(run_folder(Path(run)))
    settings = from_dict(CorpusSettings, read_run(counts.folder)["corpus"])
    return Concordance(counts, settings)


def choose_conditions(
    conditions: Conditions, at: str | None = None, start: str | None = None, end: str | None = None
) -> NDArray[np.int64]:
    """The numbers of the conditions that are meant: one, a range of time, or all.

    Parameters
    ----------
    at
        A condition; of time × place also a time bin or a place alone, for all conditions that it has a part in.
    start, end
        The first and the last time bin, both included; `1990/canada` to `1995/canada` stays in that place.

    Examples
    --------
    >>> both = Conditions(("1998", "1999"), ("canada", "india"), (0, 0, 1), (0, 1, 1))
    >>> choose_conditions(both, at="India").tolist(), choose_conditions(both, start="1999").tolist()
    ([1, 2], [2])
    """
    number = np.arange(len(conditions))
    if start is None and end is None:
        if at is None:
            return number
        time, place = _time_and_place(conditions, at)
    elif at is not None:
        raise SettingsError("give either one condition (at) or a range (from, to), not both")
    elif not conditions.times:
        raise SettingsError("a range (from, to) needs time bins, and this run has none")
    else:
        first, place = _time_and_place(conditions, start) if start else (0, None)
        last, other = _time_and_place(conditions, end) if end else (len(conditions.times) - 1, place)
        if first is None or last is None or (start and other != place):
            raise SettingsError(f"'{start}' to '{end}' is no range: give two time bins, or the same place at both ends")
        if first > last:
            raise SettingsError(f"'{start}' comes after '{end}'; exchange from and to")
        inside = (np.array(conditions.time_of) >= first) & (np.array(conditions.time_of) <= last)
        return number[inside & _is(conditions.place_of, other)]
    return number[_is(conditions.time_of, time) & _is(conditions.place_of, place)]


def _is(axis: tuple[int, ...], wanted: int | None) -> NDArray[np.bool_] | bool:
    return True if wanted is None else np.array(axis) == wanted


def _time_and_place(conditions: Conditions, label: str) -> tuple[int | None, int | None]:
    """The time and the place that a label stands for; None for all of them."""
    wanted = str(label).strip().casefold()
    for position, labels in enumerate((conditions.times, conditions.places)):
        if wanted in (found := [name.casefold() for name in labels]):
            both: list[int | None] = [None, None]
            both[position] = found.index(wanted)
            return both[0], both[1]
    if label not in conditions.labels and wanted not in (name.casefold() for name in conditions.labels):
        parts = (*conditions.times, *conditions.places) if conditions.times and conditions.places else ()
        raise UnknownConditionError(label, (*conditions.labels, *parts))
    number = conditions.index(label)
    return (
        conditions.time_of[number] if conditions.times else None,
        conditions.place_of[number] if conditions.places else None,
    )
