"""An invented corpus of Zipfian words, so that benchmarks run anywhere; and GloVe's programs on the same tokens."""

from __future__ import annotations

import subprocess
from pathlib import Path

import numpy as np
import polars as pl
from harness import timed

from chronotope.corpus.tokens import TokenStore

WORDS_IN_A_DOCUMENT = 1_000
YEARS = 20


def invented_text(tokens: int, words: int = 30_000, seed: int = 1) -> pl.DataFrame:
    """Return documents of a thousand words, each with a year; a word's probability falls with its rank."""
    random = np.random.default_rng(seed)
    chance = 1 / (np.arange(words) + 2.7)
    spelling = np.array([spelled(number) for number in range(words)])
    drawn = np.searchsorted(np.cumsum(chance / chance.sum()), random.random(tokens))
    documents = np.minimum(drawn, words - 1)[: tokens // WORDS_IN_A_DOCUMENT * WORDS_IN_A_DOCUMENT]
    text = [" ".join(row) for row in spelling[documents.reshape(-1, WORDS_IN_A_DOCUMENT)]]
    return pl.DataFrame({"text": text, "year": [str(2000 + place * YEARS // len(text)) for place in range(len(text))]})


def spelled(number: int) -> str:
    """Write a number as a word; frequent words are short."""
    letters = ""
    while True:
        letters += "etaoinshrdlucmfwygpb"[number % 20]
        number //= 20
        if not number:
            return letters + "x"


def write_tokens(store: TokenStore, path: Path) -> int:
    """Write a tokenized corpus as text, a document a line; return the number of tokens."""
    words = np.array(store.words.to_list(), dtype=object)
    with path.open("w", encoding="utf-8") as file:
        for first, last in zip(store.starts[:-1].tolist(), store.starts[1:].tolist(), strict=True):
            file.write(" ".join(words[store.ids[first:last]]) + "\n")
    return int(store.starts[-1])


def glove_seconds(programs: Path, text: Path, folder: Path, min_count: int, window: int) -> float:
    """Return the seconds of GloVe's vocab_count and cooccur, with their default memory and symmetric windows."""
    vocabulary = folder / "glove-vocabulary.txt"
    with timed() as timing:
        with text.open() as source, vocabulary.open("w") as target:
            _run([programs / "vocab_count", "-min-count", min_count], source, target)
        with text.open() as source, (folder / "glove-cells.bin").open("w") as target:
            options = ["-vocab-file", vocabulary, "-window-size", window, "-overflow-file", folder / "glove-overflow"]
            _run([programs / "cooccur", *options], source, target)
    return timing.seconds


def _run(command: list[object], source: object, target: object) -> None:
    subprocess.run(
        [str(part) for part in (*command, "-verbose", 0)],
        stdin=source,  # type: ignore[call-overload]
        stdout=target,
        stderr=subprocess.DEVNULL,
        check=True,
    )
