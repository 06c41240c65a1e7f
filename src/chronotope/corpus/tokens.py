"""The tokens of a corpus on disk: word ids in one memory-mapped file, documents sorted by condition.

A store is a folder; `docs/reference/files.md` describes its files. The documents of a condition are contiguous, in
input order. A word's id is its row in the lexicon, which has the most frequent words first, so a vocabulary is the
first rows. Its counts leave out held-out documents; words that occur only there come last. `store.json` is written
last: without it there is no store.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from chronotope.conditions import Conditions
from chronotope.corpus.problems import Problems
from chronotope.corpus.report import CorpusReport
from chronotope.errors import DamagedFileError, InputError
from chronotope.io.untrusted import read_json, read_table
from chronotope.runtime.resources import stretches

if TYPE_CHECKING:
    from scipy.sparse import csr_array

TOKENS = "tokens.bin"
DOCUMENTS = "documents.parquet"
LEXICON = "lexicon.parquet"
LEMMAS = "lemmas.parquet"
FIELDS = "fields.parquet"
STORE = "store.json"
CASE = ("inside", "capitalized", "upper")  # columns of the lexicon, see `count_case`
FORMAT = 3
TOKEN = np.dtype("<i4")
CHUNK_TOKENS = 2 << 20


@dataclass(frozen=True, eq=False)
class TokenStore:
    """The tokens of a corpus."""

    folder: Path
    conditions: Conditions
    words: pl.Series  # the lexicon, most frequent first
    counts: NDArray[np.int64]  # of each word, in documents that are not held out
    ids: NDArray[np.int32]  # (T,) the word ids of all documents, one after the other
    starts: NDArray[np.int64]  # (N + 1,) the tokens of document n are ids[starts[n] : starts[n + 1]]
    document_condition: NDArray[np.int32]  # (N,) ascending
    held_out: NDArray[np.bool_]  # (N,)
    problems: Problems
    report: CorpusReport
    sources: list[dict[str, Any]]  # the files with their checksums

    @classmethod
    def open(cls, folder: str | Path) -> TokenStore:
        """Open the store in a folder."""
        folder = Path(folder)
        try:
            about = read_json((folder / STORE).read_bytes())
        except FileNotFoundError:
            raise InputError(f"{folder} holds no prepared corpus") from None
        except ValueError:
            raise DamagedFileError(f"{folder / STORE} is damaged; prepare the run again") from None
        if not isinstance(about, dict) or about.get("format") != FORMAT:
            raise DamagedFileError(f"{folder} was written by another version of chronotope; prepare the run again")
        documents = read_table(folder / DOCUMENTS, {"condition": pl.Int32, "length": pl.Int64, "held_out": pl.Boolean})
        lexicon = read_table(folder / LEXICON, {"word": pl.String, "count": pl.Int64})
        starts = np.concatenate([[0], np.cumsum(documents["length"].to_numpy())]).astype(np.int64)
        path = folder / TOKENS
        if not path.exists() or path.stat().st_size != starts[-1] * TOKEN.itemsize:
            raise DamagedFileError(f"{path} is missing or cut short; prepare the run again")
        condition = documents["condition"].to_numpy()
        try:
            conditions = Conditions.from_dict(about["conditions"])
            if (np.diff(starts) < 0).any() or (np.diff(condition, prepend=0, append=len(conditions) - 1) < 0).any():
                raise ValueError("its documents are not in order")
            problems, report = Problems.from_dict(about["problems"]), CorpusReport.from_dict(about["report"])
            sources = [{"name": str(source["name"]), **source} for source in about["sources"]]
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise DamagedFileError(f"{folder / STORE} is damaged ({error}); prepare the run again") from None
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
        """(T,) all word ids, checked to be in range: kernels do not check."""
        for _, chunk in self._chunks():
            if chunk.min() < 0 or chunk.max() >= len(self.words):
                path = self.folder / TOKENS
                raise DamagedFileError(f"{path} names a word that does not exist; prepare the run again")
        return np.asarray(self.ids)

    def condition_slice(self, condition: int) -> slice:
        """Return the documents of a condition."""
        ends = np.array([condition, condition + 1], self.document_condition.dtype)
        return slice(*np.searchsorted(self.document_condition, ends).tolist())

    def positions(self, word: int) -> NDArray[np.int64]:
        """Return the positions of a word among all tokens, held-out documents included."""
        found = np.concatenate([first + np.flatnonzero(chunk == word) for first, chunk in self._chunks()])
        held_out = self.held_out[np.searchsorted(self.starts, found, side="right") - 1]
        if np.count_nonzero(~held_out) != self.counts[word] * self.conditions.levels:
            raise DamagedFileError(f"{self.folder / TOKENS} does not fit its lexicon; prepare the run again")
        return found

    def _chunks(self) -> Iterator[tuple[int, NDArray[np.int32]]]:
        for first in range(0, len(self.ids), CHUNK_TOKENS):
            yield first, np.asarray(self.ids[first : first + CHUNK_TOKENS])


def read_chunks(
    path: Path, length: NDArray[np.int64], chunk_tokens: int = CHUNK_TOKENS
) -> Iterator[tuple[slice, NDArray[np.int32]]]:
    """Yield the tokens of a file in chunks of whole documents, each with the slice of its documents."""
    starts = np.concatenate([[0], np.cumsum(length)])
    with open(path, "rb") as file:
        for first, last in stretches(starts, chunk_tokens):
            yield slice(first, last), np.fromfile(file, TOKEN, int(starts[last] - starts[first]))


def count_words(
    tokens: Path,
    length: NDArray[np.int64],
    condition: NDArray[np.int32],
    counted: NDArray[np.bool_],
    shape: tuple[int, int],
    chunk_tokens: int = CHUNK_TOKENS,
) -> tuple[csr_array, csr_array]:
    """Count each word in each condition, and the documents that contain it, in the documents that are `counted`.

    `shape` is (conditions, words).
    """
    from scipy.sparse import csr_array  # slow to import

    total = containing = csr_array(shape, dtype=np.int64)
    for some, ids in read_chunks(tokens, length, chunk_tokens):
        starts, chosen = np.concatenate([[0], np.cumsum(length[some])]), np.flatnonzero(counted[some])
        words = csr_array((np.ones(len(ids), np.int64), ids, starts), shape=(len(starts) - 1, shape[1]))
        words.sum_duplicates()
        ones = np.ones(len(chosen), np.int64)
        documents = csr_array((ones, (condition[some][chosen], chosen)), shape=(shape[0], len(starts) - 1))
        total = total + documents @ words
        words.data[:] = 1
        containing = containing + documents @ words
    total.sort_indices()
    containing.sort_indices()
    return total, containing


def rank_words(words: pl.Series, counts: NDArray[np.int64]) -> tuple[pl.DataFrame, NDArray[np.int32]]:
    """Return the lexicon, most frequent first, and the final id of each word; -1 if it no longer occurs.

    `counts` is (5, W): the counts in training documents and in held-out documents, and those of case.
    """
    present = np.flatnonzero(counts[:2].sum(axis=0))
    frame = pl.DataFrame({"word": words, "count": counts[0], "first": np.arange(len(words), dtype=np.int32)})
    frame = frame.with_columns(**dict(zip(CASE, counts[2:], strict=True)))
    lexicon = frame[present].sort(["count", "word"], descending=[True, False])
    rank = np.full(len(words), -1, np.int32)
    rank[lexicon["first"].to_numpy()] = np.arange(len(lexicon), dtype=np.int32)
    return lexicon.drop("first"), rank


def write_tokens(
    raw: Path,
    target: Path,
    length: NDArray[np.int64],
    levels: NDArray[np.int32],
    rank: NDArray[np.int32],
    chunk_tokens: int = CHUNK_TOKENS,
) -> None:
    """Write the tokens with documents sorted by condition and with final word ids.

    `levels` (L, N) are the conditions of each document: with nested places it is written L times. The documents of one
    condition in a chunk are contiguous in the target, so each chunk needs one write per condition.
    """
    order, everywhere = np.argsort(levels, axis=None, kind="stable"), np.tile(length, len(levels))
    target_start = np.empty(levels.shape, np.int64)
    target_start.flat[order] = np.cumsum(everywhere[order]) - everywhere[order]
    with open(target, "wb") as file:
        file.truncate(int(everywhere.sum()) * TOKEN.itemsize)
        for documents, ids in read_chunks(raw, length, chunk_tokens):
            size = length[documents]
            for where, starts in zip(levels[:, documents], target_start[:, documents], strict=True):
                sort = np.argsort(where, kind="stable")
                # The position in the chunk of each token of the sorted documents.
                shift = (np.cumsum(size) - size)[sort] - (np.cumsum(size[sort]) - size[sort])
                tokens = rank[ids[np.repeat(shift, size[sort]) + np.arange(len(ids))]]
                ends = np.concatenate([[0], np.cumsum(size[sort])])
                runs = np.concatenate([[0], np.flatnonzero(np.diff(where[sort])) + 1, [len(sort)]])
                for first, last in pairwise(runs.tolist()):
                    file.seek(int(starts[sort[first]]) * TOKEN.itemsize)
                    file.write(tokens[ends[first] : ends[last]].astype(TOKEN, copy=False).data)
