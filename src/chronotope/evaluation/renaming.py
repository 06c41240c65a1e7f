"""Test pairs from any corpus: some words are renamed, and the right answer is the same word under its other name.

A random tenth of the words is drawn. Over time, each of them gets a new name every few bins; over places, another name
in each place; with both, each place has its own time line. For a method that learns from the counts, `tax@1` in 1995
and `tax@3` in 2003 are two words, and they are equivalents. So methods and settings can be judged on any text, without
other test pairs.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, fields, replace
from functools import cached_property

import numpy as np
import polars as pl
from numpy.typing import NDArray

from chronotope.conditions import Conditions
from chronotope.config import at_least
from chronotope.cooccurrence import CellArrays, Counts
from chronotope.cooccurrence.vocabulary import Support
from chronotope.corpus.tokens import TokenStore
from chronotope.errors import InputError, SettingsError
from chronotope.evaluation.pairs import TestPair, TestPairs
from chronotope.io.provenance import checksum_of

MIN_COUNT = 5  # of a word in a condition, to be asked about there; the default of `evaluate`
PAIRS_OF_A_WORD = 3


@dataclass(frozen=True)
class Renamed:
    """The counts under new names, for any method, and the pairs that ask for the other names."""

    counts: Counts
    pairs: TestPairs


@dataclass(frozen=True)
class _Names:
    """The name of every word in every condition: in a condition, each word has one name and each name is one word."""

    words: int  # number of words; they keep their ids, and further names follow
    chosen: NDArray[np.int64]  # (K,) the words that are renamed, ascending
    number: NDArray[np.int32]  # (C, K) the id of the name of each in each condition
    word_of: NDArray[np.int64]  # (N,) the chosen word of each further name

    def of(self, condition: int) -> NDArray[np.int32]:
        """(W,) the new id of each word in a condition."""
        found = np.arange(self.words, dtype=np.int32)
        found[self.chosen] = self.number[condition]
        return found


@dataclass(frozen=True)
class _RenamedCounts(Counts):
    """Counts whose cells and tokens are those of the original under new names."""

    original: Counts = field(kw_only=True)
    names: _Names = field(kw_only=True, repr=False)

    def cells(self, condition: int) -> CellArrays:
        cells, name = self.original.cells(condition), self.names.of(condition)
        a, b = name[cells.word], name[cells.context]
        word, context = np.minimum(a, b), np.maximum(a, b)
        # If the two ids swap, a word that came after the other now comes before it.
        after = np.where(a > b, cells.count - cells.after, cells.after)
        order = np.argsort((word.astype(np.int64) << 32) | context)
        return CellArrays(word[order], context[order], cells.count[order], after[order])

    @cached_property
    def store(self) -> TokenStore:
        """The token ids under the new names, in memory, for methods that read the text."""
        store, words = self.original.store, self.names.words
        ids = np.empty(len(store.ids), dtype=np.int32)
        for condition in range(len(self.conditions)):
            name, documents = self.names.of(condition), store.condition_slice(condition)
            here = slice(int(store.starts[documents.start]), int(store.starts[documents.stop]))
            part = np.asarray(store.ids[here])
            # Words outside the vocabulary make room for the new names.
            outside = part + np.int32(len(self.names.word_of))
            ids[here] = np.where(part < words, name[np.minimum(part, words - 1)], outside)
        counts = np.concatenate([self.vocabulary.counts, store.counts[words:]])
        names = pl.concat([pl.Series("word", self.vocabulary.words), store.words[words:]])
        return replace(store, words=names, counts=counts, ids=ids)


def renamed(counts: Counts, share: float = 0.1, seed: int = 1, longest: int = 5) -> Renamed:
    """Rename a share of the words; return the counts, and test pairs about the new names.

    Words are drawn if they occur at least 5 times in two conditions or more; pairs ask only about such conditions, and
    a word has at most three pairs. The names of `tax` are `tax@1`, `tax@2` and so on. Nothing changes but the names;
    held-out documents stay held out.

    Parameters
    ----------
    share
        Share of the words to rename.
    seed
        Seed of the names and pairs.
    longest
        Over time a word keeps a name for 1 to `longest` bins, each length equally likely.

    Examples
    --------
    >>> import chronotope as ct
    >>> corpus = ct.read_corpus(ct.invented_world(documents=300, changes=False).records, time="time")
    >>> made = renamed(ct.count(corpus, min_count=5))
    >>> pair = made.pairs.pairs[0]
    >>> pair.query.split("@")[0] == pair.answer.split("@")[0], pair.query == pair.answer
    (True, False)
    >>> ct.evaluate(ct.GraphModel(dimensions=50), renamings=made)["mp@10"][0] > 0.9
    True
    """
    if not 0 < share <= 1:
        raise SettingsError(f"share must lie between 0 and 1, not {share:g}")
    at_least("seed", seed, 0)
    at_least("longest", longest, 1)
    if len(counts.conditions) < 2:
        raise InputError("with a single condition no word can change its name; prepare the text with --time or --place")
    random = np.random.default_rng(seed)
    support = counts.vocabulary.support
    often = np.bincount(support.word[support.count >= MIN_COUNT], minlength=len(counts.vocabulary))
    known = np.flatnonzero(often >= 2)
    if not len(known):
        raise InputError(f"no word occurs {MIN_COUNT} times in two conditions; widen the time bins or give more text")
    chosen = np.sort(random.choice(known, max(1, round(share * len(known))), replace=False))
    names = _named(support, len(counts.vocabulary), chosen, _stretches(counts.conditions, len(chosen), longest, random))
    words = _words(counts.vocabulary.words, names)
    parts = {part.name: getattr(counts, part.name) for part in fields(Counts)} | {"_held_out": None}
    parts["vocabulary"] = replace(counts.vocabulary, words=words, support=_renamed_support(support, names))
    parts["checksum"] = checksum_of(["renamed", counts.checksum, share, seed, longest])
    made = _RenamedCounts(**parts, original=counts, names=names)
    pairs = tuple(_pairs(support, names, words, counts.conditions.labels, random))
    if not pairs:
        raise InputError("no renamed word can be asked about; rename a larger share, or give more text")
    return Renamed(made, TestPairs(f"renamings share:{share:g} longest:{longest} seed:{seed}", pairs))


def _stretches(conditions: Conditions, words: int, longest: int, random: np.random.Generator) -> NDArray[np.int32]:
    """Return (C, K) stretch ids: a word keeps one name within a stretch of time bins; places share no stretch."""
    times, places = max(len(conditions.times), 1), max(len(conditions.places), 1)
    time, place = conditions.coordinates
    found = np.empty((len(conditions), words), dtype=np.int32)
    # One place at a time: all at once would take memory for words × places × times.
    for number in range(places):
        begins = random.integers(1, longest + 1, size=(times, words)).cumsum(axis=0)
        is_new = np.zeros((times, words), dtype=np.int32)
        inside = begins < times
        is_new[begins[inside], np.nonzero(inside)[1]] = 1
        here = place == number
        found[here] = number * times + is_new.cumsum(axis=0)[time[here]]
    return found


def _named(support: Support, words: int, chosen: NDArray[np.int64], stretch: NDArray[np.int32]) -> _Names:
    """Return a name for each stretch in which a word occurs; other stretches take the previous name, or the first."""
    column = np.full(words, -1, dtype=np.int64)
    column[chosen] = np.arange(len(chosen))
    own = column[support.word] >= 0
    condition, which = support.condition[own], column[support.word[own]]
    most = int(stretch.max()) + 1
    seen = np.unique(which * most + stretch[condition, which])
    name_of, first = seen // most, np.searchsorted(seen, np.arange(len(chosen)) * most)
    # The first name of a word keeps its id, the others follow the last word.
    is_first = np.zeros(len(seen), dtype=bool)
    is_first[first] = True
    number = np.where(is_first, chosen[name_of], words - 1 + np.cumsum(~is_first))
    at = np.searchsorted(seen, stretch + np.arange(len(chosen)) * most, side="right") - 1
    return _Names(words, chosen, number[np.maximum(at, first)].astype(np.int32), name_of[~is_first])


def _words(words: tuple[str, ...], names: _Names) -> tuple[str, ...]:
    mark = "@"
    while any(mark in word for word in words):
        mark += "@"
    found = [*words, *(words[word] for word in names.chosen[names.word_of])]
    further = np.searchsorted(names.word_of, np.arange(len(names.chosen)))
    for number in names.chosen.tolist():
        found[number] += f"{mark}1"
    for number, word in enumerate(names.word_of.tolist()):
        found[names.words + number] += f"{mark}{number - int(further[word]) + 2}"
    return tuple(found)


def _renamed_support(support: Support, names: _Names) -> Support:
    word = np.concatenate([names.of(at)[support.words_in(at)] for at in range(len(support.start) - 1)])
    order = np.lexsort((word, support.condition))
    return Support(support.start, word[order], support.count[order])


def _pairs(
    support: Support, names: _Names, words: tuple[str, ...], labels: tuple[str, ...], random: np.random.Generator
) -> Iterator[TestPair]:
    """Yield one query with up to three answers for each word, so that intervals over queries are over words."""
    often = support.count >= MIN_COUNT
    condition, word = support.condition[often], support.word[often]
    order = np.argsort(word, kind="stable")
    condition, word = condition[order], word[order]
    begin, end = (np.searchsorted(word, names.chosen, side=side) for side in ("left", "right"))
    for number in range(len(names.chosen)):
        known = condition[begin[number] : end[number]]
        called = names.number[known, number]
        asked = int(random.integers(len(known)))
        others = np.flatnonzero(called != called[asked])
        for other in random.permutation(others)[:PAIRS_OF_A_WORD].tolist():
            yield TestPair(words[called[asked]], labels[known[asked]], words[called[other]], labels[known[other]])
