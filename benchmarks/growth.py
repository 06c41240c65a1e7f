"""How each stage of `prepare` grows with the text: `python benchmarks/growth.py [--tokens N …] [--memory 2GB]`.

The text is invented: words drawn independently, the chance of a word falling with its rank, which makes far more
different pairs than people do; so counting is shown at its worst. `--input FILE` takes the first documents of real text
instead. Each size runs in a process of its own, which tells for every stage how many seconds of the processor it took
(which others at work on the machine change little), how long it lasted, and the most memory it held.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from harness import peak_mb, record, resident_mb
from zipfian import WORDS_IN_A_DOCUMENT, spelled

SIZES = (1_000_000, 10_000_000, 100_000_000)
YEARS = 20
DOCUMENTS_AT_ONCE = 1_000


def invented_lines(tokens: int, words: int, seed: int = 1) -> Iterator[str]:
    """Documents as JSON, in `YEARS` years, of which no more than a few are held."""
    random = np.random.default_rng(seed)
    chance = 1 / (np.arange(words) + 2.7)
    up_to = np.cumsum(chance / chance.sum())
    spelling = [spelled(number) for number in range(words)]
    documents = tokens // WORDS_IN_A_DOCUMENT
    for first in range(0, documents, DOCUMENTS_AT_ONCE):
        rows = min(DOCUMENTS_AT_ONCE, documents - first)
        drawn = np.searchsorted(up_to, random.random((rows, WORDS_IN_A_DOCUMENT)))
        for place, row in enumerate(np.minimum(drawn, words - 1).tolist(), first):
            text = " ".join(map(spelling.__getitem__, row))
            yield f'{{"text":"{text}","time":"{2000 + place * YEARS // documents}"}}\n'


def write_lines(lines: Iterator[str], path: Path) -> None:
    with pa.CompressedOutputStream(str(path), "zstd") as file:
        while some := "".join(islice(lines, DOCUMENTS_AT_ONCE)):
            file.write(some.encode())


def first_lines(source: Path, rows: int) -> Iterator[str]:
    """The first lines of a JSONL.zst file."""
    with pa.CompressedInputStream(pa.OSFile(str(source)), "zstd") as file:
        rest = b""
        while rows > 0 and (block := file.read(1 << 24)):
            *lines, rest = (rest + block).split(b"\n")
            yield from (line.decode() + "\n" for line in lines[:rows])
            rows -= len(lines)


def measure(source: str, run: str, min_count: int, memory: str) -> None:
    """Prepare in this process, and print what each stage took as JSON."""
    import chronotope as ct

    stages: dict[str, dict[str, float]] = {}
    peak, ended = 0.0, threading.Event()
    before = {"wall": time.perf_counter(), "cpu": time.process_time()}
    name = "reading"

    def watch() -> None:
        nonlocal peak
        while not ended.wait(0.01):
            peak = max(peak, resident_mb())

    def begin(following: str) -> None:
        nonlocal name, peak
        now = {"wall": time.perf_counter(), "cpu": time.process_time()}
        stages[name] = {unit: now[unit] - before[unit] for unit in now} | {"peak_mb": peak}
        before.update(now)
        name, peak = following, 0.0

    def progress(stage: str, *_: Any) -> None:
        if stage == "writing" and name == "reading":
            begin("arranging")

    threading.Thread(target=watch, daemon=True).start()
    corpus = ct.read_corpus(source, time="time", keep_text=False)
    counts = ct.count(
        corpus,
        run,
        min_count=min_count,
        memory=None if memory == "none" else memory,
        progress=progress,
        on_report=lambda *_: begin("counting"),
    )
    begin("end")
    ended.set()
    sizes = {path.name: path.stat().st_size for path in Path(run).iterdir()}
    figures = {
        "tokens": len(counts.store.ids),
        "distinct_words": len(counts.store.words),
        "words": len(counts.vocabulary),
        "conditions": len(counts.conditions),
        "cells": counts.size,
        "cells_bytes": sizes["cells.parquet"],
        "tokens_bytes": sizes["tokens.bin"],
        "peak_mb": peak_mb(),
    }
    print(json.dumps(figures | {f"{stage}_{what}": x for stage, found in stages.items() for what, x in found.items()}))


def main() -> None:
    """Measure, and append rows."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tokens", type=int, nargs="+", default=SIZES)
    parser.add_argument("--words", type=int, default=300_000, help="distinct words of invented text")
    parser.add_argument("--input", type=Path, help="a JSONL.zst file with text and time; else invented text")
    parser.add_argument("--rows", type=int, nargs="+", default=(300, 3_000, 10_952), help="of the input")
    parser.add_argument("--min-count", type=int, default=5)
    parser.add_argument("--memory", default="none")
    parser.add_argument("--measure", nargs=2, metavar=("SOURCE", "RUN"), help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.measure:
        measure(*asked.measure, asked.min_count, asked.memory)
        return
    for size in asked.rows if asked.input else asked.tokens:
        with tempfile.TemporaryDirectory() as folder:
            source = Path(folder, "text.jsonl.zst")
            write_lines(first_lines(asked.input, size) if asked.input else invented_lines(size, asked.words), source)
            command = [sys.executable, __file__, "--measure", str(source), f"{folder}/run"]
            options = ["--min-count", str(asked.min_count), "--memory", asked.memory]
            found = subprocess.run(command + options, check=True, capture_output=True, text=True).stdout
            name = asked.input.name if asked.input else "invented"
            record("growth", source=name, memory=asked.memory, **json.loads(found.splitlines()[-1]))


if __name__ == "__main__":
    main()
