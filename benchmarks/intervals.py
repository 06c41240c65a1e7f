"""How often the intervals of `series` and of `drift` hold the truth: `python benchmarks/intervals.py`.

Invented worlds of six years in which words change (for `drift`: of two). The truth is a world with forty times as many
documents (for `drift`: twenty), whose occurrences are trusted as much as those of the small ones. The baseline is the
plain figure with the same interval around it. Of `drift` also how often the interval holds the mean over the worlds:
what it would hold without the bias of the corrected score.
"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np
from harness import record, timed

import chronotope as ct
from chronotope.analysis.answer import Answer
from chronotope.cooccurrence import Counts
from chronotope.datasets.invented import TOPICS, Change

YEARS = range(1990, 1996)
TIMES = 40
WORDS = (
    "bank",
    "apple",
    "cell",
    "stream",
    "pilot",
    "river",
    "money",
    "law",
    "music",
    "sea",
    "song",
    "goat",
    "the",
    "of",
)
# Words that change company from one year to the next, and how much of the text each is.
CHANGED = {"bank": 0.02, "apple": 0.014, "cell": 0.01, "stream": 0.007, "zorn": 0.01, "pilot": 0.006}
DRIFT_TIMES = 20
RANGES = ((-1.0, 0.8), (0.8, 0.95), (0.95, 0.99), (0.99, 1.01))


def counted(documents: int, seed: int) -> Counts:
    """The counts of a world."""
    world = ct.invented_world(years=YEARS, places=("arlen",), documents=documents, seed=seed)
    return ct.count(ct.read_corpus(world.records, time="time"), min_count=5)


def measured(documents: int, seeds: int, draws: int) -> list[tuple[float, ...]]:
    """For every word, year and world: the truth, the ends of the interval, the corrected and the plain value."""
    truth = ct.GraphModel(dimensions=50, shrinkage=10.0 * TIMES).fit(counted(TIMES * documents, 999))
    found = []
    for seed in range(seeds):
        counts = counted(documents, seed)
        embeddings = ct.GraphModel(dimensions=50).fit(counts)
        for word in WORDS:
            if word not in embeddings or word not in truth:
                continue
            answer = ct.series(embeddings, word, bootstrap=draws)
            true = ct.series(truth, word, against=answer["against"].drop_nulls()[0])["similarity"]
            columns = (answer[name] for name in ("low", "high", "corrected", "similarity"))
            rows = zip(true, *columns, strict=True)
            found += [row for row in rows if None not in row and row[3] != 1.0]
    return found


def two_years(documents: int, seed: int) -> Counts:
    """The counts of a world of two years between which some words change company, and nothing else does."""
    names = list(TOPICS)
    changes = tuple(
        Change(word, TOPICS[names[2 * at]], TOPICS[names[2 * at + 1]], time="1991", share=share)
        for at, (word, share) in enumerate(CHANGED.items())
    )
    world = ct.invented_world(
        years=range(1990, 1992), places=("arlen",), documents=documents, seed=seed, changes=changes
    )
    return ct.count(ct.read_corpus(world.records, time="time"), min_count=5)


def of_drift(documents: int, seeds: int, permutations: int, draws: int) -> None:
    """Measure the intervals of `drift`, and append a row."""
    trust = 10.0 * DRIFT_TIMES
    large = two_years(DRIFT_TIMES * documents, 999)
    every = {"permutations": permutations, "top": 100_000}
    truth = ct.drift(ct.GraphModel(dimensions=50, shrinkage=trust).fit(large), **every)
    found: dict[str, list[tuple[float, ...]]] = {}
    with timed() as timing:
        for seed in range(seeds):
            counts = two_years(documents, seed)
            embeddings = ct.GraphModel(dimensions=50).fit(counts)
            answer = ct.drift(embeddings, bootstrap=draws, **every)
            for word, row in _rows(answer).items():
                found.setdefault(word, []).append(row)
    true = {word: row[3] for word, row in _rows(truth).items()}
    figures: dict[str, Any] = {}
    for name, changed in (("changed", True), ("still", False)):
        words = [word for word in found if (word in CHANGED) == changed and word in true and len(found[word]) > 1]
        tables = {word: np.array(found[word]) for word in words}
        held = [(low <= true[word]) & (true[word] <= high) for word in words for _, low, high, _ in tables[word]]
        plain = [
            (low <= true[word] - score + middle) & (true[word] - score + middle <= high)
            for word in words
            for score, low, high, middle in tables[word]
        ]
        around = [
            (low <= table[:, 3].mean()) & (table[:, 3].mean() <= high)
            for table in tables.values()
            for _, low, high, _ in table
        ]
        # Half the interval is Student's t times the spread; with this many documents t is about 2.
        spread = [((table[:, 2] - table[:, 1]) / 4).mean() / table[:, 3].std(ddof=1) for table in tables.values()]
        figures |= {
            f"held_{name}": np.mean(held),
            f"held_{name}_uncorrected": np.mean(plain),
            f"held_mean_{name}": np.mean(around),
            f"spread_{name}": np.median(spread),
            f"bias_{name}": np.mean([table[:, 3].mean() - true[word] for word, table in tables.items()]),
            f"many_{name}": len(held),
        }
    record("intervals of drift, invented text", **figures, worlds=seeds, documents=documents, seconds=timing.seconds)


def _rows(answer: Answer) -> dict[str, tuple[float, ...]]:
    """The change, the ends of its interval and the corrected change of each word; a truth has no interval."""
    drawn = answer.facts["bootstrap"] > 0
    figures = ("change", "low", "high", "corrected")
    return {row["word"]: tuple(row[name] for name in figures) for row in answer if not drawn or row["low"] is not None}


def main() -> None:
    """Measure, and append rows."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--documents", type=int, default=900)
    parser.add_argument("--seeds", type=int, default=12)
    parser.add_argument("--draws", type=int, default=100)
    parser.add_argument("--of", choices=("series", "drift", "both"), default="both")
    asked = parser.parse_args()
    if asked.of != "series":
        of_drift(1200, max(asked.seeds, 2), 30, asked.draws)
    if asked.of == "drift":
        return
    with timed() as timing:
        table = np.array(measured(asked.documents, asked.seeds, asked.draws), dtype=np.float64)
    true, low, high, corrected, plain = table.T
    figures: dict[str, Any] = {}
    for begin, end in RANGES:
        part = (true >= begin) & (true < end)
        name = f"{max(begin, 0):g}-{min(end, 1):g}"
        figures[f"held_{name}"] = np.mean((low <= true)[part] & (true <= high)[part])
        figures[f"many_{name}"] = int(part.sum())
    shift = plain - corrected
    record(
        "intervals of series, invented text",
        held=np.mean((low <= true) & (true <= high)),
        held_uncorrected=np.mean((low + shift <= true) & (true <= high + shift)),
        bias=np.mean(corrected - true),
        bias_uncorrected=np.mean(plain - true),
        **figures,
        seconds=timing.seconds,
    )


if __name__ == "__main__":
    main()
