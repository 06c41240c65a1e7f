"""How often `senses` divides a word: two words joined into one, and single words.

    python benchmarks/senses.py --text ungdc.jsonl.zst

Words of 800 to 8,000 occurrences are drawn at random. In the first text pairs of them become one word, which has two
senses: half and half, or 80 to 20. The second text is not changed.
"""

from __future__ import annotations

import argparse
import re
from collections import Counter

import numpy as np
import polars as pl
from harness import record

import chronotope as ct

LEAST, MOST = 800, 8000


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--text", required=True, help="JSONL with the columns text and time")
    options.add_argument("--pairs", type=int, default=60)
    options.add_argument("--words", type=int, default=120)
    options.add_argument("--every", default="10y")
    chosen = options.parse_args()
    frame = pl.read_ndjson(chosen.text)
    texts = [re.findall(r"\w+", text.lower()) for text in frame["text"]]
    frequency = Counter(word for text in texts for word in text)
    random = np.random.default_rng(1)
    usual = sorted(word for word, many in frequency.items() if LEAST <= many <= MOST and word.isalpha())
    drawn = random.permutation(usual).tolist()
    pairs = [(drawn.pop(), drawn.pop()) for _ in range(chosen.pairs)]
    joined = {word: pair[0] for pair in pairs for word in pair}
    share = {}  # of the occurrences that are kept
    for at, (one, other) in enumerate(pairs):
        least = min(frequency[one], frequency[other])
        share |= {one: least / frequency[one], other: least / frequency[other] / (1 if at % 2 else 4)}
    mixed = [
        [joined.get(word, word) for word in text if word not in share or random.random() < share[word]]
        for text in texts
    ]
    model = trained(mixed, frame["time"].to_list(), chosen.every)
    for kind, some in (("half and half", pairs[1::2]), ("80 to 20", pairs[::2])):
        measure(f"joined words, {kind}", model, [pair[0] for pair in some])
    measure("single words", trained(texts, frame["time"].to_list(), chosen.every), drawn[: chosen.words])


def trained(texts: list[list[str]], times: list[str], every: str) -> ct.ConditionedEmbeddings:
    records = [{"text": text, "time": time} for text, time in zip(texts, times, strict=True)]
    return ct.GraphModel().fit(ct.count(ct.read_corpus(records, time="time", every=every), min_count=50))


def measure(kind: str, model: ct.ConditionedEmbeddings, words: list[str]) -> None:
    found = {word: ct.senses(model, word).facts["senses"] for word in words}
    several = [word for word, senses in found.items() if senses > 1]
    record(kind, words=len(words), divided=len(several) / len(words), which=" ".join(several))


if __name__ == "__main__":
    main()
