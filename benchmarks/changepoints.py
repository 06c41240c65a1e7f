"""How often change points are found where nothing changes, and where something does: the figures of docs/analysis.md.

    python benchmarks/changepoints.py

Invented worlds of 16 years, five seeds, `graph` with 50 dimensions.
"""

from __future__ import annotations

import chronotope as ct
from chronotope.analysis.answer import Answer
from chronotope.datasets.invented import World

YEARS = range(1990, 2006)
SEEDS = range(1, 6)


def asked(world: World, words: list[str] | None = None) -> list[Answer]:
    counts = ct.count(ct.read_corpus(world.records, time="time"), min_count=5)
    embeddings = ct.GraphModel(dimensions=50).fit(counts)
    # Without names: every fourth word after the function words.
    chosen = words or list(embeddings.words[14::4])
    return [ct.changepoints(embeddings, word, shuffles=199, top=0, min_count=3) for word in chosen]


def main() -> None:
    still, moved, found, near, elsewhere = [], 0, 0, 0, 0
    for seed in SEEDS:
        settings = {"years": YEARS, "places": ("arlen",), "documents": 1920, "seed": seed}
        still += asked(ct.invented_world(**settings, changes=False))
        world = ct.invented_world(**settings)
        planted = {change.word: int(change.time) for change in world.changes if change.time and not change.place}
        for answer in asked(world, list(planted)):
            away = [abs(int(row["after"]) - planted[row["word"]]) for row in answer if row["accepted"]]
            moved, found, near = moved + 1, found + (0 in away), near + (min(away, default=9) <= 1)
            elsewhere += sum(distance > 1 for distance in away)
    by_order = sum(answer["p"][0] <= 0.05 for answer in still)
    accepted = sum(bool(answer.facts["accepted"]) for answer in still)
    print(f"no change: {len(still)} words, p ≤ 0.05 by order alone {by_order / len(still):.3f}, "
          f"accepted {accepted / len(still):.3f}")  # fmt: skip
    print(f"planted: {moved}, found in the right year {found}, within one {near}; other points {elsewhere}")


if __name__ == "__main__":
    main()
