"""Which words a ranked answer may list, in how many documents they occur, and how much one document weighs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from fnmatch import fnmatchcase
from functools import cached_property

import numpy as np
import polars as pl
from numpy.typing import NDArray

from chronotope.analysis.params import Listed, run_of
from chronotope.cooccurrence import Counts
from chronotope.corpus.tokens import FIELDS, LEXICON
from chronotope.embeddings import ConditionedEmbeddings, Match
from chronotope.embeddings.words import read_words, spellings
from chronotope.errors import InputError, SettingsError, UnknownWordError, import_extra, number_of, some_of
from chronotope.io.untrusted import read_table

Integers = NDArray[np.int64]
Mask = NDArray[np.bool_]

STOP_WORDS = "stopwords:"
FEWEST = 5  # occurrences; fewer are often in one document by chance


class Filters:
    """The words that a ranked answer may list, of a model or a run.

    `words` and `exclude` are lists or files of words, or in `exclude` 'stopwords:en'. `min_documents` is tested in the
    conditions of the answer; without the run of a model it cannot be, and a note says so.
    """

    def __init__(
        self,
        source: ConditionedEmbeddings | Counts,
        words: Listed = None,
        exclude: Listed = None,
        no_names: bool = False,
        no_numbers: bool = False,
        min_documents: int = 1,
    ) -> None:
        self._source, self._min_documents = source, min_documents
        self._words = source.vocabulary.words if isinstance(source, Counts) else source.words
        self._notes: list[str] = []
        self.settings: list[str] = []  # for the facts of the answer
        self.named: list[int] | None = None
        self.run = run_of(source)
        # A model may hold some of the words of its run only, under other numbers.
        known = {} if self.run is None else {word: number for number, word in enumerate(self.run.vocabulary.words)}
        self.in_run = np.array([known.get(word, -1) for word in self._words], np.int64)
        self._excluded: dict[str, Mask] = {}  # by reason; the first that applies is noted
        if (only := read_words(words)) is not None:
            self.settings.append(f"words {some_of(only)}")
            self.named = self._numbers(only, must=True)
        if (without := read_words(exclude)) is not None:
            self.settings.append(f"exclude {some_of(without)}")
            self._excluded["excluded words"] = np.isin(np.arange(len(self._words)), self._expand(without))
        if no_names:
            self.settings.append("no_names")
            self._excluded["names"] = self._names()
        if no_numbers:
            self.settings.append("no_numbers")
            self._excluded["numbers"] = np.array([word[:1].isdigit() for word in self._words], bool)
        if min_documents > 1:
            self.settings.append(f"min_documents {min_documents}")

    @cached_property
    def _number(self) -> dict[str, int]:
        return {word: number for number, word in enumerate(self._words)}

    def documents(self, conditions: Iterable[int]) -> Integers | None:
        """(W,) the number of documents in some conditions that contain each word; None without the run."""
        labels, chosen = self._source.conditions.labels, list(conditions)
        if self.run is None:
            return None
        known = dict(enumerate(self.run.conditions.labels))
        if any(known.get(at) != labels[at] for at in chosen):  # added by `extend`
            return None
        # A text of a nested place is a document of every level.
        times = self.run.conditions.levels if len(chosen) == len(labels) else 1
        found = self.run.vocabulary.documents_in(chosen)[self.in_run] // times
        return np.where(self.in_run < 0, 0, found)

    def documents_of(self, word: str, conditions: Iterable[int]) -> int | None:
        """Return the number of documents in some conditions that contain a word; None without the run."""
        found = self.documents(conditions)
        return None if found is None else int(found[self._number[word]])

    def keep(self, conditions: Iterable[int]) -> Mask | None:
        """(W,) whether each word may be listed in an answer about some conditions; None if all may."""
        documents = self.documents(conditions) if self._min_documents > 1 else None
        if documents is None and self.named is None and not self._excluded:
            return None
        kept = np.ones(len(self._words), bool) if documents is None else documents >= self._min_documents
        if self.named is not None:
            kept &= np.isin(np.arange(len(kept)), self.named)
        for mask in self._excluded.values():
            kept &= ~mask
        return kept

    def matches(self, find: Callable[[int], list[Match]], top: int, conditions: Sequence[int]) -> list[Match]:
        """Return the first `top` matches that pass the filters; `find(n)` returns the best n of all words."""
        kept, size = self.keep(conditions), top
        if kept is None:
            return find(top)
        while True:
            found = find(size)
            listed = [match for match in found if kept[self._number[match.word]]]
            if len(listed) >= top or len(found) < size:
                return listed[:top]
            size *= 8

    def ranked(
        self, words: Integers, order: Integers, conditions: Sequence[int], top: int, notes: list[str]
    ) -> Integers:
        """Return the first `top` positions in `order` whose words pass the filters; add a note on what is left out."""
        kept = self.keep(conditions)
        if self.named is not None and (rare := [self._words[one] for one in self.named if one not in words]):
            notes.append(f"Named words that are too rare: {some_of(rare)}.")
        notes += self.notes(words, [conditions])
        order = order if kept is None else order[kept[words[order]]]
        if self.named is not None and len(order) > top:
            notes.append(f"Shown: {top:,} of {number_of(len(order), 'named words')}; raise `top` for more.")
        return order[:top]

    def notes(self, words: Integers, groups: Sequence[Sequence[int]]) -> list[str]:
        """Say how many of `words` each filter leaves out; `groups` are the conditions of each part of an answer."""
        among = np.zeros(len(self._words), bool)
        among[words if self.named is None else np.intersect1d(words, self.named)] = True
        excluded, notes = dict(self._excluded), list(self._notes)
        documents = [self.documents(group) for group in groups]
        known = [one for one in documents if one is not None]
        if self._min_documents > 1 and known:
            fewer = f"words in fewer than {number_of(self._min_documents, 'documents')}"
            excluded[fewer] = np.max(known, axis=0) < self._min_documents
        left = []
        for reason, mask in excluded.items():
            if many := int(np.count_nonzero(among & mask)):
                left.append(number_of(many, reason))
            among &= ~mask
        notes += [f"Left out: {', '.join(left)}."] if left else []
        if len(known) < len(documents):
            notes.append("Numbers of documents are unknown without the run of the model.")
        return notes

    def _numbers(self, words: Iterable[str], must: bool = False) -> list[int]:
        """Return the ids of words, each once, as typed or else in lower case or without accents; note unknown ones.

        A * stands for any letters.
        """
        found: dict[int, None] = {}
        unknown = []
        for word in words:
            spelled = [one for one in spellings(word) if one in self._number][:1]
            if not spelled and "*" in word:
                patterns = list(spellings(word))
                spelled = [one for one in self._words if any(fnmatchcase(one, form) for form in patterns)]
            found |= {self._number[one]: None for one in spelled}
            unknown += [] if spelled else [word]
        if must and not found:
            raise UnknownWordError(unknown[0] if unknown else "", self._words, len(self._words))
        if unknown:
            self._notes.append(f"Not in the vocabulary: {some_of(unknown)}.")
        return list(found)

    def _expand(self, words: Sequence[str]) -> list[int]:
        """Return the ids of words; 'stopwords:en' stands for a list, of which many do not occur."""
        lists = [word for word in words if word.startswith(STOP_WORDS)]
        stop = frozenset[str]().union(*(stop_words(one.removeprefix(STOP_WORDS)) for one in lists))
        known = [number for word, number in self._number.items() if word in stop]
        return known + self._numbers(word for word in words if word not in lists)

    def _names(self) -> Mask:
        """(W,) whether a word is capitalized in more than half of its occurrences inside sentences."""
        if self.run is None:
            raise InputError("--no-names needs the run that the model was trained on; use load(model, run=FOLDER)")
        columns = {"word": pl.String, "inside": pl.Int64, "capitalized": pl.Int64}
        table = read_table(self.run.folder / LEXICON, columns)
        if not table["capitalized"].sum():
            self._notes.append("No word of the text is capitalized, so names cannot be recognized.")
        names = set(table.filter(2 * pl.col("capitalized") > pl.col("inside"))["word"])
        return np.array([word in names for word in self._words], bool)


def stop_words(language: str) -> frozenset[str]:
    """Return the stop words of a language, given by its code; English ones come with scikit-learn."""
    if language == "en":
        from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

        return frozenset(ENGLISH_STOP_WORDS)
    stopwordsiso = import_extra("stopwordsiso", f"{STOP_WORDS}{language}", "stopwords")
    if not stopwordsiso.has_lang(language):
        raise SettingsError(f"no stop words for '{language}'; languages: {', '.join(sorted(stopwordsiso.langs()))}")
    return frozenset(stopwordsiso.stopwords(language))


def largest_share(counts: Counts, words: Integers, ends: Sequence[Integers]) -> NDArray[np.float64]:
    """(K,) the largest share of a word's occurrences in one document, in any of its conditions.

    Each item of `ends` is one condition for each word. Held-out documents do not count.
    """
    store, largest, share = counts.store, np.zeros(len(words)), np.zeros(len(counts.store.words))
    for condition in np.unique(np.concatenate(ends)).tolist():
        part = store.condition_slice(condition)
        starts, counted = store.starts[part.start : part.stop + 1], ~store.held_out[part]
        document = np.repeat(np.arange(len(counted)), np.diff(starts))
        keep = counted[document]
        tokens = pl.DataFrame({"word": store.ids[starts[0] : starts[-1]][keep], "document": document[keep]})
        each = tokens.filter(pl.col("word").is_in(words)).group_by("word", "document").len()
        word, held = each.group_by("word").agg(pl.col("len").max() / pl.col("len").sum())
        share[:] = 0
        share[word.to_numpy()] = held.to_numpy()
        asked = np.any([one == condition for one in ends], axis=0)
        largest[asked] = np.maximum(largest, share[words])[asked]
    return largest


def one_sided(
    source: ConditionedEmbeddings | Counts,
    word: str,
    conditions: Iterable[int] | None,
    found: Integers | None = None,
) -> list[str]:
    """Note where one document, or one value of the kept field `source`, holds most occurrences of a word.

    `conditions` None means all together. `found` are the positions of the word in the file of tokens, if known. A
    source that also holds most of the text is not noted.
    """
    counts = run_of(source)
    if counts is None or (found is None and word not in counts.vocabulary.words):
        return []
    store, labels = counts.store, counts.conditions.labels
    found = store.positions(counts.vocabulary.index(word)) if found is None else found
    document = np.searchsorted(store.starts, found, side="right") - 1
    times = np.where(store.held_out, 0, np.bincount(document, minlength=len(store.held_out)))
    groups, length = {"document": np.arange(len(times))}, np.diff(store.starts)
    if (sources := values_of(counts, "source")) is not None:
        groups["source"] = sources
    parts = {"all of the text": slice(0, len(times))}
    if conditions is not None:
        parts = {labels[at]: store.condition_slice(at) for at in conditions if at < len(labels)}
    notes = []
    for kind, group in groups.items():
        where = []
        for label, part in parts.items():
            holder = np.unique(group[part], return_inverse=True)[1]
            held, size = (np.bincount(holder, amount[part], 1) for amount in (times, length))
            most = held.argmax()
            if held.sum() < FEWEST or 2 * held[most] <= held.sum():
                continue
            if kind == "document" or 2 * size[most] <= size.sum():
                where.append(f"{label} ({held[most] / held.sum():.0%})")
        if where:
            notes.append(f"One {kind} holds more than half of the occurrences of {word} in {some_of(where)}.")
    return notes


def values_of(counts: Counts, field: str) -> Integers | None:
    """Return a number for the value of a kept field of each document of a run; None if the field was not kept."""
    path = counts.folder / FIELDS
    if not path.exists() or field not in pl.read_parquet_schema(path):
        return None
    values = pl.read_parquet(path, columns=[field], glob=False)[field].fill_null("")
    return values.rank("dense").to_numpy().astype(np.int64)
