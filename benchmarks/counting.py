"""Speed of counting co-occurrences: `python benchmarks/counting.py RUN [--glove DIR]`.

Counts the tokens of a run by condition and as one condition, with one and two threads. The baseline is GloVe's cooccur
on the same tokens as text, or a Python dictionary on some documents. Both count symmetric windows of five words by
1/distance. GloVe reads text and writes cells; we read token ids and write cells.
"""

from __future__ import annotations

import argparse
import dataclasses
import tempfile
from collections import Counter
from pathlib import Path

import numpy as np
from harness import peak_mb, record, timed
from zipfian import glove_seconds, write_tokens

import chronotope as ct
from chronotope.conditions import Conditions
from chronotope.config import CountSettings
from chronotope.cooccurrence.cells_file import write_cells
from chronotope.cooccurrence.merging import count_conditions
from chronotope.corpus import TokenStore
from chronotope.runtime.resources import Resources

SETTINGS = CountSettings(window=5)
BASELINE_DOCUMENTS = 300


def counting_seconds(store: TokenStore, words: int, threads: int) -> tuple[float, int]:
    """Count and write the cells of a store; return the better of two times, and the number of cells."""
    seconds = []
    for _ in range(2):
        with tempfile.TemporaryDirectory() as folder, timed() as timing:
            cells = count_conditions(store, words, SETTINGS, Resources(threads), folder)
            sizes, _ = write_cells(f"{folder}/cells.parquet", cells)
        seconds.append(timing.seconds)
    return min(seconds), sum(sizes)


def dictionary_seconds(store: TokenStore) -> float:
    """Count some documents in a dictionary; return the seconds for all tokens at that rate."""
    cells: Counter[tuple[int, int]] = Counter()
    documents = min(BASELINE_DOCUMENTS, len(store.starts) - 1)
    with timed() as timing:
        for document in range(documents):
            ids = store.ids[store.starts[document] : store.starts[document + 1]].tolist()
            for distance in range(1, SETTINGS.window + 1):
                for pair in zip(ids, ids[distance:], strict=False):
                    cells[pair] += 60 // distance
    return timing.seconds * len(store.ids) / float(store.starts[documents])


def main() -> None:
    """Measure, and append rows."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("run", type=Path)
    parser.add_argument("--glove", type=Path, help="the folder with GloVe's vocab_count and cooccur")
    asked = parser.parse_args()
    counts = ct.Counts.open(asked.run)
    store, words = counts.store, len(counts.vocabulary)
    name, baseline = "dictionary", 0.0
    if asked.glove:
        name = "GloVe cooccur"
        with tempfile.TemporaryDirectory() as folder:
            write_tokens(store, Path(folder, "text.txt"))
            args = asked.glove, Path(folder, "text.txt"), Path(folder), counts.vocabulary.min_count, SETTINGS.window
            _, baseline = glove_seconds(*args)
    else:
        baseline = dictionary_seconds(store)
    together = dataclasses.replace(
        store,
        conditions=Conditions.of_places(["all"]),
        document_condition=np.zeros_like(store.document_condition),
    )
    for kind, part in (("by condition", store), ("one condition", together)):
        for threads in (1, 2):
            seconds, cells = counting_seconds(part, words, threads)
            figures = {"tokens": len(store.ids), "words": words, "cells": cells, "threads": threads, "seconds": seconds}
            record("counting", kind=kind, **figures, baseline=name, ratio=baseline / seconds, peak_mb=peak_mb())


if __name__ == "__main__":
    main()
