"""Speed of `chronotope prepare`: `python benchmarks/prepare.py [--input FILE --text F --time F] [--glove DIR]`.

The whole command in its own process: start, read JSONL.zst, tokenize, vocabulary, count, write. GloVe's
vocab_count and cooccur get the same tokens as tokenized text. Both run three times in turn, and the best time counts.
Without GloVe the baseline is a regular expression and a dictionary in Python, on some documents.
"""

from __future__ import annotations

import argparse
import json
import re
import resource
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

import polars as pl
import pyarrow as pa
from harness import peak_mb, record, timed
from zipfian import glove_seconds, invented_text, write_tokens

import chronotope as ct

BASELINE_DOCUMENTS = 300
ROUNDS = 3


def write_jsonl(frame: pl.DataFrame, path: Path) -> None:
    """Write a frame as JSONL.zst."""
    with pa.CompressedOutputStream(str(path), "zstd") as file:
        file.write(frame.write_ndjson().encode())


def prepared(source: Path, run: Path, asked: argparse.Namespace) -> float:
    """Return the seconds of `chronotope prepare`."""
    command = [sys.executable, "-m", "chronotope", "prepare", source, "-o", run, "--no-text"]
    for name in ("text", "time", "window", "min_count", "every"):
        command += [f"--{name.replace('_', '-')}", getattr(asked, name)]
    shutil.rmtree(run, ignore_errors=True)
    with timed() as timing:
        subprocess.run([str(part) for part in command], check=True, capture_output=True)
    return timing.seconds


def seconds_of_plain_python(source: Path, field: str, window: int) -> tuple[float, int]:
    """Count the first documents in a dictionary; return the seconds and their tokens."""
    tokens = 0
    with timed() as timing:
        lines = pa.CompressedInputStream(pa.OSFile(str(source)), "zstd").read().decode().splitlines()
        cells: Counter[tuple[str, str]] = Counter()
        for line in lines[:BASELINE_DOCUMENTS]:
            words = re.findall(r"\w+", json.loads(line)[field].lower())
            tokens += len(words)
            for distance in range(1, window + 1):
                for pair in zip(words, words[distance:], strict=False):
                    cells[pair] += 1
    return timing.seconds, tokens


def main() -> None:
    """Measure, and append rows."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--input", type=Path, help="a JSONL.zst file; else invented text")
    parser.add_argument("--text", default="text")
    parser.add_argument("--time", default="year")
    parser.add_argument("--glove", type=Path, help="the folder with GloVe's vocab_count and cooccur")
    parser.add_argument("--tokens", type=int, default=4_000_000, help="of invented text")
    parser.add_argument("--min-count", type=int, default=5)
    parser.add_argument("--window", type=int, default=5)
    parser.add_argument("--every", default="1y", help="the length of a time bin; GloVe counts all as one")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        source = asked.input or folder / "invented.jsonl.zst"
        if not asked.input:
            write_jsonl(invented_text(asked.tokens), source)
        run = folder / "run"
        prepared(source, run, asked)  # compiles
        peak = peak_mb(resource.RUSAGE_CHILDREN)
        counts = ct.Counts.open(run)
        tokens, baseline_name = len(counts.store.ids), "plain Python"
        ours, theirs = [], []
        if asked.glove:
            baseline_name = "GloVe vocab_count + cooccur"
            write_tokens(counts.store, folder / "text.txt")
        for _ in range(ROUNDS):
            ours.append(prepared(source, folder / "again", asked))
            if asked.glove:
                theirs.append(glove_seconds(asked.glove, folder / "text.txt", folder, asked.min_count, asked.window))
        if not asked.glove:
            alone, some = seconds_of_plain_python(source, asked.text, asked.window)
            theirs.append(alone * tokens / some)
        seconds, baseline = min(ours), min(theirs)
        record(
            "prepare",
            source=source.name,
            tokens=tokens,
            words=len(counts.vocabulary),
            window=asked.window,
            every=asked.every,
            conditions=len(counts.conditions),
            cells=counts.size,
            seconds=seconds,
            million_tokens_a_second=tokens / seconds / 1e6,
            baseline=baseline_name,
            baseline_seconds=baseline,
            ratio=baseline / seconds,
            peak_mb=peak,
        )


if __name__ == "__main__":
    main()
