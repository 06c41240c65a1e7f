"""The positions of words in the text of a run, the words beside them, and their documents."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from chronotope import errors
from chronotope.analysis.own_vectors import named_conditions
from chronotope.conditions import SEPARATOR, Conditions
from chronotope.config import CorpusSettings, from_dict
from chronotope.cooccurrence import Counts
from chronotope.corpus.lexicon import Normalizer
from chronotope.corpus.selection import row_filter
from chronotope.corpus.sentences import normalizer_of
from chronotope.corpus.text_store import TextStore
from chronotope.corpus.tokenizer import PATTERNS
from chronotope.corpus.tokens import DOCUMENTS, FIELDS
from chronotope.io.run_folder import read_run
from chronotope.io.untrusted import read_table

SUGGESTION_WORDS = 100_000  # the most frequent words, from which suggestions for an unknown word come


class Term(NamedTuple):
    """A word of the lexicon or several in a row: the text that answers show, and the ids of its words."""

    text: str
    numbers: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Concordance:
    """Where the words of a run occur, by document and position."""

    counts: Counts

    @cached_property
    def settings(self) -> CorpusSettings:
        """The settings with which the text was read."""
        return from_dict(CorpusSettings, read_run(self.counts.folder)["corpus"])

    @property
    def conditions(self) -> Conditions:
        """The conditions of the run."""
        return self.counts.conditions

    @cached_property
    def text(self) -> TextStore:
        """The text of the documents."""
        folder = self.counts.folder
        if not TextStore.is_in(folder):
            raise errors.InputError(f"{folder} was prepared without its text (--no-text): it has no sentences to show")
        return TextStore(folder)

    @cached_property
    def normalize(self) -> Normalizer:
        """The normalization of words."""
        return normalizer_of(self.counts.folder)

    def term(self, words: str) -> Term:
        """Return a word, a phrase, or several words in a row, normalized as in the corpus."""
        if (exact := self._number(words.strip())) is not None:
            return Term(words.strip(), (exact,))
        pretokenized = self.settings.tokenizer != "words"
        pattern = PATTERNS["whitespace" if pretokenized else "emoji" if self.settings.emoji else "words"]
        forms = pl.Series([words]).str.extract_all(pattern)[0].to_list()
        parts = [word for form in forms if (word := self.normalize(form, pretokenized))]
        found: list[tuple[str, int]] = []
        while parts:
            # The longest phrase first, as when the corpus was read.
            for size in range(len(parts), 0, -1):
                phrase = "_".join(parts[:size])
                if (number := self._number(phrase)) is not None:
                    found.append((phrase, number))
                    parts = parts[size:]
                    break
            else:
                raise errors.UnknownWordError(parts[0], self._alike(parts[0]), len(self.counts.store.words), "this run")
        if not found:
            raise errors.InputError(f"'{words}' contains no word")
        return Term(" ".join(word for word, _ in found), tuple(number for _, number in found))

    def _alike(self, word: str) -> list[str]:
        """Return frequent words of about the same length with the same first or last letter."""
        words = self.counts.store.words.head(SUGGESTION_WORDS)
        close = words.str.starts_with(word[:1]) | words.str.ends_with(word[-1:])
        return words.filter(close & words.str.len_chars().is_between(max(len(word) - 2, 0), len(word) + 2)).to_list()

    def _number(self, word: str) -> int | None:
        places = (self.counts.store.words == word).arg_true()
        return int(places[0]) if len(places) else None

    def documents(self, conditions: NDArray[np.int64], where: str | None = None) -> NDArray[np.bool_]:
        """Return (N,) whether a document was counted, is in the conditions, and passes an SQL filter on its fields.

        A text that counts for a place and for a place inside it is taken once, for the inner one.
        """
        if self.conditions.levels > 1:
            place = np.array(self.conditions.place_of)[conditions]
            around = [self.conditions.parents.get(inner, -1) for inner in place]
            conditions = conditions[~np.isin(place, around)]
        chosen = ~self.counts.store.held_out & np.isin(self.counts.store.document_condition, conditions)
        if where is None:
            return chosen
        asked = row_filter(where)
        if unknown := [name for name in asked.fields if name not in self.fields.columns]:
            known = ", ".join(self.fields.columns)
            raise errors.SettingsError(f"no field '{unknown[0]}' was kept (`prepare --keep`); the fields are: {known}")
        return np.asarray(chosen & asked.keep(self.fields))

    def positions(self, term: Term, documents: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Return the positions, in the file of tokens, at which a term begins in some documents."""
        store, first = self.counts.store, term.numbers[0]
        if first not in self._positions:
            self._positions[first] = store.positions(first)
        here = self._positions[first]
        document = self.documents_at(here)
        here = here[documents[document] & (here + len(term.numbers) <= store.starts[document + 1])]
        for step, number in enumerate(term.numbers[1:], 1):
            here = here[store.ids[here + step] == number]
        return here

    @cached_property
    def _positions(self) -> dict[int, NDArray[np.int64]]:
        """The positions of words, held-out documents included: all tokens are searched once for each word."""
        return {}

    def documents_at(self, positions: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the document of each position in the file of tokens."""
        return np.searchsorted(self.counts.store.starts, positions, side="right") - 1

    def beside(self, term: Term, positions: NDArray[np.int64], window: int) -> Iterator[tuple[int, NDArray[np.int64]]]:
        """Yield each distance up to `window`, and the positions at it on one side of a term in the same document.

        Words too rare for the vocabulary are passed over, as in the counts.
        """
        store, document = self.counts.store, self.documents_at(positions)
        rare = np.arange(len(store.words)) >= len(self.counts.vocabulary)
        rare[list(term.numbers)] = False
        for step, at in ((-1, positions), (1, positions + len(term.numbers) - 1)):
            low, high = store.starts[document], store.starts[document + 1]
            for distance in range(1, window + 1):
                at = at + step
                moving = np.flatnonzero((at >= low) & (at < high))
                while len(moving := moving[rare[store.ids[at[moving]]]]):
                    at[moving] += step
                    moving = moving[(at[moving] >= low[moving]) & (at[moving] < high[moving])]
                inside = (at >= low) & (at < high)
                at, low, high = at[inside], low[inside], high[inside]
                yield distance, at

    def sources(self, documents: NDArray[np.int64]) -> list[tuple[str, str | None]]:
        """Return the name of documents (kept fields, file and line), and their time as given in the input."""
        found = []
        for place, fields in zip(self._places[documents].rows(named=True), self._fields[documents].rows(), strict=True):
            file = f"{place['file']}:{place['line']}" if place["line"] else place["file"]
            kept = ", ".join(str(value) for value in fields if value not in (None, ""))
            found.append((f"{kept} ({file})" if kept else file, place.get("time")))
        return found

    @cached_property
    def _places(self) -> pl.DataFrame:
        """The file, the line and, over time, the time of each document, as the input has them."""
        columns = {"source": pl.Int32, "line": pl.Int64} | ({"time": pl.String} if self.conditions.times else {})
        path = self.counts.folder / DOCUMENTS
        table = read_table(path, columns)
        if not table["source"].is_between(0, len(self.counts.store.sources) - 1).all():
            raise errors.DamagedFileError(f"{path} names a file that does not exist; prepare the run again")
        names = pl.Series([str(source["name"]) for source in self.counts.store.sources], dtype=pl.String)
        return table.with_columns(file=names.gather(table["source"]))

    @cached_property
    def fields(self) -> pl.DataFrame:
        """The fields that `prepare --keep` kept of each document, and its `file`."""
        return self._fields.with_columns(self._places["file"])

    @cached_property
    def _fields(self) -> pl.DataFrame:
        """The fields that `prepare --keep` kept of each document; without columns if there are none."""
        path = self.counts.folder / FIELDS
        size = len(self.counts.store.held_out)
        if not path.exists():
            return pl.DataFrame(height=size)
        try:
            table = pl.read_parquet(path, glob=False)
        except (OSError, pl.exceptions.PolarsError) as error:
            raise errors.DamagedFileError(f"cannot read {path}: {error}; prepare the run again") from None
        if len(table) != size:
            raise errors.DamagedFileError(f"{path} does not match its documents; prepare the run again")
        return table

    def absence(self, term: Term, where: str) -> str:
        """Return a note that a term does not occur somewhere, and where it occurs most."""
        found = self.positions(term, self.documents(np.arange(len(self.conditions))))
        condition = self.counts.store.document_condition[self.documents_at(found)]
        count = np.bincount(condition, minlength=len(self.conditions))
        most = [number for number in np.argsort(-count, kind="stable")[:3].tolist() if count[number]]
        labels = self.conditions.labels
        named = [f"{labels[number]} ({errors.number_of(int(count[number]), 'times')})" for number in most]
        elsewhere = f"most in {', '.join(named)}" if named else "only in documents that are held out"
        return f"{term.text} does not occur {where}; it occurs {elsewhere}."


def hash_order(numbers: NDArray[np.int64], seed: int) -> NDArray[np.uint64]:
    """Return a hash of each number (SplitMix64), the same on every machine: sorting by it gives a random order.

    >>> np.argsort(hash_order(np.arange(5), seed=1)).tolist()
    [4, 3, 0, 1, 2]
    """
    with np.errstate(over="ignore"):
        mixed = (numbers.astype(np.uint64) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15) + np.uint64(seed)
        mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return mixed ^ (mixed >> np.uint64(31))


def turns(group: NDArray[np.int64], order: NDArray[np.integer]) -> NDArray[np.int64]:
    """Return the rank of each item in its group, by `order`: sorted by it, the groups take turns.

    >>> turns(np.array([0, 0, 1, 0]), np.array([5, 7, 9, 6])).tolist()
    [0, 2, 0, 1]
    """
    rank = pl.DataFrame({"group": group, "order": order}).select(pl.col("order").rank("ordinal").over("group"))
    return rank["order"].to_numpy().astype(np.int64) - 1


def choose_conditions(
    conditions: Conditions, at: str | None = None, start: str | None = None, end: str | None = None
) -> NDArray[np.int64]:
    """Return the numbers of one condition, of a range of time, or of all conditions.

    With time × place, `at` may be a time bin or a place alone, for all its conditions. A range includes both ends;
    `1990/canada` to `1995/canada` stays in that place.

    >>> both = Conditions(("1998", "1999"), ("canada", "india"), (0, 0, 1), (0, 1, 1))
    >>> choose_conditions(both, at="India").tolist(), choose_conditions(both, start="1999").tolist()
    ([1, 2], [2])
    """
    if start is None and end is None:
        return np.array(named_conditions(conditions, "all" if at is None else at))
    if at is not None:
        raise errors.SettingsError("give either one condition (at) or a range (from, to), not both")
    if not conditions.times:
        raise errors.SettingsError("a range (from, to) needs time bins, and this run has none")
    ends = [label for label in (start, end) if label is not None]
    for label in ends:
        named_conditions(conditions, label)  # raises UnknownConditionError
    times = [name.casefold() for name in conditions.times]
    parts = [label.strip().casefold().partition(SEPARATOR)[::2] for label in ends]
    if any(time not in times for time, _ in parts) or len({place for _, place in parts}) > 1:
        wanted = "give two time bins, or the same place at both ends"
        raise errors.SettingsError(f"'{start}' to '{end}' is not a range: {wanted}")
    first = 0 if start is None else times.index(parts[0][0])
    last = len(times) - 1 if end is None else times.index(parts[-1][0])
    if first > last:
        raise errors.SettingsError(f"'{start}' comes after '{end}'; exchange from and to")
    among = named_conditions(conditions, parts[0][1] or "all")
    return np.array([number for number in among if first <= conditions.time_of[number] <= last], np.int64)
