"""What it costs to keep sentences, and how fast they are found: `python benchmarks/evidence.py [CORPUS.jsonl.zst]`.

Without a corpus: the UN debates in $CHRONOTOPE_DATA or ../shared/data. Every query opens the run anew; a cold one after
the files of the run were dropped from the memory of the operating system (Linux).
"""

from __future__ import annotations

import os
import statistics
import sys
import tempfile
import time
from pathlib import Path

import polars as pl
from harness import record

import chronotope as ct

QUERIES: tuple[dict[str, str], ...] = (
    {"word": "terrorism", "at": "2002"},
    {"word": "the", "at": "1985"},
    {"word": "perestroika"},
    {"word": "security"},
    {"word": "climate", "at": "2019", "near": "change"},
    {"word": "peace", "near": "war"},
    {"word": "climate change", "start": "1995", "end": "2005"},
    {"word": "energy", "start": "1973", "end": "1975", "near": "crisis"},
)
ROUNDS = 3
KINDS = ("text", "no text")


def corpus_path() -> Path:
    """The corpus that is named, or the UN debates."""
    if len(sys.argv) > 1:
        return Path(sys.argv[1])
    return Path(os.environ.get("CHRONOTOPE_DATA", Path(__file__).parents[2] / "shared" / "data")) / "ungdc.jsonl.zst"


def main() -> None:
    path = corpus_path()
    if not path.exists():
        sys.exit(f"{path} is not there; name a corpus, or set CHRONOTOPE_DATA")
    with tempfile.TemporaryDirectory() as folder:
        ct.count(ct.read_corpus(ct.invented_world(documents=50).records, time="time"), min_count=1)  # compiles
        seconds: dict[str, list[float]] = {kind: [] for kind in KINDS}
        for _ in range(ROUNDS):
            for kind in KINDS:
                seconds[kind].append(_prepare(path, Path(folder) / kind, kind))
        run = Path(folder) / "text"
        counts = ct.Counts.open(run)
        text_bytes = int(pl.read_parquet(run / "text.parquet")["text"].str.len_bytes().sum())
        best = {kind: min(times) for kind, times in seconds.items()}
        record(
            "evidence: preparing",
            tokens=int(counts.store.starts[-1]),
            seconds=best["text"],
            seconds_without_either=best["no text"],
            ratio=best["text"] / best["no text"],
            text_mb=text_bytes / 1e6,
            kept_text_mb=(run / "text.parquet").stat().st_size / 1e6,
            kept_text_share=(run / "text.parquet").stat().st_size / text_bytes,
        )
        for kind in ("cold", "warm"):
            for question in ("evidence", "contexts"):
                milliseconds = {str(query): _milliseconds(run, question, query, kind == "cold") for query in QUERIES}
                record(
                    f"evidence: {kind} query, {question}",
                    tokens=int(counts.store.starts[-1]),
                    median_ms=statistics.median(milliseconds.values()),
                    worst_ms=max(milliseconds.values()),
                    worst=max(milliseconds, key=milliseconds.__getitem__),
                )


def _prepare(path: Path, run: Path, kind: str) -> float:
    """How long preparing takes with text and index, or with neither."""
    corpus = ct.read_corpus(path, time="time", keep_text=kind == "text")
    began = time.perf_counter()
    ct.count(corpus, run, force=True)
    return time.perf_counter() - began


def _milliseconds(run: Path, question: str, query: dict[str, str], cold: bool) -> float:
    """The median over some rounds, the first of which is not counted."""
    found = []
    given = query if question == "evidence" else {name: value for name, value in query.items() if name != "near"}
    for _ in range(ROUNDS + 1):
        if cold:
            _forget(run)
        began = time.perf_counter()
        getattr(ct, question)(run, **given)
        found.append(1000 * (time.perf_counter() - began))
    return statistics.median(found[1:])


def _forget(run: Path) -> None:
    """Drop the files of a run from the memory of the operating system."""
    for path in run.iterdir():
        with open(path, "rb") as file:
            os.fsync(file.fileno())
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


if __name__ == "__main__":
    main()
