"""From a corpus to its token store: two passes, and nothing half-written under a final name."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from chronotope.conditions import Conditions
from chronotope.config import to_dict
from chronotope.corpus import occurrences, text_store
from chronotope.corpus.arranging import ordered_conditions, ranked_words, repeated, write_tokens
from chronotope.corpus.binning import Bins
from chronotope.corpus.distributed import fingerprints
from chronotope.corpus.ingest import Ingested, Progress, ingest
from chronotope.corpus.measuring import Measured, measure
from chronotope.corpus.phrases import join_phrases
from chronotope.corpus.report import RARE, ConditionReport, CorpusReport, empty_ends, flags
from chronotope.corpus.selection import Selection
from chronotope.corpus.source import Corpus
from chronotope.corpus.spool import MOST_HELD, TokenSpool
from chronotope.corpus.tokens import DOCUMENTS, FIELDS, FORMAT, LEXICON, STORE, TOKEN, TOKENS, TokenStore
from chronotope.io.atomic import atomic_write
from chronotope.runtime.resources import Resources


def tokenize(
    corpus: Corpus,
    folder: str | Path,
    progress: Progress | None = None,
    resources: Resources | None = None,
) -> TokenStore:
    """The tokens of a corpus, written to a folder and opened from there.

    The text is read once, as a stream; memory does not grow with it. The same input gives the same bytes.

    Parameters
    ----------
    corpus
        What `read_corpus` found.
    folder
        Where the store goes; one that is there already is replaced when the new one is complete.
    progress
        Called with the stage ('reading', 'writing'), how much is done, and of how much (bytes of the files, or rows),
        if that is known.
    resources
        The cores and the memory to use, and the workers of a cluster; the bytes do not depend on it.

    Examples
    --------
    >>> from chronotope.corpus import read_corpus
    >>> speeches = [{"text": "A sunny day", "year": 1998}, {"text": "The day after", "year": 1999}]
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     store = tokenize(read_corpus(speeches, time="year"), folder)
    ...     store.conditions.labels, store.words.to_list(), store.counts.tolist()
    (('1998', '1999'), ['day', 'a', 'after', 'sunny', 'the'], [2, 1, 1, 1, 1])
    """
    folder = Path(folder)
    was_there = folder.exists()
    folder.mkdir(parents=True, exist_ok=True)
    work = Path(tempfile.mkdtemp(prefix=".partial-", dir=folder))
    try:
        about, store = _build(corpus, work, progress, resources or Resources())
        for name in (STORE, FIELDS, *text_store.FILES, *occurrences.FILES):
            (folder / name).unlink(missing_ok=True)
        for path in sorted(work.iterdir()):
            os.replace(path, folder / path.name)
        with atomic_write(folder / STORE) as path:
            path.write_text(json.dumps(about, ensure_ascii=False, sort_keys=True, indent=1), encoding="utf-8")
    finally:
        shutil.rmtree(work, ignore_errors=True)
        if not was_there and not any(folder.iterdir()):
            folder.rmdir()
    return replace(store, folder=folder, ids=np.memmap(folder / TOKENS, TOKEN, mode="r"))


def _build(
    corpus: Corpus, work: Path, progress: Progress | None, resources: Resources
) -> tuple[dict[str, Any], TokenStore]:
    """Write the files of a store to the folder `work`; return what goes into its JSON file, and the store itself."""
    settings = corpus.settings
    spool = TokenSpool(work / "raw", MOST_HELD if resources.memory.limit is None else 0)
    writer = None
    with contextlib.ExitStack() as files:
        if settings.keep_text:
            writer = text_store.TextWriter(files.enter_context(open(work / text_store.TEXT, "wb")))
        ingested = ingest(corpus, spool, progress, writer, resources)
    if progress:
        progress("writing", 0, None)
    selection = Selection(settings)
    ingested, spool, phrases = join_phrases(ingested, spool, corpus, writer)
    conditions, position = ordered_conditions(ingested, selection, settings.place is not None)
    condition = position[ingested.label]
    lexicon, rank = ranked_words(ingested.lexicon.words, ingested.counts)
    with ThreadPoolExecutor(1) as pool:
        written = pool.submit(lexicon.write_parquet, work / LEXICON)
        found_sources = pool.submit(fingerprints, corpus, resources.pool)
        threads = resources.threads if resources.memory.limit is None else 1
        write_tokens(spool, work / TOKENS, ingested.length, condition, rank, threads)
        spool.clear()
        written.result()
    order = np.argsort(condition, kind="stable")
    again = repeated(ingested.text_hash)
    _write_documents(ingested, condition, order, work / DOCUMENTS)
    if ingested.kept.width:
        ingested.kept[order].write_parquet(work / FIELDS)
    counts = np.zeros(len(lexicon), np.int64)
    counts[rank[rank >= 0]] = ingested.counts.sum(axis=0)[rank >= 0]
    length, held_out = ingested.length[order], ingested.held_out[order]
    starts = np.concatenate([[0], np.cumsum(length)])
    if writer:
        writer.write_tables(work, order)
        occurrences.write_occurrences(work / TOKENS, work, length, len(lexicon), resources.threads, resources.memory)
    measured = measure(
        np.memmap(work / TOKENS, TOKEN, mode="r"),
        starts,
        condition[order],
        held_out,
        len(conditions),
        counts < RARE,
        resources.threads,
        None if resources.memory.limit is None else 0,
    )
    report = _report(ingested, selection.bins, conditions, condition, again, measured, len(lexicon), phrases)
    sources = found_sources.result()
    if len(sources) == 1 and sources[0]["checksum"] is None:
        sources[0]["checksum"] = ingested.content
    about = {
        "format": FORMAT,
        "conditions": conditions.to_dict(),
        "problems": ingested.problems.to_dict(),
        "report": report.to_dict(),
        "settings": to_dict(settings) | ({"tokenizer": corpus.tokenizer_name} if corpus.tokenizer else {}),
        "sources": sources,
    }
    return about, TokenStore(
        folder=work,
        conditions=conditions,
        words=lexicon["word"],
        counts=lexicon["count"].to_numpy(),
        ids=np.empty(0, TOKEN),
        starts=starts,
        document_condition=condition[order],
        held_out=held_out,
        problems=ingested.problems,
        report=report,
        sources=sources,
        measured=measured if resources.memory.limit is None else None,
    )


def _write_documents(ingested: Ingested, condition: NDArray[np.int32], order: NDArray[np.int64], path: Path) -> None:
    """Write what is known of each document, in the final order."""
    length = ingested.length[order]
    written = {"time": ingested.date.gather(order)} if len(ingested.date) else {}
    pl.DataFrame(
        {
            "condition": condition[order],
            "start": np.cumsum(length) - length,
            "length": length,
            "source": ingested.source[order],
            "line": ingested.line[order],
            "held_out": ingested.held_out[order],
            **written,
        }
    ).write_parquet(path)


def _report(
    ingested: Ingested,
    bins: Bins | None,
    conditions: Conditions,
    condition: NDArray[np.int32],
    again: NDArray[np.bool_],
    measured: Measured,
    vocabulary: int,
    phrases: tuple[str, ...],
) -> CorpusReport:
    """What the corpus holds."""
    size = len(conditions)
    documents = np.bincount(condition, minlength=size).tolist()
    duplicates = np.bincount(condition[again], minlength=size).tolist()
    tokens = [int(count) for count in np.bincount(condition, ingested.length, size)]
    empty = None
    if bins:
        days = [bins.days(time) for time in sorted({time for time, _ in ingested.labels})]
        empty = empty_ends(ingested.date, np.array(conditions.time_of)[condition], days)
    flag = flags(tokens, conditions.time_of, empty)
    return CorpusReport(
        conditions=tuple(
            ConditionReport(
                condition=label,
                documents=documents[c],
                tokens=tokens[c],
                vocabulary=int(measured.distinct[c]),
                duplicates=duplicates[c],
                rare=round(int(measured.rare[c]) / max(tokens[c], 1), 6),
                flag=flag[c],
            )
            for c, label in enumerate(conditions.labels)
        ),
        rows=ingested.rows,
        documents=sum(documents),
        tokens=sum(tokens),
        vocabulary=vocabulary,
        duplicates=sum(duplicates),
        held_out=int(ingested.held_out.sum()),
        left_out=ingested.left_out,
        outside=ingested.outside,
        unspaced=ingested.unspaced,
        phrases=phrases,
    )
