"""A run: the folder that `prepare` writes and training reads.

    RUN/run.json           settings, versions, checksums; written last, so a folder that has it is whole
    RUN/tokens.bin …       the token ids of every document (see `chronotope.corpus.tokens`)
    RUN/support.parquet    condition, word, count: how often each word of the vocabulary occurs
    RUN/cells.parquet      condition, word, context, count, after (see `chronotope.cooccurrence.cells_file`)
    RUN/heldout.parquet    the same for documents that were set aside

The folder is built under a temporary name and renamed; it is never changed afterwards.
"""

from __future__ import annotations

import dataclasses
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from chronotope.conditions import Conditions
from chronotope.config import CountSettings, from_dict, to_dict
from chronotope.cooccurrence.cells_file import CellsFile, write_cells
from chronotope.cooccurrence.counting import CellArrays, add_cells, count_cells, distance_weights, units
from chronotope.cooccurrence.run_folder import FORMAT, already_there, put_in_place, read_run
from chronotope.corpus import Corpus, TokenStore, read_corpus, tokenize
from chronotope.errors import InputError, SettingsError
from chronotope.provenance import canonical_json, checksum, checksum_of, versions
from chronotope.vocabulary import Support, Vocabulary, build_vocabulary

Progress = Callable[[str, int, int | None], None]

# Small enough that the text of a chunk and the places of its words stay in the caches.
TOKENS_IN_A_CHUNK = 1_000_000


@dataclass(frozen=True)
class Counts:
    """The vocabulary and the co-occurrence counts of a corpus: what every method is trained on.

    Attributes
    ----------
    folder
        The run that they are read from.
    conditions, vocabulary, settings
        What was counted, and how.
    pairs, tokens
        (C,) how many pairs of neighbors (in units of `unit`) and running words each condition has.
    unit
        How many units make one whole pair.
    checksum
        Of all that the run holds.
    """

    folder: Path
    conditions: Conditions
    vocabulary: Vocabulary
    settings: CountSettings
    pairs: NDArray[np.int64]
    tokens: NDArray[np.int64]
    unit: int
    checksum: str
    _cells: CellsFile
    _held_out: CellsFile | None
    _owner: Any = field(default=None, repr=False)  # keeps a temporary folder alive as long as the counts

    def cells(self, condition: int) -> CellArrays:
        """The counts of a condition: word ≤ context, sorted; a diagonal cell holds both directions."""
        return self._cells.read(condition)

    def held_out(self, condition: int) -> CellArrays:
        """The counts of the documents that were set aside."""
        if self._held_out is None:
            raise SettingsError("no documents were set aside; prepare with holdout (--holdout 0.1)")
        return self._held_out.read(condition)

    @property
    def has_held_out(self) -> bool:
        """Whether documents were set aside."""
        return self._held_out is not None

    @property
    def size(self) -> int:
        """How many cells there are, each pair of words once."""
        return sum(self._cells.sizes)

    @cached_property
    def store(self) -> TokenStore:
        """The token ids that were counted."""
        return TokenStore.open(self.folder)

    @classmethod
    def open(cls, folder: str | Path) -> Counts:
        """The counts in a run."""
        folder = Path(folder)
        about = read_run(folder)
        words = pl.read_parquet(
            folder / "lexicon.parquet", columns=["word"], n_rows=about["vocabulary"]["size"], glob=False
        )
        table = pl.read_parquet(folder / "support.parquet", glob=False)
        start = np.searchsorted(table["condition"].to_numpy(), np.arange(len(about["cells"]) + 1)).astype(np.int64)
        support = Support(start, table["word"].to_numpy(), table["count"].to_numpy())
        sizes = about["vocabulary"]
        return cls(
            folder=folder,
            conditions=Conditions.from_dict(about["conditions"]),
            vocabulary=Vocabulary(
                tuple(words["word"].to_list()),
                support,
                sizes["min_count"],
                sizes["dropped_words"],
                sizes["dropped_tokens"],
            ),
            settings=from_dict(CountSettings, about["counting"]),
            pairs=np.array(about["pairs"], dtype=np.int64),
            tokens=np.array(about["tokens"], dtype=np.int64),
            unit=about["unit"],
            checksum=about["checksum"],
            _cells=CellsFile(folder / "cells.parquet", about["cells"]),
            _held_out=CellsFile(folder / "heldout.parquet", about["held_out"]) if about["held_out"] else None,
        )


def count(
    corpus: Corpus | Any,
    run: str | Path | None = None,
    *,
    settings: CountSettings | None = None,
    threads: int | None = None,
    force: bool = False,
    progress: Progress | None = None,
    on_report: Callable[[TokenStore, Vocabulary], None] | None = None,
    **counting: Any,
) -> Counts:
    """The vocabulary and co-occurrence counts of a corpus, kept in a run.

    Parameters
    ----------
    corpus
        From `read_corpus`, or anything that it takes.
    run
        The folder to write; None: a temporary one that lives as long as the result.
    settings, **counting
        A `CountSettings`, or its fields: min_count, max_words, window, weighting.
    threads
        How many cores to use; the result does not depend on it.
    force
        Replace a run that was made from other input or settings (models in it are kept).
    on_report
        Called with the tokenized text and the vocabulary before counting begins.
    """
    settings = dataclasses.replace(settings or CountSettings(), **counting)
    if settings.window >= 32:
        raise SettingsError(f"window must be below 32, not {settings.window}")
    if not isinstance(corpus, Corpus):
        corpus = read_corpus(corpus)
    owner = None
    if run is None:
        owner = tempfile.TemporaryDirectory(prefix="chronotope-")
        run = Path(owner.name) / "run"
    run = Path(run).absolute()
    asked = {
        "corpus": to_dict(corpus.settings),
        "tokenizer": corpus.tokenizer_name,
        "counting": to_dict(settings),
        "sources": corpus.fingerprint(),
    }
    if not already_there(run, asked, force):
        _make_run(corpus, run, settings, asked, threads or os.cpu_count() or 1, progress, on_report)
    return dataclasses.replace(Counts.open(run), _owner=owner)


def _make_run(
    corpus: Corpus,
    run: Path,
    settings: CountSettings,
    asked: dict[str, Any],
    threads: int,
    progress: Progress | None,
    on_report: Callable[[TokenStore, Vocabulary], None] | None,
) -> None:
    run.parent.mkdir(parents=True, exist_ok=True)
    work = Path(tempfile.mkdtemp(prefix=f".{run.name}.", suffix=".partial", dir=run.parent))
    try:
        store = tokenize(corpus, work, progress=progress)
        vocabulary = build_vocabulary(store, settings)
        if on_report:
            on_report(store, vocabulary)
        # What is finished gets its checksum while the counting goes on.
        with ThreadPoolExecutor(1) as beside:
            sums = {path.name: beside.submit(checksum, path) for path in work.iterdir()}
            about, own_sums = _write_counts(store, vocabulary, settings, work, threads, progress)
        sums_of_all = {name: future.result() for name, future in sums.items()} | own_sums
        about |= {
            "format": FORMAT,
            "asked": checksum_of(asked),
            "corpus": asked["corpus"],
            "tokenizer": asked["tokenizer"],
            "counting": to_dict(settings),
            "sources": store.sources,
            "conditions": store.conditions.to_dict(),
            "unit": units(settings),
            "versions": versions(),
            "files": {
                name: {"bytes": (work / name).stat().st_size, "checksum": own}
                for name, own in sorted(sums_of_all.items())
            },
        }
        about["checksum"] = checksum_of(about)
        (work / "run.json").write_text(canonical_json(about), encoding="utf-8")
        del store
        put_in_place(work, run)
    finally:
        shutil.rmtree(work, ignore_errors=True)


def _write_counts(
    store: TokenStore,
    vocabulary: Vocabulary,
    settings: CountSettings,
    folder: Path,
    threads: int,
    progress: Progress | None,
) -> tuple[dict[str, Any], dict[str, str]]:
    """Count and write; return the numbers that the run keeps of it, and the checksums of the files."""
    support = vocabulary.support
    table = folder / "support.parquet"
    pl.DataFrame({"condition": support.condition, "word": support.word, "count": support.count}).write_parquet(table)
    sums = {table.name: checksum(table)}
    pairs: list[int] = []

    def totals(conditions: Iterator[CellArrays]) -> Iterator[CellArrays]:
        for cells in conditions:
            diagonal = int(cells.count[cells.word == cells.context].sum())
            pairs.append(2 * int(cells.count.sum()) - diagonal)
            yield cells

    counted = count_conditions(store, len(vocabulary), settings, threads, held_out=False, progress=progress)
    sizes, sums["cells.parquet"] = write_cells(folder / "cells.parquet", totals(counted))
    held_sizes: list[int] = []
    if store.held_out.any():
        counted = count_conditions(store, len(vocabulary), settings, threads, held_out=True, progress=progress)
        held_sizes, sums["heldout.parquet"] = write_cells(folder / "heldout.parquet", counted)
    if not sum(sizes):
        raise InputError("no two words of the vocabulary stand near each other; lower min_count or give more text")
    tokens = np.add.reduceat(np.append(support.count, 0), support.start[:-1]) * (np.diff(support.start) > 0)
    numbers = {
        "vocabulary": {
            "size": len(vocabulary),
            "min_count": vocabulary.min_count,
            "dropped_words": vocabulary.dropped_words,
            "dropped_tokens": vocabulary.dropped_tokens,
        },
        "cells": sizes,
        "held_out": held_sizes,
        "pairs": pairs,
        "tokens": tokens.tolist(),
    }
    return numbers, sums


def count_conditions(
    store: TokenStore,
    words: int,
    settings: CountSettings,
    threads: int,
    *,
    held_out: bool = False,
    progress: Progress | None = None,
) -> Iterator[CellArrays]:
    """The cells of each condition in turn, counted in chunks of documents by several threads."""
    weights = distance_weights(settings)
    lengths = np.diff(store.starts)

    def counted(first: int, last: int) -> CellArrays:
        ids = store.ids[store.starts[first] : store.starts[last]]
        chosen = store.held_out[first:last] == held_out
        if not chosen.all():
            ids = ids[np.repeat(chosen, lengths[first:last])]
        ends = np.cumsum(lengths[first:last] * chosen)
        return count_cells(np.ascontiguousarray(ids), ends, words, weights)

    chunks = [list(_chunks(store, condition)) for condition in range(len(store.conditions))]
    flat = [chunk for parts in chunks for chunk in parts]
    done, total = 0, len(store.ids)
    with ThreadPoolExecutor(threads) as pool:
        waiting: list[Future[CellArrays]] = []
        upcoming = iter(flat)
        for parts in chunks:
            summed = _Sum()
            for first, last in parts:
                # Only a few chunks ahead, so that finished ones do not pile up.
                while len(waiting) <= threads and (chunk := next(upcoming, None)):
                    waiting.append(pool.submit(counted, *chunk))
                summed.add(waiting.pop(0).result())
                done += int(store.starts[last] - store.starts[first])
                if progress:
                    progress("setting counts aside" if held_out else "counting", done, total)
            yield summed.total()


class _Sum:
    """A sum of cells that adds parts of equal size, so that none is gone through more than a few times."""

    def __init__(self) -> None:
        self._parts: list[tuple[int, CellArrays]] = []  # (n, the cells of 2ⁿ chunks), the largest first

    def add(self, cells: CellArrays) -> None:
        power = 0
        while self._parts and self._parts[-1][0] == power:
            cells = add_cells(self._parts.pop()[1], cells)
            power += 1
        self._parts.append((power, cells))

    def total(self) -> CellArrays:
        if not self._parts:
            return CellArrays.empty(0)
        total = self._parts.pop()[1]
        while self._parts:
            total = add_cells(self._parts.pop()[1], total)
        return total


def _chunks(store: TokenStore, condition: int) -> Iterator[tuple[int, int]]:
    """Ranges of documents of a condition, each of a bounded number of tokens."""
    documents = store.condition_slice(condition)
    first = documents.start
    while first < documents.stop:
        last = int(np.searchsorted(store.starts, store.starts[first] + TOKENS_IN_A_CHUNK, side="right")) - 1
        last = min(max(last, first + 1), documents.stop)
        yield first, last
        first = last
