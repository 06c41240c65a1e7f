"""Train every contender on the same counts and ask it the same pairs; finished fits are never repeated.

Each fit runs in its own process (`python -m benchmarks.reproduce.run JOB`), so that its peak memory is its own and a
crash costs only itself. `results.jsonl` has one line per fit with the rank of every answer.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import astuple, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from benchmarks.reproduce.tables import Contender, Table

from chronotope import count, load, read_corpus
from chronotope.cooccurrence import Counts
from chronotope.corpus.tokenizer import split_texts
from chronotope.errors import ChronotopeError, InputError
from chronotope.evaluation.pairs import Labels, TestPairs, read_pairs
from chronotope.evaluation.renaming import renamed
from chronotope.evaluation.scores import score
from chronotope.io.provenance import checksum_of, quick_checksum
from chronotope.methods import method_class

VARIABLE = "CHRONOTOPE_DATA"
USUAL = Path("..") / "shared" / "data"
SAMPLE_SEED = 1
COPY = "copy the query word"
# Ranking, and minimum count of a candidate in the condition of the answer: the main one first, the paper's last.
WAYS = (("csls", 5), ("csls", 0), ("cosine", 5), ("cosine", 0))

Fit = dict[str, Any]


class FitError(ChronotopeError):
    """A method cannot be trained here; the message says why in one line."""


@dataclass(frozen=True)
class Result:
    """A finished table: its counts, its pairs with the paper's figures on each, all fits, and who was skipped."""

    table: Table
    counts: Counts
    pairs: dict[str, TestPairs]
    fits: list[Fit]
    skipped: dict[str, str]


def say(line: str) -> None:
    """Print a line on stderr."""
    print(line, file=sys.stderr, flush=True)


def data_folder(given: Path | None, *tables: Table) -> Path:
    """Return the folder with the data; an InputError says which files are missing and where they were looked for."""
    named = given or os.environ.get(VARIABLE)
    folder = Path(named or USUAL)
    for table in tables:
        missing = [
            name for name in (table.file, *table.pairs, *filter(None, [table.gold])) if not (folder / name).is_file()
        ]
        if missing:
            source = "--data" if given else f"${VARIABLE}" if named else "the usual place"
            raise InputError(
                f"table '{table.name}' needs {', '.join(missing)}; looked in {folder.resolve()} ({source}); "
                f"name the folder that holds the data with --data or ${VARIABLE}"
            )
    return folder


def run_table(
    table: Table,
    data: Path,
    output: Path,
    who: Sequence[Contender],
    seeds: Sequence[int],
    threads: int | None = None,
    *,
    keep_models: bool = True,
) -> Result:
    """Train every contender with every seed and ask it all pairs; a contender that cannot be trained is skipped."""
    counts, pairs = _prepare(table, data, output, threads)
    results = output / "results.jsonl"
    fits: list[Fit] = []
    skipped: dict[str, str] = {}
    # Seeds in the outer loop: a run that is stopped early has every method at least once.
    jobs = [(contender, seed) for seed in seeds for contender in who]
    for number, (contender, seed) in enumerate(jobs, start=1):
        if contender.name in skipped:
            continue
        head = f"{number}/{len(jobs)} {contender.name}, seed {seed}:"
        settings = {**contender.settings, "seed": seed}
        key = checksum_of([table.name, contender.method, settings, counts.checksum])
        fit = read_results(results).get(key)
        if fit is not None and all(checksum_of_pairs(one) in fit["answers"] for one in pairs.values()):
            say(f"{head} done before")
            fits.append(fit | {"contender": contender.name})
            continue
        name = re.sub(r"[^\w.=-]+", "-", contender.name)
        model = f"{table.name}-{name}-seed{seed}.ct"
        if fit is None or not (output / model).exists():
            say(f"{head} training")
            job = {"run": str(counts.folder), "method": contender.method, "settings": settings, "threads": threads,
                   "model": str(output / model), "renamed": table.renamings_of is not None}  # fmt: skip
            try:
                cost = fit_apart(job)
            except FitError as error:
                skipped[contender.name] = str(error)
                say(f"{number}/{len(jobs)} {contender.name}: skipped; {error}")
                continue
            fit = {"key": key, "table": table.name, "contender": contender.name, "method": contender.method,
                   "settings": settings, "seed": seed, "model": model, **cost, "answers": {}}  # fmt: skip
            _put(results, fit)
        fit |= {"contender": contender.name, "answers": _ask(output / model, table, pairs)}
        _put(results, fit)
        if not keep_models:
            (output / model).unlink()
        fits.append(fit)
        say(f"{head} {fit['seconds']:.1f} s")
    return Result(table, counts, pairs, fits, skipped)


def _prepare(table: Table, data: Path, output: Path, threads: int | None) -> tuple[Counts, dict[str, TestPairs]]:
    """Count the text into `output` unless it is there; return the counts, and the pairs by the file they come from."""
    name = table.renamings_of or table.name
    text = data / table.file
    if table.tokens_per_place is not None:
        text = _sample(text, table.corpus["place"], table.tokens_per_place, output)
    counts = count(read_corpus(text, **table.corpus), output / f"{name}.run", threads=threads, **table.counting)
    if table.renamings_of:
        made = renamed(counts)
        return made.counts, {"renamings": made.pairs}
    return counts, {file: _within(read_pairs(data / file, labels), labels)
                    for labels in [counts.conditions.labels] for file in table.pairs}  # fmt: skip


def _within(pairs: TestPairs, labels: Sequence[str]) -> TestPairs:
    """Leave out pairs about conditions that the corpus does not have."""
    known = Labels(labels).known
    kept = (pair for pair in pairs.pairs if known(pair.query_condition) and known(pair.answer_condition))
    return TestPairs(pairs.name, tuple(kept))


def _sample(text: Path, place: str, tokens: int, output: Path) -> Path:
    """Write the documents that `sample_documents` draws, once for the same text and number; return the file."""
    path = output / f"sample-{checksum_of([quick_checksum(text), place, tokens, SAMPLE_SEED])[:8]}.parquet"
    if not path.exists():
        frame = pl.scan_ndjson(text).select("text", place).collect()
        temporary = path.with_suffix(".part")
        sample_documents(frame, place, tokens).write_parquet(temporary)
        temporary.replace(path)
    return path


def sample_documents(frame: pl.DataFrame, place: str, tokens: int, seed: int = SAMPLE_SEED) -> pl.DataFrame:
    """Draw whole documents at random, at most `tokens` running words per place, in the order of the corpus."""
    length = split_texts(frame["text"]).length
    places = frame[place].to_numpy()
    keep = np.zeros(frame.height, dtype=bool)
    for number, name in enumerate(sorted(set(places.tolist()))):
        documents = np.flatnonzero(places == name)
        total = 0
        for document in documents[np.random.default_rng([seed, number]).permutation(len(documents))].tolist():
            if total + length[document] <= tokens:
                keep[document] = True
                total += length[document]
    return frame.filter(pl.Series(keep))


def fit_apart(job: dict[str, Any]) -> dict[str, Any]:
    """Train and save a model in its own process; return `seconds`, `peak_bytes` and `held_out`."""
    child = subprocess.run([sys.executable, "-m", __name__, json.dumps(job)], stdout=subprocess.PIPE, text=True)
    answer = json.loads(child.stdout.splitlines()[-1]) if child.stdout else {}
    if "refused" in answer:
        raise FitError(answer["refused"])
    if child.returncode < 0:
        raise FitError(f"its process was ended by signal {-child.returncode}; it may have run out of memory")
    if child.returncode:
        raise RuntimeError(f"the fit of {job['method']} failed with the error shown above")
    return answer


def _train(job: dict[str, Any]) -> dict[str, Any]:
    """Be the child process: train, save, and report the cost."""
    try:
        counts = Counts.open(job["run"])
        counts = renamed(counts).counts if job["renamed"] else counts
        method = method_class(job["method"])(**job["settings"])
        begin = time.perf_counter()
        embeddings = method.fit(counts, threads=job["threads"])
        seconds, peak = round(time.perf_counter() - begin, 3), _peak_bytes()
        embeddings.save(job["model"])
    except ChronotopeError as error:
        return {"refused": str(error)}
    last_epoch = (embeddings.provenance.get("training") or [{}])[-1]
    return {"seconds": seconds, "peak_bytes": peak, "held_out": last_epoch.get("held_out")}


def _peak_bytes() -> int | None:
    """Return the peak memory of this process; None where the system does not tell."""
    # Not getrusage: on Linux it starts with the memory of the parent.
    status = Path("/proc/self/status")
    found = re.search(r"VmHWM:\s+(\d+)", status.read_text()) if status.exists() else None
    return int(found[1]) * 1024 if found else None


def _ask(model: Path, table: Table, pairs: dict[str, TestPairs]) -> dict[str, list[list[int]]]:
    """Return for each file of pairs, by checksum, the ranks in each of WAYS; renamings are asked the first way only."""
    embeddings = load(model)
    return {
        checksum_of_pairs(one): [
            score(embeddings, one, least, retrieval).ranks.tolist()
            for retrieval, least in (WAYS[:1] if table.renamings_of else WAYS)
        ]
        for one in pairs.values()
    }


def copy_fit(result: Result) -> Fit:
    """Return the answers of the baseline that copies the query word, as a fit that cost nothing."""
    answers = {}
    for pairs in result.pairs.values():
        same = np.array([pair.query == pair.answer for pair in pairs.pairs])
        answers[checksum_of_pairs(pairs)] = [
            (answerable(result.counts, pairs, least) & same).astype(int).tolist() for _, least in WAYS
        ]
    return {"contender": COPY, "method": "copy", "seed": 0, "seconds": 0.0, "peak_bytes": None, "answers": answers}


def answerable(counts: Counts, pairs: TestPairs, min_count: int) -> np.ndarray[Any, np.dtype[np.bool_]]:
    """(N,) whether both words are in the vocabulary and the answer occurs often enough in its condition."""
    number = {word: index for index, word in enumerate(counts.vocabulary.words)}
    labels, support = Labels(counts.conditions.labels), counts.vocabulary.support

    def known() -> Iterator[bool]:
        for pair in pairs.pairs:
            to = counts.conditions.index(str(labels.known(pair.answer_condition)))
            both = pair.query in number and pair.answer in number
            yield both and support.of(number[pair.answer], to) >= min_count

    return np.fromiter(known(), dtype=bool, count=len(pairs.pairs))


def checksum_of_pairs(pairs: TestPairs) -> str:
    return checksum_of([astuple(pair) for pair in pairs.pairs])


def read_results(path: Path) -> dict[str, Fit]:
    """Return the finished fits by key."""
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    try:
        return {fit["key"]: fit for fit in map(json.loads, lines)}
    except (ValueError, TypeError, KeyError):
        raise InputError(f"{path} is damaged; delete it, or name another folder") from None


def _put(path: Path, fit: Fit) -> None:
    """Add a fit or replace the one with its key; the file is replaced as a whole, so that it is never cut short."""
    temporary = path.with_suffix(".part")
    fits = read_results(path) | {fit["key"]: fit}
    temporary.write_text("".join(json.dumps(one) + "\n" for one in fits.values()), encoding="utf-8")
    temporary.replace(path)


if __name__ == "__main__":
    try:
        print(json.dumps(_train(json.loads(sys.argv[1]))))
    except KeyboardInterrupt:  # Ctrl-C reaches parent and child; the parent reports it
        sys.exit(130)
