"""Files with mistakes in them, by the hundred thousand: each is read, or refused with one clear line.

python tests/torture/fuzzing.py --models 100000 --corpora 100000 --runs 2000
"""

from __future__ import annotations

import argparse
import contextlib
import gzip
import io
import json
import random
import re
import shutil
import sys
import tempfile
import time
import warnings
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from chronotope.cooccurrence import Counts, count
from chronotope.corpus.source import read_corpus
from chronotope.embeddings import load
from chronotope.errors import ChronotopeError
from embeddings.invented import random_embeddings
from forging import forge_run, forged_model
from worlds import tokenize

STRANGE: list[Any] = [
    None, True, False, 0, -1, 1, 2**31, 2**63, 2**64, -(2**63), 10**30, 0.5, 1e308, "", "x", "\x00", "\ud800",
    "🦜", [], {}, [[]], [0], [1, 2, 3], {"a": 1}, "F32", "I64", [-1, 5], [10**18, 10**18],
]  # fmt: skip
FORMATS = ("jsonl", "csv", "tsv", "jsonl.gz", "parquet", "txt")
RECORDS = [
    {"text": "The river bank, the “water”.", "time": "1990-02-28", "place": "arlen"},
    {"text": 'Money in the "bank"; and more money\nthan water', "time": "1991", "place": "Borva"},
    {"text": "naïve cafés … 日本 words", "time": "-0044-03-15", "place": ""},
    {"text": "", "time": "1992-13-45", "place": "arlen"},
] * 3  # fmt: skip


def mutated(data: bytes, chosen: random.Random) -> bytes:
    """The bytes with a few mistakes: flipped, cut, doubled, moved, overwritten."""
    out = bytearray(data)
    for _ in range(chosen.choice((1, 1, 1, 2, 4, 16))):
        at = chosen.randrange(len(out) + 1)
        size = min(chosen.choice((1, 1, 2, 8, 64)), len(out) - at)
        match chosen.randrange(7):
            case 0 if at < len(out):
                out[at] ^= 1 << chosen.randrange(8)
            case 1:
                out[at : at + size] = chosen.randbytes(size)
            case 2:
                del out[at : at + size]
            case 3:
                out[at:at] = out[at : at + size]
            case 4:
                out[at:at] = chosen.choice((b"\x00", b"\xff", b'"', b"\n", b",", b"\r", b"\xef\xbb\xbf", b"{", b"\\u"))
            case 5 if chosen.random() < 0.3:
                del out[at:]
            case 6 if size == 8:
                out[at : at + 8] = chosen.choice((0, 1, 2**31, 2**63 - 1, 2**64 - 1)).to_bytes(8, "little")
    return bytes(out)


def spoiled(data: Any, chosen: random.Random) -> Any:
    """Plain data with one value replaced, removed, or added."""
    if isinstance(data, dict) and data and chosen.random() < 0.85:
        key = chosen.choice(sorted(data))
        if chosen.random() < 0.1:
            return {name: value for name, value in data.items() if name != key}
        return data | {key: spoiled(data[key], chosen)}
    if isinstance(data, list) and data and chosen.random() < 0.7:
        at = chosen.randrange(len(data))
        return [*data[:at], spoiled(data[at], chosen), *data[at + 1 :]]
    if isinstance(data, int) and chosen.random() < 0.5:
        return data + chosen.choice((-1, 1, 8, -8, 2**32))
    return chosen.choice(STRANGE)


def model_bytes(folder: Path) -> bytes:
    made = {"method": "graph", "seed": 1, "settings": {"epochs": 3}, "versions": {"chronotope": "0"}, "run": "ab"}
    random_embeddings(words=4, dimensions=3, contexts=np.ones((4, 3)), provenance=made).save(folder / "sound.ct")
    return (folder / "sound.ct").read_bytes()


def strange_model(whole: bytes, chosen: random.Random) -> bytes:
    """A model with mistakes; in most of them the checksum fits all the same, as if made on purpose."""

    def lie(entries: Any, described: Any, body: bytes) -> tuple[Any, Any, bytes]:
        match chosen.randrange(3):
            case 0:
                return entries, spoiled(described, chosen), body
            case 1:
                return spoiled(entries, chosen), described, body
        return entries, described, mutated(body, chosen)

    return mutated(whole, chosen) if chosen.random() < 0.3 else forged_model(whole, lie)


def ask_model(path: Path) -> None:
    embeddings = load(path)
    repr(embeddings), embeddings.signature
    with np.errstate(all="ignore"):
        word, at = embeddings.words[0], embeddings.conditions.labels[0]
        embeddings.neighbors(word, at, top=2, min_count=0, fallback=True)
        embeddings.equivalents(word, at, embeddings.conditions.labels[-1], top=2, fallback=True)
    load(path, verify=True)


def corpus_bytes(kind: str) -> bytes:
    """A sound file of a format."""
    out, frame = io.BytesIO(), pl.DataFrame(RECORDS)
    match kind.partition(".")[0]:
        case "txt":
            out.write("\n".join(frame["text"]).encode())
        case "parquet":
            frame.write_parquet(out)
        case "jsonl":
            frame.write_ndjson(out)
        case _:
            frame.write_csv(out, separator="," if kind == "csv" else "\t")
    return gzip.compress(out.getvalue(), mtime=0) if kind.endswith("gz") else out.getvalue()


def read_strange(path: Path, whole: bool) -> None:
    axes = {} if path.suffix == ".txt" else {"time": "time", "place": "place"}
    corpus = read_corpus(path, **axes)
    if whole:
        count(corpus, min_count=1, threads=1)
    else:
        tokenize(corpus, path.with_name("store"))


def strange_run(sound: Path, target: Path, chosen: random.Random) -> None:
    """A run with mistakes in one file; in most, all checksums fit."""
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(sound, target)
    path = chosen.choice(sorted(target.iterdir()))
    if path.suffix == ".json" and chosen.random() < 0.7:
        path.write_text(json.dumps(spoiled(json.loads(path.read_text()), chosen)))
    else:
        path.write_bytes(mutated(path.read_bytes(), chosen))
    with contextlib.suppress(Exception):
        forge_run(target)


def ask_run(folder: Path) -> None:
    from chronotope import collocates, evidence, frequency
    from chronotope.methods import ConditionedModel, GraphModel

    counts = Counts.open(folder)
    repr(counts)
    at = counts.conditions.labels[0]
    _ = counts.store.checked_ids
    evidence(counts, "bank", at=at)
    frequency(counts, "bank")
    collocates(counts, "bank", at=at, min_count=1)
    GraphModel(dimensions=2, epochs=1).fit(counts, threads=1, device="cpu")
    ConditionedModel(dimensions=2, epochs=1).fit(counts, threads=1, device="cpu")


def outcome(ask: Callable[[], None]) -> str:
    """'read', 'refused', or the fault: an error that is no clear line."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ask()
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # a panic of Rust is no Exception
        told = isinstance(error, ChronotopeError) and "\n" not in str(error)
        # The command line tells an OSError in one line, too.
        return "refused" if told or getattr(error, "strerror", "") else f"{type(error).__name__}: {error}"
    return "read"


def fuzz(
    models: int, corpora: int, runs: int, seed: int, kept: Path, folder: Path
) -> tuple[Counter[str], dict[str, str]]:
    """Read so many strange files of each kind; return how it went, and the faults, each kept as a file."""
    kept.mkdir(parents=True, exist_ok=True)
    chosen, ends, faults = random.Random(seed), Counter[str](), dict[str, str]()
    model, wholes = model_bytes(folder), {kind: corpus_bytes(kind) for kind in FORMATS}
    records = [{"text": "the river bank and the money in the bank", "time": str(1990 + n % 3)} for n in range(9)]
    count(read_corpus(records, time="time"), folder / "sound", min_count=1)

    def strange(what: str, number: int) -> tuple[Path, Callable[[], None]]:
        if what == "run":
            strange_run(folder / "sound", folder / "run", chosen)
            return folder / "run", partial(ask_run, folder / "run")
        kind = "ct" if what == "model" else FORMATS[number % len(FORMATS)]
        path = folder / f"strange.{kind}"
        path.write_bytes(strange_model(model, chosen) if what == "model" else mutated(wholes[kind], chosen))
        return path, partial(ask_model, path) if what == "model" else partial(read_strange, path, number % 100 < 2)

    for what, many in (("model", models), ("corpus", corpora), ("run", runs)):
        began = time.monotonic()
        for number in range(many):
            path, ask = strange(what, number)
            end = outcome(ask)
            ends[end if end in ("read", "refused") else "fault"] += 1
            kind = re.sub(r"\d+", "N", end)[:80]
            if end not in ("read", "refused") and kind not in faults and len(faults) < 50:
                faults[kind] = f"{what}-{seed}-{number}: {end[:300]}"
                target = kept / f"{what}-{seed}-{number}{path.suffix}"
                shutil.copytree(path, target) if path.is_dir() else shutil.copy(path, target)
        seconds = time.monotonic() - began
        print(f"{what}: {many:,} in {seconds:.0f} s; so far {dict(ends)}", file=sys.stderr, flush=True)
    return ends, faults


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    for name, many in (("models", 100_000), ("corpora", 100_000), ("runs", 2_000), ("seed", 1)):
        parser.add_argument(f"--{name}", type=int, default=many)
    parser.add_argument("--kept", type=Path, default=Path(tempfile.gettempdir(), "chronotope-faults"))
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="fuzzing-") as name:
        ends, faults = fuzz(given.models, given.corpora, given.runs, given.seed, given.kept, Path(name))
    print("\n".join([*faults.values(), f"{ends.total():,} files: {dict(ends)}"]))
    sys.exit(1 if faults else 0)
