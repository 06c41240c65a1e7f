"""How far `drift` can be trusted: the tables of docs/statistics.md.

    python benchmarks/change.py --text ungdc.jsonl.zst
    python benchmarks/change.py --text ungdc.jsonl.zst --documents 40 --pairs 150 --methods graph,cw2v,compass

Documents are divided into two random halves. In the second, pairs of words of similar frequency are exchanged in 0,
10, … 100 % of their occurrences. Three tables, by the harmonic mean of a word's two counts: discoveries without any
change (p should be uniform, the corrected change 0), the rank correlation of the columns with the share exchanged (the
plain `change` is the baseline), and how often the interval holds the change in twenty times as much text. With
`--methods` only the second table, for the plain `change` of these methods at their defaults.
"""

from __future__ import annotations

import argparse
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np
import polars as pl
from harness import record, timed
from scipy.stats import kstest, spearmanr

import chronotope as ct
from chronotope.datasets.invented import invented_world
from chronotope.methods import default_settings, method_class

LEVELS = np.linspace(0, 1, 11)
BANDS = ((10, 20), (20, 50), (50, 200), (200, 1000), (1000, 10**9))
EXCHANGED = ((0.0, 0.0), (0.1, 0.4), (0.5, 1.0))
RANKED = ("corrected", "change", "z", "low")
LEAST = 10
TIMES = 20
Texts = list[list[str]]


def texts_of(path: str | None, documents: int) -> Texts:
    """Return the words of each document, in random order: of a file, or of an invented world without change."""
    if path is None:
        world = invented_world(years=[1990], places=["arlen"], documents=documents, changes=False)
        texts = [record["text"] for record in world.records]
    else:
        frame = pl.read_ndjson(path)
        texts = frame.sample(min(documents, len(frame)), shuffle=True, seed=1)["text"].to_list()
    return [re.findall(r"[^\W\d_]+", text.lower()) for text in texts]


def exchanges(texts: Texts, pairs: int, rarest: int) -> tuple[dict[str, str], dict[str, float]]:
    """Pair words of similar frequency, evenly over the ranks; return the partner of each word, and its share."""
    frequency = Counter(word for text in texts for word in text)
    words = [word for word, many in frequency.most_common() if many >= rarest]
    first = np.unique(np.linspace(0, len(words) - 2, pairs).astype(int) // 2 * 2).tolist()
    amounts = np.random.default_rng(1).permutation(np.resize(LEVELS, len(first))).tolist()
    swap: dict[str, str] = {}
    level: dict[str, float] = {}
    for at, amount in zip(first, amounts, strict=True):
        swap |= {words[at]: words[at + 1], words[at + 1]: words[at]}
        level |= dict.fromkeys(words[at : at + 2], amount)
    return swap, level


def halves(texts: Texts, swap: dict[str, str], level: dict[str, float], seed: int) -> list[dict[str, Any]]:
    """Divide the documents into two random halves; in the second, exchange words."""
    random = np.random.default_rng(seed)
    records = []
    for text, late in zip(texts, (random.random(len(texts)) < 0.5).tolist(), strict=True):
        draws = random.random(len(text)).tolist()
        words = [swap[w] if late and level.get(w, 0) > draw else w for w, draw in zip(text, draws, strict=True)]
        records.append({"text": words, "time": "1991" if late else "1990"})
    return records


def judged(records: list[dict[str, Any]], least: int, dimensions: int, trust: int = 1, **settings: Any) -> pl.DataFrame:
    """Return `drift` of all words; `trust` scales the shrinkage with the size of the text."""
    counts = ct.count(ct.read_corpus(records, time="time"), min_count=least)
    model = ct.GraphModel(dimensions=dimensions, shrinkage=10.0 * trust).fit(counts)
    answer = ct.drift(model, min_count=least, top=100_000, **settings)
    return answer.frame.with_columns(often=2 / (1 / pl.col("count_before") + 1 / pl.col("count_after")))


def bands(frame: pl.DataFrame) -> Iterator[tuple[str, pl.DataFrame]]:
    """Yield the words of each range of counts that is not empty."""
    for low, high in BANDS:
        part = frame.filter((pl.col("often") >= low) & (pl.col("often") < high))
        if len(part):
            yield f"{low} or more", part


def unchanged(null: pl.DataFrame, text: str) -> None:
    """Record what is found where nothing changed."""
    p = null["p"].drop_nulls().to_numpy()
    shares = {f"p_below_{level}": np.mean(p <= level) for level in (0.05, 0.001)}
    record(f"nothing changed, {text}", words=len(null), uniform_p=kstest(p, "uniform").pvalue, **shares)
    for count, part in bands(null):
        record(
            f"nothing changed, {text}, count {count}",
            words=len(part),
            change=part["change"].mean(),
            corrected=part["corrected"].drop_nans().mean(),
            zero_in_interval=part.select(((pl.col("low") <= 0) & (pl.col("high") >= 0)).mean()).item(),
            discoveries=int((part["q"] <= 0.05).sum()),
        )


def graded(found: pl.DataFrame, text: str) -> None:
    """Record how well each column ranks the words by the share of their occurrences that was exchanged."""
    for count, part in [("any", found), *bands(found)]:
        ranks = {name: spearmanr(part["level"], part[name], nan_policy="omit")[0] for name in RANKED}
        record(f"rank correlation with the share exchanged, {text}, count {count}", words=len(part), **ranks)


def by_method(records: list[dict[str, Any]], level: dict[str, float], methods: list[str], text: str) -> None:
    """Record how well the change in each method's vectors ranks the words by the share exchanged."""
    counts = ct.count(ct.read_corpus(records, time="time"), min_count=LEAST)
    for name in methods:
        model = method_class(name)(**default_settings(name)).fit(counts)
        found = ct.drift(model, words=list(level), min_count=LEAST, top=len(level)).frame
        found = found.with_columns(level=pl.col("word").replace_strict(level))
        rank = spearmanr(found["level"], found["change"])[0]
        record(f"rank correlation with the share exchanged, {name}, {text}", words=len(found), change=rank)


def coverage(found: pl.DataFrame, truth: pl.DataFrame, text: str) -> None:
    """Record how often the interval holds the change in the large corpus, and how far the estimate is from it."""
    both = found.join(truth.select("word", truth="change"), on="word").filter(pl.col("low").is_not_null())
    held = ((pl.col("low") <= pl.col("truth")) & (pl.col("truth") <= pl.col("high"))).alias("held")
    for count, part in bands(both):
        record(f"intervals, {text}, count {count}", words=len(part), held=part.select(held.mean()).item())
        for least, most in EXCHANGED:
            some = part.filter(pl.col("level").is_between(least - 0.01, most + 0.01))
            if len(some):
                means = some.select(
                    held.mean(), pl.col("corrected", "truth").mean(), found=(pl.col("q") <= 0.05).mean()
                )
                what = f"intervals, {text}, count {count}, exchanged {least:.0%} to {most:.0%}"
                record(what, words=len(some), **means.row(0, named=True))


def main() -> None:
    """Measure, and append rows."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--text", help="a JSONL file with a field `text`; an invented world unless given")
    parser.add_argument("--documents", type=int, default=500)
    parser.add_argument("--dimensions", type=int, default=100)
    parser.add_argument("--permutations", type=int, default=30)
    parser.add_argument("--bootstrap", type=int, default=30)
    parser.add_argument("--pairs", type=int, default=400)
    parser.add_argument("--methods", help="compare the plain change of these methods, separated by commas")
    parser.add_argument("--no-truth", action="store_true", help="leave out the large corpus and the coverage")
    asked = parser.parse_args()
    every = {"permutations": asked.permutations, "bootstrap": asked.bootstrap}
    text = "given text" if asked.text else "invented text"
    alone = asked.no_truth or asked.methods
    texts = texts_of(asked.text, asked.documents if alone else (TIMES + 1) * asked.documents)
    small, large = texts[: asked.documents], texts[asked.documents :]
    swap, level = exchanges(small, asked.pairs, 30)
    if asked.methods:
        by_method(halves(small, swap, level, 1), level, asked.methods.split(","), text)
        return
    with timed() as timing:
        unchanged(judged(halves(small, {}, {}, 1), LEAST, asked.dimensions, effect=0.0, **every), text)
    record(f"permutations and draws, {text}", **every, seconds=timing.seconds)
    found = judged(halves(small, swap, level, 1), LEAST, asked.dimensions, **every)
    known = pl.col("word").replace_strict(level, default=0.0)
    found = found.with_columns(level=known)
    graded(found.filter(pl.col("word").is_in(list(level))), text)
    if not asked.no_truth:
        truth = judged(halves(large, swap, level, 2), LEAST * TIMES // 2, asked.dimensions, TIMES)
        coverage(found, truth, text)


if __name__ == "__main__":
    main()
