"""How often change points are found where nothing changes, and where something does: the figures of docs/analysis.md.

    python benchmarks/changepoints.py

Invented worlds of 16 years in one place and of 10 years in four, five seeds each, `graph` with 50 dimensions.
"""

from __future__ import annotations

from typing import Any

import chronotope as ct
from chronotope.datasets.invented import World

SEEDS = range(1, 6)
LINE: dict[str, Any] = {"years": range(1990, 2006), "places": ("arlen",), "documents": 1920}
GRID: dict[str, Any] = {"years": range(1990, 2000), "places": ("arlen", "borva", "celdon", "dorria"), "documents": 4800}


def fitted(world: World, **fields: str) -> ct.ConditionedEmbeddings:
    counts = ct.count(ct.read_corpus(world.records, time="time", **fields), min_count=5)
    return ct.GraphModel(dimensions=50).fit(counts)


def on_a_line(seed: int) -> tuple[list[bool], list[list[int]]]:
    """Return whether each unchanged word has a point, and how far from the truth each changed word's points are."""
    still = fitted(ct.invented_world(**LINE, seed=seed, changes=False))
    found = [len(ct.changepoints(still, word, top=0, min_count=3)) > 0 for word in still.words[::2]]
    world = ct.invented_world(**LINE, seed=seed)
    changed = fitted(world)
    away = []
    for change in world.changes:
        if change.time and not change.place:
            points = ct.changepoints(changed, change.word, top=0, min_count=3)
            away.append([abs(int(after) - int(change.time)) for after in points["after"]])
    return found, away


def on_a_grid(seed: int) -> tuple[list[bool], list[bool], list[bool]]:
    """Return whether each unchanged word has a point in any place; whether each planted place is found, and others."""
    still = fitted(ct.invented_world(**GRID, seed=seed, changes=False), place="place")
    false = [any(place["accepted"] for place in ct.grid(still, word, min_count=3).facts["changes"])
             for word in still.words[::4]]  # fmt: skip
    world = ct.invented_world(**GRID, seed=seed)
    changed, found, other = fitted(world, place="place"), [], []
    for change in world.changes:
        if change.time and change.place:
            for place in ct.grid(changed, change.word, min_count=3).facts["changes"]:
                (found if place["place"] == change.place else other).append(place["accepted"])
    return false, found, other


def main() -> None:
    lines, grids = [on_a_line(seed) for seed in SEEDS], [on_a_grid(seed) for seed in SEEDS]
    still = [one for found, _ in lines for one in found]
    away = [one for _, found in lines for one in found]
    print(f"no change: {len(still)} words, {sum(still) / len(still):.1%} with a point")
    exact, near = sum(0 in one for one in away), sum(min(one, default=9) <= 1 for one in away)
    other = sum(distance > 1 for one in away for distance in one)
    print(f"planted: {len(away)}, found in the right year {exact}, within one {near}; other points {other}")
    still, found, other = ([one for grid in grids for one in grid[part]] for part in range(3))
    print(f"four places, no change: {len(still)} words, {sum(still) / len(still):.1%} with a point in any of them")
    print(f"planted in one place: {len(found)}, found there {sum(found)}, elsewhere {sum(other)} of {len(other)}")


if __name__ == "__main__":
    main()
