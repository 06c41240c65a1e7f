"""The tokens of a corpus on disk: word numbers in one memory-mapped file, documents sorted by condition.

A store is a folder with

- `tokens.bin`: the word numbers, little-endian int32; the documents of a condition stand together, in the order of the
  input;
- `documents.parquet`: condition, start, length, source (number of the file), line, held_out and, with a time axis,
  time as the input has it;
- `lexicon.parquet`: word and count, the most frequent first: a word's number is its row, so that a vocabulary is the
  first rows. Counts are over the documents that are not held out; words that occur in held-out ones only come last;
- `fields.parquet`: the fields that were to be kept for each document, if any, under their own names, as text;
- unless it is not to be kept, the text (see `text_store`), and the index of which word occurs in which document (see
  `occurrences`);
- `store.json`: the conditions, the bad rows, the report and the sources. It is written last: without it there is no
  store.
"""

from __future__ import annotations

import mmap
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from chronotope.conditions import Conditions
from chronotope.corpus.problems import Problems
from chronotope.corpus.report import CorpusReport
from chronotope.errors import DamagedFile, InputError
from chronotope.io.untrusted import read_json, read_table

if TYPE_CHECKING:
    from chronotope.corpus.measuring import Measured

TOKENS = "tokens.bin"
DOCUMENTS = "documents.parquet"
LEXICON = "lexicon.parquet"
FIELDS = "fields.parquet"
STORE = "store.json"
FORMAT = 1
TOKEN = np.dtype("<i4")
CHECKED_AT_ONCE = 1 << 22


@dataclass(frozen=True, eq=False)
class TokenStore:
    """The tokens of a corpus.

    Attributes
    ----------
    folder
        Where it lies.
    conditions
        The conditions that occur.
    words, counts
        The lexicon, most frequent first, and how often each word occurs in the documents that are not held out.
    ids
        (T,) the word numbers of all documents, one after the other.
    starts
        (N + 1,) the tokens of document n are ids[starts[n] : starts[n + 1]].
    document_condition
        (N,) the condition of each document, ascending.
    held_out
        (N,) whether a document is set aside.
    problems, report, sources
        The bad rows, what each condition holds, and the files with their checksums.
    measured
        How often each word occurs in each condition, where the text was only just tokenized.
    """

    folder: Path
    conditions: Conditions
    words: pl.Series
    counts: NDArray[np.int64]
    ids: NDArray[np.int32]
    starts: NDArray[np.int64]
    document_condition: NDArray[np.int32]
    held_out: NDArray[np.bool_]
    problems: Problems
    report: CorpusReport
    sources: list[dict[str, Any]]
    measured: Measured | None = None

    @classmethod
    def open(cls, folder: str | Path) -> TokenStore:
        """The store in a folder."""
        folder = Path(folder)
        try:
            about = read_json((folder / STORE).read_bytes())
        except FileNotFoundError:
            raise InputError(f"{folder} holds no tokenized corpus") from None
        except ValueError:
            raise DamagedFile(f"{folder / STORE} is damaged; tokenize the corpus again") from None
        if not isinstance(about, dict) or about.get("format") != FORMAT:
            raise DamagedFile(f"{folder} was written by another version of chronotope; tokenize the corpus again")
        documents = read_table(folder / DOCUMENTS, {"condition": pl.Int32, "length": pl.Int64, "held_out": pl.Boolean})
        lexicon = read_table(folder / LEXICON, {"word": pl.String, "count": pl.Int64})
        starts = np.concatenate([[0], np.cumsum(documents["length"].to_numpy())]).astype(np.int64)
        path = folder / TOKENS
        if not path.exists() or path.stat().st_size != starts[-1] * TOKEN.itemsize:
            raise DamagedFile(f"{path} is missing or cut short; tokenize the corpus again")
        condition = documents["condition"].to_numpy()
        try:
            conditions = Conditions.from_dict(about["conditions"])
            if (np.diff(starts) < 0).any() or (np.diff(condition, prepend=0, append=len(conditions) - 1) < 0).any():
                raise ValueError("its documents are not in order")
            problems, report = Problems.from_dict(about["problems"]), CorpusReport.from_dict(about["report"])
            sources = [{"name": str(source["name"]), **source} for source in about["sources"]]
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise DamagedFile(f"{folder / STORE} is damaged ({error}); tokenize the corpus again") from None
        return cls(
            folder=folder,
            conditions=conditions,
            words=lexicon["word"],
            counts=lexicon["count"].to_numpy(),
            ids=np.memmap(path, TOKEN, mode="r"),
            starts=starts,
            document_condition=condition,
            held_out=documents["held_out"].to_numpy(),
            problems=problems,
            report=report,
            sources=sources,
        )

    @cached_property
    def checked_ids(self) -> NDArray[np.int32]:
        """(T,) all word numbers, each looked at once: for compiled code, which trusts them."""
        ids = np.asarray(self.ids)
        for first in range(0, len(ids), CHECKED_AT_ONCE):
            part = ids[first : first + CHECKED_AT_ONCE]
            if part.min() < 0 or part.max() >= len(self.words):
                raise DamagedFile(f"{self.folder / TOKENS} names a word that does not exist; prepare the run again")
        return ids

    @cached_property
    def _first_documents(self) -> NDArray[np.int64]:
        return np.searchsorted(self.document_condition, np.arange(len(self.conditions) + 1))

    def condition_slice(self, condition: int) -> slice:
        """The documents of a condition."""
        return slice(int(self._first_documents[condition]), int(self._first_documents[condition + 1]))

    def expect(self, starts: NDArray[np.int64], lengths: NDArray[np.int64]) -> None:
        """Say which stretches of tokens will be read, so that a disk fetches them all at once and not one by one."""
        mapped = getattr(self.ids, "_mmap", None)
        if mapped is None or not hasattr(mmap, "MADV_WILLNEED"):
            return
        for first, size in zip((starts * TOKEN.itemsize).tolist(), (lengths * TOKEN.itemsize).tolist(), strict=True):
            page = first - first % mmap.PAGESIZE
            mapped.madvise(mmap.MADV_WILLNEED, page, first + size - page)

    def forget(self, first: int, last: int) -> None:
        """Say that the tokens of these documents will not be read again soon, so that they take up no memory."""
        forget(self.ids, int(self.starts[first]), int(self.starts[last]))

    def tokens_of(self, condition: int) -> NDArray[np.int32]:
        """The word numbers of all documents of a condition, one after the other."""
        documents = self.condition_slice(condition)
        return self.ids[self.starts[documents.start] : self.starts[documents.stop]]


def forget(ids: NDArray[np.int32], first: int, last: int) -> None:
    """Let go of the memory that a stretch of a mapped file takes up; it is read again when it is asked for."""
    mapped = getattr(ids, "_mmap", None)
    if mapped is not None and hasattr(mmap, "MADV_DONTNEED"):
        page = first * TOKEN.itemsize // mmap.PAGESIZE * mmap.PAGESIZE
        mapped.madvise(mmap.MADV_DONTNEED, page, last * TOKEN.itemsize - page)
