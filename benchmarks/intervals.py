"""How often the intervals of `series` hold the truth: `python benchmarks/intervals.py`.

Invented worlds of six years in which words change. The truth is a world with forty times as many documents, with the
shrinkage scaled alike. The baseline is the same interval around the uncorrected value. Both kinds of intervals are
measured: draws of documents, and `quick`. `change.py` measures those of `drift`.
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
WORDS = ("bank", "apple", "cell", "stream", "pilot", "river", "money")  # some change
WORDS += ("law", "music", "sea", "song", "goat", "the", "of")
RANGES = ((-1.0, 0.9), (0.9, 0.99), (0.99, 1.01))


def counted(documents: int, seed: int) -> Counts:
    """Return the counts of an invented world."""
    world = ct.invented_world(years=YEARS, places=("arlen",), documents=documents, seed=seed)
    return ct.count(ct.read_corpus(world.records, time="time"), min_count=5)


def measured(truth: ct.ConditionedEmbeddings, models: list[ct.ConditionedEmbeddings], **bands: Any) -> np.ndarray:
    """Return a row for each world, word and year: truth, ends of the interval, corrected and plain value."""
    found = []
    for model in models:
        for word in WORDS:
            if word not in model or word not in truth:
                continue
            answer = ct.series(model, word, **bands)
            true = ct.series(truth, word, against=answer["against"].drop_nulls()[0])["similarity"]
            columns = (answer[name] for name in ("low", "high", "corrected", "similarity"))
            rows = zip(true, *columns, strict=True)
            found += [row for row in rows if None not in row and row[4] != 1.0]  # not the word with itself
    return np.array(found, dtype=np.float64)


def main() -> None:
    """Measure, and append rows."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--documents", type=int, default=900)
    parser.add_argument("--seeds", type=int, default=12)
    parser.add_argument("--draws", type=int, default=100)
    asked = parser.parse_args()
    truth = ct.GraphModel(dimensions=50, shrinkage=10.0 * TIMES).fit(counted(TIMES * asked.documents, 999))
    models = [ct.GraphModel(dimensions=50).fit(counted(asked.documents, seed)) for seed in range(asked.seeds)]
    for name, bands in (("draws of documents", {"bootstrap": asked.draws}), ("quick", {"quick": True})):
        with timed() as timing:
            true, low, high, corrected, plain = measured(truth, models, **bands).T
        held, figures = (low <= true) & (true <= high), {}
        for begin, end in RANGES:
            part = (true >= begin) & (true < end)
            figures |= {f"held_{max(begin, 0):g}-{min(end, 1):g}": held[part].mean()}
        shift = plain - corrected
        record(
            f"intervals of series, invented text, {name}",
            rows=len(true),
            held=held.mean(),
            held_uncorrected=np.mean((low + shift <= true) & (true <= high + shift)),
            width=np.median(high - low),
            bias=np.mean(corrected - true),
            bias_uncorrected=np.mean(plain - true),
            **figures,
            seconds=timing.seconds,
        )


if __name__ == "__main__":
    main()
