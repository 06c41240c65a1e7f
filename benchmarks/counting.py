"""How fast co-occurrences are counted: `python benchmarks/counting.py [--run RUN] [--glove DIR]`.

The tokens are those of a run, or invented. Without GloVe's programs the baseline is the plain NumPy way: the pairs at
each distance as one number each, sorted and summed. Both count the same pairs of the same vocabulary, symmetric, by
1/distance; GloVe reads text and writes its cells to a file, we read the numbers of a prepared run and keep the cells.
"""

from __future__ import annotations

import argparse
import dataclasses
import tempfile
from pathlib import Path

import numpy as np
from chronotope.cooccurrence.local import count_conditions
from harness import peak_mb, record, timed
from zipfian import glove_seconds, invented_text, write_tokens

import chronotope as ct
from chronotope.conditions import Conditions
from chronotope.config import CountSettings
from chronotope.cooccurrence.counting import distance_weights
from chronotope.corpus import TokenStore

THREADS = (1, 2)
BASELINE_TOKENS = 1_000_000  # sorting needs room, and its rate falls with the size


def first_tokens(store: TokenStore, tokens: int) -> TokenStore:
    """The first documents of a store, of about so many tokens, and its words numbered by their frequency in these."""
    documents = int(np.searchsorted(store.starts, min(tokens, store.starts[-1])))
    ids = store.ids[: store.starts[documents]]
    order = np.argsort(-np.bincount(ids, minlength=len(store.words)), kind="stable")
    number = np.empty(len(order), dtype=np.int32)
    number[order] = np.arange(len(order), dtype=np.int32)
    return dataclasses.replace(
        store,
        words=store.words.gather(order),
        ids=number[ids],
        starts=store.starts[: documents + 1],
        document_condition=store.document_condition[:documents],
        held_out=store.held_out[:documents],
    )


def together(store: TokenStore) -> TokenStore:
    """The same text as one condition."""
    nowhere = np.zeros_like(store.document_condition)
    return dataclasses.replace(store, conditions=Conditions.of_places(["all"]), document_condition=nowhere)


def seconds_of_counting(store: TokenStore, words: int, settings: CountSettings, threads: int) -> tuple[float, int]:
    """The better of two runs, and how many cells there are."""
    taken = []
    for _ in range(2):
        with timed() as timing:
            cells = sum(len(b.word) for blocks in count_conditions(store, words, settings, threads) for b in blocks)
        taken.append(timing.seconds)
    return min(taken), cells


def seconds_of_sorting(store: TokenStore, words: int, settings: CountSettings) -> float:
    """The plain NumPy way."""
    weights = distance_weights(settings)
    with timed() as timing:
        known = store.ids < words
        document = np.repeat(np.arange(len(store.starts) - 1), np.diff(store.starts))[known]
        ids = store.ids[known].astype(np.int64)
        keys, values = [], []
        for distance in range(1, settings.window + 1):
            near = document[:-distance] == document[distance:]
            a, b = ids[:-distance][near], ids[distance:][near]
            keys.append(np.minimum(a, b) * words + np.maximum(a, b))
            values.append(np.full(len(a), weights[distance]))
        _, place = np.unique(np.concatenate(keys), return_inverse=True)
        np.bincount(place, np.concatenate(values))
    return timing.seconds


def main() -> None:
    """Measure, and append rows."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--run", type=Path, help="a prepared run whose tokens are counted; else invented text")
    parser.add_argument("--glove", type=Path, help="the folder with GloVe's vocab_count and cooccur")
    parser.add_argument("--tokens", type=int, default=4_000_000, help="count the first documents, of so many tokens")
    parser.add_argument("--min-count", type=int, default=5)
    asked = parser.parse_args()
    settings = CountSettings(window=5, min_count=asked.min_count)
    counts = (
        ct.Counts.open(asked.run) if asked.run else ct.count(ct.read_corpus(invented_text(asked.tokens), time="year"))
    )
    store = first_tokens(counts.store, asked.tokens)
    words = int(np.count_nonzero(np.bincount(store.ids) >= asked.min_count))
    about = {"source": asked.run.name if asked.run else "invented", "words": words, "window": settings.window}
    seconds_of_counting(first_tokens(store, 100_000), words, settings, 1)  # compiles
    for tokens in (asked.tokens // 4, asked.tokens // 2, asked.tokens):
        part = first_tokens(store, tokens)
        size = len(part.ids)
        for threads in THREADS:
            seconds, cells = seconds_of_counting(part, words, settings, threads)
            measured = {**about, "tokens": size, "threads": threads, "cells": cells, "seconds": seconds}
            record("counting", **measured, million_tokens_a_second=size / seconds / 1e6, peak_mb=peak_mb())
    sample = first_tokens(store, BASELINE_TOKENS)
    baseline = seconds_of_sorting(sample, words, settings) * size / len(sample.ids)
    name = "NumPy, sorting"
    if asked.glove:
        with tempfile.TemporaryDirectory() as folder:
            text = Path(folder) / "text.txt"
            write_tokens(store, text)
            _, baseline = glove_seconds(asked.glove, text, Path(folder), asked.min_count, settings.window)
            name = "GloVe cooccur"
    for kind, part in (("by condition", store), ("one condition", together(store))):
        seconds, _ = seconds_of_counting(part, words, settings, max(THREADS))
        record(
            "counting, ratio", **about, counted=kind, baseline=name, baseline_seconds=baseline, ratio=baseline / seconds
        )


if __name__ == "__main__":
    main()
