"""The first pass over a corpus: number words, places and conditions in the order of the input; write raw token ids.

Memory grows with the number of documents (about 50 bytes each) and of distinct words, not with the text.
"""

import hashlib
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from chronotope.corpus.batches import TokenizedBatch
from chronotope.corpus.lexicon import Lexicon
from chronotope.corpus.problems import EMPTY_FILE, REMEDIES, SHOWN, BadRow, Problem, Problems, is_remark
from chronotope.corpus.selection import BatchCounts
from chronotope.corpus.source import Corpus
from chronotope.corpus.text_store import KINDS, TextWriter
from chronotope.corpus.tokens import CASE, TOKEN
from chronotope.errors import InputError

NO_WORDS = "no words in the text"
# Text with a larger share of characters in scripts without blanks between words is refused.
UNSPACED_SHARE = 0.25


class FirstPass:
    """Collect tokenized batches in order."""

    def __init__(self, corpus: Corpus, folder: Path) -> None:
        self.raw = folder / "raw"  # the token ids in the order of the input
        self.lexicon = Lexicon(corpus.settings, corpus.lemmatizer)
        # (5, at least W) the count of each word in training and in held-out documents, and the rows of `count_case`
        self.counts = np.zeros((2 + len(CASE), 1 << 12), np.int64)
        self.labels: dict[tuple[int, int], int] = {}  # the (time bin, place) pairs by first occurrence
        self.places: list[str] = []  # as first spelled
        self.problems = Problems()
        self.total = BatchCounts()
        self.matched: set[int] = set()  # the rows of the metadata that were used
        self.corpus = corpus
        self._names = corpus.names
        self._file = open(self.raw, "wb")  # noqa: SIM115
        self._text = TextWriter(folder) if corpus.settings.keep_text else None
        self._place_numbers: dict[str, int] = {}
        self._documents: list[pl.DataFrame] = []
        self._size = 0
        self.content = hashlib.blake2b(digest_size=16)  # of the texts and their conditions
        for number in corpus.empty:
            before = sum(len(reader.names) for reader in corpus.readers[:number])
            self._reject([BadRow(EMPTY_FILE, before, 0)])

    def add(self, batches: Sequence[TokenizedBatch]) -> None:
        """Add the batches of a piece."""
        bad: list[BadRow] = []
        for batch in batches:
            self.total = BatchCounts(*(sum(pair) for pair in zip(self.total, batch.counts, strict=True)))
            self.matched.update(batch.matched)
            bad += batch.bad
            if len(batch.documents):
                bad += self._add(batch)
            if self.total.unspaced_characters > UNSPACED_SHARE * self.total.characters:
                raise InputError(
                    "much of the text is in a script without blanks between words (such as Chinese, Japanese or Thai); "
                    "pass a tokenizer for it, or tokenized text with tokenizer='whitespace' (--tokenizer whitespace)"
                )
        self._reject(sorted(bad, key=lambda row: (row.source, row.line)))

    def close(self) -> None:
        """Close the files."""
        self._file.close()
        if self._text:
            self._text.close()

    def documents(self) -> pl.DataFrame:
        """Return all documents; raise InputError with the reason if there are none."""
        if not self._size:
            raise InputError(self._no_documents_reason())
        return pl.concat(self._documents)

    def _add(self, batch: TokenizedBatch) -> list[BadRow]:
        """Number the words of a batch and write them; return the documents without words."""
        table = batch.documents
        number = self.lexicon.numbers(batch.forms.to_list(), batch.tokenizer != "words")
        ids, length = number[batch.code], table["length"].to_numpy()
        while len(self.lexicon) > self.counts.shape[1]:
            self.counts = np.concatenate([self.counts, np.zeros_like(self.counts)], axis=1)
        for total, some in zip(self.counts[2:], batch.case, strict=True):
            np.add.at(total, number[number >= 0], some[number >= 0])
        if (number < 0).any():
            before = np.concatenate([[0], np.cumsum(ids >= 0)])
            length = np.diff(before[np.concatenate([[0], np.cumsum(length)])])
            ids = ids[ids >= 0]
        kept = length > 0
        rows = np.flatnonzero(~kept).tolist()
        bad = [BadRow(NO_WORDS, table["source"][row], table["line"][row]) for row in rows]
        table, length = table.with_columns(length=length).filter(kept), length[kept]
        held_out = is_held_out(self._size, len(table), self.corpus.settings.holdout)
        for part, some in enumerate((~held_out, held_out)):
            count = np.bincount(ids[np.repeat(some, length)])
            self.counts[part, : len(count)] += count
        ids.astype(TOKEN, copy=False).tofile(self._file)
        if self._text:
            self._text.add(table["text"])
        label = self._label(table)
        kind = pl.lit(KINDS.index(batch.tokenizer), pl.UInt8)
        table = table.drop("text", "bin", "place", strict=False)
        self._documents.append(table.with_columns(label=label, held_out=held_out, kind=kind))
        self.content.update(table["text_hash"].to_numpy().tobytes() + label.tobytes())
        self._size += len(table)
        return bad

    def _label(self, table: pl.DataFrame) -> NDArray[np.int32]:
        """Return the number of the (time bin, place) of each document."""
        size, labels = len(table), self.labels
        times = table["bin"].to_list() if "bin" in table.columns else [0] * size
        places = [self._place(place) for place in table["place"]] if "place" in table.columns else [0] * size
        numbers = [labels.setdefault(pair, len(labels)) for pair in zip(times, places, strict=True)]
        return np.array(numbers, np.int32)

    def _place(self, label: str) -> int:
        number = self._place_numbers.setdefault(label.casefold(), len(self.places))
        if number == len(self.places):
            self.places.append(label)
        return number

    def _reject(self, bad: list[BadRow]) -> None:
        """Count bad rows, or stop at the first."""
        for row in bad:
            name = self._names[row.source]
            location = f"{name}:{row.line}" if row.line else name
            if self.corpus.settings.strict and not is_remark(row.kind):
                raise InputError(f"{location}: {row.kind}" + (f" ('{row.value}')" if row.value else ""))
            self.problems.add(row.kind, location, row.value)

    def _no_documents_reason(self) -> str:
        """Return why no document is left."""
        settings, total = self.corpus.settings, self.total
        faults = ((kind, problem) for kind, problem in self.problems.items() if not is_remark(kind))
        worst, problem = max(faults, key=lambda item: item[1].count, default=("", Problem()))
        chosen = {name: getattr(settings, name) for name in ("where", "since", "until")}
        filters = [f'{name}="{value}"' for name, value in chosen.items() if value]
        verb = "leaves" if len(filters) == 1 else "leave"
        filtered = f"{', '.join(filters)} {verb} out {total.left_out:,} of {total.read:,} rows"
        if total.left_out and not worst and total.left_out >= total.outside:
            return f"no row is left: {filtered}"
        if total.outside > problem.count:
            return f"no row is left: {total.outside:,} of {total.read:,} rows lie outside the named bins"
        if not worst:
            return f"{', '.join(self._names[:3])} holds no rows"
        reason = f"no row is left: {'; '.join(self.problems.lines())}"
        # Rows outside --since and --until have a readable time.
        dated = total.left_out and (settings.since or settings.until)
        if "time" in worst and not dated:
            values = ", ".join(f"'{value}'" for value in problem.values) + (", …" if problem.count > SHOWN else "")
            reason = f"no row has a readable time in field '{settings.time}'"
            reason += f"; the first values are: {values}" if problem.values else ""
            reason += f" ({worst})" if "coarse" in worst else REMEDIES.get(worst, "")
        elif worst == "no text":
            reason = f"no row has text in field '{settings.text}'"
        elif worst == "no place":
            reason = f"no row has a place in field '{settings.place}'"
        # The filter may have excluded most rows.
        return reason + (f"; {filtered}" if total.left_out else "")


def is_held_out(first: int, count: int, share: float) -> NDArray[np.bool_]:
    """Return whether each of `count` documents from number `first` on is held out, by the SplitMix64 of its number."""
    if share <= 0:
        return np.zeros(count, bool)
    mixed = np.arange(first + 1, first + count + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    mixed ^= mixed >> np.uint64(31)
    return np.asarray(mixed < np.uint64(int(share * 2**64)))
