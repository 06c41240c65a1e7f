"""How often the intervals of `series` hold the truth: `python benchmarks/intervals.py`.

Invented worlds of six years in which words change. The truth is a world with forty times as many documents, whose
occurrences are trusted as much as those of the small ones. The baseline is the plain figure with the same interval
around it. `change.py` measures the intervals of `drift`.
"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np
from harness import record, timed

import chronotope as ct
from chronotope.cooccurrence import Counts

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


def main() -> None:
    """Measure, and append rows."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--documents", type=int, default=900)
    parser.add_argument("--seeds", type=int, default=12)
    parser.add_argument("--draws", type=int, default=100)
    asked = parser.parse_args()
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
