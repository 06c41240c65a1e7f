"""How far the p-values of `drift` can be trusted: `python benchmarks/null_and_power.py [--text FILE.jsonl.zst]`.

Documents are put into two halves at random. As they are, nothing changed: p should be uniform, and no q small. Then in
one half pairs of words of like frequency take each other's place in a share of their occurrences: these words did
change, and the power of each tenth of them, by frequency, is the share that is discovered (q of at most 0.05). The
baseline is the same list read off at two robust standard deviations among words of like frequency. Last, some words
lose nine of ten occurrences in one half, at random: they became rare and did not change, so that p should be uniform.
"""

from __future__ import annotations

import argparse
import re
from collections import Counter
from typing import Any

import numpy as np
import polars as pl
from harness import peak_mb, record, timed
from scipy.stats import kstest

from chronotope.analysis.answer import Answer
from chronotope.analysis.drift import drift
from chronotope.cooccurrence import count
from chronotope.corpus import read_corpus
from chronotope.datasets.invented import invented_world
from chronotope.methods import GraphModel

HALVES = ("1", "2")
TENTHS = 10
LEVEL = 0.05
CLEAR_Z = 2.0


def texts_of(path: str | None, documents: int, seed: int) -> list[list[str]]:
    """The words of some documents of a file, or of an invented world without any change."""
    if path is None:
        world = invented_world(years=[1990], places=["arlen"], documents=documents, seed=seed, changes=False)
        texts = [record["text"] for record in world.records]
    else:
        frame = pl.read_ndjson(path)
        texts = frame.sample(min(documents, len(frame)), seed=seed)["text"].to_list()
    return [re.findall(r"[^\W\d_]+", text.lower()) for text in texts]


def exchanged(texts: list[list[str]], pairs: int, rarest: int) -> dict[str, str]:
    """Pairs of words of like frequency, evenly over the ranks; each word with the one whose place it takes."""
    frequency = Counter(word for text in texts for word in text)
    words = [word for word, many in frequency.most_common() if many >= rarest]
    first = np.unique(np.linspace(0, len(words) - 2, pairs).astype(int) // 2 * 2)
    swap: dict[str, str] = {}
    for at in first.tolist():
        swap |= {words[at]: words[at + 1], words[at + 1]: words[at]}
    return swap


def halves(texts: list[list[str]], swap: dict[str, str], strength: float, seed: int) -> list[dict[str, Any]]:
    """The documents in two halves at random; in the second, words are exchanged in a share of their occurrences."""
    random = np.random.default_rng(seed)
    second = random.random(len(texts)) < 0.5
    records = []
    for text, late in zip(texts, second.tolist(), strict=True):
        words = text
        if late and strength:
            chosen = random.random(len(text)) < strength
            words = [swap.get(word, word) if taken else word for word, taken in zip(text, chosen, strict=True)]
        records.append({"text": words, "half": HALVES[late]})
    return records


def rarer(records: list[dict[str, Any]], many: int, least: int, seed: int) -> tuple[list[dict[str, Any]], set[str]]:
    """The records with some words nine times rarer in the second half, and these words."""
    random = np.random.default_rng(seed)
    frequency = Counter(word for record in records for word in record["text"])
    words = [word for word, count in frequency.most_common() if least <= count <= 10 * least]
    chosen = set(random.choice(words, min(many, len(words)), replace=False).tolist())
    thinned = []
    for one in records:
        kept = random.random(len(one["text"])) < 0.1
        late = one["half"] == HALVES[1]
        text = [word for word, keep in zip(one["text"], kept, strict=True) if not late or keep or word not in chosen]
        thinned.append({**one, "text": text})
    return thinned, chosen


def judged(records: list[dict[str, Any]], dimensions: int | None, permutations: int) -> Answer:
    """What `drift` says of the two halves."""
    counts = count(read_corpus(records, place="half"))
    embeddings = GraphModel(dimensions=dimensions).fit(counts)
    return drift(embeddings, *HALVES, permutations=permutations, top=len(embeddings))


def report(name: str, answer: Answer, swap: dict[str, str], **about: Any) -> None:
    """Print and keep the figures of a world with changes, or of one without."""
    p, q, corrected = (answer[name].to_numpy() for name in ("p", "q", "corrected"))
    touched = answer["word"].is_in(list(swap)).to_numpy()
    found, clear = q <= LEVEL, answer["z"].to_numpy() >= CLEAR_Z
    figures = {"words": len(answer), "permutations": answer.facts["permutations"], **about, "peak_mb": peak_mb()}
    if not swap:
        record(
            f"null of drift, {name}",
            ks_p=kstest(p[np.isfinite(p)], "uniform").pvalue,
            share_p_05=np.mean(p <= 0.05),
            share_p_001=np.mean(p <= 0.001),
            discoveries=int(found.sum()),
            flagged_by_z=int(clear.sum()),
            mean_change=answer["change"].mean(),
            mean_corrected=np.nanmean(corrected),
            **figures,
        )
        return
    frequency = (answer["count_before"] + answer["count_after"]).to_numpy()
    order = np.flatnonzero(touched)[np.argsort(frequency[touched])]
    tenths = np.array_split(order, TENTHS)
    record(
        f"power of drift, {name}",
        power_by_tenth="/".join(f"{found[part].mean():.2f}" for part in tenths),
        median_count_by_tenth="/".join(f"{np.median(frequency[part]):.0f}" for part in tenths),
        power=found[touched].mean(),
        power_of_z=clear[touched].mean(),
        exchanged=int(touched.sum()),
        discoveries=int(found.sum()),
        not_exchanged_among_them=np.mean(~touched[found]) if found.any() else 0.0,
        not_exchanged_among_z=np.mean(~touched[clear]) if clear.any() else 0.0,
        **figures,
    )


def report_rarer(name: str, answer: Answer, chosen: set[str], **about: Any) -> None:
    """Print and keep what `drift` says of words that became rare and did not change."""
    p, change, corrected = (answer[name].to_numpy() for name in ("p", "change", "corrected"))
    touched = answer["word"].is_in(list(chosen)).to_numpy()
    record(
        f"words that became rare, {name}",
        words=int(touched.sum()),
        share_p_05=np.mean(p[touched] <= 0.05),
        median_p=np.nanmedian(p[touched]),
        mean_change=change[touched].mean(),
        mean_corrected=np.nanmean(corrected[touched]),
        share_p_05_of_others=np.mean(p[~touched] <= 0.05),
        permutations=answer.facts["permutations"],
        **about,
    )


def main() -> None:
    """Measure, and append rows."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--text", help="a JSONL file with a field `text`; an invented world unless given")
    parser.add_argument("--documents", type=int, default=2_000)
    parser.add_argument("--dimensions", type=int, default=None)
    parser.add_argument("--permutations", type=int, default=100)
    parser.add_argument("--pairs", type=int, default=100)
    parser.add_argument(
        "--strength", type=float, nargs="+", default=[0.3], help="the shares of occurrences that are exchanged"
    )
    parser.add_argument("--only-power", action="store_true", help="leave out what did not change")
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    name = "given text" if asked.text else "invented text"
    texts = texts_of(asked.text, asked.documents, asked.seed)
    tokens = sum(map(len, texts))
    swap = exchanged(texts, asked.pairs, rarest=60)
    worlds: list[tuple[dict[str, str], float]] = [(swap, strength) for strength in asked.strength]
    for swap, strength in worlds if asked.only_power else [({}, 0.0), *worlds]:
        records = halves(texts, swap, strength, asked.seed)
        with timed() as timing:
            answer = judged(records, asked.dimensions, asked.permutations)
        about = {"documents": len(texts), "tokens": tokens, "seconds": timing.seconds}
        report(name, answer, swap, **(about | ({"strength": strength} if swap else {})))
    if asked.only_power:
        return
    records, chosen = rarer(halves(texts, {}, 0.0, asked.seed), asked.pairs, 200, asked.seed)
    with timed() as timing:
        answer = judged(records, asked.dimensions, asked.permutations)
    report_rarer(name, answer, chosen, documents=len(texts), tokens=tokens, seconds=timing.seconds)


if __name__ == "__main__":
    main()
