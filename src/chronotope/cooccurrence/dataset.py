"""A run: the folder that `prepare` writes and training reads.

`docs/reference/files.md` describes its files. `run.json` is written last, and the folder is built under a temporary
name (see `chronotope.io.run_folder`).
"""

from __future__ import annotations

import dataclasses
import tempfile
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from chronotope.conditions import Conditions
from chronotope.config import CountSettings, from_dict, to_dict
from chronotope.cooccurrence.cells import CellArrays
from chronotope.cooccurrence.cells_file import CellsFile, write_cells
from chronotope.cooccurrence.vocabulary import Support, Vocabulary, build_vocabulary
from chronotope.errors import DamagedFileError, InputError, SettingsError, number_of
from chronotope.frames import MOST_ROWS, check_not_forked, html
from chronotope.io import stores
from chronotope.io.provenance import canonical_json, checksum_of, package_version, quick_checksum, versions
from chronotope.io.run_folder import ABOUT, FORMAT, create_run, read_run
from chronotope.io.untrusted import read_table
from chronotope.runtime.progress import Progress
from chronotope.runtime.resources import Resources

if TYPE_CHECKING:
    from chronotope.corpus.report import CorpusReport
    from chronotope.corpus.source import Corpus
    from chronotope.corpus.tokens import TokenStore

SUPPORT, CELLS, HELD_OUT = "support.parquet", "cells.parquet", "heldout.parquet"
THRESHOLD = ("min_count", "dropped_words", "dropped_tokens")  # fields of `Vocabulary`


@dataclass(frozen=True)
class Counts:
    """The vocabulary and the co-occurrence counts of a corpus: the training data of every method."""

    folder: Path  # the run that holds them
    conditions: Conditions
    vocabulary: Vocabulary
    settings: CountSettings
    pairs: NDArray[np.int64]  # (C,) the sum of counts in each condition, in units
    tokens: NDArray[np.int64]  # (C,)
    unit: int  # the units of one whole pair
    checksum: str  # of the whole run
    _cells: CellsFile
    _held_out: CellsFile | None
    _owner: Any = field(default=None, repr=False)  # a temporary folder, which lives as long as the counts

    def __repr__(self) -> str:
        words, cells = number_of(len(self.vocabulary), "words"), number_of(self.size, "cells")
        return f"<Counts: {words}, {self.conditions}, {cells}>"

    def cells(self, condition: int) -> CellArrays:
        """Return the counts of a condition: word ≤ context, sorted; a diagonal cell holds both directions."""
        return self._cells.read(condition)

    def held_out(self, condition: int) -> CellArrays:
        """Return the counts of the held-out documents."""
        if self._held_out is None:
            raise SettingsError("no documents were held out; prepare with holdout (--holdout 0.1)")
        return self._held_out.read(condition)

    @property
    def has_held_out(self) -> bool:
        """Whether documents were held out."""
        return self._held_out is not None

    @property
    def cell_sizes(self) -> NDArray[np.int64]:
        """(C,) the number of cells of each condition, each pair of words once."""
        return np.array(self._cells.sizes, dtype=np.int64)

    @property
    def size(self) -> int:
        """The number of cells, each pair of words once."""
        return sum(self._cells.sizes)

    def _repr_html_(self) -> str:
        facts = {
            "words": len(self.vocabulary),
            "cells": self.size,
            "min count": self.vocabulary.min_count,
            "window": self.settings.window,
            "axis": self.conditions.axis,
        }
        labels = self.conditions.labels[:MOST_ROWS]
        words = np.diff(self.vocabulary.support.start).tolist()
        rows = list(zip(labels, self.tokens.tolist(), words, strict=False))
        left_out, note = len(self.conditions) - len(rows), "; ".join((*self.report.notes, *self.report.mixed_case))
        columns = ("condition", "tokens", "distinct words")
        return html("Counts", facts, columns, rows, left_out=left_out, note=note)

    @cached_property
    def store(self) -> TokenStore:
        """The token ids that were counted."""
        from chronotope.corpus.tokens import TokenStore

        return TokenStore.open(self.folder)

    @property
    def report(self) -> CorpusReport:
        """The report on the corpus: the size of each condition, and notes on what was left out."""
        return self.store.report

    @property
    def signature(self) -> str:
        """One line with everything that could change an answer."""
        parts = f"{len(self.conditions):,} conditions|{len(self.vocabulary):,} words|run {self.checksum[:8]}"
        return f"chronotope {package_version()}|{parts}"

    @classmethod
    def open(cls, folder: str | Path) -> Counts:
        """Open the counts in a run."""
        folder = Path(folder)
        about = read_run(folder)
        sizes = about["vocabulary"]
        words = read_table(folder / "lexicon.parquet", {"word": pl.String})["word"].head(sizes["size"])
        columns = {"condition": pl.Int32, "word": pl.Int32, "count": pl.Int64, "documents": pl.Int64}
        table = read_table(folder / SUPPORT, columns)
        condition = table["condition"].to_numpy()
        start = np.searchsorted(condition, np.arange(len(about["cells"]) + 1)).astype(np.int64)
        support = Support(start, table["word"].to_numpy(), table["count"].to_numpy())
        try:
            conditions = Conditions.from_dict(about["conditions"])
            support.check(len(words), len(conditions))
            if len(words) != sizes["size"] or (np.diff(condition) < 0).any():
                raise ValueError("its words and their support do not fit its description")
            settings = from_dict(CountSettings, about["counting"])
        except (ValueError, TypeError, SettingsError) as error:
            raise DamagedFileError(f"{folder} is damaged ({error}); prepare the run again") from None
        threshold, held_out = {name: sizes[name] for name in THRESHOLD}, about["held_out"]
        return cls(
            folder=folder,
            conditions=conditions,
            vocabulary=Vocabulary(
                tuple(words.to_list()), support, **threshold, documents=table["documents"].to_numpy()
            ),
            settings=settings,
            pairs=np.array(about["pairs"], dtype=np.int64),
            tokens=np.array(about["tokens"], dtype=np.int64),
            unit=about["unit"],
            checksum=about["checksum"],
            _cells=CellsFile(folder / CELLS, about["cells"], len(words)),
            _held_out=CellsFile(folder / HELD_OUT, held_out, len(words)) if held_out else None,
        )


def count(
    corpus: Corpus | Any,
    run: str | Path | None = None,
    *,
    settings: CountSettings | None = None,
    threads: int | None = None,
    memory: str | int | None = None,
    workers: int | None = None,
    cluster: str | None = None,
    spill: str | None = None,
    force: bool = False,
    progress: Progress | None = None,
    on_report: Callable[[TokenStore, Vocabulary], None] | None = None,
    **counting: Any,
) -> Counts:
    """Count the words and co-occurrences of a corpus, and keep them in a run.

    Parameters
    ----------
    corpus
        From `read_corpus`, or anything that it takes.
    run
        The folder to write; None: a temporary one that lives as long as the result.
    settings, **counting
        A `CountSettings`, or its fields: min_count, max_words, window, weighting.
    threads
        Number of cores; the result does not depend on it.
    memory
        Memory limit ('2GB', or a number of bytes); cells that exceed it go to disk. The result does not depend on it.
    workers
        Number of processes of this machine to read and count in; the result does not depend on it.
    cluster
        Read and count on a Dask cluster: the address of its scheduler, such as tcp://10.0.0.5:8786.
    spill
        With a cluster: a folder or an address (s3://…) where all its machines can write, and from which an interrupted
        preparation resumes; by default the workers write beside the run.
    force
        Whether to replace a run that was made from other input or settings (models in it are kept).
    progress
        Called with (stage, done, total); `show_progress` returns such a callback.
    on_report
        Called with the tokenized text and the vocabulary before counting begins; without it, `report.notes` become a
        warning.
    """
    from chronotope.corpus.batches import fingerprints
    from chronotope.corpus.source import Corpus, read_corpus  # here, so that opening a run stays fast

    check_not_forked()
    settings = dataclasses.replace(settings or CountSettings(), **counting)
    if not isinstance(corpus, Corpus):
        corpus = read_corpus(corpus)
    owner = tempfile.TemporaryDirectory(prefix="chronotope-") if run is None else None
    run = Path(owner.name, "run") if owner else Path(run or "").absolute()
    with Resources.of(threads, memory, workers, cluster) as resources:
        asked = {
            "corpus": to_dict(corpus.settings),
            "tokenizer": corpus.tokenizer_name,
            "counting": to_dict(settings),
            "sources": fingerprints(corpus, resources.pool),
        }
        with create_run(run, asked, force) as work:
            if work:
                with _spill_folder(spill if resources.pool else None, work, asked) as folder:
                    resources = resources.spilling_to(folder)
                    _prepare(corpus, work, settings, asked, resources, progress, on_report)
    return dataclasses.replace(Counts.open(run), _owner=owner)


@contextmanager
def _spill_folder(spill: str | None, work: Path, asked: dict[str, Any]) -> Iterator[str]:
    """Yield a folder for temporary cells, and remove it at the end; a folder in `spill` is kept if the block fails."""
    if spill is None:
        with tempfile.TemporaryDirectory(prefix=".spill-", dir=work) as folder:
            yield folder
    else:
        folder = f"{spill.rstrip('/')}/chronotope-{checksum_of([asked, versions()])}"
        yield folder
        stores.remove(folder)


def _prepare(
    corpus: Corpus,
    work: Path,
    settings: CountSettings,
    asked: dict[str, Any],
    resources: Resources,
    progress: Progress | None,
    on_report: Callable[[TokenStore, Vocabulary], None] | None,
) -> None:
    """Fill the folder of a run: read and tokenize, choose the vocabulary, count, describe."""
    from chronotope.cooccurrence.counting import units
    from chronotope.cooccurrence.merging import count_conditions
    from chronotope.corpus.batches import fingerprints
    from chronotope.corpus.pipeline import write_store

    store, counted = write_store(corpus, work, progress, resources, asked["sources"])
    for before, after in zip(asked["sources"], fingerprints(corpus, resources.pool), strict=True):
        if after["checksum"] not in (None, before["checksum"]):
            raise InputError(f"{before['name']} was changed while it was read; prepare again when it is complete")

    vocabulary = build_vocabulary(store, counted, settings)
    support = vocabulary.support
    columns = {"condition": support.condition, "word": support.word, "count": support.count}
    pl.DataFrame(columns | {"documents": vocabulary.documents}).write_parquet(work / SUPPORT)
    if on_report:
        on_report(store, vocabulary)
    elif store.report.notes:
        warnings.warn("; ".join(store.report.notes), stacklevel=3)

    words, spill = len(vocabulary), resources.spill
    cells = count_conditions(store, words, settings, resources, spill, progress=progress)
    cell_sizes, pairs = write_cells(work / CELLS, cells)
    held_out_sizes: list[int] = []
    if store.held_out.any():
        cells = count_conditions(store, words, settings, resources, spill, held_out=True, progress=progress)
        held_out_sizes, _ = write_cells(work / HELD_OUT, cells)
    if not sum(cell_sizes):
        lower = "lower min_count (--min-count) or " if vocabulary.min_count > 1 else ""
        raise InputError(f"no two words of the vocabulary stand near each other; {lower}give more text")

    about = asked | {
        "format": FORMAT,
        "asked": checksum_of(asked),
        "sources": store.sources,
        "conditions": store.conditions.to_dict(),
        "vocabulary": {"size": words} | {name: getattr(vocabulary, name) for name in THRESHOLD},
        "unit": units(settings),
        "cells": cell_sizes,
        "held_out": held_out_sizes,
        "pairs": pairs,
        "tokens": [int(support.counts_in(condition).sum()) for condition in range(len(store.conditions))],
        "versions": versions(),
        "files": {
            path.name: {"bytes": path.stat().st_size, "checksum": quick_checksum(path)}
            for path in sorted(work.iterdir())
            if path.is_file()
        },
    }
    about["checksum"] = checksum_of(about)
    (work / ABOUT).write_text(canonical_json(about), encoding="utf-8")
