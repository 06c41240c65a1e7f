"""The first pass over a corpus: text is read, tokenized and numbered as it comes.

What depends on order (the numbers of words, places and documents) is done here, piece by piece, so that the result is
the same whatever the number of threads that read ahead.
Nothing that is kept grows with the text but some 40 bytes a document and the distinct words; tokens go to disk when
they are many.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from chronotope.corpus.distributed import prepare_elsewhere
from chronotope.corpus.lexicon import Lexicon, Unspaced
from chronotope.corpus.preparing import Prepared, prepare_ahead
from chronotope.corpus.problems import SHOWN, BadRow, Problems
from chronotope.corpus.selection import Documents, Selection
from chronotope.corpus.source import Corpus
from chronotope.corpus.spool import TokenSpool
from chronotope.corpus.text_store import TextWriter
from chronotope.errors import InputError
from chronotope.runtime.kernels import kernel
from chronotope.runtime.resources import Resources

Progress = Callable[[str, int, int | None], None]

NO_WORDS = "no words in the text"
EMPTY_FILE = "empty file"
# More than this share of the characters in scripts without blanks between words: the text was not cut into words.
MOST_UNSPACED = 0.25


class Ingested(NamedTuple):
    """All documents in the order of the input; their tokens are spooled.

    Attributes
    ----------
    lexicon
        The words, numbered as they came (see `Lexicon`).
    counts
        (2, W) how often each occurs in the documents that are kept, and in those that are held out.
    label
        (N,) the number of the (time bin, place) of each document.
    labels
        The (time bin, place) pairs, in the order of their first occurrence.
    places
        The places, as first spelt.
    length, source, line, held_out, text_hash, date
        (N,) what is known of each document; `date` is the time as it is written, empty without a time axis.
    kept
        The fields that are to be kept, a row a document.
    """

    lexicon: Lexicon
    counts: NDArray[np.int64]
    label: NDArray[np.int32]
    labels: list[tuple[int, int]]
    places: list[str]
    length: NDArray[np.int64]
    source: NDArray[np.int32]
    line: NDArray[np.int64]
    held_out: NDArray[np.bool_]
    text_hash: NDArray[np.uint64]
    date: pl.Series
    kept: pl.DataFrame
    problems: Problems
    rows: int
    left_out: int
    outside: int
    unspaced: int
    content: str


def ingest(
    corpus: Corpus,
    spool: TokenSpool,
    progress: Progress | None = None,
    text: TextWriter | None = None,
    resources: Resources | None = None,
) -> Ingested:
    """Read a corpus once and spool its tokens.

    Where its text is to be kept, `text` writes it. What comes out does not depend on the resources.
    """
    resources = resources or Resources()
    selection = Selection(corpus.settings)
    collector = _Collector(corpus, spool, text)
    for number in corpus.empty:
        before = sum(len(reader.names) for reader in corpus.readers[:number])
        collector.reject([BadRow(EMPTY_FILE, before, 0)])
    if resources.pool:
        pieces = prepare_elsewhere(corpus, selection, resources.pool, resources.spill)
    else:
        pieces = prepare_ahead(corpus, selection, resources)
    for prepared, done in pieces:
        collector.take(prepared)
        resources.memory.check(f"a lexicon of {collector.words:,} distinct words so far")
        if progress:
            progress("reading", done, corpus.size or None)
    return collector.finish()


class _Collector:
    """Takes documents in order, numbers their words, places and conditions, and spools their tokens."""

    def __init__(self, corpus: Corpus, spool: TokenSpool, text: TextWriter | None) -> None:
        self._corpus = corpus
        self._text = text
        self._dates: list[pl.Series] = []
        self._kept: list[pl.DataFrame] = []
        self._names = corpus.names
        self._spool = spool
        self._lexicon = Lexicon(corpus.settings)
        self._counts = np.zeros((2, 1 << 16), np.int64)
        self._labels: dict[tuple[int, int], int] = {}
        self._places: dict[str, int] = {}
        self._spelling: list[str] = []
        self._parts: list[tuple[NDArray[np.generic], ...]] = []
        self._problems = Problems()
        self._content = hashlib.blake2b(digest_size=16)
        self._documents = self._rows = self._left_out = self._outside = 0
        self._unspaced = Unspaced()

    @property
    def words(self) -> int:
        """How many distinct words there are so far."""
        return len(self._lexicon)

    def take(self, piece: list[Prepared]) -> None:
        """Number and write the documents of a piece."""
        bad: list[BadRow] = []
        more: dict[str, int] = {}
        for prepared in piece:
            self._rows += prepared.rows
            self._left_out += prepared.documents.left_out
            self._outside += prepared.documents.outside
            bad += prepared.documents.bad
            for kind, count in prepared.documents.more_bad.items():
                more[kind] = more.get(kind, 0) + count
            if len(prepared.tokens.length):
                bad += self._take(prepared)
            self._check_script(prepared)
        self.reject(sorted(bad, key=lambda row: (row.source, row.line)), more)

    def reject(self, bad: list[BadRow], more: dict[str, int] | None = None) -> None:
        """Count bad rows, or stop at the first."""
        for row in bad:
            name = self._names[row.source]
            location = f"{name}:{row.line}" if row.line else name
            if self._corpus.settings.strict:
                raise InputError(f"{location}: {row.kind}" + (f" ('{row.value}')" if row.value else ""))
            self._problems.add(row.kind, location, row.value)
        for kind, count in (more or {}).items():
            self._problems.add_unseen(kind, count)

    def _take(self, prepared: Prepared) -> list[BadRow]:
        documents, tokens = prepared.documents, prepared.tokens
        number = self._lexicon.numbers(tokens, prepared.as_it_is)
        while len(self._lexicon) > self._counts.shape[1]:
            self._counts = np.concatenate([self._counts, np.zeros_like(self._counts)], axis=1)
        some_dropped = bool((number[tokens.frequency > 0] < 0).any())
        length = _lengths(tokens.code, tokens.length, number) if some_dropped else tokens.length
        packed, of_parts = prepared.packed, length
        if packed:
            length = packed.of_documents(of_parts)
            tokens = tokens._replace(length=packed.of_documents(tokens.length))
        kept = length > 0
        if packed and self._text:
            self._text.add(packed, of_parts, kept)
        if len(documents.date):
            self._dates.append(documents.date.filter(pl.Series(kept)))
        if documents.kept.width:
            self._kept.append(documents.kept.filter(pl.Series(kept)))
        bad = [
            BadRow(NO_WORDS, int(documents.source[row]), int(documents.line[row]))
            for row in np.flatnonzero(~kept).tolist()
        ]
        held_out = np.zeros(len(kept), bool)
        held_out[kept] = is_held_out(self._documents, int(kept.sum()), self._corpus.settings.holdout)
        if held_out.any() or some_dropped:
            ids = np.empty(int(length.sum()), np.int32)
            _number(tokens.code, tokens.length, number, held_out, ids, self._counts)
            self._spool.add(ids)
        else:
            np.add.at(self._counts[0], number, tokens.frequency)
            self._spool.add(tokens.code, number)
        label = self._label(documents, kept)
        columns = (length, documents.source, documents.line, held_out, prepared.text_hash)
        self._parts.append((label, *(column[kept] for column in columns)))
        self._content.update(prepared.text_hash[kept].data)
        self._content.update(label.data)
        self._documents += int(kept.sum())
        return bad

    def _label(self, documents: Documents, kept: NDArray[np.bool_]) -> NDArray[np.int32]:
        """The number of the (time bin, place) of each document that is kept."""
        size = int(kept.sum())
        times = documents.time[kept].tolist() if len(documents.time) else [0] * size
        place_numbers = [0] * size
        if len(documents.place):
            place_numbers = [self._place(label) for label in documents.place.filter(pl.Series(kept)).to_list()]
        labels = self._labels
        found = [labels.setdefault(pair, len(labels)) for pair in zip(times, place_numbers, strict=True)]
        return np.array(found, np.int32)

    def _place(self, label: str) -> int:
        key = label.casefold()
        number = self._places.setdefault(key, len(self._places))
        if number == len(self._spelling):
            self._spelling.append(label)
        return number

    def _check_script(self, prepared: Prepared) -> None:
        """Refuse text that is, for a large part, in a script that writes no blanks between words."""
        self._unspaced += prepared.unspaced
        if self._unspaced.characters > MOST_UNSPACED * self._unspaced.of_characters:
            raise InputError(
                "much of the text is in a script without blanks between words (such as Chinese, Japanese or Thai); "
                "pass a tokenizer for it, or text that is cut into words already, with tokenizer='whitespace' "
                "(--tokenizer whitespace)"
            )

    def finish(self) -> Ingested:
        """All that was taken; nothing at all is an error that says why."""
        if not self._documents:
            raise InputError(self._why_nothing())
        columns = [np.concatenate(parts) for parts in zip(*self._parts, strict=True)]
        label, length, source, line, held_out, text_hash = columns
        return Ingested(
            lexicon=self._lexicon,
            counts=self._counts[:, : len(self._lexicon)],
            label=label,
            labels=list(self._labels),
            places=self._spelling,
            length=length,
            source=source,
            line=line,
            held_out=held_out,
            text_hash=text_hash,
            date=pl.concat(self._dates) if self._dates else pl.Series([], dtype=pl.String),
            kept=pl.concat(self._kept) if self._kept else pl.DataFrame(),
            problems=self._problems,
            rows=self._rows,
            left_out=self._left_out,
            outside=self._outside,
            unspaced=self._unspaced.tokens,
            content=self._content.hexdigest(),
        )

    def _why_nothing(self) -> str:
        """Why no document is left."""
        settings = self._corpus.settings
        worst = max(self._problems, key=lambda kind: self._problems[kind].count, default="")
        count = self._problems[worst].count if worst else 0
        filtered = f'where="{settings.where}" leaves out {self._left_out:,} of {self._rows:,} rows'
        if self._left_out and not count and self._left_out >= self._outside:
            return f"no row is left: {filtered}"
        if self._outside > count:
            return f"no row is left: {self._outside:,} of {self._rows:,} rows lie outside the named bins"
        if not worst:
            return f"{', '.join(self._names[:3])} holds no rows"
        # What is wrong with the few rows that the filter lets through may be wrong with all.
        return self._what_is_wrong(worst) + (f"; {filtered}" if self._left_out else "")

    def _what_is_wrong(self, worst: str) -> str:
        """The worst problem as the reason why nothing is left."""
        settings, problem = self._corpus.settings, self._problems[worst]
        if "time" in worst:
            values = ", ".join(f"'{value}'" for value in problem.values)
            values = f"; the first values are: {values}{', …' if problem.count > SHOWN else ''}" if values else ""
            return f"no row has a readable time in field '{settings.time}'{values}" + (
                f" ({worst})" if "coarse" in worst else ""
            )
        if worst == "no text":
            return f"no row has text in field '{settings.text}'"
        if worst == "no place":
            return f"no row has a place in field '{settings.place}'"
        return f"no row is left: {'; '.join(self._problems.lines())}"


def is_held_out(first: int, count: int, share: float) -> NDArray[np.bool_]:
    """Whether each of `count` documents from number `first` on is set aside: by a hash of its number (SplitMix64).

    Examples
    --------
    >>> is_held_out(0, 8, 0.5).tolist()
    [False, True, True, False, True, True, True, False]
    """
    if share <= 0:
        return np.zeros(count, bool)
    mixed = np.arange(first + 1, first + count + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    mixed ^= mixed >> np.uint64(31)
    return np.asarray(mixed < np.uint64(int(share * 2**64)))


@kernel()
def _lengths(code, length, number):  # type: ignore[no-untyped-def]
    """The number of tokens of each document that have a number."""
    left = np.zeros(len(length), np.int64)
    token = 0
    for document in range(len(length)):
        for _ in range(length[document]):
            left[document] += number[code[token]] >= 0
            token += 1
    return left


@kernel()
def _number(code, length, number, held_out, ids, counts):  # type: ignore[no-untyped-def]
    """Fill in the numbers of the words and add to their counts."""
    token, written = 0, 0
    for document in range(len(length)):
        part = 1 if held_out[document] else 0
        for _ in range(length[document]):
            word = number[code[token]]
            token += 1
            if word >= 0:
                ids[written] = word
                written += 1
                counts[part, word] += 1
