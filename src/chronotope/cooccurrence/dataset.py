"""A run: the folder that `prepare` writes and training reads.

    RUN/run.json           settings, versions, checksums; written last, so a folder that has it is whole
    RUN/tokens.bin …       the token ids of every document (see `chronotope.corpus.tokens`)
    RUN/support.parquet    condition, word, count: how often each word of the vocabulary occurs
    RUN/cells.parquet      condition, word, context, count, after (see `chronotope.cooccurrence.cells_file`)
    RUN/heldout.parquet    the same for documents that were set aside

The folder is built under a temporary name and renamed (see `chronotope.io.run_folder`).
"""

from __future__ import annotations

import dataclasses
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from chronotope.conditions import Conditions
from chronotope.config import CountSettings, from_dict, to_dict
from chronotope.cooccurrence.cells import CellArrays
from chronotope.cooccurrence.cells_file import CellsFile, Group, groups_of, write_cells
from chronotope.cooccurrence.counting import units
from chronotope.cooccurrence.distributed import count_elsewhere
from chronotope.cooccurrence.local import Progress, count_conditions
from chronotope.cooccurrence.vocabulary import Support, Vocabulary, build_vocabulary
from chronotope.corpus import Corpus, TokenStore, read_corpus, tokenize
from chronotope.corpus.distributed import fingerprints
from chronotope.errors import DamagedFile, InputError, SettingsError
from chronotope.frames import MOST_ROWS, html
from chronotope.io import stores
from chronotope.io.atomic import sync_file
from chronotope.io.provenance import canonical_json, checksum_of, quick_checksum, versions
from chronotope.io.run_folder import ABOUT, FORMAT, building, read_run
from chronotope.io.untrusted import read_table
from chronotope.runtime.resources import Resources
from chronotope.wording import number_of

SUPPORT = "support.parquet"


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

    def __repr__(self) -> str:
        labels = self.conditions.labels
        span = f"{labels[0]} … {labels[-1]}" if len(labels) > 1 else labels[0]
        return (
            f"<Counts: {number_of(len(self.vocabulary), 'words')}, {number_of(len(labels), 'conditions')} "
            f"({self.conditions.axis}, {span}), {number_of(self.size, 'cells')}>"
        )

    def cells(self, condition: int) -> CellArrays:
        """The counts of a condition: word ≤ context, sorted; a diagonal cell holds both directions."""
        return self._cells.read(condition)

    def cells_in_parts(self, condition: int) -> Iterator[CellArrays]:
        """The same a part at a time, some 25 MB each."""
        return self._cells.parts(condition)

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
    def cell_sizes(self) -> NDArray[np.int64]:
        """(C,) how many cells each condition has, each pair of words once."""
        return np.array(self._cells.sizes, dtype=np.int64)

    @property
    def size(self) -> int:
        """How many cells there are, each pair of words once."""
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
        left_out = len(self.conditions) - len(rows)
        return html("Counts", facts, ("condition", "running words", "distinct words"), rows, left_out=left_out)

    @cached_property
    def store(self) -> TokenStore:
        """The token ids that were counted."""
        return TokenStore.open(self.folder)

    @classmethod
    def open(cls, folder: str | Path) -> Counts:
        """The counts in a run."""
        folder = Path(folder)
        about = read_run(folder)
        sizes = about["vocabulary"]
        words = read_table(folder / "lexicon.parquet", {"word": pl.String}, sizes["size"])["word"]
        table = read_table(folder / SUPPORT, {"condition": pl.Int32, "word": pl.Int32, "count": pl.Int64})
        condition = table["condition"].to_numpy()
        start = np.searchsorted(condition, np.arange(len(about["cells"]) + 1)).astype(np.int64)
        support = Support(start, table["word"].to_numpy(), table["count"].to_numpy())
        try:
            conditions = Conditions.from_dict(about["conditions"])
            support.check(len(words), len(conditions))
            if len(words) != sizes["size"] or (np.diff(condition) < 0).any():
                raise ValueError("its words and their support are not those that it speaks of")
            settings = from_dict(CountSettings, about["counting"])
        except (ValueError, TypeError, SettingsError) as error:
            raise DamagedFile(f"{folder} is damaged ({error}); prepare the run again") from None
        dropped = sizes["dropped_words"], sizes["dropped_tokens"]
        vocabulary = Vocabulary(tuple(words.to_list()), support, sizes["min_count"], *dropped)
        return cls._of(folder, about, conditions, vocabulary, settings)

    @classmethod
    def _of(
        cls,
        folder: Path,
        about: dict[str, Any],
        conditions: Conditions,
        vocabulary: Vocabulary,
        settings: CountSettings,
    ) -> Counts:
        """The counts in a run of which all but the cells is at hand."""
        words, set_aside = len(vocabulary), about["held_out"]
        return cls(
            folder=folder,
            conditions=conditions,
            vocabulary=vocabulary,
            settings=settings,
            pairs=np.array(about["pairs"], dtype=np.int64),
            tokens=np.array(about["tokens"], dtype=np.int64),
            unit=about["unit"],
            checksum=about["checksum"],
            _cells=CellsFile(folder / "cells.parquet", about["cells"], words),
            _held_out=CellsFile(folder / "heldout.parquet", set_aside, words) if set_aside else None,
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
    memory
        At most so much is held ('2GB', or a number of bytes); what does not fit goes to disk in the meantime. The
        result does not depend on it.
    workers
        Read and count in so many processes of this machine; the result does not depend on it.
    cluster
        Read and count on a Dask cluster: the address of its scheduler, such as tcp://10.0.0.5:8786.
    spill
        With a cluster: a folder or an address (s3://…) where all its machines can write. What is there is used again
        when the same preparation was interrupted; without it the workers use the folder of the run.
    force
        Replace a run that was made from other input or settings (models in it are kept).
    progress
        Called with the stage, how much of it is done, and of how much; `show_progress` makes one.
    on_report
        Called with the tokenized text and the vocabulary when counting begins, in a thread of its own.
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
    with Resources.of(threads, memory, workers, cluster) as resources:
        asked = {
            "corpus": to_dict(corpus.settings),
            "tokenizer": corpus.tokenizer_name,
            "counting": to_dict(settings),
            "sources": fingerprints(corpus, resources.pool),
        }
        made = None
        with building(run, asked, force) as work:
            if work:
                with _spilling(resources, spill, run, asked) as ready:
                    made = _make_run(corpus, work, settings, asked, ready, progress, on_report)
    counts = Counts._of(run, *made, settings) if made else Counts.open(run)
    return dataclasses.replace(counts, _owner=owner)


@contextmanager
def _spilling(resources: Resources, spill: str | None, run: Path, asked: dict[str, Any]) -> Iterator[Resources]:
    """The resources, with a place where the workers of a cluster leave what they make.

    It is cleared away at the end, but where the user named it only when all went well: what is there is not made again.
    """
    if resources.pool is None:
        yield resources
    elif spill is None:
        with tempfile.TemporaryDirectory(prefix=f".{run.name}.", suffix=".partial", dir=run.parent) as folder:
            yield resources.spilling_to(folder)
    else:
        folder = f"{spill.rstrip('/')}/chronotope-{checksum_of([asked, versions()])}"
        yield resources.spilling_to(folder)
        stores.remove(folder)


def _make_run(
    corpus: Corpus,
    work: Path,
    settings: CountSettings,
    asked: dict[str, Any],
    resources: Resources,
    progress: Progress | None,
    on_report: Callable[[TokenStore, Vocabulary], None] | None,
) -> tuple[dict[str, Any], Conditions, Vocabulary]:
    """Fill the folder `work` with all that a run consists of; return what it says of itself, and what that is about."""
    store = tokenize(corpus, work, progress=progress, resources=resources)
    for before, after in zip(asked["sources"], store.sources, strict=True):
        if before["checksum"] not in (None, after["checksum"]):
            raise InputError(f"{before['name']} was changed while it was read; prepare again when it is complete")
    vocabulary = build_vocabulary(store, settings, resources.threads)
    # While the counting goes on, what is known is told, and what is finished goes to the disk and gets its checksum.
    finished = list(work.iterdir())
    with ThreadPoolExecutor(1) as beside:
        # What Python itself does comes later: it would keep the counting from being begun.
        sums = {SUPPORT: beside.submit(_write_support, vocabulary.support, work / SUPPORT)}
        told = beside.submit(on_report or (lambda *_: None), store, vocabulary)
        computing = beside.submit(versions)
        if resources.memory.limit is not None:
            sums[SUPPORT].result()  # what it takes is not taken twice
        sums |= {path.name: beside.submit(_settled, path) for path in finished}
        about, own_sums = _write_counts(store, vocabulary, settings, work, resources, progress)
    told.result()
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
        "versions": computing.result(),
        "files": {
            name: {"bytes": (work / name).stat().st_size, "checksum": own} for name, own in sorted(sums_of_all.items())
        },
    }
    about["checksum"] = checksum_of(about)
    (work / ABOUT).write_text(canonical_json(about), encoding="utf-8")
    return about, store.conditions, vocabulary


def _write_support(support: Support, path: Path) -> str:
    """Write how often each word occurs in each condition; return the checksum of the file."""
    columns = {"condition": support.condition, "word": support.word, "count": support.count}
    # Twice as fast as with the usual settings, and the file is larger by a fifteenth.
    pl.DataFrame(columns).write_parquet(path, compression_level=1, statistics=False)
    return quick_checksum(path)


def _settled(path: Path) -> str:
    """The checksum of a file that is finished, once it is on the disk."""
    sync_file(path)
    return quick_checksum(path)


def _write_counts(
    store: TokenStore,
    vocabulary: Vocabulary,
    settings: CountSettings,
    folder: Path,
    resources: Resources,
    progress: Progress | None,
) -> tuple[dict[str, Any], dict[str, str]]:
    """Count and write; return the numbers that the run keeps of it, and the checksums of the files."""
    support, words = vocabulary.support, len(vocabulary)
    sums = {}

    def counted(held_out: bool) -> Iterator[Iterator[Group]]:
        if resources.pool:
            elsewhere = count_elsewhere(
                store, words, settings, resources.pool, resources.spill, held_out=held_out, progress=progress
            )
            return map(groups_of, elsewhere)
        return count_conditions(
            store,
            words,
            settings,
            resources.threads,
            held_out=held_out,
            memory=resources.memory,
            folder=folder,
            pack=groups_of,
            progress=progress,
        )

    sizes, pairs, sums["cells.parquet"] = write_cells(folder / "cells.parquet", counted(held_out=False))
    held_sizes: list[int] = []
    if store.held_out.any():
        held_sizes, _, sums["heldout.parquet"] = write_cells(folder / "heldout.parquet", counted(held_out=True))
    if not sum(sizes):
        lower = "lower min_count (--min-count) or " if vocabulary.min_count > 1 else ""
        raise InputError(f"no two words of the vocabulary stand near each other; {lower}give more text")
    tokens = np.add.reduceat(np.append(support.count, 0), support.start[:-1]) * (np.diff(support.start) > 0)
    numbers = {
        "vocabulary": {
            "size": words,
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
