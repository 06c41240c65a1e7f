"""The data of a table: where they are, the sample that is taken of them, the counts, the pairs."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from chronotope.cooccurrence import Counts, count
from chronotope.corpus import read_corpus
from chronotope.corpus.tokenizer import split_texts
from chronotope.errors import InputError
from chronotope.evaluation.pairs import Labels, TestPairs, read_pairs, refuse_unknown
from chronotope.evaluation.renaming import renamed
from chronotope.evaluation.reproduce_tables import PairFile, Table
from chronotope.io.atomic import atomic_write
from chronotope.io.provenance import checksum, checksum_of

VARIABLE = "CHRONOTOPE_DATA"
USUAL = Path("..") / "shared" / "data"
SAMPLE_SEED = 1

Progress = Callable[[str, int, int | None], None]


@dataclass(frozen=True)
class Data:
    """What every method of a table is trained on and asked about."""

    counts: Counts
    pairs: tuple[TestPairs, ...]


def data_folder(given: str | Path | None, table: Table) -> Path:
    """The folder with the data of a table: the one given, else that of $CHRONOTOPE_DATA, else the usual one.

    What is not there is an error that says where it was looked for.
    """
    named = given or os.environ.get(VARIABLE)
    folder = Path(named or USUAL)
    missing = [name for name in table.files if not (folder / name).is_file()]
    if missing:
        source = "--data" if given else f"${VARIABLE}" if named else "the usual place"
        raise InputError(
            f"table '{table.name}' needs {', '.join(missing)}; looked in {folder.resolve()} ({source}); "
            f"name the folder that holds the data with --data or ${VARIABLE}"
        )
    return folder


def read_data(
    table: Table, data: Path, folder: Path, *, threads: int | None = None, progress: Progress | None = None
) -> Data:
    """The counts and the pairs of a table; the run and the sample are kept in `folder` and made once.

    Parameters
    ----------
    table
        The table.
    data
        Where its data are.
    folder
        Where the results go.
    threads
        How many cores counting uses; the result does not depend on it.
    progress
        Called with (stage, done, total).
    """
    name = table.renamings_of or table.name
    text = data / table.file
    if table.tokens_each is not None:
        text = _sampled(text, str(table.corpus.place), table.corpus.text, table.tokens_each, folder / name)
    corpus = read_corpus(text, settings=table.corpus)
    run = folder / f"{name}.run"
    counts = count(corpus, run, settings=table.counting, threads=threads, progress=progress)
    if table.renamings_of:
        made = renamed(counts)
        return Data(made.counts, (made.pairs,))
    return Data(counts, tuple(_pairs(data, pairs, counts.conditions.labels) for pairs in table.pairs))


def _pairs(data: Path, asked: PairFile, labels: tuple[str, ...]) -> TestPairs:
    pairs = read_pairs(data / asked.file, labels)
    if not asked.within:
        return pairs
    known = Labels(labels)
    refuse_unknown(pairs.pairs, labels)
    kept = (pair for pair in pairs.pairs if known.known(pair.query_condition) and known.known(pair.answer_condition))
    return TestPairs(pairs.name, tuple(kept))


def _sampled(text: Path, place: str, field: str, tokens: int, name: Path) -> Path:
    """A file with the documents that are drawn; made once for the same text and number."""
    made_from = checksum_of([checksum(text), place, field, tokens, SAMPLE_SEED])[:8]
    path = name.with_name(f"{name.name}.sample-{made_from}.parquet")
    if not path.exists():
        frame = pl.scan_ndjson(text).select(field, place).collect()
        with atomic_write(path) as temporary:
            sample_documents(frame, place, field, tokens).write_parquet(temporary)
    return path


def sample_documents(frame: pl.DataFrame, place: str, field: str, tokens: int, seed: int = SAMPLE_SEED) -> pl.DataFrame:
    """Documents drawn at random, at most so many running words of each place; all of a place that has no more.

    Documents of a place are taken in random order as long as they fit; they stay in the order of the corpus.

    Parameters
    ----------
    frame
        One document a row.
    place, field
        The columns with the place and with the text.
    tokens
        The most running words of a place.
    seed
        Of the random order.

    Examples
    --------
    >>> frame = pl.DataFrame({"place": ["a", "a", "b"], "text": ["one two", "three four", "five"]})
    >>> sample_documents(frame, "place", "text", 3).height
    2
    """
    length = split_texts(frame[field]).length
    places = frame[place].to_numpy()
    kept = np.zeros(frame.height, dtype=bool)
    for number, name in enumerate(sorted(set(places.tolist()))):
        documents = np.flatnonzero(places == name)
        order = np.random.default_rng([seed, number]).permutation(len(documents))
        kept[_that_fit(documents[order], length, tokens)] = True
    return frame.filter(pl.Series(kept))


def _that_fit(documents: NDArray[np.int64], length: NDArray[np.int64], tokens: int) -> list[int]:
    """The documents that are taken one after the other; one that no longer fits is passed over."""
    taken, total = [], 0
    for document in documents.tolist():
        if total + int(length[document]) <= tokens:
            taken.append(document)
            total += int(length[document])
    return taken
